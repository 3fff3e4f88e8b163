//! The files on which engines and their originals are compared: made from snippets, the same every time.

/// A type of file, its original, and the snippets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Shell,
    Markdown,
    Yaml,
    Toml,
    Python,
    Dockerfile,
    /// bandit, whose work another tool's engine does; so for the next three.
    Security,
    Async,
    Pydantic,
    DeadCode,
    Types,
}

/// Files per type.
pub(crate) const FILES: usize = 120;
/// Between two snippets. A snippet that begins with `!last` is only ever the last one of a file.
const SEPARATOR: &str = "\n====\n";

static NAMES: &[&str] =
    &["store", "index", "proxy", "cache", "report", "ledger", "router", "parser", "queue", "mirror"];

#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Kind {
    pub(crate) const ALL: [Kind; 11] = [
        Kind::Shell,
        Kind::Markdown,
        Kind::Yaml,
        Kind::Toml,
        Kind::Python,
        Kind::Dockerfile,
        Kind::Security,
        Kind::Async,
        Kind::Pydantic,
        Kind::DeadCode,
        Kind::Types,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Shell => "shell",
            Kind::Markdown => "markdown",
            Kind::Yaml => "yaml",
            Kind::Toml => "toml",
            Kind::Python => "python",
            Kind::Dockerfile => "dockerfile",
            Kind::Security => "security",
            Kind::Async => "async",
            Kind::Pydantic => "pydantic",
            Kind::DeadCode => "dead-code",
            Kind::Types => "types",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Kind::Shell => "Shell",
            Kind::Markdown => "Markdown",
            Kind::Yaml => "YAML",
            Kind::Toml => "TOML",
            Kind::Python => "Python",
            Kind::Dockerfile => "Dockerfile",
            Kind::Security => "Python, security",
            Kind::Async => "Python, async",
            Kind::Pydantic => "Python, pydantic",
            Kind::DeadCode => "Python, dead code",
            Kind::Types => "Python, types",
        }
    }

    pub(crate) fn original(self) -> &'static str {
        match self {
            Kind::Shell => "shellcheck",
            Kind::Markdown => "markdownlint-cli2",
            Kind::Yaml => "yamllint",
            Kind::Toml => "taplo",
            Kind::Python => "ruff",
            Kind::Dockerfile => "hadolint",
            Kind::Security => "bandit",
            Kind::Async | Kind::Pydantic => "flake8",
            Kind::DeadCode => "vulture",
            Kind::Types => "ty",
        }
    }

    /// What both are told: the config file and its text.
    pub(crate) fn config(self) -> Option<(&'static str, &'static str)> {
        match self {
            Kind::Python => Some((
                "ruff.toml",
                "lint.select = [\n  \"ANN\", \"ASYNC\", \"B\", \"C4\", \"D\", \"E\", \"F\", \"I\", \"N\", \"PL\", \"PTH\", \"RET\", \
                 \"RUF\", \"S\", \"SIM\", \"T20\", \"UP\", \"W\",\n]\n",
            )),
            // Else it would be that of whichever interpreter the machine has.
            Kind::Types => Some(("ty.toml", "environment.python-version = \"3.13\"\n")),
            _ => None,
        }
    }

    fn snippets(self) -> &'static str {
        match self {
            Kind::Shell => include_str!("snippets/shell.txt"),
            Kind::Markdown => include_str!("snippets/markdown.txt"),
            Kind::Yaml => include_str!("snippets/yaml.txt"),
            Kind::Toml => include_str!("snippets/toml.txt"),
            Kind::Python => include_str!("snippets/python.txt"),
            Kind::Dockerfile => include_str!("snippets/dockerfile.txt"),
            Kind::Async => include_str!("snippets/async.txt"),
            Kind::Types => include_str!("snippets/types.txt"),
            Kind::Security | Kind::Pydantic | Kind::DeadCode => include_str!("snippets/guests.txt"),
        }
    }

    fn header(self, at: usize) -> &'static str {
        let headers: &[&str] = match self {
            Kind::Shell => &[
                "#!/bin/bash\n\n",
                "#!/usr/bin/env bash\nset -euo pipefail\n\n",
                "#!/bin/sh\n\n",
                "#!/bin/bash -e\n# keeps things tidy\n\n",
                "#!/usr/bin/env bash\n\n",
                "",
            ],
            Kind::Markdown => &[
                "# The manual\n\n",
                "# Read me\n\nA short word first.\n\n",
                "<!-- note -->\n\n# Guide\n\n",
                "",
            ],
            Kind::Yaml => &["---\n", "---\n# settings\n", "", "# settings\n---\n"],
            Kind::Toml => &["", "# settings\n\n", "title = \"x\"\n\n"],
            Kind::Python | Kind::Security | Kind::Async | Kind::Pydantic | Kind::DeadCode | Kind::Types => {
                &["\"\"\"A module.\"\"\"\n\n", "", "#!/usr/bin/env python3\n\"\"\"A script\"\"\"\n\n"]
            }
            Kind::Dockerfile => &[
                "FROM debian:12-slim\n",
                "FROM alpine:3.20 AS build\n",
                "ARG BASE=3.12\nFROM python:$BASE\n",
                "FROM ubuntu\n",
                "FROM node:latest\n",
            ],
        };
        headers[at % headers.len()]
    }

    /// Of these many files, one ends in something that does not parse. Nothing else can be wrong with TOML.
    fn broken_every(self) -> usize {
        if self == Kind::Toml { 2 } else { 8 }
    }

    fn gap(self) -> &'static str {
        match self {
            Kind::Yaml | Kind::Dockerfile => "\n",
            Kind::Python | Kind::Security | Kind::Async | Kind::Pydantic | Kind::DeadCode | Kind::Types => {
                "\n\n\n"
            }
            Kind::Shell | Kind::Markdown | Kind::Toml => "\n\n",
        }
    }

    fn file_name(self, at: usize) -> String {
        match self {
            Kind::Shell => format!("sample{at:03}.sh"),
            Kind::Markdown => format!("sample{at:03}.md"),
            Kind::Yaml => format!("sample{at:03}.yaml"),
            Kind::Toml => format!("sample{at:03}.toml"),
            Kind::Python | Kind::Security | Kind::Async | Kind::Pydantic | Kind::DeadCode | Kind::Types => {
                format!("sample{at:03}.py")
            }
            Kind::Dockerfile => format!("Dockerfile.sample{at:03}"),
        }
    }

    pub(crate) fn samples(self) -> Vec<Sample> {
        let (last, usual): (Vec<&str>, Vec<&str>) = self
            .snippets()
            .trim_end_matches('\n')
            .split(SEPARATOR)
            .partition(|snippet| snippet.starts_with("!last\n"));
        let last: Vec<&str> = last.iter().map(|snippet| &snippet["!last\n".len()..]).collect();
        let mut dice = Dice(0x5eed);
        (0..FILES)
            .map(|at| {
                let count = 3 + dice.below(5);
                // Every snippet is used in turn, and the rest of a file by chance.
                let mut chosen = vec![usual[at % usual.len()]];
                chosen.extend((1..count).map(|_| usual[dice.below(usual.len())]));
                let every = self.broken_every();
                if at % every == every - 1 && !last.is_empty() {
                    chosen.push(last[(at / every) % last.len()]);
                }
                let parts: Vec<String> = chosen
                    .iter()
                    .enumerate()
                    .map(|(part, snippet)| {
                        let name = format!("{}{part}", NAMES[dice.below(NAMES.len())]);
                        snippet.replace("NAME", &name)
                    })
                    .collect();
                Sample {
                    name: self.file_name(at),
                    text: format!("{}{}\n", self.header(at), parts.join(self.gap())),
                }
            })
            .collect()
    }
}

/// Numbers that look like chance and are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }
}
