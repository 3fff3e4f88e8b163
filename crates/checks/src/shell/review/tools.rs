//! Build tools, package managers, containers and hosting: subcommands that are safe, and those that are not.

use shell::Call;

use super::Opinion;
use crate::shell::words::{operands, subcommands};

/// A tool with the subcommands that are safe, and those that are known not to be.
struct Tool {
    names: &'static [&'static str],
    safe: &'static [&'static str],
    risky: &'static [&'static str],
    /// Safe without any subcommand.
    bare: bool,
}

const TOOLS: &[Tool] = &[
    Tool {
        names: &["npm", "pnpm", "yarn", "bun"],
        safe: &[
            "list",
            "ls",
            "info",
            "view",
            "show",
            "outdated",
            "audit",
            "why",
            "explain",
            "doctor",
            "test",
            "t",
            "run",
            "run-script",
            "start",
            "dev",
            "build",
            "lint",
            "check",
            "install",
            "i",
            "add",
            "ci",
            "remove",
            "uninstall",
            "rm",
            "init",
            "create",
            "pack",
            "version",
            "link",
            "help",
            "root",
            "prefix",
            "bin",
            "fund",
            "ping",
            "config",
            "exec",
            "x",
            "workspaces",
            "workspace",
            "typecheck",
            "format",
            "vitest",
            "jest",
            "tsc",
            "eslint",
            "prettier",
        ],
        risky: &[
            "publish",
            "unpublish",
            "deprecate",
            "dist-tag",
            "access",
            "owner",
            "team",
            "token",
            "login",
            "logout",
            "adduser",
            "whoami",
            "hook",
            "org",
            "profile",
            "star",
            "set",
        ],
        bare: true,
    },
    Tool {
        names: &["pip", "pip3", "uv"],
        safe: &[
            "list", "show", "freeze", "check", "search", "index", "debug", "cache", "config", "inspect",
            "install", "download", "wheel", "hash", "add", "remove", "sync", "lock", "tree", "run", "venv",
            "python", "pip", "version", "tool", "help", "init",
        ],
        risky: &["uninstall", "publish", "self"],
        bare: true,
    },
    Tool {
        names: &["cargo"],
        safe: &[
            "build",
            "b",
            "test",
            "t",
            "check",
            "c",
            "clippy",
            "fmt",
            "doc",
            "d",
            "run",
            "r",
            "bench",
            "clean",
            "update",
            "tree",
            "metadata",
            "verify-project",
            "search",
            "read-manifest",
            "add",
            "remove",
            "rm",
            "fix",
            "init",
            "new",
            "nextest",
            "deny",
            "audit",
            "machete",
            "expand",
            "llvm-cov",
            "locate-project",
            "pkgid",
            "fetch",
            "vendor",
            "version",
            "help",
            "miri",
            "outdated",
            "info",
            "dev",
        ],
        risky: &["publish", "install", "uninstall", "login", "logout", "owner", "yank"],
        bare: true,
    },
    Tool {
        names: &["go"],
        safe: &[
            "build", "test", "vet", "fmt", "run", "doc", "version", "env", "list", "tool", "generate",
            "work", "fix", "get", "clean", "mod", "help",
        ],
        risky: &["install"],
        bare: false,
    },
    Tool {
        names: &["brew"],
        safe: &[
            "list",
            "ls",
            "info",
            "search",
            "deps",
            "uses",
            "outdated",
            "config",
            "doctor",
            "leaves",
            "desc",
            "home",
            "install",
            "upgrade",
            "update",
            "--version",
        ],
        risky: &[
            "uninstall",
            "remove",
            "link",
            "unlink",
            "tap",
            "untap",
            "services",
            "cleanup",
            "autoremove",
        ],
        bare: false,
    },
    Tool {
        names: &["docker", "podman"],
        safe: &[
            "build", "buildx", "ps", "images", "logs", "inspect", "version", "info", "top", "stats", "port",
            "history", "events", "manifest", "pull", "tag", "search", "diff", "start", "create", "run",
            "exec", "compose", "context",
        ],
        risky: &[
            "rm",
            "rmi",
            "stop",
            "kill",
            "system",
            "container",
            "push",
            "login",
            "logout",
            "swarm",
            "save",
            "load",
            "export",
            "import",
            "commit",
            "cp",
            "update",
            "rename",
            "pause",
            "secret",
            "stack",
            "service",
            "node",
            "plugin",
        ],
        bare: false,
    },
    Tool {
        names: &["kubectl", "oc"],
        safe: &[
            "get",
            "describe",
            "logs",
            "top",
            "explain",
            "version",
            "api-resources",
            "api-versions",
            "cluster-info",
            "diff",
        ],
        risky: &[
            "delete", "apply", "create", "edit", "scale", "drain", "exec", "cp", "patch", "replace",
            "rollout", "label", "annotate", "set", "taint", "cordon",
        ],
        bare: false,
    },
    Tool {
        names: &["terraform", "tofu"],
        safe: &["plan", "validate", "fmt", "show", "output", "version", "providers", "graph"],
        risky: &["apply", "destroy", "import", "state", "taint", "init"],
        bare: false,
    },
    Tool {
        names: &["poetry"],
        safe: &["show", "check", "install", "add", "lock", "run", "version", "env", "build", "update"],
        risky: &["publish", "remove", "config"],
        bare: false,
    },
    Tool {
        names: &["gradle", "gradlew", "mvn", "mvnw"],
        safe: &[
            "build",
            "test",
            "check",
            "compile",
            "assemble",
            "clean",
            "verify",
            "package",
            "dependencies",
            "tasks",
        ],
        risky: &["publish", "deploy", "release"],
        bare: false,
    },
    Tool {
        names: &["dotnet"],
        safe: &["build", "test", "run", "restore", "format", "list", "--version", "--info", "clean"],
        risky: &["publish", "nuget"],
        bare: false,
    },
    Tool {
        names: &["rustup"],
        safe: &["show", "which", "doc", "--version", "check"],
        risky: &["self", "toolchain", "default", "update"],
        bare: false,
    },
];

/// Programs that build, test or format, whatever they are told.
const ALWAYS: &[&str] = &[
    "make",
    "cmake",
    "ninja",
    "meson",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "tox",
    "nox",
    "tsc",
    "eslint",
    "prettier",
    "ruff",
    "black",
    "mypy",
    "pyright",
    "ty",
    "biome",
    "oxlint",
    "shellcheck",
    "shfmt",
    "yamllint",
    "taplo",
    "hadolint",
    "markdownlint",
    "markdownlint-cli2",
    "golangci-lint",
    "gofmt",
    "rustfmt",
    "rustc",
    "just",
    "stylelint",
    "playwright",
    "cypress",
    "rspec",
    "rubocop",
    "phpunit",
    "bats",
    "flake8",
    "vulture",
    "bandit",
    "isort",
    "swift",
    "xcodebuild",
    "javac",
    "gcc",
    "g++",
    "clang",
    "cc",
    "open",
    "xdg-open",
    "jscpd",
    "knip",
    "tsx",
    "turbo",
    "nx",
    "vite",
    "webpack",
    "rollup",
    "esbuild",
    "next",
    "astro",
    "storybook",
    "hyperfine",
    "plimsoll",
    "semgrep",
    "pre-commit",
    "commitlint",
    "lefthook",
    "dprint",
    "deno",
];

/// Whether a program runs code of the folder that it is pointed at.
pub(super) fn runs_code(program: &str) -> bool {
    // Their words are names of things elsewhere.
    const DISTANT: &[&str] = &["brew", "docker", "kubectl", "oc", "podman", "rustup"];
    ALWAYS.contains(&program)
        || matches!(program, "npx" | "bunx" | "uvx")
        || program.starts_with("python")
        || matches!(program, "node" | "ruby" | "perl" | "php" | "lua")
        || matches!(program, "bash" | "sh" | "zsh" | "dash" | "fish" | "ksh")
        || TOOLS.iter().any(|tool| tool.names.contains(&program)) && !DISTANT.contains(&program)
}

fn loads_plugin(call: &Call) -> bool {
    call.args().windows(2).any(|pair| pair[0].text == "-p" && !pair[1].text.starts_with("no:"))
        || call
            .texts()
            .any(|t| t.strip_prefix("-p").is_some_and(|name| !name.is_empty() && !name.starts_with("no:")))
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
    if program == "gh" || program == "glab" {
        return Some(hosting(call));
    }
    if matches!(program, "npx" | "bunx" | "uvx") {
        return Some(runner(call));
    }
    if ALWAYS.contains(&program) {
        let fixes = call.texts().any(|t| matches!(t, "publish" | "deploy" | "release" | "install" | "uninstall" | "prod" | "production"))
            // A plugin may be anything; `-p no:cacheprovider` takes one away.
            || program == "pytest" && loads_plugin(call)
            || matches!(program, "open" | "xdg-open")
                && call.texts().any(|t| {
                    matches!(t, "-a" | "-b")
                        || [".desktop", ".app", ".command", ".sh", ".py", ".jar"].iter().any(|end| t.ends_with(end))
                })
            || program == "cmake" && call.texts().any(|t| matches!(t, "-P" | "-E" | "--install"));
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
        ("docker" | "podman", "container" | "system") => {
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
        ("docker" | "podman", "run" | "exec" | "create" | "start") => Opinion::Unknown,
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
        // Whatever it brings runs as it is installed.
        ("pip" | "pip3", "install" | "download" | "wheel") => Opinion::Unknown,
        ("npm" | "pnpm" | "yarn" | "bun" | "uv", "install" | "i" | "add" | "ci") => {
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

/// A module that tests or formats, or a script of the project; never inline code.
fn interpreter(call: &Call) -> Opinion {
    let args = call.args();
    let first = args.first().map_or("", |arg| arg.text.as_str());
    if matches!(first, "--version" | "-V" | "-v" | "--help") && args.len() == 1 {
        return Opinion::Safe;
    }
    // The ways of frameworks into the database, into code, and to the users.
    let second = args.get(1).map_or("", |arg| arg.text.as_str());
    if first.ends_with("manage.py") {
        let known = [
            "check",
            "diffsettings",
            "help",
            "makemigrations",
            "showmigrations",
            "sqlmigrate",
            "test",
            "runserver",
            "version",
        ];
        return Opinion::safe_if(known.contains(&second), "it can change the database");
    }
    if shell::path::name(first) == "artisan" {
        let known = ["about", "env", "help", "inspire", "list", "migrate:status", "serve", "test"];
        return Opinion::safe_if(
            known.contains(&second) || second.starts_with("make:") || second.ends_with(":list"),
            "it can change the database",
        );
    }
    if let Some(at) = args.iter().position(|a| a.text == "-m") {
        let module = args.get(at + 1).map_or("", |a| a.text.as_str());
        let safe = matches!(
            module,
            "pytest"
                | "unittest"
                | "mypy"
                | "ruff"
                | "black"
                | "flake8"
                | "json.tool"
                | "doctest"
                | "compileall"
                | "py_compile"
                | "isort"
                | "pyright"
                | "coverage"
                | "pylint"
                | "pip"
                | "venv"
                | "build"
                | "tox"
                | "nox"
        );
        let pip = module == "pip"
            && !args
                .get(at + 2)
                .is_some_and(|a| matches!(a.text.as_str(), "list" | "show" | "freeze" | "check"));
        let plugin = module == "pytest" && loads_plugin(call);
        return Opinion::safe_if(safe && !pip && !plugin, "it runs a module that is not known");
    }
    let inline = args.iter().any(|a| {
        matches!(
            a.text.as_str(),
            "-c" | "-e" | "-E" | "-r" | "--eval" | "-p" | "--print" | "-" | "--build-snapshot"
        ) || matches!(call.program(), "php" | "ruby") && matches!(a.text.as_str(), "-B" | "-R" | "-d" | "-S")
            || a.text.starts_with("-n")
            || a.text.starts_with("-pe")
            || a.text.starts_with("-i")
    });
    if inline || args.is_empty() {
        return Opinion::risky("it runs inline code");
    }
    match operands(args, &["-W", "-X", "-r", "--require", "--import", "-I"]).first() {
        Some(script)
            if shell::text::is_known(&script.text)
                && !script.text.starts_with('/')
                && !script.text.starts_with("..")
                && !script.text.starts_with('~')
                && !args.iter().any(|a| a.text == "-r" || a.text == "--require") =>
        {
            Opinion::Safe
        }
        _ => Opinion::risky("it runs a script from elsewhere"),
    }
}

/// `npx tool`: the tools that everybody knows, not whatever a name may bring.
fn runner(call: &Call) -> Opinion {
    const KNOWN: &[&str] = &[
        "vitest",
        "jest",
        "tsc",
        "eslint",
        "prettier",
        "biome",
        "oxlint",
        "playwright",
        "tsx",
        "mocha",
        "markdownlint-cli2",
        "stylelint",
        "knip",
        "jscpd",
        "next",
        "vite",
        "turbo",
        "nx",
        "commitlint",
        "lint-staged",
        "depcheck",
        "prisma",
        "ruff",
        "black",
        "mypy",
        "pytest",
        "c8",
        "nyc",
        "ts-node",
        "rimraf",
        "concurrently",
        "cspell",
        "madge",
        "storybook",
    ];
    // The name then says nothing about what is run.
    if call.texts().any(|t| matches!(t, "-p" | "--package" | "--from") || t.starts_with("--package=")) {
        return Opinion::Unknown;
    }
    let words = operands(call.args(), &[]);
    let name = words
        .iter()
        .map(|arg| arg.text.as_str())
        .find(|word| !matches!(*word, "exec" | "x" | "dlx" | "create"))
        .unwrap_or_default();
    let harmless = name != "prisma" && name != "rimraf" && name != "concurrently";
    if KNOWN.contains(&name) && harmless { Opinion::Safe } else { Opinion::Unknown }
}

/// GitHub and GitLab: reading, and the everyday work on issues and pull requests.
fn hosting(call: &Call) -> Opinion {
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
        let writes = crate::shell::words::value(call, &["-X", "--method"])
            .is_some_and(|m| !m.eq_ignore_ascii_case("GET"))
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
            reads || matches!(verb, "create" | "edit" | "comment" | "reopen" | "checkout"),
            "it changes things on the other side",
        ),
        "release" | "repo" | "gist" | "project" | "run" | "workflow" | "ruleset" | "cache" | "codespace" => {
            Opinion::safe_if(reads, "it changes things on the other side")
        }
        _ => Opinion::Unknown,
    }
}
