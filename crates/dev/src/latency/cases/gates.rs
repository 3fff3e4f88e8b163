//! Every gate on, in a repository of 300 source files and in one of 20 000.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::latency::stage::stop;
use crate::latency::{Case, Stage};

const SUBJECT: &str = "every gate on";

const PLAN: &str = "# Plan\n## Original Intent\nx\n## Phase 1: One\n**Status:** completed\n### Decision Log\n- DEC-CORE-001: x\n## Phase 2: Two\n\
                    **Status:** in-progress\n- DEC-CORE-002: y\n## Phase 3: Three\n**Status:** planned\n## Phase 4: Four\n**Status:** planned\n";

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let (small, large) = (project(stage, "gates-300", 300)?, project(stage, "gates-20000", 20_000)?);
    let write = |name, project: &Path| {
        let content = format!(
            "/** What it is for.\n * @decision DEC-CORE-002\n */\n{}",
            "export const x = 1\n".repeat(57)
        );
        let input = json!({"file_path": project.join("src/new.ts"), "content": content});
        stage.hook(SUBJECT, name, project, "PreToolUse", &json!({"tool_name": "Write", "tool_input": input}))
    };
    let start = json!({"source": "startup"});
    let prompt = json!({"prompt": "implement phase 2 in src/m0/f0.ts and commit it"});
    Ok(vec![
        write("write, 60 lines, 300 files", &small)?.at_most(3.0),
        write("write, 60 lines, 20 000 files", &large)?.at_most(3.0),
        stage.hook(SUBJECT, "session start, 300 files", &small, "SessionStart", &start)?.at_most(12.0).dear(),
        stage.hook(SUBJECT, "session start, 20 000 files", &large, "SessionStart", &start)?.dear(),
        stage
            .hook(SUBJECT, "prompt with three keywords, 300 files", &small, "UserPromptSubmit", &prompt)?
            .dear(),
        stage.hook(SUBJECT, "stop with audit, 300 files", &small, "Stop", &stop())?.at_most(40.0).dear(),
        stage.hook(SUBJECT, "stop with audit, 20 000 files", &large, "Stop", &stop())?.dear(),
    ])
}

/// A repository on a branch of its own, with a plan, gates satisfied, and ten files that the session has changed.
fn project(stage: &Stage, name: &str, count: usize) -> anyhow::Result<PathBuf> {
    let files: Vec<(String, String)> = (0..count)
        .map(|number| {
            let decision = if number % 30 == 0 { " * @decision DEC-CORE-001\n * @rationale x\n" } else { "" };
            let text = format!(
                "/** What it is for.\n{decision} */\n{}",
                "export function f(x: number) {\n  return x + 1\n}\n".repeat(20)
            );
            (format!("src/m{}/f{number}.ts", number / 100), text)
        })
        .collect();
    let mut all: Vec<(&str, &str)> =
        files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    all.push(("MASTER_PLAN.md", PLAN));
    all.push((".gitignore", ".claude/.*\n"));
    let config = json!({"profile": "strict", "hook_enabled": true});
    let project = stage.project(name, &config, &all)?;
    stage.git(&project, &["checkout", "-qb", "feature"])?;
    let changed: String = (0..10)
        .map(|number| format!("{}\n", project.join(format!("src/m0/f{number}.ts")).display()))
        .collect();
    std::fs::write(project.join(".claude/.session-changes-latency"), changed)?;
    Ok(project)
}
