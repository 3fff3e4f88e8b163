//! GitHub and GitLab from the command line.

use shell::Call;

use crate::shell::review::Opinion;
use crate::shell::words::{subcommands, value};

/// GitHub and GitLab: reading, and the everyday work on issues and pull requests.
pub(super) fn hosting(call: &Call) -> Opinion {
    let words = subcommands(
        call,
        &[
            "-R",
            "--repo",
            "-X",
            "--method",
            "-f",
            "-F",
            "-H",
            "-q",
            "--jq",
            "-t",
            "-b",
            "--title",
            "--body",
            "-l",
            "--label",
            "-L",
            "--limit",
            "--json",
            "-s",
            "--state",
            "-a",
            "--assignee",
        ],
    );
    let (group, verb) =
        (words.first().copied().unwrap_or_default(), words.get(1).copied().unwrap_or_default());
    if group == "api" {
        let writes = value(call, &["-X", "--method"]).is_some_and(|m| !m.eq_ignore_ascii_case("GET"))
            || call.texts().any(|t| matches!(t, "-f" | "-F" | "--field" | "--raw-field" | "--input"));
        return Opinion::safe_if(!writes, "it changes things on the other side");
    }
    let reads =
        matches!(verb, "view" | "list" | "status" | "diff" | "checks" | "ls" | "search" | "get" | "watch");
    match group {
        "auth" => Opinion::safe_if(
            verb == "status" && !call.has("--show-token") && !call.has("-t"),
            "it handles credentials",
        ),
        "secret" | "variable" | "ssh-key" | "gpg-key" | "config" | "extension" | "alias" => {
            Opinion::risky("it handles credentials or settings")
        }
        "search" | "browse" | "label" | "milestone" | "status" | "version" => Opinion::safe_if(
            !matches!(verb, "delete" | "create" | "edit") || group == "label" && verb == "create",
            "it changes things on the other side",
        ),
        "pr" | "issue" => Opinion::safe_if(
            reads || matches!(verb, "create" | "edit" | "comment" | "close" | "reopen" | "checkout"),
            "it changes things on the other side",
        ),
        "release" | "repo" | "gist" | "project" | "run" | "workflow" | "ruleset" | "cache" | "codespace" => {
            Opinion::safe_if(reads, "it changes things on the other side")
        }
        _ => Opinion::Unknown,
    }
}
