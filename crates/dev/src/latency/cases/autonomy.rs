//! An agent that works alone: approved calls, recorded ones, the start with a memory, the stop with a report.

use std::path::Path;

use serde_json::{Value as Json, json};
use state::{Machine, Project, config};

use crate::latency::stage::{edit, shell, stop};
use crate::latency::{Case, Stage, measure};

const SUBJECT: &str = "an agent that works alone";

const REPORT: &str = r#"{"self_report": {"is_job_complete": true, "code_changes_made": true, "linters_pass": true, "category": "x"},
"reflection": {"what_was_done": "Set x to two as the plan says", "what_remains": "none", "search_terms": ["app", "counting"],
"key_insight": "The value of x must be two, because the reader of it counts from one"}}"#;

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let project = |name: &str, checks: &Json| {
        let config = json!({"profile": "autonomous", "checks": checks});
        let project = stage.project(name, &config, &[("src/app.py", "x = 1\n")])?;
        trust(stage, &project)?;
        anyhow::Ok(project)
    };
    let active = project("active", &json!({}))?;
    let now = model::time::rfc3339(Machine::real().now());
    std::fs::write(active.join(".claude/autonomous-state.json"), json!({"started_at": now}).to_string())?;
    let quiet = project("quiet", &json!({"autonomy/usage-log": "off"}))?;
    let read = |project: &Path| {
        let input = json!({"file_path": project.join("src/app.py")});
        json!({"tool_name": "Read", "tool_input": input, "tool_response": {"type": "text"}})
    };
    let learned = project("learned", &json!({}))?;
    remember(stage, &learned)?;
    let (open, done) = (project("open", &json!({}))?, project("done", &json!({}))?);
    for project in [&open, &done] {
        let start = stage.hook(SUBJECT, "start", project, "SessionStart", &json!({"source": "startup"}))?;
        measure::once(stage, &start)?;
        std::fs::write(project.join("src/app.py"), "x = 2\n")?;
    }
    std::fs::write(done.join(".claude/completion-checkpoint.json"), REPORT)?;
    let case = |name, project: &Path, event, body: &Json| stage.hook(SUBJECT, name, project, event, body);
    Ok(vec![
        case("a command, approved", &active, "PreToolUse", &shell("frobnicate x"))?.at_most(1.6),
        case("an edit, approved", &active, "PreToolUse", &edit(&active, "src/app.py"))?.at_most(1.6),
        case("after a read, recorded", &active, "PostToolUse", &read(&active))?,
        case("after a read, not recorded", &quiet, "PostToolUse", &read(&quiet))?,
        case("a start with 500 memories", &learned, "SessionStart", &json!({"source": "resume"}))?
            .at_most(15.0)
            .dear(),
        case("a stop without a report", &open, "Stop", &stop())?.at_most(12.0).dear(),
        case("a stop with one that holds", &done, "Stop", &stop())?.at_most(12.0).dear(),
    ])
}

fn at_home(stage: &Stage, project: &Path) -> (Machine, Project) {
    let home = stage.home().to_string_lossy().into_owned();
    let machine = Machine::with(&[("HOME", &home)], project);
    let project = Project::at(&machine, project.to_owned());
    (machine, project)
}

/// The user's word for the profile, which approves things.
fn trust(stage: &Stage, project: &Path) -> anyhow::Result<()> {
    let (machine, project) = at_home(stage, project);
    let loaded = config::load(&machine, &project, checks::role, config::Trust::Recorded);
    Ok(state::trust::add(&machine, &project, &loaded.bound)?)
}

/// Five hundred memories of this project, in their index.
fn remember(stage: &Stage, project: &Path) -> anyhow::Result<()> {
    let (machine, project) = at_home(stage, project);
    let Some(store) = state::memory::Store::of(&machine, &project) else {
        return Ok(());
    };
    let events = store.root().join("events");
    std::fs::create_dir_all(&events)?;
    let mut last = String::new();
    for number in 0..=500u64 {
        let ts = model::time::rfc3339(machine.now() - 3600 * number / 2);
        last = format!("evt_{}-1-{number:06}", ts.replace(['-', ':', 'Z'], ""));
        let event = json!({
            "v": 1, "id": last, "ts": ts, "type": "session_end", "source": "auto-capture", "category": "bugfix", "meta": {},
            "content": format!("LESSON: number {number} of many, about something that was learned once\nDONE: what was done then"),
            "entities": [format!("word{}", number % 90), format!("file{}.py", number % 70), "shared"],
        });
        std::fs::write(events.join(format!("{last}.json")), event.to_string())?;
    }
    // Taking one away makes the index.
    store.forget(&machine, &last)?;
    Ok(())
}
