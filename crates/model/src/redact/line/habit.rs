//! What the program of a command makes of its words.

use super::{Command, Doubt, Hide, Line};
use crate::redact::names::{self, Habits};

impl Line {
    /// Whether a word is a program whose habits are known, or one that prints.
    pub(super) fn begins_program(&mut self, text: &str, bare: &str) -> bool {
        if bare.len() < 2 || text.contains(['=', ':', '@']) || text.starts_with('-') {
            return false;
        }
        let name = bare.rsplit('/').next().unwrap_or(bare);
        if matches!(name, "echo" | "printf") && self.echo.is_none() {
            self.echo = Some(self.out.len() + text.len());
            return true;
        }
        let Some(mut habits) = names::habits(name) else { return false };
        if self.command.is_openssl && name == "passwd" {
            habits = names::OPENSSL_PASSWD;
        }
        let reads_secret = self.command.reads_secret;
        self.command = Command {
            habits,
            is_curl: name == "curl",
            is_sudo: name == "sudo",
            is_vault: matches!(name, "vault" | "bao"),
            is_openssl: name == "openssl",
            armed: habits.after.is_empty(),
            with: habits.only_with.is_empty(),
            reads_secret,
            ..Command::default()
        };
        if habits.stdin.contains(&"") {
            self.read_secret();
        }
        true
    }

    /// `None` where the program has nothing to say about this word.
    pub(super) fn habit<'a>(&mut self, text: &'a str, bare: &str) -> Option<&'a str> {
        if self.command.reads_secret
            && let Some(at) = text.find("<<")
        {
            return Some(self.here(text, at));
        }
        let Habits {
            options,
            attached,
            separate,
            after,
            stdin,
            pairs,
            positional,
            only_with,
            user,
            user_sign,
        } = self.command.habits;
        if stdin.contains(&text) || self.command.is_sudo && is_cluster(text) && text.contains('S') {
            self.read_secret();
        }
        self.command.armed |= after.contains(&bare);
        if self.command.pairs
            && !text.starts_with('-')
            && let Some((_, value)) = text.split_once('=')
            && !value.starts_with('@')
            && value != "-"
        {
            return Some(self.after(text, 0, '='));
        }
        if self.command.is_vault
            && self.command.pairs
            && self.command.positional == 1
            && !text.starts_with('-')
            && bare.len() > 3
        {
            self.command.positional = 2;
            if self.command.sets {
                return Some(self.value(text));
            }
        }
        if pairs.contains(&bare) {
            self.command.pairs = true;
            self.command.positional = 1;
            // `vault login TOKEN`
            self.command.sets = bare == "login";
        }
        for option in user {
            let Some(given) = text.strip_prefix(option) else { continue };
            if given.is_empty() {
                self.out.push_str(text);
                self.hide = Hide::After(user_sign);
                return Some("");
            }
            if given.contains(user_sign) {
                return Some(self.after(text, option.len(), user_sign));
            }
        }
        if self.command.is_curl {
            if matches!(text, "-b" | "--cookie") {
                self.out.push_str(text);
                self.hide = Hide::After('=');
                return Some("");
            }
            if matches!(text, "-E" | "--cert") {
                self.out.push_str(text);
                self.hide = Hide::After(':');
                return Some("");
            }
            if text.starts_with("-b") && text.contains('=') {
                return Some(self.after(text, 2, '='));
            }
        }
        if self.command.armed {
            if let Some(option) = separate.iter().find(|option| **option == text) {
                self.out.push_str(text);
                self.hide = match *option {
                    "--from-literal" => Hide::After('='),
                    "-pass" | "-passin" | "-passout" | "-password" | "-macopt" => Hide::Source,
                    _ => Hide::Value(Doubt::None),
                };
                return Some("");
            }
            // `-p=x`
            if let Some((option, value)) = text.split_once('=')
                && separate.contains(&option)
                && option != "--from-literal"
            {
                self.out.push_str(&text[..text.len() - value.len()]);
                return Some(self.value(value));
            }
            for option in options {
                let Some(given) = text.strip_prefix(option) else { continue };
                self.out.push_str(option);
                if given.is_empty() {
                    self.hide = Hide::Value(Doubt::None);
                    return Some("");
                }
                let sign = usize::from(given.starts_with('='));
                self.out.push_str(&given[..sign]);
                return Some(self.value(&given[sign..]));
            }
            for option in attached {
                let Some(given) = text.strip_prefix(option).filter(|given| !given.is_empty()) else {
                    continue;
                };
                if option.starts_with("--from") {
                    return Some(self.after(text, option.len(), '='));
                }
                self.out.push_str(option);
                return Some(self.value(given));
            }
            // `zip -rP x`
            if options.contains(&"-P") && is_cluster(text) && text.ends_with('P') {
                self.out.push_str(text);
                self.hide = Hide::Value(Doubt::None);
                return Some("");
            }
        }
        if positional > 0 {
            if is_cluster(text) {
                self.command.with |= text.contains(only_with);
                self.command.fewer |= only_with == "b" && text.contains('n');
            } else if !text.starts_with(['-', '>', '<']) {
                self.command.with |= text == only_with;
                self.command.positional += 1;
                if self.command.with
                    && text != only_with
                    && self.command.positional + u8::from(self.command.fewer) == positional
                {
                    return Some(self.value(text));
                }
            }
        }
        None
    }

    /// `<<< secret`, `<<EOF`.
    fn here<'a>(&mut self, text: &'a str, at: usize) -> &'a str {
        let rest = &text[at + 2..];
        if let Some(given) = rest.strip_prefix('<') {
            self.out.push_str(&text[..at + 3]);
            if given.is_empty() {
                self.hide = Hide::Value(Doubt::None);
                return "";
            }
            self.header = None;
            return self.value(given);
        }
        self.out.push_str(text);
        let end = rest.trim_matches(['-', '"', '\'', '\\', '~']);
        self.out.push('\n');
        self.out.push_str(super::MASK);
        self.hide = Hide::Document(end.to_owned());
        ""
    }
}

/// `-xyz`: several options of one letter.
fn is_cluster(text: &str) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.len() <= 6 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
