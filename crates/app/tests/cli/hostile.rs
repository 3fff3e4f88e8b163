//! Clones that were made to harm whoever opens them, made here by code: links to devices and out of the project, FIFOs, files that
//! are huge or deep, git settings that start programs, tools and configs that are programs, words for the agent.
//!
//! In each of them every hook is called and every command that only looks is run, by a user in the profile `standard` and by one in
//! `strict`. What must hold is in `holds`: nothing of the clone's runs, nothing outside of it changes, every hook answers in time, a
//! dangerous command is stopped, what the clone says in our name is not believed, and memory stays small. The repositories are in
//! the files below, by subject; `checkout` makes one and runs the program in it, `watched` runs a program that may hang.

mod checkout;
mod files;
mod git;
mod links;
mod names;
mod tools;
mod words;

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::watched::{self, Seen};
use checkout::{Checkout, MARK};

/// Seconds that a hook is told it has.
const DEADLINE: u64 = 4;
/// On a busy machine a hook that answers at its deadline ends a while after.
const GRACE: u64 = 8;
/// For commands, which have no deadline.
const PATIENCE: u64 = 30;
/// Kilobytes that a run of ours, or a program that it starts, may hold.
const MOST_MEMORY: i64 = 300 * 1024;
/// After so many runs that hang a repository has shown what it does.
const ENOUGH: usize = 2;

macro_rules! repositories {
    ($($name:ident: $build:expr;)*) => {
        $(#[test]
        fn $name() {
            holds($build);
        })*

        /// So that nobody takes repositories away without noticing.
        #[test]
        fn there_are_twenty_at_least() {
            let all = [$(stringify!($name)),*];
            assert!(all.len() >= 20, "{all:?}");
        }
    };
}

repositories! {
    every_file_is_a_terminal_that_waits: |clone| files::all_lead_to(clone, "/dev/ptmx");
    every_file_is_an_endless_one: |clone| files::all_lead_to(clone, "/dev/zero");
    every_file_is_random_without_end: |clone| files::all_lead_to(clone, "/dev/urandom");
    every_file_is_the_terminal: |clone| files::all_lead_to(clone, "/dev/tty");
    every_file_is_our_own_output: |clone| files::all_lead_to(clone, "/proc/self/fd/1");
    every_file_is_our_own_input: |clone| files::all_lead_to(clone, "/proc/self/fd/0");
    every_file_is_the_kernels_log: |clone| files::all_lead_to(clone, "/proc/kmsg");
    every_file_is_a_fifo: files::all_are_fifos;
    every_file_is_a_folder: files::all_are_folders;
    every_file_is_a_socket: files::all_are_sockets;
    every_file_is_huge: files::all_are_huge;
    every_file_is_deep: files::all_are_deep;
    every_file_leads_to_itself: files::all_are_loops;
    every_file_leads_nowhere: |clone| files::all_lead_to(clone, "nowhere/at/all");
    folders_without_end: files::deep_folders;
    what_is_edited_is_deep: files::edited_files_are_deep;
    what_is_edited_is_no_file: files::edited_files_are_none;
    records_lead_into_the_home: links::records_lead_into_the_home;
    records_lead_to_new_files_in_the_home: links::records_lead_to_new_files;
    records_are_hard_links_to_files_of_others: links::records_are_hard_links;
    the_settings_folder_is_the_home: |clone| links::folder_leads_to(clone, ".claude", ".");
    the_settings_folder_is_the_homes: |clone| links::folder_leads_to(clone, ".claude", ".claude");
    the_settings_folder_is_elsewhere: |clone| links::folder_leads_to(clone, ".claude", "etc");
    the_hooks_folder_is_the_homes: |clone| links::folder_leads_to(clone, ".claude/hooks", ".claude/hooks");
    git_settings_that_start_programs: git::settings;
    git_filters_that_are_processes: git::processes;
    git_settings_from_elsewhere: git::included;
    git_settings_of_a_worktree: git::of_a_worktree;
    a_git_folder_elsewhere: git::elsewhere;
    a_bare_repository_in_the_project: git::bare_inside;
    git_files_that_wait: git::files_that_wait;
    ignore_rules_that_wait: git::rules_that_wait;
    git_settings_name_files_that_wait: git::settings_that_wait;
    a_git_database_that_waits: git::databases_that_wait;
    signed_commits_and_a_verifier: git::signed;
    tools_in_the_project: tools::in_the_project;
    tools_in_the_project_with_settings_for_them: tools::with_settings;
    tools_where_the_shell_looks: tools::on_path;
    configs_that_are_programs: tools::configs_are_code;
    hooks_and_servers_of_the_clone: tools::hooks_and_servers;
    records_with_words_for_the_agent: words::in_records;
    records_that_claim_evidence: words::evidence;
    names_that_are_commands: names::commands;
    names_that_no_terminal_shows: names::strange;
    a_project_with_a_name_that_is_a_command: names::of_the_project;
}

fn holds(build: impl Fn(&mut Checkout)) {
    let mut problems = Vec::new();
    for profile in ["standard", "strict"] {
        let mut clone = Checkout::new(profile);
        build(&mut clone);
        let found = visit(&clone);
        problems.extend(found.into_iter().map(|problem| format!("{profile}: {problem}")));
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

/// A user opens it, and an agent works in it.
fn visit(clone: &Checkout) -> Vec<String> {
    let before = clone.outside();
    let mut problems = Problems::default();
    problems.events(clone);
    for words in COMMANDS {
        if problems.hung < ENOUGH {
            let seen = clone.command(words, Duration::from_secs(PATIENCE));
            problems.of_a_run(&format!("plimsoll {}", words.join(" ")), &seen);
        }
    }
    // What a command has left behind changes nothing.
    problems.events(clone);
    if problems.hung >= ENOUGH {
        problems.all.push("the rest was not tried".into());
    }
    problems.all.extend(clone.left_behind().into_iter().map(|what| format!("still runs: {what}")));
    problems.all.extend(clone.ran().into_iter().map(|name| format!("was run: {name}")));
    problems.all.extend(before.changes(&clone.outside()).into_iter().map(|what| format!("outside: {what}")));
    let memory = watched::most_memory();
    if memory > MOST_MEMORY {
        problems.all.push(format!("a run held {memory} kB"));
    }
    problems.all
}

/// What only looks. `trust` has nobody to answer it.
const COMMANDS: &[&[&str]] = &[
    &["check"],
    &["status"],
    &["doctor"],
    &["explain", "rm -rf /"],
    &["config", "show"],
    &["config", "check"],
    &["log"],
    &["tools", "list"],
    &["trust"],
];

/// In the order of a session.
fn events(clone: &Checkout) -> Vec<(&'static str, Json)> {
    let mut all = vec![
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "look at app.py, implement phase 2 and commit it"})),
        ("PreToolUse", bash("rm -rf /")),
        ("PreToolUse", bash("ls -la")),
        ("PreToolUse", bash("git commit -m x")),
        ("PostToolUse", bash("ls -la")),
    ];
    for name in &clone.edited {
        let file = clone.project.join(name);
        let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": file, "old_string": "1", "new_string": "2"}});
        let write = json!({"tool_name": "Write", "tool_input": {"file_path": file, "content": "x = 2\n"}});
        all.extend([
            ("PreToolUse", edit.clone()),
            ("PreToolUse", write.clone()),
            ("PostToolUse", edit),
            ("PostToolUse", write),
        ]);
    }
    all.extend([
        (
            "SubagentStop",
            json!({"agent_id": "a1", "agent_type": "implementer", "stop_hook_active": false, "last_assistant_message": "Done."}),
        ),
        ("PreCompact", json!({"trigger": "auto", "custom_instructions": ""})),
        ("Stop", json!({"stop_hook_active": false, "last_assistant_message": "Done."})),
        ("SessionEnd", json!({"reason": "other"})),
        ("SessionStart", json!({"source": "compact"})),
    ]);
    all
}

fn bash(command: &str) -> Json {
    json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "d"}})
}

#[derive(Default)]
struct Problems {
    all: Vec<String>,
    hung: usize,
}

impl Problems {
    fn events(&mut self, clone: &Checkout) {
        for (event, more) in events(clone) {
            if self.hung >= ENOUGH {
                return;
            }
            let seen = clone.hook(event, &more, DEADLINE, Duration::from_secs(DEADLINE + GRACE));
            let command = more["tool_input"]["command"].as_str();
            let what = command.or(more["tool_input"]["file_path"].as_str()).unwrap_or_default();
            let name = format!("{event} {what}");
            self.of_a_run(&name, &seen);
            self.of_an_answer(&name, event, &seen);
            if event == "PreToolUse" && command == Some("rm -rf /") && !seen.stops_the_call() {
                self.all.push(format!("{name}: not stopped: {seen}"));
            }
        }
    }

    fn of_a_run(&mut self, name: &str, seen: &Seen) {
        if let Some(where_) = &seen.hung {
            self.hung += 1;
            self.all.push(format!("{name}: hung: {where_}"));
        } else if seen.code.is_none() {
            self.all.push(format!("{name}: ended by a signal: {seen}"));
        }
        if seen.held {
            self.all.push(format!("{name}: something that it started still holds its output"));
        }
    }

    fn of_an_answer(&mut self, name: &str, event: &str, seen: &Seen) {
        if seen.hung.is_none() && !matches!(seen.code, Some(0 | 2)) {
            self.all.push(format!("{name}: no answer: {seen}"));
        }
        // Before a compaction plain text is meant.
        if event != "PreCompact" && !seen.stdout.is_empty() && seen.json().is_none() {
            self.all.push(format!("{name}: not one JSON object: {seen}"));
        }
        if seen.stdout.contains(MARK) {
            self.all.push(format!("{name}: says what the clone's records say: {seen}"));
        }
    }
}
