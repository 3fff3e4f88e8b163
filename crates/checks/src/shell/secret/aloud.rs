//! Secrets that end up in the conversation: files that are shown or copied to where they can be read, and what vaults, keyrings and
//! variables hold, followed to where it is printed.

use model::Facts;
use model::deed::{Certainty, Deed, Object, Place, Verb};
use shell::programs::{Prints, Role};
use shell::text::{SECRET, has_hole, show};
use shell::{Call, Output, Reading};

use super::path::{Secret, secret};
use crate::shell::place::place;

pub(super) struct Aloud {
    pub(super) what: String,
    /// It is beyond question.
    pub(super) hard: bool,
    file: bool,
}

impl Aloud {
    /// Why it is stopped, and what to do instead.
    pub(super) fn reasons(&self) -> (&'static str, &'static str) {
        let instead = match (self.file, self.hard) {
            (true, true) => "Test for the file with `test -f <file>`, or let the user look.",
            (true, false) => "Names without values: `cut -d= -f1 .env`.",
            (false, _) => {
                "Hand it on without printing it: `TOKEN=$(…) <command>`, or a pipe to the program that needs it."
            }
        };
        ("What is printed ends up in the conversation.", instead)
    }
}

/// What a call of the reading shows that nobody should see.
pub(super) fn aloud(reading: &Reading, at: usize, facts: &dyn Facts) -> Option<Aloud> {
    let call = &reading.calls[at];
    file(reading, at, facts)
        .or_else(|| told(reading, at, facts))
        .or_else(|| words(reading, at))
        .or_else(|| searched(call, facts))
}

/// A secret file: read by something that shows it, or given to something that nobody knows.
fn file(reading: &Reading, at: usize, facts: &dyn Facts) -> Option<Aloud> {
    let call = &reading.calls[at];
    let words = call.deeds.len().saturating_sub(call.redirects.len());
    for (index, deed) in call.deeds.iter().enumerate() {
        let Some(kind) = secret(deed, call, facts) else { continue };
        let copied = lands(call) || deed.verb == Verb::Moves;
        let shown = match deed.verb {
            // What a container gets is judged where it is handed over.
            _ if deed.place == Place::Container && !call.elsewhere => false,
            Verb::Reads if index >= words => redirected(reading, at, kind),
            Verb::Reads | Verb::Moves if copied => kind == Secret::Person,
            Verb::Reads => reaches(reading, at, kind),
            // In a terminal, an editor prints what it opens.
            Verb::Edits if call.concerns("an editor") => true,
            Verb::Uses if call.concerns("an editor") => kind == Secret::Person,
            // What an interpreter cannot read it shows in its complaint.
            Verb::Uses if call.with_role(Role::Script).any(|text| text == deed.object.text()) => {
                kind == Secret::Person
            }
            // No program needs it but those that log people in.
            Verb::Uses if is_password_list(deed) => true,
            Verb::Uses if deed.certainty == Certainty::Unseen => is_stranger(call, deed, kind),
            _ => false,
        };
        if shown {
            let path = show(deed.object.text());
            let what = match (deed.verb, copied) {
                (Verb::Uses, _) => {
                    format!("This would give {path}, which holds secrets, to a program that may show it.")
                }
                (_, true) => format!("This would copy {path}, which holds secrets, to where it can be read."),
                _ => format!("This would print {path}, which holds secrets."),
            };
            return Some(Aloud { what, hard: kind == Secret::Person, file: true });
        }
    }
    None
}

/// What everybody's passwords can be guessed from.
fn is_password_list(deed: &Deed) -> bool {
    const LISTS: &[&str] = &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/master.passwd"];
    matches!(&deed.object, Object::Path { text, .. } if LISTS.contains(&&*shell::path::absolute(text, "/")))
}

/// A program that no table describes, by its name alone: a script of the project's own is the project's business.
fn is_stranger(call: &Call, deed: &Deed, kind: Secret) -> bool {
    let own = call.argv.first().is_some_and(|arg| arg.text.contains('/'));
    // What an option is for, most programs use.
    let named =
        call.argv.windows(2).any(|pair| pair[1].text == deed.object.text() && !pair[0].text.starts_with('-'));
    call.words().program.is_none() && (kind == Secret::Person || !own && named)
}

/// What comes in by a redirection is shown by what shows its input; a loop that reads an environment file sets variables.
fn redirected(reading: &Reading, at: usize, kind: Secret) -> bool {
    let call = &reading.calls[at];
    // A shell that goes on with it, or keeps it in a variable.
    let style = call.words().entry.map(|entry| entry.style);
    let keeps = call.argv.is_empty() || style.is_some_and(|style| style.lasting || style.harmless);
    if keeps { kind == Secret::Person } else { call.shows() && reaches(reading, at, kind) }
}

/// Whether a call uses what comes in and shows nothing of it.
fn leaves_alone(call: &Call) -> bool {
    let words = call.words();
    let Some(entry) = words.entry else { return false };
    let used = |rule: &&'static shell::programs::Rule| {
        matches!(rule.input, Some(Role::Use | Role::Secret)) && words.holds(rule, &call.argv)
    };
    let spec = words.operand_spec().unwrap_or_default();
    words.prints(&call.argv) == Some(Prints::Nothing)
        || entry.rules.iter().any(|rule| used(&rule))
        || !spec.is_empty()
            && spec.iter().all(|operand| matches!(operand.role, Role::Look | Role::Text))
            && spec.iter().any(|operand| operand.role == Role::Look)
}

/// Whether a call puts what it reads somewhere else.
fn lands(call: &Call) -> bool {
    let words = call.words();
    words.given(&call.argv).any(|(role, _)| matches!(role, Role::Target | Role::Into | Role::Mirror))
}

/// Whether what a call prints is seen in the end: it is printed as it is, or what it is piped to shows it.
fn reaches(reading: &Reading, at: usize, kind: Secret) -> bool {
    match reading.calls[at].output {
        Output::Shown => true,
        // In a word or a variable it is judged where that goes; in a file, where that is read.
        Output::Kept => kind == Secret::Person,
        Output::Piped => {
            let mut fed = reading
                .calls
                .iter()
                .enumerate()
                .skip(at + 1)
                .filter(|(_, next)| next.fed_by.contains(&at))
                .peekable();
            fed.peek().is_none()
                || fed.any(|(next, call)| {
                    let on = if kind == Secret::Person { !leaves_alone(call) } else { call.shows() };
                    on && reaches(reading, next, kind)
                })
        }
    }
}

/// What a vault or a service prints.
fn told(reading: &Reading, at: usize, facts: &dyn Facts) -> Option<Aloud> {
    let call = &reading.calls[at];
    if !(call.does(Verb::Tells) || call.does(Verb::Reveals)) || call.words().rehearses {
        return None;
    }
    let tells = |deed: &&Deed| matches!(deed.verb, Verb::Tells | Verb::Reveals);
    let usual = |deed: &&Deed| {
        let text = deed.object.text();
        text.starts_with("every variable") || text == "what was typed"
    };
    // Every variable is mostly paths and names; where it is sent, it counts. So it does where secrets are among them.
    let deed = call.deeds.iter().find(|deed| tells(deed) && !usual(deed)).or_else(|| {
        let all = |deed: &&Deed| tells(deed) && deed.object.text() == "every variable";
        call.deeds.iter().find(all).filter(|_| has_secrets(reading, at, facts) || picks_secrets(reading, at))
    })?;
    let Object::Thing(thing) = &deed.object else { return None };
    let hard = deed.verb == Verb::Tells && !usual(&deed);
    // Kept in a word or a variable, it is as bad as it was where that is printed.
    let printed = || (at + 1..reading.calls.len()).any(|later| words(reading, later).is_some());
    (reaches(reading, at, Secret::Project) || call.output == Output::Kept && printed()).then(|| Aloud {
        what: format!("This would print {thing}."),
        hard,
        file: false,
    })
}

/// Whether the variables of a call are known to hold secrets: the same command has taken them from a file of secrets, or it runs
/// where others have put them, in a container of a service.
fn has_secrets(reading: &Reading, at: usize, facts: &dyn Facts) -> bool {
    let call = &reading.calls[at];
    let service =
        |wrapper: &&str| shell::programs::find(wrapper).is_some_and(|program| program.style.service);
    let sourced = |earlier: &Call| {
        let taken = |deed: &Deed| deed.verb == Verb::Uses && secret(deed, earlier, facts).is_some();
        earlier.does(Verb::Runs) && earlier.deeds.iter().any(taken)
    };
    call.wrappers.iter().any(service) || reading.calls[..at].iter().any(sourced)
}

/// Whether a search picks from what a call prints the lines that are called like secrets.
fn picks_secrets(reading: &Reading, at: usize) -> bool {
    const NAMES: &[&str] =
        &["token", "secret", "passw", "credential", "api_key", "apikey", "private_key", "access_key"];
    let picks = |call: &Call| {
        let words = call.words();
        let finds = words.entry.is_some_and(|entry| entry.output == Some(shell::programs::Output::Matching));
        // Those that are left are no secrets.
        finds && !words.has("v") && {
            call.texts().any(|text| {
                let lower = text.to_ascii_lowercase();
                NAMES.iter().any(|name| lower.contains(name))
            })
        }
    };
    reading.calls.iter().skip(at + 1).any(|next| next.fed_by.contains(&at) && picks(next))
}

/// A word for what keys look like.
pub(super) fn looks_for_keys(text: &str) -> bool {
    const LOOKS: &[&str] = &[
        "AKIA",
        "ASIA",
        "ghp_",
        "gho_",
        "github_pat_",
        "glpat-",
        "xox",
        "sk-",
        "sk_live",
        "AIza",
        "eyJ",
        "BEGIN",
        "PRIVATE KEY",
        "_authToken",
        "aws_secret",
        "npm_",
        "hf_",
    ];
    LOOKS.iter().any(|part| text.contains(part))
}

/// A search through a whole home, or more, for them.
fn searched(call: &Call, facts: &dyn Facts) -> Option<Aloud> {
    if call.output != Output::Shown || call.elsewhere {
        return None;
    }
    let wide = call.deeds.iter().any(|deed| match &deed.object {
        Object::Path { text, tree: true, .. } if deed.verb == Verb::Reads => {
            place(&shell::Arg::new(text.clone()), call, facts) >= crate::shell::place::Place::Home
        }
        _ => false,
    });
    (wide && call.texts().any(looks_for_keys)).then(|| Aloud {
        what: "This would look through a whole home for keys, and print them.".into(),
        hard: false,
        file: false,
    })
}

/// A variable that holds a secret, or what was read from one, among words that are printed: as they are, or through what shows them.
fn words(reading: &Reading, at: usize) -> Option<Aloud> {
    let call = &reading.calls[at];
    if call.output == Output::Kept {
        return None;
    }
    let what = "This would print a secret that a variable holds.";
    let named = || call.with_role(Role::Printed).any(shell::is_secret_name);
    let printed = || {
        has_hole(&call.printed, SECRET)
            && call.words().entry.is_some_and(|entry| entry.style.silent)
            && call.texts().any(|text| text.contains(SECRET))
    };
    let asked = || call.with_role(Role::Code).any(asks_for_secret);
    ((named() || printed() || asked()) && shown(reading, at)).then(|| Aloud {
        what: what.into(),
        hard: false,
        file: false,
    })
}

/// A query that prints a variable of the environment: jq's `env.NAME` and `$ENV.NAME`, yq's `strenv(NAME)`.
fn asks_for_secret(query: &str) -> bool {
    ["$ENV.", "env.", "strenv(", "env("].iter().any(|word| {
        query.match_indices(word).any(|(at, _)| {
            let own = !query[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
            let rest = &query[at + word.len()..];
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            own && shell::is_secret_name(&rest[..end]) && !rest[end..].contains("length")
        })
    })
}

/// The same as `reaches` for words: a program of which nothing is known takes them for what it needs.
fn shown(reading: &Reading, at: usize) -> bool {
    match reading.calls[at].output {
        Output::Shown => true,
        Output::Kept => false,
        Output::Piped => (at + 1..reading.calls.len()).any(|next| {
            let call = &reading.calls[next];
            call.fed_by.contains(&at) && passes_on(call) && shown(reading, next)
        }),
    }
}

/// Whether a filter prints what comes in, whole or turned into another text that says the same.
fn passes_on(call: &Call) -> bool {
    use shell::programs::Output as Kind;
    let words = call.words();
    let whole = |kind: Kind| {
        matches!(
            kind,
            Kind::Same
                | Kind::Line
                | Kind::Upward
                | Kind::Backward
                | Kind::Turned
                | Kind::Sorted
                | Kind::Distinct
                | Kind::Letters
                | Kind::Joined
                | Kind::Through
                | Kind::Base64
                | Kind::Base32
                | Kind::Encoded
                | Kind::Hex
        )
    };
    words.entry.and_then(|entry| entry.output).is_some_and(whole) && words.prints(&call.argv).is_none()
}
