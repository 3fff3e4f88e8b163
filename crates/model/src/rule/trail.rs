//! The way to a folder through the book: what is found by its names, and where a look for something in it goes on. A command names many
//! things in one folder, and most of them no rule is about: that is told by their own names, without their whole paths.

use super::Book;
use super::key::{Hash, Key, Root, Touch, Way};
use super::paths::{Form, HEAD, Lies};

/// Keys of the same kind lie so far apart, touch by touch.
const EACH_TOUCH: u64 = 0x0101_0101;
const ALL_TOUCHES: u32 = u32::MAX;
const ROOTS: [Root; 3] = [Root::Project, Root::Home, Root::Top];

/// What is known of a path by its names.
#[derive(Clone, Copy, Debug)]
pub struct Trail {
    /// The touches of which a rule may be about it.
    found: u32,
    /// The names from a root on that rules are filed under; `None` where it lies apart from that, or deeper than any rule.
    walks: [Option<Walk>; 3],
}

#[derive(Clone, Copy, Debug)]
struct Walk {
    hash: Hash,
    names: usize,
}

impl Book {
    /// Of a folder; `None` where that has to be looked at as a whole: one that holds a root, or is not written plainly.
    pub fn trail(&self, folder: &str, project: &str, home: Option<&str>) -> Option<Trail> {
        let inner = folder.strip_prefix('/')?;
        let names = || inner.split('/').filter(|_| !inner.is_empty());
        if !folder.is_ascii() || !names().all(is_name) {
            return None;
        }
        let form = Form::folded(folder, project, home);
        let mut trail = Trail { found: 0, walks: [None; 3] };
        for (at, root) in ROOTS.into_iter().enumerate() {
            let below = Way::Below(root, "");
            if self.touches(below) == 0 {
                continue;
            }
            match form.lies(root) {
                Lies::Apart => {}
                // What lies in it may be on the way to the root.
                Lies::Around => return None,
                Lies::Below(from) => {
                    trail.found |= self.hits(below, Hash::EMPTY, ALL_TOUCHES);
                    let rest = form.path.get(from..).unwrap_or_default();
                    let mut walk = Some(Walk { hash: Hash::EMPTY, names: 0 });
                    rest.split('/').filter(|name| !name.is_empty()).for_each(|name| {
                        trail.found |= self.step(&mut walk, below, name, ALL_TOUCHES);
                    });
                    trail.walks[at] = walk;
                }
            }
        }
        names().for_each(|name| trail.found |= self.named(name, ALL_TOUCHES));
        Some(trail)
    }

    /// Of what lies in it by these names, as far as rules about one touch go; `None` as above.
    pub fn onward(&self, trail: &Trail, touch: Touch, names: &str) -> Option<Trail> {
        self.further(trail, bit(touch), names)
    }

    /// The same for a folder in it, and all touches.
    pub fn deeper(&self, trail: &Trail, names: &str) -> Option<Trail> {
        self.further(trail, ALL_TOUCHES, names)
    }

    fn further(&self, trail: &Trail, of: u32, names: &str) -> Option<Trail> {
        if !names.is_ascii() {
            return None;
        }
        let mut next = *trail;
        let mut rest = names;
        loop {
            let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
            let name = &rest[..end];
            if !is_name(name) {
                return None;
            }
            next.found |= self.named(name, of);
            for (walk, root) in next.walks.iter_mut().zip(ROOTS) {
                if walk.is_some() {
                    next.found |= self.step(walk, Way::Below(root, ""), name, of);
                }
            }
            match rest.get(end + 1..) {
                Some(more) => rest = more,
                None => return Some(next),
            }
        }
    }

    /// Whether a rule may be about what it leads to, with all that is in it where `tree`.
    pub fn is_about(&self, touch: Touch, trail: &Trail, tree: bool) -> bool {
        let around = |(walk, root): (&Option<Walk>, Root)| {
            let key = Key::Path(touch, Way::Around(root, ""));
            walk.is_some_and(|walk| self.has(key) && self.may_have(walk.hash.of(key)))
        };
        trail.found & bit(touch) != 0
            || self.has(Key::Path(touch, Way::Loose))
            || tree && trail.walks.iter().zip(ROOTS).any(around)
    }

    /// One name further from a root.
    fn step(&self, walk: &mut Option<Walk>, below: Way<'_>, name: &str, of: u32) -> u32 {
        let Some(before) = walk.take().filter(|walk| walk.names < self.depth()) else { return 0 };
        let start = if before.names == 0 { before.hash } else { before.hash.byte(b'/') };
        let next = Walk { hash: start.small(name), names: before.names + 1 };
        *walk = Some(next);
        self.hits(below, next.hash, of)
    }

    /// What is found by a name, wherever it stands.
    fn named(&self, name: &str, of: u32) -> u32 {
        let by = |way: Way<'_>, text: &str| {
            if self.touches(way) & of == 0 { 0 } else { self.hits(way, Hash::EMPTY.small(text), of) }
        };
        let mut found = by(Way::Name(""), name);
        if self.touches(Way::Ending("")) & of != 0
            && let Some((_, ending)) = name.rsplit_once('.')
        {
            found |= by(Way::Ending(""), ending);
        }
        found | name.get(..HEAD).map_or(0, |head| by(Way::Head(""), head))
    }

    /// Which touches have rules that are filed so.
    fn touches(&self, way: Way<'_>) -> u32 {
        u32::try_from(self.filed(Key::Path(Touch::ALL[0], way)) & EACH_TOUCH).unwrap_or_default()
    }

    /// Which have such that are filed under exactly this.
    fn hits(&self, way: Way<'_>, hash: Hash, of: u32) -> u32 {
        let mut left = self.touches(way) & of;
        let mut found = 0;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            let touch = Touch::ALL[bit.trailing_zeros() as usize / 8];
            if self.may_have(hash.of(Key::Path(touch, way))) {
                found |= bit;
            }
        }
        found
    }
}

fn bit(touch: Touch) -> u32 {
    1 << (touch as u32 * 8)
}

/// Whether it leads one folder further, and nowhere else.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
}

#[cfg(test)]
mod tests {
    use super::super::{Rule, Text, When};
    use super::*;

    #[test]
    fn what_the_whole_path_finds_its_names_find() {
        let text = |pattern: &str| Some(Text { like: vec![pattern.to_owned()], unlike: vec![] });
        let write = |pattern| When { write: text(pattern), ..When::default() };
        let read = |pattern| When { read: text(pattern), ..When::default() };
        let rules = [write("infra/prod/**"), read("*.pem"), write("/etc/**"), read("~/keys/a")];
        let rules = rules.map(|when| Rule { when, ..Rule::default() });
        let book = Book::new(&rules);
        let home = Some("/Home/me");
        let sides = [(Touch::Write, false), (Touch::Write, true), (Touch::Read, false), (Touch::Read, true)];
        let (mut hits, mut alarms) = (0, 0);
        for path in [
            "/p/infra/prod/a",
            "/p/infra",
            "/p/INFRA/Prod",
            "/p/infra/dev/x",
            "/p/a/b.pem",
            "/p/b.pem/c",
            "/etc/x",
            "/q/etc",
            "/home/ME/keys",
            "/home/me/keys/a/b",
            "/home/me/keys/b",
            "/p/a/infra/prod",
        ] {
            let form = Form::folded(path, "/p", home);
            let slashes = path.match_indices('/').map(|(at, _)| at);
            for at in slashes {
                let folder = if at == 0 { "/" } else { &path[..at] };
                let Some(trail) = book.trail(folder, "/p", home) else { continue };
                let names = &path[at + 1..];
                for (touch, tree) in sides {
                    let mut found = Vec::new();
                    book.about_path(touch, &form, tree, &mut found);
                    let trail = book.onward(&trail, touch, names).unwrap();
                    let told = book.is_about(touch, &trail, tree);
                    assert!(told || found.is_empty(), "{path} {at} {touch:?} {tree}");
                    hits += usize::from(!found.is_empty());
                    // A sieve lets some through that are nothing.
                    alarms += usize::from(told && found.is_empty());
                }
            }
        }
        assert!(hits > 20 && alarms * 5 < hits, "{hits} {alarms}");
    }

    #[test]
    fn what_may_lead_elsewhere_is_not_followed() {
        let rule = Rule {
            when: When { read: Some(Text { like: vec!["a/b".into()], unlike: vec![] }), ..When::default() },
            ..Rule::default()
        };
        let book = Book::new(&[rule]);
        for folder in ["/", "p", "/p/", "/p/../q", "/p//a", "/p/\u{e4}"] {
            assert!(book.trail(folder, "/p", None).is_none(), "{folder}");
        }
        let trail = book.trail("/p", "/p", None).unwrap();
        for names in ["", ".", "..", "a/..", "a//b", "a/", "\u{e4}"] {
            assert!(book.deeper(&trail, names).is_none(), "{names}");
        }
    }
}
