//! From what a tool printed to violations. One reader per kind of output; what is special about a tool is in its definition.
//!
//! Output that cannot be understood is an error with a reason. It is never taken for "nothing found".

mod cargo;
mod checkstyle;
mod json;
mod knip;
mod lines;
mod report;
mod sarif;
mod unreadable;

use std::path::{Component, Path, PathBuf};

use crate::definition::{Linter, Linting, Reader, Stream};
use crate::violation::Violation;

pub(crate) use unreadable::Cause;
pub use unreadable::Unreadable;

/// What a tool left behind.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    pub stdout: &'a str,
    pub stderr: &'a str,
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    /// There was more.
    pub cut: bool,
}

/// The file that a tool was asked about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub file: &'a Path,
    /// Where the tool ran; relative names are relative to it.
    pub cwd: &'a Path,
    pub text: &'a str,
}

/// What was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// About the file.
    pub here: Vec<Violation>,
    /// About other files: the tool's own configuration, or the rest of a project.
    pub elsewhere: Vec<Violation>,
}

/// One entry as a reader finds it, before the definition has been applied.
#[derive(Debug, Default)]
struct Entry {
    file: Option<String>,
    line: u32,
    column: u32,
    code: String,
    message: String,
}

pub fn read(
    linter: &'static Linter,
    job: &Linting,
    about: &Subject<'_>,
    printed: &Printed<'_>,
) -> Result<Found, Unreadable> {
    let unreadable = |cause| Unreadable::new(cause, linter, printed);
    let code = match printed.code {
        Some(code) if job.clean.contains(&code) || job.found.contains(&code) => code,
        Some(code) => return Err(unreadable(Cause::Failed(code))),
        None => return Err(unreadable(Cause::Killed)),
    };
    let both;
    let text = match job.stream {
        Stream::Stdout => printed.stdout,
        Stream::Stderr => printed.stderr,
        Stream::Both => {
            both = format!("{}\n{}", printed.stdout, printed.stderr);
            &both
        }
    };
    if printed.cut {
        return Err(Unreadable { cause: Cause::Cut, words: None });
    }
    if matches!(job.reader, Reader::Json(_) | Reader::Gitlab | Reader::Sarif)
        && job.clean.contains(&code)
        && text.trim().is_empty()
    {
        return Err(unreadable(Cause::Silent));
    }
    let entries = match &job.reader {
        Reader::Json(mapping) => json::read(text, mapping, about.text),
        Reader::Lines(patterns) => Ok(lines::read(text, patterns, about)),
        Reader::Gitlab => json::read(text, &json::GITLAB, about.text),
        Reader::Sarif => sarif::read(text),
        Reader::Checkstyle => checkstyle::read(text),
        Reader::Report => Ok(report::read(text)),
        Reader::Cargo => cargo::read(text),
        Reader::Knip => knip::read(text),
    }
    .map_err(unreadable)?;
    if entries.is_empty() && !job.clean.contains(&code) {
        return Err(unreadable(Cause::Unexplained(code)));
    }
    let mut found = Found::default();
    for entry in entries {
        let file = entry.file.as_deref().map(|name| plain(&about.cwd.join(name)));
        let here = file.as_deref().is_none_or(|file| file == about.file || file == plain(about.file));
        let violation =
            settle(linter, job, &entry, file.filter(|_| !here).unwrap_or_else(|| about.file.to_owned()));
        if here { found.here.push(violation) } else { found.elsewhere.push(violation) }
    }
    Ok(found)
}

/// The definition's last word on an entry.
fn settle(linter: &'static Linter, job: &Linting, entry: &Entry, file: PathBuf) -> Violation {
    let code =
        if entry.code.is_empty() { job.code.to_owned() } else { format!("{}{}", job.prefix, entry.code) };
    let plugin = job.names.iter().find(|(start, _)| code.starts_with(start));
    // ty says the rule before its words, where others only say the words.
    let message =
        entry.message.strip_prefix(&format!("{code}: ")).unwrap_or(&entry.message).trim().to_owned();
    Violation {
        file,
        line: entry.line,
        column: entry.column + u32::from(job.from_zero),
        code,
        message,
        linter: plugin.map_or(linter.name, |(_, name)| name),
        built_in: false,
    }
}

/// Without `.` and `..`, which tools leave in or take out as they like.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Line and column of a byte, both from 1. Columns count characters, as most tools do.
fn position(text: &str, offset: usize) -> (u32, u32) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
