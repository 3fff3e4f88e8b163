//! What a command does, in kinds that a person asks about. Nothing is decided here: it shows what the checks look at.

use model::Facts;
use shell::{Call, Reading};

use super::written::written;
use super::{destroy_cloud, destroy_data, destroy_files, halt, package_manager, secret, words};

/// One thing that a command does, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// `reads`, `writes`, `deletes`, …
    pub kind: &'static str,
    pub what: String,
}

/// What a command does, each thing once, in the order it happens.
pub fn deeds(reading: &Reading, facts: &dyn Facts) -> Vec<Deed> {
    let mut found: Vec<Deed> = Vec::new();
    let mut add = |kind: &'static str, what: String| {
        let deed = Deed { kind, what: shell::text::show(&what) };
        if !deed.what.is_empty() && !found.contains(&deed) {
            found.push(deed);
        }
    };
    for call in &reading.calls {
        of(call, facts, &mut add);
    }
    for (language, _) in &reading.inline {
        add("runs code", format!("of {language}"));
    }
    for unseen in &reading.unseen {
        add("runs code", format!("that cannot be seen, by {}", unseen.by));
    }
    found
}

fn of(call: &Call, facts: &dyn Facts, add: &mut dyn FnMut(&'static str, String)) {
    let program = call.program();
    for (verb, arg, _) in destroy_files::targets(call, facts) {
        add(if verb.starts_with("delete") { "deletes" } else { "overwrites" }, arg.text);
    }
    for path in written(call) {
        if !matches!(path.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr") {
            add("writes", path);
        }
    }
    for (path, _) in secret::shown(call) {
        if !path.starts_with('-') {
            add("reads", path);
        }
    }
    if matches!(program, "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "setcap" | "umask") {
        add("permissions", call.line());
    }
    if let Some(git) = words::git(call) {
        add("git", git.verb.to_owned());
    }
    if secret::SENDERS.contains(&program) {
        add("network", call.line());
    }
    if destroy_data::CLIENTS.contains(&program) {
        add("database", call.line());
    }
    if destroy_cloud::is_cloud(program) {
        add("cloud", call.line());
    }
    if halt::halts(call)
        || matches!(program, "kill" | "pkill" | "killall" | "systemctl" | "service" | "launchctl")
    {
        add("processes", call.line());
    }
    if package_manager::is_manager(program) {
        add("packages", call.line());
    }
}
