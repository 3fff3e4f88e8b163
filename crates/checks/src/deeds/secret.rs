//! Secrets that a tool reads aloud, links to or sends away.

use model::deed::{Deed, Object, Verb};
use model::{Event, Facts, Findings, RuleId};
use shell::{address, is_secret_path};

use super::place;
use crate::Context;
use crate::shell::secret_pattern;

const WHY: &str = "What a tool reads ends up in the conversation.";

/// Reading a key gets what `cat` of it gets in a shell: refused, and a question for an environment file or one of the project's own.
pub(crate) fn secret(rule: RuleId, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let deeds = cx.deeds(event);
    if deeds.is_empty() {
        return;
    }
    let cwd = super::start(event, cx.facts);
    for deed in deeds {
        match (&deed.verb, &deed.object) {
            (Verb::Reads | Verb::Links, Object::Path { .. }) => read(rule, deed, &cwd, cx.facts, out),
            (Verb::Sends, Object::Path { text, .. }) if kept(text, false, &cwd, cx.facts).is_some() => {
                sent(rule, format!("This would send {text}, which holds secrets, to somebody else."), out);
            }
            (Verb::Fetches | Verb::Sends, Object::Address(text)) => opened(rule, text, out),
            // Where it goes, others read it under a name that says nothing.
            (Verb::Moves, Object::Path { text, .. })
                if kept(text, false, &cwd, cx.facts).is_some() && !lands_hidden(deeds, &cwd, cx.facts) =>
            {
                out.ask(
                    rule,
                    format!("This would move {text}, which holds secrets, to where it can be read."),
                    "Rules that ignore it by its name would no longer keep it out of the repository.",
                );
            }
            (_, Object::Statement(text)) => statement(rule, text, &cwd, cx.facts, out),
            (Verb::Sends, Object::Thing(text)) if text.contains("toJSON(secrets)") => {
                sent(rule, "This would send every secret of the repository along.".into(), out);
            }
            (Verb::Sends, Object::Thing(text)) if model::has_key(text) || holds_password(text) => {
                out.ask(
                    rule,
                    "This would send a key along.".into(),
                    "A secret that has left the machine is no longer secret.",
                )
                .instead = Some("Leave the key out, or say where it is kept.".into());
            }
            (Verb::Runs, Object::Code { text, .. }) => {
                for path in address::files_in(text) {
                    read(rule, &Deed::path(Verb::Reads, path), &cwd, cx.facts, out);
                }
                if address::names_credentials(text) {
                    opened(rule, "http://169.254.169.254", out);
                }
                if sends_session(text) {
                    sent(rule, "This would send what the page keeps of the user's session.".into(), out);
                }
            }
            (Verb::Tells, Object::Thing(text)) => {
                out.ask(rule, format!("This would show {text}."), WHY);
            }
            _ => {}
        }
    }
}

/// Whether what is moved has the name of a secret there, too.
fn lands_hidden(deeds: &[Deed], cwd: &str, facts: &dyn Facts) -> bool {
    deeds.iter().any(|deed| match &deed.object {
        Object::Path { text, .. } => deed.verb == Verb::Writes && kept(text, false, cwd, facts).is_some(),
        _ => false,
    })
}

/// What a statement reads besides tables: files of the machine that the database runs on, and its own list of passwords.
fn statement(rule: RuleId, text: &str, cwd: &str, facts: &dyn Facts, out: &mut Findings) {
    for act in shell::sql::acts(text) {
        match act {
            shell::sql::Act::Reads(path) => read(rule, &Deed::path(Verb::Reads, path), cwd, facts, out),
            shell::sql::Act::Tells(what) => {
                out.ask(rule, format!("This would show {what}."), WHY);
            }
            _ => {}
        }
    }
}

/// A password among words: in the address of a database, or after a name that says so.
fn holds_password(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>')).any(
        |word| {
            if let Some((_, rest)) = word.split_once("://") {
                let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
                let user = authority.rsplit_once('@').map(|(user, _)| user);
                return user
                    .and_then(|user| user.split_once(':'))
                    .is_some_and(|(_, password)| is_random(password, 8) && !address::is_here(word));
            }
            word.split_once('=')
                .is_some_and(|(name, value)| shell::is_secret_name(name) && is_random(value, 16))
        },
    )
}

/// Letters and digits mixed as nobody writes words, and not a place to fill in.
fn is_random(text: &str, shortest: usize) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    text.len() >= shortest && digits >= 2 && letters >= 4 && !text.contains(['{', '$', '*', '<'])
}

/// Whether code of a page takes cookies or what the page has stored, and asks somebody else for something with it.
fn sends_session(code: &str) -> bool {
    const KEPT: &[&str] = &["document.cookie", "localStorage", "sessionStorage"];
    const SENDS: &[&str] = &["fetch(", "sendBeacon(", "XMLHttpRequest", "new Image", "new WebSocket"];
    let away = ["http://", "https://", "wss://", "'//", "\"//", "`//"].iter().any(|mark| code.contains(mark));
    away && KEPT.iter().any(|word| code.contains(word)) && SENDS.iter().any(|word| code.contains(word))
}

/// How sure it is that a path is a secret's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// It may be in the project for a reason: `.env`, a certificate of its own.
    Here,
    /// A user's or the machine's own.
    Elsewhere,
}

fn kept(text: &str, pattern: bool, cwd: &str, facts: &dyn Facts) -> Option<Kept> {
    let path = place::absolute(text, cwd, facts);
    let home = facts.home().map(|home| home.to_string_lossy());
    let one = |path: &str| {
        let hit = is_secret_path(path, home.as_deref()) || pattern && secret_pattern(path, home.as_deref());
        let environment = shell::path::name(path).starts_with(".env");
        let own = || shell::path::is_below(path, &facts.project().to_string_lossy());
        hit.then(|| if environment || own() { Kept::Here } else { Kept::Elsewhere })
    };
    // Where letter case does not count, neither does it here.
    let folded = || {
        let lower = path.chars().any(char::is_uppercase).then(|| path.to_lowercase())?;
        let kept = one(&lower)?;
        facts.folds_case(std::path::Path::new(&path).parent()?).then_some(kept)
    };
    one(&path).or_else(folded).or_else(|| if pattern { None } else { one(&place::followed(&path, facts)?) })
}

fn read(rule: RuleId, deed: &Deed, cwd: &str, facts: &dyn Facts, out: &mut Findings) {
    let Object::Path { text, tree, pattern } = &deed.object else { return };
    match kept(text, *pattern, cwd, facts) {
        Some(Kept::Elsewhere) => {
            out.deny(rule, format!("This would read {text}, which holds secrets."), WHY).instead =
                Some("Leave it where it is; ask the user for what you need of it.".into());
        }
        Some(Kept::Here) => {
            out.ask(rule, format!("This would read {text}, which holds secrets."), WHY).instead =
                Some("Names without values: `cut -d= -f1 .env`.".into());
        }
        // Keys lie in a home, whatever else is searched for there.
        None if *tree && holds_homes(text, cwd, facts) => {
            out.ask(
                rule,
                format!("This would search everything in {text}, keys and credentials too."),
                WHY,
            )
            .instead = Some("Name the folder that you mean, or the names of the files.".into());
        }
        None => {}
    }
}

/// A home, or a folder around homes.
fn holds_homes(text: &str, cwd: &str, facts: &dyn Facts) -> bool {
    let path = place::absolute(text, cwd, facts);
    let home = facts.home().map(|home| home.to_string_lossy());
    let around = home.is_some_and(|home| shell::path::is_below(&home, &path));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    around || matches!(parts.as_slice(), [] | ["home" | "Users" | "root"] | ["home" | "Users", _])
}

/// What an address asks for, and what goes with it.
fn opened(rule: RuleId, text: &str, out: &mut Findings) {
    if address::gives_credentials(text) {
        out.deny(
            rule,
            "This would ask the cloud for this machine's own credentials.".into(),
            "Whoever has them can do what the machine may.",
        )
        .instead = Some("Ask the user for what you need to know about the machine.".into());
    } else if address::gives_secrets(text) {
        out.ask(
            rule,
            "This would ask a service for secrets, or for everything that runs here.".into(),
            "With them, anyone can do what the machine can do.",
        );
    } else if address::speaks_otherwise(text) {
        out.ask(
            rule,
            "This address is not a web page: it sends commands to a service in its own protocol.".into(),
            "What it says there is done.",
        );
    } else if address::collects(text) && address::carries(text) {
        sent(rule, "This would send data to a service that stores whatever it receives.".into(), out);
    } else if !address::is_here(text) && model::has_key(text) {
        sent(rule, "This address has a key in it.".into(), out);
    } else if !address::is_here(text) && address::has_password(text) {
        out.ask(
            rule,
            "This address has a password in it.".into(),
            "A secret that has left the machine is no longer secret.",
        );
    }
}

fn sent(rule: RuleId, what: String, out: &mut Findings) {
    out.deny(rule, what, "A secret that has left the machine is no longer secret.").instead =
        Some("Leave it where it is; ask the user how the other side gets its own.".into());
}
