//! The part of the page that says what is in force here.

use std::fmt::Write as _;

use model::Level;
use state::config::{self, Trust};
use state::{Machine, Project};

use super::html::{Table, escape, section};
use crate::commands::setup::registration;

pub(super) fn on(machine: &Machine) -> String {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    let config = &loaded.config;
    let hooks = registration::registered(machine, &project);
    let allowed = state::allowances::list(machine);
    let switched = if config.hook_enabled { "" } else { ", switched off by <code>hook_enabled</code>" };
    let mut body = format!(
        "<dl><div><dt>Project</dt><dd><code>{}</code></dd></div><div><dt>Profile</dt><dd>{}{switched}</dd></div><div><dt>Version</dt><dd>{}</dd></div>",
        escape(&project.root.to_string_lossy()),
        escape(config.profile.as_str()),
        env!("CARGO_PKG_VERSION")
    );
    let _ = write!(body, "<div><dt>Registered</dt><dd>");
    if hooks.is_empty() {
        body.push_str("nowhere that is known here");
    }
    for (file, events) in &hooks {
        let _ = write!(body, "<code>{}</code> ({} events) ", escape(&file.to_string_lossy()), events.len());
    }
    body.push_str("</dd></div>");
    let policy = crate::commands::policy::lines(machine, &loaded);
    if !policy.is_empty() {
        let lines: Vec<String> = policy.iter().map(|(_, line)| escape(line)).collect();
        let _ = write!(body, "<div><dt>Policy</dt><dd>{}</dd></div>", lines.join("; "));
    }
    if !allowed.is_empty() {
        let _ = write!(body, "<div><dt>Allowed by hand</dt><dd>");
        for one in &allowed {
            let _ =
                write!(body, "<code>{}</code> ({}) ", escape(&model::redact(&one.text)), escape(&one.holds));
        }
        body.push_str("</dd></div>");
    }
    body.push_str("</dl>");
    let mut table = Table::new("levels", "Checks and their levels", &["Check", "Level", "What it looks at"]);
    let mut off = 0;
    for check in checks::all() {
        let meta = check.meta;
        let level = checks::level(meta, config);
        off += u64::from(level == Level::Off);
        table.row(&[
            format!("<code>{}</code>", escape(meta.id)),
            escape(level.as_str()),
            escape(meta.summary),
        ]);
    }
    let all = checks::all().count() as u64;
    let _ = write!(
        body,
        "<details><summary>{} of {all} checks are on</summary>{}</details>",
        all - off,
        table.finish()
    );
    section("on", "What is on", "", &body)
}
