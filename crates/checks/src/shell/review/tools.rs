//! Build tools, package managers, containers and hosting: subcommands that are safe, and those that are not.

mod interpreter;
mod table;

use shell::Call;

use super::Opinion;
use super::foreign::TARGETS;
use crate::shell::words::subcommands;

use interpreter::{interpreter, loads_plugin, runner};
use table::{ALWAYS, TOOLS};

/// Whether it runs code of the folder that it is pointed at.
pub(super) fn is_tool(program: &str) -> bool {
    // Their words are names of things elsewhere.
    const DISTANT: &[&str] = &["brew", "docker", "kubectl", "oc", "podman", "rustup"];
    ALWAYS.contains(&program)
        || TOOLS.iter().any(|tool| tool.names.contains(&program)) && !DISTANT.contains(&program)
}

pub(super) fn judge(call: &Call) -> Option<Opinion> {
    let program = call.program();
    let inline = matches!(program, "bun" | "deno" | "swift" | "tsx")
        && call.texts().any(|t| matches!(t, "-e" | "-p" | "--eval" | "--print" | "eval" | "-"));
    // `go run <(…)`: a file that is another command's output.
    if inline || call.texts().any(|t| t.starts_with("/dev/fd/")) {
        return Some(Opinion::risky("it runs inline code"));
    }
    if program.starts_with("python") || matches!(program, "node" | "ruby" | "perl" | "php" | "lua") {
        return Some(interpreter(call));
    }
    if matches!(program, "npx" | "bunx" | "uvx") {
        return Some(runner(call));
    }
    if ALWAYS.contains(&program) {
        // A plugin may be anything; `-p no:cacheprovider` takes one away.
        let fixes = call.texts().any(|t| TARGETS.contains(&t)) || program == "pytest" && loads_plugin(call);
        let foreign = matches!(program, "make" | "just")
            && call.texts().any(|t| {
                matches!(t, "-f" | "--file" | "--makefile" | "--justfile" | "--eval" | "--command" | "-c")
                    || t.starts_with("-f")
                    || t.starts_with("--eval")
                    || t.starts_with("SHELL=")
            });
        return Some(Opinion::safe_if(
            !fixes && !foreign,
            "it publishes, deploys or builds by a file of its own",
        ));
    }
    let tool = TOOLS.iter().find(|tool| tool.names.contains(&program))?;
    let words: Vec<&str> = subcommands(
        call,
        &[
            "--prefix",
            "-C",
            "--filter",
            "-w",
            "--workspace",
            "--manifest-path",
            "-p",
            "--package",
            "-n",
            "--namespace",
            "-f",
            "--file",
            "--directory",
            "--project",
        ],
    )
    .into_iter()
    .filter(|word| !word.starts_with('+'))
    .collect();
    let Some(verb) = words.first() else {
        let asks = call.texts().all(|t| {
            matches!(t, "--version" | "-v" | "-V" | "--help" | "-h" | "--list") || t.starts_with('+')
        });
        return Some(if asks && (tool.bare || !call.args().is_empty()) {
            Opinion::Safe
        } else {
            Opinion::Unknown
        });
    };
    // A toolchain of somebody's own runs whatever it holds.
    let toolchain = |t: &str| {
        t.strip_prefix('+').is_some_and(|name| {
            !name.starts_with(|c: char| c.is_ascii_digit())
                && !["stable", "beta", "nightly"].iter().any(|known| name.starts_with(known))
        })
    };
    if call.texts().any(toolchain) {
        return Some(Opinion::Unknown);
    }
    Some(if tool.risky.contains(verb) {
        details(program, verb, &words)
    } else if tool.safe.contains(verb) {
        exceptions(program, verb, &words, call)
    } else {
        Opinion::Unknown
    })
}

/// Subcommands that read even under a verb that can do harm.
fn details(program: &str, verb: &str, words: &[&str]) -> Opinion {
    let second = words.get(1).copied().unwrap_or_default();
    let reads = match (program, verb) {
        ("docker" | "podman", "container" | "system" | "network" | "volume") => {
            matches!(second, "ls" | "list" | "logs" | "df" | "info" | "ps" | "stats")
        }
        ("terraform" | "tofu", "state") => second == "list",
        ("rustup", "toolchain") => second == "list",
        _ => false,
    };
    Opinion::safe_if(reads, &format!("{program} {verb} changes more than this project"))
}

/// Subcommands that do harm under a verb that is mostly safe.
fn exceptions(program: &str, verb: &str, words: &[&str], call: &Call) -> Opinion {
    let second = words.get(1).copied().unwrap_or_default();
    match (program, verb) {
        ("docker" | "podman", "run" | "exec" | "create") => Opinion::Unknown,
        ("plimsoll", "memory") => Opinion::safe_if(second != "forget", "it throws memories away"),
        ("plimsoll", "worktree") => Opinion::safe_if(
            !call.has("--force") && second != "merge",
            "it merges, or throws away what an agent has not merged",
        ),
        ("plimsoll", "tools") => Opinion::safe_if(second == "list", "it installs linters"),
        ("plimsoll", "trust" | "proof" | "autonomy") => {
            Opinion::safe_if(matches!(second, "show" | "status"), "it is the person's word")
        }
        // Passwords are among the settings of containers and the outputs of plans.
        ("docker" | "podman", "inspect") | ("terraform" | "tofu", "output" | "show") => {
            Opinion::risky("it shows settings, secret ones too")
        }
        ("docker" | "podman", "top") if words.len() > 2 => Opinion::Unknown,
        ("docker" | "podman", "build") => Opinion::safe_if(
            !words.iter().any(|w| w.contains("://") || w.starts_with("git@")),
            "it builds from elsewhere",
        ),
        ("cargo", _) if call.texts().any(|t| t == "--config" || t.starts_with("--config=")) => {
            Opinion::Unknown
        }
        ("go", "env") => Opinion::safe_if(!call.has("-w") && !call.has("-u"), "it changes settings"),
        ("npm" | "pnpm" | "yarn" | "bun", "audit") => {
            Opinion::safe_if(!words.contains(&"fix"), "it changes what is installed")
        }
        // A module of somebody else's is downloaded and run.
        ("go", "run")
            if words.get(1).is_some_and(|word| {
                word.contains('@')
                    || !word.starts_with('.')
                        && word.split_once('/').is_some_and(|(host, _)| host.contains('.'))
            }) =>
        {
            Opinion::risky("go run fetches a module and runs it")
        }
        ("docker" | "podman", "compose") => {
            let safe = matches!(
                second,
                "build" | "ps" | "logs" | "images" | "ls" | "top" | "version" | "up" | "pull" | "port"
            );
            Opinion::safe_if(safe, "it stops or removes containers")
        }
        ("docker" | "podman", "buildx" | "context") => Opinion::safe_if(
            matches!(second, "build" | "ls" | "inspect" | "show" | "version" | "bake"),
            "it changes builders",
        ),
        ("go", "mod") => Opinion::safe_if(
            matches!(second, "tidy" | "download" | "verify" | "graph" | "why" | "edit" | "init" | "vendor"),
            "it changes modules",
        ),
        (
            "npm" | "pnpm" | "yarn" | "bun",
            "run" | "run-script" | "exec" | "x" | "create" | "config" | "workspace",
        ) => {
            let harmful = words.iter().skip(1).any(|w| {
                ["deploy", "publish", "release", "prod", "reset", "drop", "destroy", "wipe", "purge", "nuke"]
                    .iter()
                    .any(|bad| w.contains(bad))
            });
            if verb == "exec" || verb == "x" || verb == "create" {
                return runner(call);
            }
            if verb == "config" {
                let secret = call.texts().any(|t| {
                    let t = t.to_ascii_lowercase();
                    ["auth", "token", "password"].iter().any(|word| t.contains(word))
                });
                return Opinion::safe_if(
                    matches!(second, "get" | "list" | "ls") && !secret,
                    "it changes settings, or shows secret ones",
                );
            }
            Opinion::safe_if(!harmful, "the script deploys or publishes")
        }
        // From the registry, by name: as much as the project's own list of dependencies says.
        (
            "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3" | "uv",
            "install" | "i" | "add" | "ci" | "download" | "wheel",
        ) => {
            let foreign = words.iter().skip(1).any(|w| {
                w.contains("://")
                    || w.starts_with("git+")
                    || w.contains("github:")
                    || w.ends_with(".tgz")
                    || w.ends_with(".whl")
            });
            let everywhere = call.has("-g") || call.has("--global") || call.has("--break-system-packages");
            Opinion::safe_if(!foreign && !everywhere, "it installs from elsewhere, or for the whole machine")
        }
        ("uv", "tool" | "python" | "pip") => Opinion::safe_if(
            matches!(second, "list" | "dir" | "find" | "freeze" | "show" | "check" | "tree"),
            "it changes installed tools",
        ),
        ("cargo", "run" | "r") => Opinion::safe_if(
            !["approve", "trust", "uninstall", "publish", "deploy"].iter().any(|w| call.has(w)),
            "it runs something that is the person's to run",
        ),
        ("pip" | "pip3", "config" | "cache") => Opinion::safe_if(
            matches!(second, "list" | "get" | "debug" | "info" | "dir"),
            "it changes settings",
        ),
        ("brew", "install" | "upgrade") => {
            Opinion::safe_if(!words.iter().skip(1).any(|w| w.contains('/')), "it installs from elsewhere")
        }
        ("kubectl" | "oc", "get" | "describe") => Opinion::safe_if(
            !words.iter().any(|w| w.split(['/', ',']).any(|kind| matches!(kind, "secret" | "secrets"))),
            "it shows secrets",
        ),
        _ => Opinion::Safe,
    }
}
