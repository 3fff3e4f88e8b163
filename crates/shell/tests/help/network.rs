//! Programs of the network and of keys, whose help has forms of its own: a line of usage, a table, a help for each subcommand.

use shell::programs::{Opt, Takes, find};

use crate::help;

/// `usage: ssh [-46AaCf] [-B bind_interface]`: letters in one bracket, and letters with a value in others.
fn usage(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for part in text.split('[').skip(1).filter_map(|part| part.split(']').next()) {
        let Some(rest) = part.strip_prefix('-') else { continue };
        match rest.split_once([' ', '\n']) {
            Some((letter, _)) if letter.len() == 1 => found.push((letter.to_owned(), true)),
            Some(_) => {}
            None => found.extend(rest.chars().map(|letter| (letter.to_string(), false))),
        }
    }
    found
}

fn takes(options: &[Opt], name: &str) -> Option<bool> {
    options.iter().find(|option| option.names.contains(&name)).map(|option| option.takes != Takes::Nothing)
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} options differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn letters_of_a_usage_line() {
    let mut wrong = Vec::new();
    for name in ["ssh", "scp", "sftp", "ssh-keyscan"] {
        let (Some(program), Some(text)) = (find(name), help(name, "-\u{1}")) else { continue };
        for (letter, value) in usage(&text) {
            if takes(program.options, &letter) != Some(value) {
                wrong.push(format!(
                    "{name}: -{letter} {}",
                    if value { "takes a value" } else { "takes none" }
                ));
            }
        }
    }
    none(&wrong);
}

/// Types of values in the help of `openssl`.
const TYPES: &[&str] = &[
    "val",
    "infile",
    "outfile",
    "int",
    "+int",
    "dir",
    "format",
    "uri",
    "string",
    "intmax",
    "ulong",
    "parm",
    "nonneg",
    "PEM|DER",
    "PEM|DER|ENGINE",
];

#[test]
fn subcommands_of_openssl() {
    let Some(program) = find("openssl") else { return };
    let Some(list) = help("openssl", "list -commands") else { return };
    let mut wrong = Vec::new();
    for name in list.split_whitespace() {
        let Some(sub) = program.subs.iter().find(|sub| sub.names.contains(&name)) else {
            wrong.push(format!("openssl {name} is not in the table"));
            continue;
        };
        let text = help("openssl", &format!("{name} -help")).unwrap_or_default();
        for line in text.lines().filter_map(|line| line.strip_prefix(" -")) {
            let mut words = line.split_whitespace();
            let option = words.next().unwrap_or_default();
            let plain = option.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
            if !plain || matches!(option, "help" | "-help" | "-") {
                continue;
            }
            let value = words.next().is_some_and(|word| TYPES.contains(&word));
            match takes(sub.options, option) {
                None => wrong.push(format!("openssl {name}: -{option} is not in the table")),
                Some(false) if value => wrong.push(format!("openssl {name}: -{option} takes a value")),
                Some(_) => {}
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_option_of_gpg() {
    let (Some(program), Some(text)) = (find("gpg"), help("gpg", "--dump-option-table")) else { return };
    let mut wrong = Vec::new();
    for line in text.lines() {
        let mut fields = line.split(':');
        let (Some(name), _, Some(kind)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let Ok(kind) = kind.parse::<u32>() else { continue };
        if name.is_empty() || name.contains(' ') || name == "version" {
            continue;
        }
        match takes(program.options, name) {
            None if !matches!(name, "help" | "warranty" | "dump-options" | "dump-option-table") => {
                wrong.push(format!("gpg: --{name} is not in the table"));
            }
            Some(false) if kind & 7 != 0 => wrong.push(format!("gpg: --{name} takes a value")),
            _ => {}
        }
    }
    none(&wrong);
}
