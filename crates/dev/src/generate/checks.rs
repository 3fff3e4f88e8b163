//! `checks.md`: one section per check, in the order they run.

use checks::cases::{self, Case};
use checks::{Context, Options};
use model::config::Profile;
use model::{Body, Decision, Level, Meta, On, Role, Stop, Tools};

use super::markdown::{Document, code, plain, reflow, sentence};

pub(super) fn page() -> String {
    let mut page = Document::new("Checks", "crates/checks/src");
    page.block(
        "In the order they run. `plimsoll explain <id>` prints the same text, `plimsoll status --checks` the level of each in \
         a project.",
    );
    page.block("The examples are test cases. Their answers are:");
    page.list(&[
        "`deny`: it does not happen, and the agent reads why.".into(),
        "`ask`: the user decides.".into(),
        "`allow`: it runs without a question.".into(),
        "`none`: nothing to say; the agent's own permissions decide.".into(),
        "`rewrite`: another command runs instead.".into(),
        "`context`: a text for the agent.".into(),
        "`notice`: a text for the user, which the agent does not see.".into(),
        "`record`: something is written down.".into(),
    ]);
    for check in checks::all() {
        section(&mut page, check.meta);
    }
    page.finish()
}

/// Where a check's section is, as a link ends: what GitHub makes of a heading.
pub(super) fn anchor(id: &str) -> String {
    id.replace('/', "")
}

fn section(page: &mut Document, meta: &'static Meta) {
    page.heading(2, &code(meta.id));
    page.block(&sentence(meta.summary));
    page.block(&reflow(meta.docs));
    page.list(&[
        format!("Role: {}.", role(meta.role)),
        format!("Looks at: {}.", meta.on.iter().map(on).collect::<Vec<_>>().join(", ")),
        format!("Level: {}.", levels(meta)),
        format!("Since: {}.", meta.since),
    ]);
    let cases = cases::parse(meta.cases).expect("a test of `checks` parses every case file");
    let rows = cases
        .iter()
        .filter(|case| case.show)
        .map(|case| [action(case), answer(meta, case), plain(&case.why)]);
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        page.table(["The agent's step", "Answer", "Why"], rows);
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Guard => {
            "guard; it stands between the agent and harm, asks when in doubt, and a project cannot weaken it without trust"
        }
        Role::Grant => "grant; it spares you a question, and a project cannot switch it on without trust",
        Role::Advisory => "advisory; it helps, and in doubt it is silent",
    }
}

fn on(on: &On) -> String {
    let event = code(on.event.as_str());
    match on.tools {
        Tools::Any => event,
        Tools::Edits => format!("{event} of edits"),
        Tools::Shell => format!("{event} of shell commands"),
        Tools::Reads => format!("{event} of files and addresses that are read"),
        Tools::Mcp => format!("{event} of MCP tools"),
        Tools::Foreign => format!("{event} of MCP tools and of tools that are not known"),
    }
}

fn levels(meta: &Meta) -> String {
    let named = Profile::ALL.map(|profile| (profile.as_str(), meta.levels.of(profile)));
    if named.iter().all(|(_, level)| *level == Level::On) {
        return "on in every profile".into();
    }
    named.map(|(profile, level)| format!("{level} in `{profile}`")).join(", ")
}

fn action(case: &Case) -> String {
    let title = code(&case.title);
    match &case.event.body {
        Body::Stop(Stop { active: true, .. }) => format!("{title}, held once already"),
        Body::Session(change) => format!("{title} ({})", change.cause),
        _ => title,
    }
}

/// The decision that the case expects, and what else the check does then, which only running it tells.
fn answer(meta: &Meta, case: &Case) -> String {
    let only = [meta.id.to_owned()];
    let mut config = case.config.clone();
    config.checks.entry(meta.id.into()).or_insert(Level::On);
    let cx = Context::new(&config, &case.table);
    let report = checks::run(&case.event, &cx, &Options { only: Some(&only), ..Options::default() });
    let mut words = Vec::new();
    for (word, said) in [
        (case.expect.as_str(), case.expect != Decision::None),
        ("rewrite", report.verdict.command.is_some()),
        ("context", !report.verdict.context.is_empty()),
        ("notice", !report.verdict.notices.is_empty()),
        ("record", !report.effects.is_empty()),
    ] {
        if said {
            words.push(word);
        }
    }
    if words.is_empty() { Decision::None.to_string() } else { words.join(", ") }
}
