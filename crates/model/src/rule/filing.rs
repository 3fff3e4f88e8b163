//! Under which keys a rule is filed: by the part that fewest calls have.

use super::key::{Key, Line, Touch};
use super::{Author, Call, Rule, Text, paths, pattern};

pub(super) fn file(rule: &Rule, put: &mut dyn FnMut(Key<'_>)) {
    let when = &rule.when;
    if !rule.overrides.is_empty() {
        put(Key::Overrides);
    }
    if rule.by == Author::Policy {
        put(Key::Policy);
    }
    if when.prompt.is_some() {
        return put(Key::Prompt);
    }
    if let Some(mcp) = &when.mcp {
        return each(mcp.server.as_ref(), put, Key::Server, Key::AnyServer);
    }
    if when.adds.is_some() {
        return match &when.write {
            Some(wanted) => paths::file(Touch::Add, wanted, put),
            None => put(Key::Adds),
        };
    }
    if let Some(wanted) = &when.call {
        return call(wanted, put);
    }
    if when.sql.is_some() {
        return put(Key::Sql);
    }
    if let Some(install) = &when.install {
        put(Key::EachPackage);
        return each(install.package.as_ref(), put, Key::Package, Key::AnyPackage);
    }
    if when.refs.is_some() {
        return put(Key::Refs);
    }
    for (line, wanted) in [(Line::Fetch, &when.fetch), (Line::Send, &when.send)] {
        if let Some(wanted) = wanted {
            return hosts(line, wanted, put);
        }
    }
    let touched = [(Touch::Delete, &when.delete), (Touch::Write, &when.write), (Touch::Read, &when.read)];
    for (touch, wanted) in touched {
        if let Some(wanted) = wanted {
            return paths::file(touch, wanted, put);
        }
    }
    each(when.frame.tool.as_ref(), put, Key::Tool, Key::AnyTool);
}

/// By each of the texts, where all of them are meant as they are.
fn each<'a>(
    wanted: Option<&'a Text>,
    put: &mut dyn FnMut(Key<'_>),
    by: fn(&'a str) -> Key<'a>,
    any: Key<'_>,
) {
    let like = wanted.map_or(&[][..], |wanted| &wanted.like);
    if like.is_empty() || !like.iter().all(|one| pattern::is_plain(one)) {
        return put(any);
    }
    like.iter().for_each(|one| put(by(one)));
}

fn call(wanted: &Call, put: &mut dyn FnMut(Key<'_>)) {
    if wanted.program.is_empty() || !wanted.program.iter().all(|name| pattern::is_plain(name)) {
        return put(Key::AnyProgram);
    }
    let first = wanted.words.first().filter(|word| pattern::is_plain(word));
    for name in &wanted.program {
        // A file by its name.
        let name = name.rsplit('/').next().unwrap_or(name);
        match first {
            None => put(Key::Program(name)),
            Some(word) => {
                put(Key::EachSpoken(name));
                put(Key::Spoken(name, word));
            }
        }
    }
}

/// By the last labels that are fixed: `*.evil.example` by `evil.example`.
fn hosts(line: Line, wanted: &Text, put: &mut dyn FnMut(Key<'_>)) {
    put(Key::EachHost(line));
    if wanted.like.is_empty() {
        return put(Key::AnyHost(line));
    }
    for one in &wanted.like {
        let one = paths::folded(one);
        let end = match one.rfind(['*', '?', '[', ']', '+', '\\']) {
            None => Some(&*one),
            Some(at) => one[at + 1..].split_once('.').map(|(_, labels)| labels),
        };
        put(end.filter(|end| !end.is_empty()).map_or(Key::AnyHost(line), |end| Key::Host(line, end)));
    }
}
