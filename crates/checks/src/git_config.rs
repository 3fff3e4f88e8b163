//! Settings of git that make it run something. All others are about remotes, branches and taste.

use shell::programs::{Role, find, version_system};

/// Folders of a project in which its hooks usually lie.
const HOOK_FOLDERS: &[&str] =
    &[".husky", ".husky/_", ".githooks", ".git-hooks", ".git/hooks", "scripts/git-hooks", "hooks/git"];

/// Whether git runs a command that nobody has heard of when this is set.
pub(crate) fn runs_something(key: &str, value: &str) -> bool {
    let value = value.trim().trim_matches('"');
    let key = key.to_ascii_lowercase();
    match role(&key) {
        Some(Role::Alias) => value.starts_with('!'),
        // A folder of hooks.
        Some(Role::Script) if key.ends_with("path") && key.starts_with("core.") => {
            !HOOK_FOLDERS.contains(&value.trim_start_matches("./").trim_end_matches('/'))
        }
        Some(_) => !is_usual(value),
        // An address that is a command, or that others are replaced by.
        None if key.starts_with("url.ext::") => true,
        None if key.starts_with("remote.") || key.starts_with("submodule.") => {
            (key.ends_with(".url") || key.ends_with(".pushurl")) && value.starts_with("ext::")
        }
        None => key == "protocol.ext.allow" && matches!(value, "always" | "user"),
    }
}

/// What the value of a setting of git is for.
fn role(key: &str) -> Option<Role> {
    version_system()?.setting(key)
}

/// A program that is known by its name, with plain options.
fn is_usual(value: &str) -> bool {
    let usual = version_system().map_or(&[][..], |git| git.usual);
    let mut words = value.split_whitespace();
    let first = words.next().unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || "-_=%.,:".contains(c);
    // `!gh auth git-credential` is how a forge's program sets itself up.
    let service = |name: &&str| find(name).is_some_and(|program| program.style.service);
    let bare = first.strip_prefix('!').filter(service).unwrap_or(first);
    value.is_empty() || usual.contains(&bare) && words.all(|word| word.chars().all(plain))
}

/// The same of a text that is written to a file of settings, as far as it can be seen in it: a command's words may hold it too.
pub(crate) fn text_runs_something(text: &str) -> bool {
    let lower = text.replace("\\n", "\n").replace("\\t", " ").to_lowercase();
    let mut section = String::new();
    lower.lines().any(|line| {
        let mut line = line.trim().trim_start_matches(['\'', '"', ' ']);
        if let Some((name, rest)) = line.split_once('[').and_then(|(_, head)| head.split_once(']')) {
            section = name.split_whitespace().next().unwrap_or_default().replace(['"', '\''], "");
            if name.contains('"') {
                section.push_str(".x");
            }
            line = rest.trim();
        }
        // `[include "x"]`, `[includeIf …]`: the name of the section is enough.
        let Some((name, value)) = line.split_once('=') else { return false };
        let name = name.split_whitespace().next_back().unwrap_or_default();
        let value = value.trim().trim_end_matches(['\'', '"']);
        if section.is_empty() {
            // A line by itself: any section that has it.
            let settings = version_system().map_or(&[][..], |git| git.settings);
            let known =
                settings.iter().any(|(key, _)| key.rsplit('.').next() == Some(name) && name.len() > 4);
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
            ("remote.origin.url", "ext::sh -c id"),
            ("url.ext::sh -c id.insteadOf", "https://"),
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
