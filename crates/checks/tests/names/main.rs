//! What a program's words mean is said in the tables of `shell`, once. So no source of `shell` or `checks` names a program: a name
//! that stands there as a text is compared with, or in a list. What is not a program there, though it is called like one, is listed
//! below with the reason.

#![expect(clippy::disallowed_methods, reason = "the sources are read from disk")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Words of English and of options that are also names of programs.
const WORDS: &[&str] = &[
    ".", ":", "R", "complete", "diff", "false", "file", "help", "id", "json", "k", "patch", "q", "source",
    "task", "test", "todo", "true", "type", "w", "yes",
];

/// Files in which names are something else than programs: which names (all, where none is said), and what they are.
const FILES: &[(&str, &[&str], &str)] = &[
    ("shell/src/builtin.rs", &[], "what the shell itself executes"),
    (
        "shell/src/reader/control.rs",
        &[],
        "the same, where it is asked whether a command only changes the shell",
    ),
    ("shell/src/parse/command.rs", &[], "words of the shell's grammar"),
    ("shell/src/parse/compound.rs", &[], "words of the shell's grammar"),
    ("shell/src/reader/dispatch.rs", &["alias", "sh"], "what the shell itself is called when it runs text"),
    ("shell/src/expand/parameter.rs", &["bash"], "the value of $0"),
    ("shell/src/state.rs", &["bash"], "the value of $0"),
    ("shell/src/programs/role.rs", &[], "words of the tables' own language"),
    ("shell/src/programs/output.rs", &[], "words of the tables' own language"),
    ("shell/src/programs/brings.rs", &[], "words of the tables' own language"),
    ("shell/src/programs/registry.rs", &[], "words of the tables' own language"),
    ("shell/src/programs/deeds/refs.rs", &["sh"], "a language"),
    ("shell/src/programs/sed.rs", &["sed"], "a language"),
    ("shell/src/programs/containers.rs", &["bind", "host", "readonly"], "words of mounts"),
    ("shell/src/reader/follow.rs", &["just", "make", "npm", "sh"], "languages"),
    (
        "shell/src/listed.rs",
        &["dir", "env", "local", "sh", "task", "tox"],
        "sections, keys and options of files",
    ),
    (
        "shell/src/scripts.rs",
        &["just", "make", "npm", "eval", "install"],
        "languages, options and scripts of packages",
    ),
    ("shell/src/slot.rs", &["command", "make", "perl", "python", "script", "sed"], "languages and modules"),
    (
        "shell/src/slot/unknown.rs",
        &["command", "console", "eval", "exec", "script"],
        "words after which a program starts what it is given",
    ),
    ("shell/src/simulate/awk.rs", &["printf"], "a statement of a language"),
    ("shell/src/sql.rs", &["%", "tee"], "a host that is any, and a statement of a language"),
    (
        "shell/src/code.rs",
        &["ansible", "awk", "cmake", "crontab", "fzf", "jq", "npm", "perl", "ruby", "sed", "sh"],
        "languages",
    ),
    ("shell/src/simulate.rs", &["format", "open"], "options"),
    ("shell/src/slot/unknown.rs", &["ssh"], "a word after which a program starts what it is given"),
    (
        "shell/src/address.rs",
        &["consul", "expect", "ftp", "http", "https", "jar", "tftp"],
        "schemes and hosts of addresses",
    ),
    ("shell/src/cmd.rs", &[], "what cmd itself executes"),
    ("shell/src/powershell.rs", &["command", "ec"], "options of its own program"),
    ("shell/src/programs/deeds/network.rs", &["exec", "fd", "open"], "words of addresses"),
    ("shell/src/programs/deeds/word.rs", &["alias", "env"], "drives of PowerShell"),
    (
        "shell/src/programs/deeds.rs",
        &["ftp", "http", "https", "perl", "say", "write"],
        "schemes of addresses, and a language with its verbs",
    ),
    ("shell/src/secret.rs", &["host"], "names of files"),
    (
        "checks/src/shell/destroy_cloud.rs",
        &["POST", "docker", "podman", "transfer"],
        "methods, folders of engines, and verbs of an interface",
    ),
    ("checks/src/rules/wrappers.rs", &[], "wrappers that cases of rules are tried in"),
    ("checks/src/rules/read.rs", &["read", "fetch", "install", "profile", "say"], "keys of rules"),
    ("checks/src/rules/cases.rs", &["command"], "a key of a case"),
    ("checks/src/rules/import/claude_code.rs", &["fetch", "ls", "read"], "keys of rules, and a case"),
    ("checks/src/rules/import/safety_net.rs", &["command", "expect"], "keys of another tool's rules"),
    (
        "checks/src/file/planted.rs",
        &["code", "command", "http", "install"],
        "kinds of cells, fields of files, a scheme",
    ),
    ("checks/src/shell/package_name/popular.rs", &["npm"], "a registry"),
    ("checks/src/shell/secret/code.rs", &["dotenv"], "a library"),
    (
        "checks/src/shell/words.rs",
        &["cc", "cpp", "go", "h", "java", "php", "scala", "sh", "swift", "ts", "tsx"],
        "endings of files",
    ),
    ("checks/src/shell/evidence.rs", &["continue", "pass"], "an option, and a result of tests"),
    (
        "checks/src/shell/test_runs.rs",
        &["pass", "sh"],
        "what a runner says at its end, and how names of shells end",
    ),
    ("checks/src/stop/forward_motion.rs", &["as", "at", "now"], "words of a sentence"),
    ("shell/src/powershell/cmdlet.rs", &[], "what PowerShell itself executes, and how the reader follows it"),
    ("shell/src/powershell/evaluate.rs", &[], "properties of values"),
    ("shell/src/powershell/method.rs", &[], "methods of values"),
    ("shell/src/powershell/operate.rs", &[], "operators"),
    ("shell/src/powershell/parse.rs", &[], "words of PowerShell's grammar"),
    ("shell/src/powershell/parse/blocks.rs", &[], "words of PowerShell's grammar"),
    (
        "shell/src/powershell/printed.rs",
        &[],
        "what PowerShell itself executes, and how the reader follows it",
    ),
    ("shell/src/powershell/variable.rs", &[], "variables"),
    ("shell/src/inline/escapes.rs", &["m4", "make", "rpm", "tex"], "languages"),
    ("shell/src/inline.rs", &[], "languages and their functions"),
    ("shell/src/inline/generic.rs", &["rm"], "what functions of languages are as a command"),
    ("shell/src/inline/call.rs", &[], "languages and their functions, and what these are as a command"),
    ("shell/src/inline/literals.rs", &[], "languages"),
    ("shell/src/inline/program.rs", &[], "languages and their functions"),
    ("shell/src/inline/table.rs", &[], "languages and their functions, and what these are as a command"),
    (
        "shell/src/inline/input.rs",
        &["awk", "lua", "perl", "php", "python", "ruby", "unlink"],
        "languages and a function",
    ),
    ("shell/src/reader/imports.rs", &["python"], "a language"),
    (
        "shell/src/reader/suite.rs",
        &["lua", "perl", "php", "python", "ruby"],
        "languages, and endings of files",
    ),
    ("shell/src/inline/text.rs", &["perl", "php", "python", "ruby"], "languages"),
    ("shell/src/inline/value.rs", &[], "languages and their functions"),
    ("shell/src/inline/value/call.rs", &[], "languages and their functions"),
    ("checks/src/arrivals/format/tar.rs", &["size"], "a field of a header"),
    ("checks/src/arrivals/patching.rs", &["continue", "stat", "strip"], "options"),
    ("checks/src/arrivals/unpacking.rs", &["dir"], "an option"),
    ("checks/src/arrivals/versions.rs", &["continue"], "an option"),
    ("checks/src/autonomy/usage_log.rs", &["skill"], "a kind of record"),
    ("checks/src/autonomy/version_tracker.rs", &["tail", "wait"], "verbs of a service"),
    ("checks/src/cases.rs", &[], "keys of a case"),
    ("checks/src/imagined/events.rs", &[], "keys of a case"),
    ("checks/src/imagined/mod.rs", &[], "keys of a case"),
    ("checks/src/imagined/table.rs", &[], "keys of what a case is given"),
    ("checks/src/imagined/values.rs", &[], "keys of what a case is given"),
    ("checks/src/imagined/given/session.rs", &[], "keys of what a case is given"),
    ("checks/src/file/doc_gate.rs", &["bash", "md", "php", "sh", "zsh"], "endings of files"),
    ("checks/src/file/mock_gate.rs", &[], "libraries that tests replace"),
    ("checks/src/file/sections.rs", &[], "sections of settings files"),
    ("checks/src/memory/mod.rs", &["cat"], "a word that says nothing"),
    ("checks/src/prompt/context.rs", &["migrate", "move", "pr", "prs", "rename"], "words of a prompt"),
    ("checks/src/result/repeats.rs", &[], "what waits for something that changes by itself"),
    ("checks/src/runner/detect.rs", &[], "programs that it starts"),
    ("checks/src/runner/mod.rs", &[], "runners in records"),
    ("checks/src/shell/deploy.rs", &["dokku", "env", "heroku"], "names of hosts and settings"),
    ("checks/src/shell/destroy_data.rs", &["cursor"], "a word of statements"),
    ("checks/src/shell/destroy_files.rs", &[], "packages that a system cannot be without"),
    ("checks/src/shell/disguises.rs", &[], "cases in other clothes"),
    ("checks/src/shell/place.rs", &[], "folders and devices"),
    ("checks/src/shell/review/code.rs", &["awk", "env", "jq", "sed"], "languages and what they ask for"),
    ("checks/src/shell/review/deeds.rs", &["history"], "an option of a shell"),
    ("checks/src/shell/review/foreign.rs", &["install", "wipe"], "tasks of projects"),
    ("checks/src/shell/review/installed.rs", &["poetry"], "a section of a manifest"),
    ("checks/src/stop/change_types/code.rs", &[], "endings of files"),
    ("checks/src/stop/change_types/table.rs", &[], "words of paths and of code"),
    ("checks/src/stop/checkpoint/web_smoke.rs", &["go", "java", "php", "ts", "tsx"], "endings of files"),
    ("checks/src/stop/config_guardian.rs", &["git"], "a command that is shown"),
    ("checks/src/subagent/mod.rs", &["bash"], "a kind of agent"),
    // This check is about these programs by their names: the user's setting says which is to be used, and commands are rewritten to it.
    ("checks/src/shell/package_manager.rs", &[], "what the setting names"),
    ("checks/src/memory/rank.rs", &[], "words that people ask with"),
    ("checks/src/quality/plan.rs", &["command"], "a key of the settings"),
    ("checks/src/shell/package_manager/form.rs", &[], "what the setting names"),
    ("checks/src/shell/package_manager/invocation.rs", &[], "what the setting names"),
    ("checks/src/shell/package_manager/javascript.rs", &[], "what a command is rewritten to"),
    ("checks/src/shell/package_manager/locked.rs", &[], "what a command is rewritten to"),
    ("checks/src/shell/package_manager/python.rs", &[], "what a command is rewritten to"),
    ("checks/src/shell/package_manager/project.rs", &[], "what the setting names"),
];

#[test]
fn no_program_is_named_outside_the_tables() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("beside the others").to_path_buf();
    let names = names(&crates.join("shell/programs"));
    assert!(names.len() > 1000, "the tables were not read");
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for folder in ["shell/src", "checks/src"] {
        for file in sources(&crates.join(folder)) {
            let path = file.strip_prefix(&crates).expect("below it").to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&file).expect("a source is text");
            let literals = literals(&text);
            let named: Vec<_> = literals.into_iter().filter(|(_, text)| names.contains(*text)).collect();
            let listed: Vec<_> =
                FILES.iter().filter(|(known, ..)| *known == path).map(|(_, words, _)| *words).collect();
            let excepted = |text: &str| listed.iter().any(|words| words.is_empty() || words.contains(&text));
            for (line, text) in named {
                if excepted(text) {
                    used.insert(path.clone());
                } else if !WORDS.contains(&text) && text != "plimsoll" {
                    found.push(format!("{path}:{line}: {text}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "programs by their names, outside the tables:\n{}", found.join("\n"));
    let idle: Vec<_> = FILES.iter().filter(|(path, ..)| !used.contains(*path)).collect();
    assert!(idle.is_empty(), "these name no program any more, and need no exception: {idle:?}");
}

/// The names of all programs in the tables.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the tables are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        let text = std::fs::read_to_string(path).expect("a table is text").replace("\\\n", " ");
        for line in text.lines().filter(|line| !line.starts_with([' ', '#']) && !line.is_empty()) {
            let names = line
                .strip_suffix(']')
                .and_then(|line| line.rsplit_once(" ["))
                .map_or(line, |(names, _)| names);
            let names = names.split_once(" = ").map_or(names, |(names, _)| names);
            found.extend(names.split_whitespace().map(str::to_owned));
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The texts in a source, each with its line. Remarks and tests have none that count.
fn literals(text: &str) -> Vec<(usize, &str)> {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        let mut parts = line.split('"');
        parts.next();
        while let (Some(inside), Some(_)) = (parts.next(), parts.next()) {
            found.push((index + 1, inside));
        }
    }
    found
}
