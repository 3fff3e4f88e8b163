//! The whole page: one file without a request to anywhere, and a policy that would forbid one.

use std::fmt::Write as _;

use state::log::rollup::Summary;
use state::{Machine, Project, sha256};

use super::html::{self, escape};
use super::sections::Scope;
use super::{decisions, on, sections};
use crate::commands::replay::Again;
use crate::commands::stats::{DAY, Span};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What is allowed: this style, this script, and nothing else. Served live, also its own stream.
pub(super) fn policy(live: bool) -> String {
    let connect = if live { " connect-src 'self';" } else { "" };
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}';{connect} base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn hash(text: &str) -> String {
    let hash = sha256(text.as_bytes());
    let hex = hash.hex();
    let bytes: Vec<u8> =
        (0..hex.len() / 2).filter_map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).ok()).collect();
    format!("sha256-{}", base64(&bytes))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let bits =
            part.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= part.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Whose records, of which days, and whether they go on coming.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) all: bool,
    pub(super) span: Span,
    pub(super) live: bool,
}

pub(super) fn page(machine: &Machine, summary: &Summary, wanted: Wanted) -> String {
    let now = machine.now();
    let today = now / DAY;
    let first = wanted.span.first_day(today);
    let day = summary.since(first);
    let root =
        if wanted.all { String::new() } else { Project::here(machine).root.to_string_lossy().into_owned() };
    let scope = Scope { summary, day: &day, span: wanted.span, root: &root, first, today };
    let mut again = Again::new(machine).ok();
    let right = decisions::right(&scope, &mut |one| again.as_mut()?.decide(one));
    let whose =
        if wanted.all { "all projects".to_owned() } else { format!("<code>{}</code>", escape(&root)) };
    let live = if wanted.live {
        "<p class=\"live\"><span role=\"status\">waiting for the stream</span></p>"
    } else {
        ""
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Plimsoll: what was decided</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#overview\">Skip to the overview</a>\n\
         <header><h1>Plimsoll in {whose}</h1><p>{}, made {} UTC</p>{live}</header>\n",
        escape(&policy(wanted.live)),
        capital(wanted.span.words()),
        html::moment(now)
    );
    out.push_str("<nav aria-label=\"Parts of this page\"><ul>");
    for (id, name) in [
        ("overview", "Overview"),
        ("timeline", "Over time"),
        ("decisions", "Stopped"),
        ("right", "Was it right?"),
        ("checks", "Checks"),
        ("latency", "How long"),
        ("linters", "Linters"),
        ("sessions", "Sessions"),
        ("on", "What is on"),
    ] {
        let _ = write!(out, "<li><a href=\"#{id}\">{name}</a></li>");
    }
    out.push_str("</ul></nav>\n<main>\n");
    for part in [
        sections::overview(&scope),
        sections::timeline(&scope),
        decisions::list(&scope, wanted.live),
        right,
        sections::rules(&scope),
        sections::latency(&scope),
        sections::linters(&scope),
        sections::sessions(&scope),
        on::on(machine),
    ] {
        out.push_str(&part);
    }
    let _ = write!(
        out,
        "</main>\n<footer>Made by <code>plimsoll report</code> from {}. Secrets are masked. This page loads nothing from anywhere.</footer>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&state::log::file(machine).to_string_lossy())
    );
    out
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_in_base64() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn the_script_makes_no_markup_of_text() {
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch("] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style") && !STYLE.contains("url("));
    }
}
