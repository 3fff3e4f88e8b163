//! The words of a tool's or an argument's name, and what they say it is for.

use model::Intent;

/// `readTextFile`, `read_text_file` and `read-text-file` are the same three words.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_small = chars.peek().is_some_and(char::is_ascii_lowercase);
        // A hump, or the last capital of several: `filePath`, `HTTPRequest`.
        let hump = c.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || before.is_ascii_uppercase() && next_is_small);
        if (hump || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The name of an argument in its plain form, with `_`.
pub(super) fn plain(key: &str) -> String {
    if key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        return key.to_owned();
    }
    words(key).join("_")
}

/// Verbs, each with what it means. A tool that has several means the most that one of them does.
const VERBS: &[(Intent, &[&str])] = &[
    (Intent::List, &["list", "ls", "tree", "enumerate", "stat", "exists", "glob", "count"]),
    (Intent::Search, &["search", "grep", "rg", "ripgrep", "find", "lookup"]),
    (
        Intent::Read,
        &[
            "read",
            "get",
            "show",
            "view",
            "open",
            "cat",
            "head",
            "tail",
            "load",
            "inspect",
            "describe",
            "summarize",
            "analyze",
            "parse",
            "preview",
            "print",
            "dump",
            "import",
            "ingest",
            "attach",
        ],
    ),
    (Intent::Fetch, &["fetch", "navigate", "goto", "browse", "visit", "crawl", "scrape", "curl", "request"]),
    (
        Intent::Run,
        &["run", "execute", "exec", "eval", "evaluate", "spawn", "launch", "invoke", "start", "interact"],
    ),
    (
        Intent::Send,
        &["send", "publish", "upload", "share", "notify", "tweet", "broadcast", "submit", "transmit"],
    ),
    (Intent::Copy, &["copy", "duplicate", "cp"]),
    (Intent::Link, &["symlink", "hardlink"]),
    (Intent::Permit, &["chmod", "chown", "chgrp"]),
    (
        Intent::Write,
        &[
            "write",
            "create",
            "save",
            "put",
            "update",
            "upsert",
            "overwrite",
            "add",
            "insert",
            "append",
            "edit",
            "modify",
            "replace",
            "apply",
            "touch",
            "store",
            "generate",
            "export",
            "download",
            "rewrite",
            "refactor",
            "fix",
            "mkdir",
            "make",
            "restore",
            "extract",
            "unzip",
            "untar",
            "change",
            "toggle",
            "mutate",
            "rewind",
            "revert",
            "scaffold",
            "install",
        ],
    ),
    (Intent::Move, &["move", "rename", "mv", "relocate"]),
    (
        Intent::Delete,
        &[
            "delete",
            "remove",
            "rm",
            "unlink",
            "trash",
            "erase",
            "wipe",
            "purge",
            "destroy",
            "drop",
            "truncate",
            "terminate",
            "uninstall",
            "discard",
            "prune",
            "flush",
            "flushall",
            "flushdb",
            "shred",
            "rmdir",
            "deprovision",
            "nuke",
            "unpublish",
        ],
    ),
];

/// Words that are verbs in one name and nouns in another (`post_message`, `get_post`): they count where nothing else does.
const WEAK: &[(Intent, &[&str])] = &[
    (Intent::Query, &["query", "sql", "cypher", "statement", "aggregate"]),
    (
        Intent::Run,
        &[
            "command",
            "cmd",
            "shell",
            "bash",
            "sh",
            "zsh",
            "terminal",
            "process",
            "script",
            "console",
            "repl",
            "call",
            "system",
            "python",
            "javascript",
            "node",
            "code",
            "powershell",
            "osascript",
            "applescript",
            "stdin",
            "keys",
            "tmux",
            "pty",
        ],
    ),
    (Intent::Send, &["post", "message", "mail", "email", "comment", "reply", "webhook", "push", "forward"]),
    (Intent::Write, &["patch", "set", "format", "sync", "pull", "merge", "commit", "new"]),
    (Intent::Link, &["link"]),
    (Intent::Permit, &["permissions", "permission"]),
    (Intent::Delete, &["clear", "reset", "clean", "cleanup", "empty"]),
    (Intent::Fetch, &["http", "url", "browser", "web", "page"]),
];

fn means(table: &[(Intent, &[&str])], word: &str) -> Option<Intent> {
    table.iter().find(|(_, words)| words.contains(&word)).map(|(intent, _)| *intent)
}

/// What a name's words say the tool is for.
pub(super) fn intent(words: &[String]) -> Intent {
    let strong = words.iter().filter_map(|word| means(VERBS, word)).max();
    let weak = || words.iter().filter_map(|word| means(WEAK, word)).max();
    match strong.or_else(weak).unwrap_or_default() {
        // `get_file_info` gives no content.
        Intent::Read if words.iter().any(|word| ABOUT.contains(&word.as_str())) => Intent::List,
        // `set_permissions`
        Intent::Write if words.iter().any(|word| word.starts_with("permission")) => Intent::Permit,
        intent => intent,
    }
}

/// What there is to know about a file besides what is in it.
const ABOUT: &[&str] =
    &["info", "information", "metadata", "status", "size", "attributes", "stats", "permissions", "type"];

/// Whether a word is one that tools are named by for what they do.
pub(super) fn is_verb(word: &str) -> bool {
    means(VERBS, word).is_some()
}

/// The same of a single word that an argument gives: `{"action": "delete"}`.
pub(super) fn intent_of_word(text: &str) -> Option<Intent> {
    if text.len() > 40 || text.contains(char::is_whitespace) {
        return None;
    }
    words(text).iter().filter_map(|word| means(VERBS, word)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_join_words_is_seen() {
        for name in ["readTextFile", "read_text_file", "read-text-file", "ReadTextFile", "read.text.file"] {
            assert_eq!(words(name), ["read", "text", "file"], "{name}");
        }
        assert_eq!(words("HTTPRequest2"), ["http", "request2"]);
        assert_eq!(plain("filePath"), "file_path");
        assert_eq!(plain("CommandLine"), "command_line");
        assert_eq!(plain("content"), "content");
    }

    #[test]
    fn a_name_means_the_most_that_one_of_its_verbs_does() {
        for (name, meant) in [
            ("read_text_file", Intent::Read),
            ("list_directory", Intent::List),
            ("create_or_update_file", Intent::Write),
            ("find_and_replace", Intent::Write),
            ("move_file", Intent::Move),
            ("fs_delete", Intent::Delete),
            ("get_post", Intent::Read),
            ("post_message", Intent::Send),
            ("get_command_history", Intent::Read),
            ("terminal", Intent::Run),
            ("query", Intent::Query),
            ("read_query", Intent::Read),
            ("browser_navigate", Intent::Fetch),
            ("getDiagnostics", Intent::Read),
            ("get_file_info", Intent::List),
            ("set_permissions", Intent::Permit),
            ("get_permissions", Intent::List),
            ("think", Intent::Unknown),
        ] {
            assert_eq!(intent(&words(name)), meant, "{name}");
        }
        assert_eq!(intent_of_word("str_replace"), Some(Intent::Write));
        assert_eq!(intent_of_word("delete the lot"), None);
    }
}
