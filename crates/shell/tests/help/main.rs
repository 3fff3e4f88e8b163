//! The tables beside the real programs' own help: an option that takes a value is known as one that does, and the other way round.
//!
//! Only what is installed is asked; a machine without a program says nothing about it.

#![expect(clippy::disallowed_methods, reason = "the programs themselves are asked")]

mod git;
mod network;

use std::process::{Command, Stdio};

use shell::programs::{Program, Takes, find};

/// Programs and what they are asked with.
const ASKED: &[(&[&str], &str)] = &[
    (
        &[
            "base32", "base64", "cat", "chgrp", "chmod", "chown", "cksum", "cmp", "comm", "cp", "csplit",
            "cut", "date", "df", "diff", "du", "env", "expand", "file", "fmt", "fold", "grep", "gzip",
            "head", "install", "join", "ln", "ls", "mkdir", "mktemp", "mv", "nice", "nl", "od", "paste",
            "pr", "readlink", "realpath", "rm", "rmdir", "sed", "shred", "shuf", "sort", "split", "stat",
            "stdbuf", "tac", "tail", "tar", "tee", "timeout", "touch", "tr", "truncate", "uniq", "wc",
            "xargs", "patch", "hexdump", "column", "strings", "xz", "flock", "setsid", "watch", "ionice",
            "taskset",
        ],
        "--help",
    ),
    (&["rsync", "wget", "gpg"], "--help"),
    (&["curl"], "--help all"),
];

/// What looks like an option in a help text and is none.
const NO_OPTIONS: &[(&str, &str)] = &[("cut", "-M"), ("gpg", "-se")];

/// An option as the help has it.
#[derive(Debug)]
struct Told {
    /// With dashes.
    names: Vec<String>,
    takes: Takes,
}

/// What a line of a help text says about an option: `  -t, --target-directory=DIR  copy …`.
fn told(line: &str) -> Option<Told> {
    let text = line.trim_start();
    // Further in are texts that only mention one.
    if !text.starts_with('-') || line.len() - text.len() > 8 {
        return None;
    }
    // The words end where the explanation begins.
    let words = text.split("  ").next().unwrap_or(text);
    let mut names = Vec::new();
    let mut takes = Takes::Nothing;
    for part in words.split(", ") {
        let (name, rest) = match part.find(['=', '[', ' ']) {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        let plain = name.trim_start_matches('-');
        // `-NUM`, `--GTYPE-group-format`, and ranges that only look like options.
        let stands_for = plain.starts_with(|c: char| c.is_ascii_digit())
            || plain.len() > 2 && plain[..2].chars().all(|c| c.is_ascii_uppercase());
        let is_name =
            !plain.is_empty() && !stands_for && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !name.starts_with('-') || !is_name {
            return None;
        }
        names.push(name.to_owned());
        if rest.starts_with("[=") || rest.starts_with('[') {
            takes = Takes::Attached;
        } else if rest.starts_with('=')
            // A text may follow right behind the name.
            || rest.split_whitespace().next().is_some_and(|word| {
                word.starts_with('<')
                    || word.starts_with(|c: char| c.is_ascii_uppercase())
                        && !word.contains(|c: char| c.is_ascii_lowercase())
            })
        {
            takes = Takes::Value;
        }
    }
    Some(Told { names, takes })
}

fn known<'a>(program: &'a Program, name: &str) -> Option<&'a shell::programs::Opt> {
    let plain = name.trim_start_matches('-');
    program.options.iter().find(|option| option.names.contains(&plain) || option.names.contains(&name))
}

fn help(program: &str, option: &str) -> Option<String> {
    let options = option.split_whitespace();
    let output = Command::new(program).args(options).env("LC_ALL", "C").stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn options_with_values_are_known_as_such() {
    let mut asked = 0;
    let mut wrong = Vec::new();
    for (programs, option) in ASKED {
        for name in *programs {
            let (Some(program), Some(text)) = (find(name), help(name, option)) else { continue };
            asked += 1;
            for told in text.lines().filter_map(told) {
                let options: Vec<_> = told.names.iter().filter_map(|name| known(program, name)).collect();
                let is_text = told.names.iter().any(|option| NO_OPTIONS.contains(&(*name, option)));
                if options.is_empty() && !is_text {
                    wrong.push(format!("{name}: {} is not in the table", told.names.join(" ")));
                }
                // One line may be about several options, of which the last has the value: `-c, -C NUM, --context[=NUM]`.
                let known = options.iter().any(|option| option.takes != Takes::Nothing);
                if told.takes != Takes::Nothing && !options.is_empty() && !known {
                    wrong.push(format!(
                        "{name}: {} takes {:?}, the table says nothing",
                        told.names.join(" "),
                        told.takes
                    ));
                }
            }
        }
    }
    assert!(asked >= 20, "only {asked} programs were there to be asked");
    assert!(wrong.is_empty(), "{} options differ\n{}", wrong.len(), wrong.join("\n"));
}
