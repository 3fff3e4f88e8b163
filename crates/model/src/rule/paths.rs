//! Patterns of paths: where they begin, and by which part of a path they are found. Both sides stand here, so that a rule is filed where
//! it is looked for. Letters are small on both sides, because on some disks their case does not matter.

use std::borrow::Cow;

use super::Text;
use super::key::{Key, Root, Touch, Way};
use super::pattern::is_plain;

/// Where a pattern begins, and the pattern from there. One with a slash is from the project's root, from `/` or from `~`; one without is
/// a name. What is named counts with all that is in it, so an end that says so is left out.
pub fn shape(pattern: &str) -> (Root, &str) {
    let inner = pattern.strip_suffix('/').or_else(|| pattern.strip_suffix("/**")).unwrap_or(pattern);
    let is_folder = inner.len() != pattern.len();
    if let Some(rest) = inner.strip_prefix("~/") {
        return (Root::Home, rest);
    }
    match inner {
        "~" if is_folder => (Root::Home, ""),
        "." if is_folder => (Root::Project, ""),
        "" if is_folder => (Root::Top, ""),
        _ if inner.starts_with('/') => (Root::Top, inner.trim_start_matches('/')),
        _ if inner.starts_with("**") => (Root::Anywhere, inner),
        _ if is_folder || inner.contains('/') => (Root::Project, inner.trim_start_matches("./")),
        _ => (Root::Name, inner),
    }
}

/// Where a path lies, seen from a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lies {
    /// In it, or it is the folder; what follows the folder begins here.
    Below(usize),
    /// The folder lies in it.
    Around,
    Apart,
}

impl Lies {
    fn of(path: &str, folder: &str) -> Self {
        let folder = folder.trim_end_matches('/');
        let follows = |rest: &str| rest.is_empty() || rest.starts_with('/');
        if let Some(rest) = path.strip_prefix(folder).filter(|rest| follows(rest)) {
            return Lies::Below(path.len() - rest.trim_start_matches('/').len());
        }
        let path = path.trim_end_matches('/');
        if folder.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')) {
            Lies::Around
        } else {
            Lies::Apart
        }
    }
}

/// An absolute path with where it lies.
#[derive(Clone, Debug)]
pub struct Form<'a> {
    pub path: Cow<'a, str>,
    pub project: Lies,
    pub home: Lies,
}

impl<'a> Form<'a> {
    pub fn new(path: impl Into<Cow<'a, str>>, project: &str, home: Option<&str>) -> Self {
        let path = path.into();
        Self {
            project: Lies::of(&path, project),
            home: home.map_or(Lies::Apart, |home| Lies::of(&path, home)),
            path,
        }
    }

    /// The same in small letters.
    pub fn folded(path: &'a str, project: &str, home: Option<&str>) -> Self {
        Form::new(folded(path), &folded(project), home.map(folded).as_deref())
    }

    pub fn lies(&self, root: Root) -> Lies {
        match root {
            Root::Project => self.project,
            Root::Home => self.home,
            Root::Top if self.path.starts_with('/') => Lies::Below(1),
            Root::Top | Root::Anywhere | Root::Name => Lies::Apart,
        }
    }
}

/// In small letters; most are.
pub fn folded(text: &str) -> Cow<'_, str> {
    if is_small(text) { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) }
}

/// Whether a text is all small letters and signs, and needs no folding. Without branches, so that it is done for many bytes at once.
pub fn is_small(text: &str) -> bool {
    !text.bytes().fold(false, |other, byte| other | byte.is_ascii_uppercase() | !byte.is_ascii())
}

/// How deep the folder lies that a rule is filed under: no path is looked up by more of it.
pub(super) fn depth(key: Key<'_>) -> u32 {
    match key {
        Key::Path(_, Way::Below(_, folder)) if !folder.is_empty() => {
            1 + u32::try_from(folder.matches('/').count()).unwrap_or(u32::MAX - 1)
        }
        _ => 0,
    }
}

/// Files a rule about paths under all that it may be found by.
pub(super) fn file(touch: Touch, wanted: &Text, put: &mut dyn FnMut(Key<'_>)) {
    let mut put = |way: Way<'_>| put(Key::Path(touch, way));
    put(Way::Each);
    if wanted.like.is_empty() {
        return put(Way::Loose);
    }
    for pattern in &wanted.like {
        let pattern = folded(pattern);
        let (root, inner) = shape(&pattern);
        if !matches!(root, Root::Project | Root::Home | Root::Top) {
            put(by_name(inner));
            continue;
        }
        let special = inner.find(['*', '?', '[', '\\']);
        let plain = &inner[..special.unwrap_or(inner.len())];
        // What lies around it, taken as a whole.
        put(Way::Around(root, ""));
        plain.match_indices('/').for_each(|(at, _)| put(Way::Around(root, &plain[..at])));
        let folder = match special {
            None => plain,
            Some(_) => plain.rsplit_once('/').map_or("", |(folder, _)| folder),
        };
        put(if folder.is_empty() && special.is_some() { by_name(inner) } else { Way::Below(root, folder) });
    }
}

/// By the name in a pattern that fewest paths have.
fn by_name(pattern: &str) -> Way<'_> {
    // A bracket may hold a slash, so what follows one may be no whole name.
    let before = &pattern[..pattern.find(['[', '\\']).unwrap_or(pattern.len())];
    let parts = || before.split('/').filter(|part| !part.is_empty());
    let is_cut = before.len() != pattern.len() && !before.ends_with('/');
    let whole = parts().count().saturating_sub(usize::from(is_cut));
    let names = || parts().take(whole);
    if let Some(name) = names().find(|name| is_plain(name)) {
        return Way::Name(name);
    }
    let ending =
        |name: &&'_ str| name.strip_prefix('*').is_some_and(|rest| is_plain(rest) && rest.contains('.'));
    if let Some((_, ending)) = names().find(ending).and_then(|name| name.rsplit_once('.')) {
        return Way::Ending(ending);
    }
    let head = parts().filter_map(|name| name.get(..HEAD)).find(|head| is_plain(head) && head.is_ascii());
    head.map_or(Way::Loose, Way::Head)
}

/// So many letters of a name a rule is found by that has nothing better.
pub(super) const HEAD: usize = 2;

/// What the names of a path are looked up by.
pub(super) fn names(path: &str) -> impl Iterator<Item = [Option<Way<'_>>; 3]> {
    path.split('/').filter(|name| !name.is_empty()).map(|name| {
        let ending = name.rsplit_once('.').map(|(_, ending)| Way::Ending(ending));
        [Some(Way::Name(name)), ending, name.get(..HEAD).map(Way::Head)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_patterns_begin() {
        for (pattern, root, inner) in [
            ("src/**", Root::Project, "src"),
            ("./src/*.rs", Root::Project, "src/*.rs"),
            ("./**", Root::Project, ""),
            ("src/", Root::Project, "src"),
            ("~/keys/**", Root::Home, "keys"),
            ("~/**", Root::Home, ""),
            ("/etc/**", Root::Top, "etc"),
            ("/**", Root::Top, ""),
            ("**/*.pem", Root::Anywhere, "**/*.pem"),
            ("**", Root::Anywhere, "**"),
            ("*.pem", Root::Name, "*.pem"),
        ] {
            assert_eq!(shape(pattern), (root, inner), "{pattern}");
        }
    }

    #[test]
    fn where_paths_lie() {
        for (path, folder, lies) in [
            ("/p/a", "/p", Lies::Below(3)),
            ("/p", "/p", Lies::Below(2)),
            ("/pa", "/p", Lies::Apart),
            ("/", "/p", Lies::Around),
            ("/a/b", "/a/b/c", Lies::Around),
            // A neighbour whose name begins alike.
            ("/a/b", "/a/bc", Lies::Apart),
        ] {
            assert_eq!(Lies::of(path, folder), lies, "{path} {folder}");
        }
    }

    #[test]
    fn by_the_rarest_name() {
        for (pattern, way) in [
            ("**/secrets/*.key", Way::Name("secrets")),
            ("*.tar.gz", Way::Ending("gz")),
            ("**/*.pem", Way::Ending("pem")),
            ("id_*", Way::Head("id")),
            (".env[.]*", Way::Head(".e")),
            ("*secret*", Way::Loose),
            ("[a/b]c/name", Way::Loose),
            ("*/[a/b]c/name", Way::Loose),
        ] {
            assert_eq!(by_name(pattern), way, "{pattern}");
        }
    }
}
