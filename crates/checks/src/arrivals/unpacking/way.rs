//! How an archive is unpacked: where to, which of its members, and by what names.

use shell::path::{absolute, is_below, matches, name};
use shell::text::is_known;

/// How an archive is unpacked.
#[derive(Default)]
pub(super) struct Way<'a> {
    /// Where to, absolute.
    pub(super) into: String,
    /// Parts that are taken off the beginning of each name.
    pub(super) strip: usize,
    /// Only these; all where there are none.
    pub(super) only: Vec<&'a str>,
    pub(super) without: Vec<&'a str>,
    /// Names from the root and upwards are obeyed.
    pub(super) escapes: bool,
    /// Folders in names are left out.
    pub(super) flat: bool,
    /// What is there already stays.
    pub(super) keeps: bool,
}

impl Way<'_> {
    /// `None` where nothing of the name is left.
    pub(super) fn place(&self, member: &str) -> Option<String> {
        let rest = crate::arrivals::format::strip(member, self.strip)?;
        let rest = if self.flat { name(rest) } else { rest };
        if self.escapes {
            return Some(absolute(rest, &self.into));
        }
        // The rest is thrown away, or the member is.
        let inner: Vec<&str> = rest.split('/').filter(|part| *part != "..").collect();
        Some(absolute(inner.join("/").trim_start_matches('/'), &self.into))
    }
}

/// A member's name as patterns are written for it.
pub(super) fn plain(name: &str) -> &str {
    name.trim_start_matches("./").trim_end_matches('/')
}

/// Whether a word is for a member, or for a folder around it.
pub(super) fn is_asked_for(member: &str, only: &str) -> bool {
    let (member, only) = (plain(member), plain(only));
    !is_known(only) || only.is_empty() || is_below(member, only) || matches(only, member)
}

/// Whether a pattern is for the name, or for parts of it that follow each other.
pub(in crate::arrivals) fn is_left_out(member: &str, pattern: &str) -> bool {
    if !is_known(pattern) || pattern.is_empty() {
        return false;
    }
    let pattern = pattern.trim_end_matches('/');
    if let Some(anchored) = pattern.strip_prefix('/') {
        return is_below(member, anchored) || matches(anchored, member);
    }
    let plain = pattern.trim_start_matches("./");
    let starts = std::iter::once(0).chain(member.match_indices('/').map(|(at, _)| at + 1));
    let mut parts = starts.flat_map(|from| {
        let rest = &member[from..];
        let ends = rest.match_indices('/').map(|(at, _)| at).chain([rest.len()]);
        ends.map(move |to| &rest[..to])
    });
    parts.any(|part| matches(plain, part))
}
