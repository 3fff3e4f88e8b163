//! The file of an edit, under every name it has: as written, and with symlinks followed. A rule that knows a file by name
//! must look at both, or a link walks round it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use model::{Event, FileEdit, path};

use crate::Context;

pub(crate) struct Target<'a> {
    pub(crate) edit: &'a FileEdit,
    /// Normalised, symlinks kept.
    pub(crate) written: PathBuf,
    /// As the kernel follows it.
    pub(crate) real: PathBuf,
    /// Normalised first, symlinks followed then. Only differs where `..` comes after a symlink, and a client may do either.
    normalised: Option<PathBuf>,
    /// The name by which we know the same file, where it has several.
    twin: Option<PathBuf>,
}

impl<'a> Target<'a> {
    /// `None` when the event changes no file.
    pub(crate) fn of(event: &'a Event, cx: &Context<'_>) -> Option<Self> {
        let edit = event.edit()?;
        let written = cx.facts.absolute(&edit.path);
        let climbs = edit.path.components().any(|part| part == Component::ParentDir);
        let normalised = climbs.then(|| cx.facts.resolve(&written));
        let real = cx.facts.resolve(&edit.path);
        let twin = crate::own::twin(&real, cx.facts);
        Some(Self { edit, written, real, normalised, twin })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        // Mostly the same, and every rule looks at each.
        let real = (self.real != self.written).then_some(&self.real);
        std::iter::once(&self.written)
            .chain(real)
            .chain(&self.normalised)
            .chain(&self.twin)
            .map(PathBuf::as_path)
    }

    /// The file's name for a message.
    pub(crate) fn name(&self) -> String {
        name(&self.written)
    }

    /// Whether one of its names fits. `fits` is asked for the name as it is, and, where the file system does not tell
    /// letter case apart, for the name in lower case.
    pub(crate) fn named(&self, cx: &Context<'_>, fits: impl Fn(&str) -> bool) -> bool {
        self.paths().any(|path| {
            let name = name(path);
            if fits(&name) {
                return true;
            }
            let lower = name.to_lowercase();
            lower != name && fits(&lower) && folds(cx, path)
        })
    }

    /// What comes after the last directory called `dir` on the way to the file, with `/`.
    pub(crate) fn below(&self, cx: &Context<'_>, dir: &str) -> Vec<String> {
        self.paths().filter_map(|path| below(cx, path, dir)).collect()
    }

    /// Whether the file lies in `root`.
    pub(crate) fn inside(&self, root: &Path) -> bool {
        self.paths().any(|path| path.starts_with(root))
    }

    /// The same, also where letter case does not count.
    pub(crate) fn within(&self, cx: &Context<'_>, root: &Path) -> bool {
        self.paths().any(|path| path.starts_with(root) || begins_with(path, root) && folds(cx, path))
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Letter case aside.
fn begins_with(path: &Path, root: &Path) -> bool {
    let (path, root) = (path.as_os_str().as_encoded_bytes(), root.as_os_str().as_encoded_bytes());
    path.get(..root.len()).is_some_and(|head| head.eq_ignore_ascii_case(root))
        && path.get(root.len()).is_none_or(|next| *next == b'/')
}

fn folds(cx: &Context<'_>, path: &Path) -> bool {
    cx.facts.folds_case(path.parent().unwrap_or(path))
}

fn below(cx: &Context<'_>, path: &Path, dir: &str) -> Option<String> {
    let parts: Vec<&OsStr> = path.components().map(Component::as_os_str).collect();
    let exact = parts.iter().rposition(|part| *part == dir);
    let at = exact.or_else(|| {
        let folded = parts.iter().rposition(|part| path::same_name(part, dir, true))?;
        folds(cx, path).then_some(folded)
    })?;
    let rest: Vec<_> = parts[at + 1..].iter().map(|part| part.to_string_lossy()).collect();
    let rest = rest.join("/");
    Some(if exact.is_none() || folds_below(cx, path, &rest) { rest.to_lowercase() } else { rest })
}

/// Only asked when letter case could matter.
fn folds_below(cx: &Context<'_>, path: &Path, rest: &str) -> bool {
    rest.chars().any(char::is_uppercase) && folds(cx, path)
}
