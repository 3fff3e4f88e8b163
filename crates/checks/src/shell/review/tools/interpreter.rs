//! Interpreters and runners: a script or a tool that is known, never inline code.

use shell::Call;

use crate::shell::review::Opinion;
use crate::shell::words::operands;

/// A module that tests or formats, or a script of the project; never inline code.
pub(super) fn interpreter(call: &Call) -> Opinion {
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
                .is_some_and(|a| matches!(a.text.as_str(), "list" | "show" | "freeze" | "check" | "install"));
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
pub(super) fn runner(call: &Call) -> Opinion {
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

pub(super) fn loads_plugin(call: &Call) -> bool {
    call.args().windows(2).any(|pair| pair[0].text == "-p" && !pair[1].text.starts_with("no:"))
        || call
            .texts()
            .any(|t| t.strip_prefix("-p").is_some_and(|name| !name.is_empty() && !name.starts_with("no:")))
}
