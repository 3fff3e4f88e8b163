//! Whatever a command is, the reader comes to an end with it, and what it says about it is about its text.
//!
//! The promises: no panic; spans lie in the text and between its characters; what comes out is bounded; the work is at most
//! linear in what goes in.

use std::ops::Range;

use shell::{Reading, World};

use crate::work::measured;

/// Bytes that may be allocated for any command, however short, and more for each byte of it.
const ANY_WORK: usize = 192 * 1024 * 1024;
const WORK_PER_BYTE: usize = 4096;

/// Programs that one command may come down to, and the bytes of all their words.
const MOST_CALLS: usize = 100_000;
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// Inputs are repeated to this length before they are doubled.
const LONG: usize = 16 * 1024;

/// Panics if a promise is broken.
pub fn shell_parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let first = read(&text);
    // The same again and again: whatever is more than linear in it shows. Not each time, because it takes long.
    if !text.is_empty()
        && text.len() <= LONG
        && bytes.iter().fold(0_u8, |sum, b| sum.wrapping_add(*b)) % 8 == 0
    {
        let long = format!("{text}\n").repeat(LONG / (text.len() + 1) + 1);
        let work = first.max(read(&long));
        let doubled = read(&format!("{long}{long}"));
        // What is bounded grows in leaps until it reaches its bound: a path, a list, a text.
        assert!(
            doubled <= (work * 5 / 2).max(ANY_WORK + WORK_PER_BYTE * long.len()),
            "more than linear: {work} bytes of work become {doubled} for twice the text"
        );
    }
}

/// Reads a command, looks at what comes out, and says what work it was.
fn read(text: &str) -> usize {
    let readers = [shell::read, shell::read_powershell, shell::read_cmd];
    let work = readers.map(|reader: fn(&str, &dyn World) -> Reading| {
        let (reading, work) = measured(|| reader(text, &Nowhere));
        assert!(
            work <= ANY_WORK + WORK_PER_BYTE * text.len(),
            "{work} bytes of work for {} of text",
            text.len()
        );
        look_at(&reading, text);
        work
    });
    work.into_iter().max().unwrap_or_default()
}

fn look_at(reading: &Reading, text: &str) {
    assert!(reading.calls.len() <= MOST_CALLS, "{} calls", reading.calls.len());
    let mut said = 0;
    for call in &reading.calls {
        is_inside(call.span.as_ref(), text);
        for arg in call.argv.iter().chain(call.redirects.iter().map(|redirect| &redirect.target)) {
            is_inside(arg.span.as_ref(), text);
            said += arg.text.len();
        }
    }
    for unseen in &reading.unseen {
        is_inside(unseen.span.as_ref(), text);
    }
    assert!(said <= MOST_TEXT + 16 * text.len(), "{said} bytes of words");
}

fn is_inside(span: Option<&Range<usize>>, text: &str) {
    if let Some(span) = span {
        assert!(
            text.get(span.clone()).is_some(),
            "the span {span:?} is not in the text of {} bytes",
            text.len()
        );
    }
}

/// A place with nothing in it but a script.
struct Nowhere;

impl World for Nowhere {
    fn home(&self) -> Option<String> {
        Some("/home/user".into())
    }

    fn cwd(&self) -> String {
        "/home/user/project".into()
    }

    fn read(&self, path: &str) -> Option<String> {
        path.ends_with("/run.sh").then(|| "for x in \"$@\"; do echo \"$x\" | sh; done\n. ./run.sh\n".into())
    }

    fn var(&self, name: &str) -> Option<String> {
        (name == "EDITOR").then(|| "vi".into())
    }
}
