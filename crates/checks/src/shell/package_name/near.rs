//! When two names of packages are taken for each other.

use shell::programs::Registry;

/// A package as it was written, and as its registry compares names.
pub(super) struct Name {
    pub(super) written: String,
    pub(super) normal: String,
}

impl Name {
    /// The name in the words of an installer, without version and extras; `None` for what is not a name that a registry gives to anybody.
    pub(super) fn of(registry: Registry, text: &str) -> Option<Self> {
        let text = text.trim();
        let written = match registry {
            Registry::Pypi => text.split(['[', '=', '<', '>', '~', '!', ';', ' ', '@', ',']).next()?,
            Registry::Npm => {
                let text = text.split_once("@npm:").map_or(text, |(_, real)| real);
                // Whoever owns a scope owns the names in it.
                if text.starts_with('@') {
                    return None;
                }
                text.split('@').next()?
            }
            Registry::Crates => text.split(['@', '=']).next()?,
            Registry::Go => module(text.split('@').next()?),
            Registry::RubyGems => text.split(':').next()?,
        };
        let path =
            written.starts_with(['.', '/', '~', '-']) || written.contains("://") || written.contains('\\');
        let file = registry != Registry::Go && written.contains('/') || is_archive(written);
        // Go's own packages and those of the project have no host.
        let local =
            registry == Registry::Go && !written.split('/').next().is_some_and(|host| host.contains('.'));
        if written.is_empty() || path || file || local {
            return None;
        }
        Some(Self { written: written.to_owned(), normal: Self::normal(registry, written) })
    }

    /// As the registry compares it.
    pub(super) fn normal(registry: Registry, name: &str) -> String {
        let name = name.to_lowercase();
        match registry {
            Registry::Pypi => name.replace(['_', '.'], "-"),
            Registry::Crates => name.replace('_', "-"),
            Registry::Npm | Registry::Go | Registry::RubyGems => name,
        }
    }

    /// Whether a manifest or a lock file has it as a word.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        text.match_indices(&self.written).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            !before.is_some_and(part) && !after.is_some_and(|c| part(c) && c != '.')
        })
    }
}

/// A module without its packages: `…/v2`, `/...`, `/cmd/tool`.
fn module(path: &str) -> &str {
    let path = path.trim_end_matches("/...");
    let parts =
        if path.starts_with("github.com/") || path.starts_with("gitlab.com/") { 3 } else { usize::MAX };
    let end = path.match_indices('/').nth(parts.saturating_sub(1)).map_or(path.len(), |(at, _)| at);
    let path = &path[..end];
    let version = |last: &str| {
        last.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()) && !n.is_empty())
    };
    match path.rsplit_once('/') {
        Some((rest, last)) if version(last) => rest,
        _ => path,
    }
}

fn is_archive(name: &str) -> bool {
    [".whl", ".tgz", ".tar.gz", ".zip", ".gem", ".crate"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a name is taken for a popular one. `known_around`: also with words around it.
pub(super) fn is_near(registry: Registry, name: &str, popular: &str, known_around: bool) -> bool {
    // Lengths tell most pairs apart, and cost nothing.
    if name.len().abs_diff(popular.len()) > 8 {
        return false;
    }
    if registry == Registry::Go {
        return is_near_module(name, popular);
    }
    if name.len().abs_diff(popular.len()) <= 4 && looks(name) == looks(popular) {
        return popular.len() >= SHORTEST;
    }
    is_one_edit(name, popular)
        || is_reordered(name, popular)
        || known_around
            && around(registry).iter().any(|(before, after)| is_around(name, popular, before, after))
}

/// Another owner or host of the same module. Modules of one owner may be called alike.
fn is_near_module(name: &str, popular: &str) -> bool {
    let owner = |path: &'_ str| path.rsplit_once('/').map(|(owner, _)| owner.to_owned());
    name != popular
        && owner(name) != owner(popular)
        && (is_one_edit(name, popular) || looks(name) == looks(popular))
}

/// Names with fewer letters have neighbours that mean something else.
const SHORTEST: usize = 4;

/// As many may well be another word.
const SHORTEST_LETTER: usize = 6;

/// What a name looks like at a glance: without separators, and letters that look alike made one.
fn looks(name: &str) -> String {
    let alike = |c: char| match c {
        '0' | 'о' | 'ο' => 'o',
        '1' | 'і' | 'ı' | 'ⅼ' => 'l',
        'а' | 'α' => 'a',
        'е' | 'ε' => 'e',
        'р' | 'ρ' => 'p',
        'с' => 'c',
        'х' => 'x',
        'у' => 'y',
        'ѕ' => 's',
        'ј' => 'j',
        'ԁ' => 'd',
        'к' => 'k',
        other => other,
    };
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(alike).collect();
    plain.replace("rn", "m").replace("vv", "w")
}

/// One letter more, less or other, or two in the wrong order.
fn is_one_edit(name: &str, popular: &str) -> bool {
    let (name, popular): (Vec<char>, Vec<char>) = (name.chars().collect(), popular.chars().collect());
    if popular.len() < SHORTEST || name.len().abs_diff(popular.len()) > 1 {
        return false;
    }
    let start = name.iter().zip(&popular).take_while(|(mine, theirs)| mine == theirs).count();
    let rest = name[start..].iter().rev().zip(popular[start..].iter().rev());
    let end = rest.take_while(|(mine, theirs)| mine == theirs).count();
    let long = popular.len() > SHORTEST;
    // A digit more, less or other is another version, and means it.
    match (&name[start..name.len() - end], &popular[start..popular.len() - end]) {
        ([mine], [theirs]) => {
            popular.len() >= SHORTEST_LETTER && mine.is_alphabetic() && theirs.is_alphabetic()
        }
        (mine @ [first, second], [one, other]) => {
            first == other && second == one && mine.iter().any(|letter| letter.is_alphabetic())
        }
        // Twice the same letter is a slip in any word.
        ([more], []) => {
            let twice = start > 0 && name[start - 1] == *more || name.get(start + 1) == Some(more);
            more.is_alphabetic() && (long || twice)
        }
        ([], [less]) => less.is_alphabetic() && long,
        _ => false,
    }
}

/// The same words in another order.
fn is_reordered(name: &str, popular: &str) -> bool {
    let words = |text: &str| {
        let mut words: Vec<String> = text.split(['-', '_', '.']).map(str::to_owned).collect();
        words.sort();
        words
    };
    name.len() == popular.len() && name.contains(['-', '_', '.']) && words(name) == words(popular)
}

/// What does not belong around a popular name, by its registry: before it, and after it.
fn around(registry: Registry) -> &'static [(&'static str, &'static str)] {
    match registry {
        Registry::Pypi => {
            &[("python-", ""), ("python3-", ""), ("py-", ""), ("", "-python"), ("", "-py"), ("", "-lib")]
        }
        Registry::Npm => &[
            ("node-", ""),
            ("js-", ""),
            ("npm-", ""),
            ("", "-js"),
            ("", "js"),
            ("", ".js"),
            ("", "-node"),
            ("", "-npm"),
        ],
        Registry::Crates => &[("rust-", ""), ("", "-rs"), ("", "-rust"), ("", "rs")],
        Registry::RubyGems => &[("ruby-", ""), ("", "-ruby"), ("", "-gem"), ("gem-", "")],
        Registry::Go => &[],
    }
}

fn is_around(name: &str, popular: &str, before: &str, after: &str) -> bool {
    name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) == Some(popular)
}
