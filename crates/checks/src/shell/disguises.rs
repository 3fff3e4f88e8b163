//! Properties of the guards as a whole: a denied command stays denied in every wrapper, the same words as mere data are
//! nobody's business, and no answer names a command that would be denied in its turn.

use model::{Config, Decision, Event, Level, Verdict};

use crate::cases::{Case, parse, shell_event};
use crate::{Context, Options, run};

/// Every case of this group in which a command is denied. Not those of package managers, a matter of taste that ends at the
/// project's own scripts, nor those in which reviewers were asked.
fn denied() -> Vec<(&'static str, Case)> {
    let mut found = Vec::new();
    for check in super::CHECKS
        .iter()
        .filter(|check| !matches!(check.meta.id, "shell/package-manager" | "shell/second-opinion"))
    {
        for case in parse(check.meta.cases).unwrap() {
            if case.expect == Decision::Deny && case.event.command().is_some() {
                found.push((check.meta.id, case));
            }
        }
    }
    assert!(found.len() > 60);
    found
}

fn judge(case: &Case, command: &str) -> Verdict {
    let mut config: Config = case.config.clone();
    for check in super::CHECKS {
        config.checks.entry(check.meta.id.into()).or_insert(Level::On);
    }
    let cx = Context::new(&config, &case.table);
    let event = Event { mode: case.event.mode.clone(), ..shell_event(command) };
    run(&event, &cx, &Options { explain: true, ..Options::default() }).verdict
}

type Disguise = (&'static str, fn(&str) -> String);

const WRAPPERS: &[Disguise] = &[
    ("sudo sh -c", |c| format!("sudo sh -c {}", shell::quote(c))),
    ("env bash -c", |c| format!("env X=1 bash -c {}", shell::quote(c))),
    ("timeout bash -c", |c| format!("timeout 5 bash -c {}", shell::quote(c))),
    ("nested shells", |c| format!("bash -c {}", shell::quote(&format!("sh -c {}", shell::quote(c))))),
    ("eval", |c| format!("eval {}", shell::quote(c))),
    ("variable and eval", |c| format!("x={}; eval \"$x\"", shell::quote(c))),
    ("here-string", |c| format!("bash <<< {}", shell::quote(c))),
    ("echo into a shell", |c| format!("printf '%s\\n' {} | sh", shell::quote(c))),
    ("script file", |c| format!("printf '%s\\n' {} > /tmp/x.sh; bash /tmp/x.sh", shell::quote(c))),
    ("subshell", |c| format!("(\n{c}\n)")),
    ("group", |c| format!("{{\n{c}\n}}")),
    ("after another", |c| format!("ls\n{c}")),
    ("before another", |c| format!("{c}\nls")),
    ("condition", |c| format!("if true; then\n{c}\nfi")),
    ("loop", |c| format!("while true; do\n{c}\ndone")),
    ("for", |c| format!("for i in 1; do\n{c}\ndone")),
    ("case", |c| format!("case x in *)\n{c}\n;; esac")),
    ("function", |c| format!("f() {{\n{c}\n}}\nf")),
    ("trap", |c| format!("trap {} EXIT", shell::quote(c))),
    ("xargs", |c| format!("echo x | xargs -I% sh -c {}", shell::quote(c))),
    ("nohup", |c| format!("nohup bash -c {} &", shell::quote(c))),
];

const DATA: &[Disguise] = &[
    ("echo", |c| format!("echo {}", shell::quote(c))),
    ("commit message", |c| format!("git commit -m {}", shell::quote(c))),
    ("search", |c| format!("grep -F {} notes.txt", shell::quote(c))),
    ("comment", |c| format!("ls # {}", c.replace('\n', " "))),
    ("document", |c| format!("cat > notes.md <<'PLIMSOLL_END'\n{c}\nPLIMSOLL_END")),
    ("printf", |c| format!("printf '%s' {} > notes.txt", shell::quote(c))),
];

#[test]
fn denied_commands_stay_denied_in_every_wrapper() {
    let mut failures = Vec::new();
    for (id, case) in denied() {
        let command = case.event.command().unwrap_or_default();
        for (name, wrap) in WRAPPERS {
            let verdict = judge(&case, &wrap(command));
            if verdict.decision != Decision::Deny {
                failures.push(format!("{id} in {name}: {} for {command}", verdict.decision));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_same_words_as_data_are_left_alone() {
    let mut failures = Vec::new();
    for (id, case) in denied() {
        let command = case.event.command().unwrap_or_default();
        for (name, wrap) in DATA {
            // Where a commit itself is what the case is about, a commit message is not a disguise.
            if *name == "commit message" && matches!(id, "shell/commit-on-main" | "shell/evidence") {
                continue;
            }
            let mut config = case.config.clone();
            for other in ["shell/commit-on-main", "shell/evidence", "shell/temp-write"] {
                config.checks.insert(other.into(), Level::Off);
            }
            let cx = Context::new(&config, &case.table);
            let verdict = run(&shell_event(&wrap(command)), &cx, &Options::default()).verdict;
            if verdict.decision > Decision::Allow {
                failures.push(format!(
                    "{id} as {name}: {} for {command}: {}",
                    verdict.decision,
                    verdict.reason()
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn no_answer_names_a_command_that_is_denied_in_its_turn() {
    for (id, case) in denied() {
        let verdict = judge(&case, case.event.command().unwrap_or_default());
        for instead in verdict.findings.iter().filter_map(|finding| finding.instead.as_deref()) {
            let named = instead.split('`').skip(1).step_by(2).chain(instead.split(": ").skip(1));
            for command in named.filter(|text| {
                ["git ", "test ", "cut ", "plimsoll ", "uv ", "bun "].iter().any(|p| text.starts_with(p))
            }) {
                let command = command.trim_end_matches('.').split(", ").next().unwrap_or(command);
                let answer = judge(&case, &command.replace(['<', '>'], ""));
                assert_ne!(
                    answer.decision,
                    Decision::Deny,
                    "{id} names `{command}`, and denies it: {}",
                    answer.reason()
                );
            }
        }
    }
}
