//! Settings of git that make it run something. All others are about remotes, branches and taste.

/// Names of settings that hold a command, the section aside.
const COMMANDS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "fsmonitor",
            "sshcommand",
            "editor",
            "pager",
            "askpass",
            "hookspath",
            "gitproxy",
            "alternaterefscommand",
        ],
    ),
    ("credential", &["helper"]),
    ("diff", &["external", "command", "textconv"]),
    ("difftool", &["cmd", "path"]),
    ("filter", &["clean", "smudge", "process"]),
    ("gpg", &["program", "defaultkeycommand"]),
    ("init", &["templatedir"]),
    ("interactive", &["difffilter"]),
    ("man", &["cmd", "path"]),
    ("merge", &["driver"]),
    ("mergetool", &["cmd", "path"]),
    ("browser", &["cmd", "path"]),
    ("pager", &["*"]),
    ("receive", &["procreceiverefs"]),
    ("remote", &["uploadpack", "receivepack", "vcs"]),
    ("sendemail", &["tocmd", "cccmd", "headercmd", "sendmailcmd", "smtpserver"]),
    ("sequence", &["editor"]),
    ("tar", &["command"]),
    ("trailer", &["cmd", "command"]),
    ("uploadpack", &["packobjectshook"]),
    ("include", &["path"]),
    ("includeif", &["path"]),
];

/// Programs that people set every day, and words that are none.
const USUAL: &[&str] = &[
    "true",
    "false",
    "cat",
    "less",
    "more",
    "most",
    "delta",
    "bat",
    "vi",
    "vim",
    "nvim",
    "nano",
    "emacs",
    "code",
    "ed",
    "micro",
    "hx",
    "subl",
    "store",
    "cache",
    "osxkeychain",
    "manager",
    "manager-core",
    "libsecret",
    "wincred",
    "gh",
    "glab",
    "gpg",
    "gpg2",
    "ssh-keygen",
    "diff-so-fancy",
    "difft",
    "meld",
    "vimdiff",
    "git-lfs",
    "git",
    "notepad",
    "wl-copy",
];

/// Folders of a project in which its hooks usually lie.
const HOOK_FOLDERS: &[&str] =
    &[".husky", ".husky/_", ".githooks", ".git-hooks", ".git/hooks", "scripts/git-hooks", "hooks/git"];

/// Whether git runs a command that nobody has heard of when this is set. `key` is in small letters.
pub(crate) fn runs_something(key: &str, value: &str) -> bool {
    let Some((section, rest)) = key.split_once('.') else { return false };
    let name = rest.rsplit('.').next().unwrap_or(rest);
    let value = value.trim().trim_matches('"');
    match section {
        "alias" => return value.starts_with('!'),
        "submodule" if name == "update" => return value.starts_with('!'),
        "protocol" if rest.starts_with("ext.") => return value == "always" || value == "user",
        _ => {}
    }
    let names = COMMANDS.iter().find(|(known, _)| *known == section).map_or(&[][..], |(_, names)| *names);
    if !names.iter().any(|known| *known == name || *known == "*") {
        return false;
    }
    match name {
        "hookspath" => !HOOK_FOLDERS.contains(&value.trim_start_matches("./").trim_end_matches('/')),
        _ => !is_usual(value),
    }
}

/// A program that is known by its name, with plain options.
fn is_usual(value: &str) -> bool {
    let mut words = value.split_whitespace();
    // `!gh auth git-credential` is how gh sets itself up.
    let first = words.next().unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || "-_=%.,:".contains(c);
    let bare = first.strip_prefix('!').filter(|name| matches!(*name, "gh" | "glab")).unwrap_or(first);
    value.is_empty() || USUAL.contains(&bare) && words.all(|word| word.chars().all(plain))
}

/// The same of a text that is written to a file of settings, as far as it can be seen in it: a command's words may hold it too.
pub(crate) fn text_runs_something(text: &str) -> bool {
    let lower = text.replace("\\n", "\n").replace("\\t", " ").to_lowercase();
    let mut section = String::new();
    lower.lines().any(|line| {
        let mut line = line.trim().trim_start_matches(['\'', '"', ' ']);
        if let Some((name, rest)) = line.split_once('[').and_then(|(_, head)| head.split_once(']')) {
            section = name.split_whitespace().next().unwrap_or_default().replace(['"', '\''], "");
            line = rest.trim();
        }
        // `[include "x"]`, `[includeIf …]`: the name of the section is enough.
        let Some((name, value)) = line.split_once('=') else { return false };
        let name = name.split_whitespace().next_back().unwrap_or_default();
        let value = value.trim().trim_end_matches(['\'', '"']);
        if section.is_empty() {
            // A line by itself: any section that has it.
            let known = COMMANDS.iter().any(|(_, names)| names.contains(&name) && name.len() > 4);
            return known && !is_usual(value);
        }
        runs_something(&format!("{section}.{name}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_taste() {
        for (key, value) in [
            ("core.fsmonitor", "./x"),
            ("core.sshcommand", "ssh -o ProxyCommand=x"),
            ("core.hookspath", "/tmp/h"),
            ("core.hookspath", "h"),
            ("core.pager", "sh -c id"),
            ("credential.helper", "!f() { id; }; f"),
            ("credential.https://x.helper", "/x/y"),
            ("alias.st", "!id"),
            ("diff.x.textconv", "x"),
            ("filter.x.clean", "sh x"),
            ("merge.x.driver", "x %O"),
            ("include.path", "../x"),
            ("protocol.ext.allow", "always"),
        ] {
            assert!(runs_something(key, value), "{key} {value}");
        }
        for (key, value) in [
            ("user.name", "x"),
            ("alias.st", "status"),
            ("core.editor", "vim"),
            ("core.editor", "code --wait"),
            ("core.pager", "less -FRX"),
            ("core.fsmonitor", "true"),
            ("credential.helper", "store"),
            ("credential.https://github.com.helper", "!gh auth git-credential"),
            ("core.hookspath", ".husky/_"),
            ("filter.lfs.clean", "git-lfs clean -- %f"),
            ("remote.origin.url", "https://example.org/x.git"),
            ("branch.main.remote", "origin"),
            ("core.autocrlf", "input"),
            ("merge.tool", "meld"),
            ("diff.algorithm", "histogram"),
            ("pull.rebase", "true"),
        ] {
            assert!(!runs_something(key, value), "{key} {value}");
        }
    }

    #[test]
    fn a_file_of_settings_is_read_by_sections() {
        for text in [
            "[core]\n\tfsmonitor = ./x\n",
            "printf '[core]\\n\\tfsmonitor = ./x\\n'",
            "[alias]\nst = !id",
            "[filter \"x\"]\n clean = sh x",
            "fsmonitor = ./x",
            "[includeIf \"gitdir:/x\"]\npath = y",
        ] {
            assert!(text_runs_something(text), "{text}");
        }
        for text in [
            "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[user]\n\tname = x\n[alias]\n\tst = status\n",
            "url = https://example.org",
            "",
        ] {
            assert!(!text_runs_something(text), "{text}");
        }
    }
}
