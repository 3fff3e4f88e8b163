//! All rules that are in force somewhere, as bytes with an index: a hook looks up what its call is about and reads only those. Where a
//! rule is filed is in `filing`; here is how it is kept, and how it is found again.
//!
//! ```text
//! "plimsoll rules 4\n", kinds of keys as bits, count of slots, of rules, depth of folders; the slots: hash of a key, place and count of
//! a list; then places of rules; then the sieve, four bytes for each slot; then the lists, each of numbers of rules; then the rules
//! ```
//!
//! The sieve has a bit for each key: nearly all that is looked up is under none, and ends there.

use super::key::{Hash, Key, Line, Root, Touch, Way};
use super::pack::Pack;
use super::paths::{self, Form, Lies};
use super::{Rule, filing};

const MAGIC: &[u8] = b"plimsoll rules 4\n";
const HEAD: usize = MAGIC.len() + 20;
const SLOT: usize = 16;
/// Bytes of the sieve for each slot.
const SIEVE: usize = 4;

/// A rule by its place in the files.
pub type Number = u32;

/// Rules in the form that a hook reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    bytes: Vec<u8>,
    /// Where it begins among them.
    start: usize,
    /// What stands in its head.
    kinds: u64,
    slots: usize,
    rules: usize,
    /// How deep the deepest folder lies that a rule is filed under.
    depth: usize,
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn bit(key: Key<'_>) -> u64 {
    1 << key.kind()
}

impl Book {
    pub fn new(rules: &[Rule]) -> Self {
        let mut places = Vec::with_capacity(rules.len());
        let mut bodies = Vec::new();
        let mut index: std::collections::BTreeMap<u64, Vec<Number>> = std::collections::BTreeMap::new();
        let (mut kinds, mut depth) = (0, 0);
        for (at, rule) in rules.iter().enumerate() {
            places.push(small(bodies.len()));
            rule.pack(&mut bodies);
            let number = small(at);
            filing::file(rule, &mut |key| {
                kinds |= bit(key);
                depth = depth.max(paths::depth(key));
                let list = index.entry(key.hash().0).or_default();
                // Two patterns of one rule may be found by the same.
                if list.last() != Some(&number) {
                    list.push(number);
                }
            });
        }
        // Half of the slots stay empty, so that a look ends soon.
        let slots = if index.is_empty() { 0 } else { (index.len() * 2).next_power_of_two() };
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&u64::to_le_bytes(kinds));
        small(slots).pack(&mut bytes);
        small(rules.len()).pack(&mut bytes);
        depth.pack(&mut bytes);
        let listed: usize = index.values().map(Vec::len).sum();
        let lists = HEAD + slots * (SLOT + SIEVE) + rules.len() * 4;
        let first = lists + listed * 4;
        let mut table: Vec<Option<(u64, usize, usize)>> = vec![None; slots];
        let mut before = 0;
        for (hash, list) in &index {
            let mut at = slot(*hash, slots);
            while table[at].is_some() {
                at = (at + 1) & (slots - 1);
            }
            table[at] = Some((*hash, lists + before * 4, list.len()));
            before += list.len();
        }
        for (hash, at, count) in table.into_iter().map(Option::unwrap_or_default) {
            bytes.extend_from_slice(&hash.to_le_bytes());
            small(at).pack(&mut bytes);
            small(count).pack(&mut bytes);
        }
        places.into_iter().for_each(|place: u32| small(first).saturating_add(place).pack(&mut bytes));
        let mut sieve = vec![0; slots * SIEVE];
        for hash in index.keys() {
            let at = slot(*hash, slots * SIEVE * 8);
            sieve[at / 8] |= 1 << (at % 8);
        }
        bytes.extend(sieve);
        index.values().flatten().for_each(|number| number.pack(&mut bytes));
        bytes.extend(bodies);
        Self { bytes, start: 0, kinds, slots, rules: rules.len(), depth: depth as usize }
    }

    /// What was written earlier, from `start` on; `None` where it was by another version, or is damaged.
    pub fn from_bytes(bytes: Vec<u8>, start: usize) -> Option<Self> {
        let mut head = bytes.get(start..)?.strip_prefix(MAGIC)?;
        let (kinds, rest) = head.split_first_chunk::<8>()?;
        let kinds = u64::from_le_bytes(*kinds);
        head = rest;
        let mut number = || usize::try_from(u32::unpack(&mut head)?).ok();
        let (slots, rules, depth) = (number()?, number()?, number()?);
        let end = start + HEAD + slots.checked_mul(SLOT + SIEVE)?.checked_add(rules.checked_mul(4)?)?;
        let whole = (slots == 0 || slots.is_power_of_two()) && end <= bytes.len();
        whole.then_some(Self { bytes, start, kinds, slots, rules, depth })
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    fn number(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(self.start.checked_add(at)?..)?.first_chunk::<4>()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    }

    /// Adds the rules that are filed under this.
    fn list(&self, hash: Hash, found: &mut Vec<Number>) {
        if !self.may_have(hash) {
            return;
        }
        let Some((at, count)) = self.slot(hash.0) else { return };
        // No more than there are.
        let numbers = (0..count.min(self.rules)).map_while(|nth| self.number(at.checked_add(nth * 4)?));
        found.extend(numbers.map(small));
    }

    /// Whether anything may be filed under this.
    pub(super) fn may_have(&self, hash: Hash) -> bool {
        let at = slot(hash.0, self.slots * SIEVE * 8);
        let sieve = self.start + HEAD + self.slots * SLOT + self.rules * 4;
        self.bytes.get(sieve + at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }

    fn slot(&self, wanted: u64) -> Option<(usize, usize)> {
        let mut at = slot(wanted, self.slots);
        for _ in 0..self.slots {
            let place = HEAD + at * SLOT;
            let hash = self.bytes.get(self.start + place..)?.first_chunk::<8>()?;
            let count = self.number(place + 12)?;
            if count == 0 {
                return None;
            }
            if u64::from_le_bytes(*hash) == wanted {
                return Some((self.number(place + 8)?, count));
            }
            at = (at + 1) & (self.slots - 1);
        }
        None
    }

    /// Whether any rule is filed under a key of this kind: the name in it does not matter.
    pub fn has(&self, key: Key<'_>) -> bool {
        self.kinds & bit(key) != 0
    }

    /// The kinds of keys from this one on.
    pub(super) fn filed(&self, first: Key<'_>) -> u64 {
        self.kinds >> first.kind()
    }

    /// Whether any is about such a path.
    pub fn has_paths(&self, touch: Touch) -> bool {
        self.has(Key::Path(touch, Way::Each))
    }

    /// Adds the rules that are filed under this.
    pub fn about(&self, key: Key<'_>, found: &mut Vec<Number>) {
        if self.has(key) {
            self.list(key.hash(), found);
        }
    }

    /// Adds the rules that are filed under a program's name, and says whether any is filed under that and a word.
    pub fn about_program(&self, name: &str, found: &mut Vec<Number>) -> bool {
        let (alone, spoken) = (Key::Program(""), Key::EachSpoken(""));
        let hash = Hash::EMPTY.text(name);
        if self.has(alone) {
            self.list(hash.of(alone), found);
        }
        self.has(spoken) && self.may_have(hash.of(spoken))
    }

    /// How deep the deepest folder lies that a rule is filed under.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The same for those that are about such a path, in small letters. With `tree` it is meant with all that is in it.
    pub fn about_path(&self, touch: Touch, form: &Form<'_>, tree: bool, found: &mut Vec<Number>) {
        let key = |way| Key::Path(touch, way);
        for root in [Root::Project, Root::Home, Root::Top] {
            let top = key(Way::Below(root, ""));
            if !self.has(top) {
                continue;
            }
            match form.lies(root) {
                Lies::Below(at) => {
                    let rest = form.path.get(at..).unwrap_or_default();
                    let mut hash = Hash::EMPTY;
                    self.list(hash.of(top), found);
                    // Rules are about folders near the root; a path may go deep.
                    let mut left = self.depth;
                    for byte in rest.bytes() {
                        if left == 0 {
                            break;
                        }
                        if byte == b'/' {
                            self.list(hash.of(top), found);
                            left -= 1;
                        }
                        hash = hash.byte(byte);
                    }
                    if left > 0 && !rest.is_empty() {
                        self.list(hash.of(top), found);
                    }
                    if tree {
                        self.list(key(Way::Around(root, rest)).hash(), found);
                    }
                }
                Lies::Around if tree => self.list(key(Way::Around(root, "")).hash(), found),
                Lies::Around | Lies::Apart => {}
            }
        }
        let named = [Way::Name(""), Way::Ending(""), Way::Head("")].map(|way| self.has(key(way)));
        if named.contains(&true) {
            for ways in paths::names(&form.path) {
                for way in ways.into_iter().zip(named).filter_map(|(way, is_there)| way.filter(|_| is_there))
                {
                    self.list(key(way).hash(), found);
                }
            }
        }
        self.about(key(Way::Loose), found);
    }

    /// The same for one of which a part is not known.
    pub fn about_unknown_path(&self, touch: Touch, found: &mut Vec<Number>) {
        self.about(Key::Path(touch, Way::Each), found);
    }

    /// The same for a host.
    pub fn about_host(&self, line: Line, host: &str, found: &mut Vec<Number>) {
        self.about(Key::AnyHost(line), found);
        if self.has(Key::Host(line, "")) {
            let host = paths::folded(host);
            let labels = host.match_indices('.').map(|(at, _)| at + 1);
            std::iter::once(0).chain(labels).for_each(|at| self.about(Key::Host(line, &host[at..]), found));
        }
    }

    pub fn rule(&self, number: Number) -> Option<Rule> {
        let nth = usize::try_from(number).ok().filter(|nth| *nth < self.rules)?;
        let place = self.number(HEAD + self.slots * SLOT + nth * 4)?;
        Rule::unpack(&mut self.bytes.get(self.start.checked_add(place)?..)?)
    }

    /// All of them, in the order of the files.
    pub fn numbers(&self) -> std::ops::Range<Number> {
        0..small(self.rules)
    }

    /// Whether this is a rule of the team's policy.
    pub fn is_of_policy(&self, id: &str) -> bool {
        let mut found = Vec::new();
        self.about(Key::Policy, &mut found);
        found.into_iter().filter_map(|number| self.rule(number)).any(|rule| rule.id == id)
    }

    /// Whether no rule is filed in it.
    pub fn is_empty(&self) -> bool {
        self.kinds == 0
    }
}

/// Where a key is looked for first. The lowest bits of FNV are the weakest.
fn slot(hash: u64, slots: usize) -> usize {
    usize::try_from(hash ^ hash >> 32).unwrap_or(0) & slots.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::{Call, Text, When};
    use super::*;

    fn call(id: &str, programs: &[&str], words: &[&str]) -> Rule {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let call = Call { program: list(programs), words: list(words), ..Call::default() };
        Rule { id: id.into(), when: When { call: Some(call), ..When::default() }, ..Rule::default() }
    }

    fn like(patterns: &[&str]) -> Option<Text> {
        Some(Text { like: patterns.iter().map(|&one| one.to_owned()).collect(), unlike: vec![] })
    }

    fn write(id: &str, patterns: &[&str]) -> Rule {
        Rule { id: id.into(), when: When { write: like(patterns), ..When::default() }, ..Rule::default() }
    }

    fn ids(book: &Book, look: impl FnOnce(&Book, &mut Vec<Number>)) -> Vec<String> {
        let mut found = Vec::new();
        look(book, &mut found);
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|number| book.rule(number).unwrap().id).collect()
    }

    #[test]
    fn what_is_written_is_found_by_what_it_is_about() {
        let overriding = Rule { overrides: vec!["file/x".into()], ..write("a/w", &["x/**"]) };
        let rules = [
            call("a/t", &["terraform", "tofu"], &[]),
            call("a/any", &["ku*"], &[]),
            overriding,
            call("a/2", &["tofu"], &["apply"]),
        ];
        let mut bytes = b"before".to_vec();
        bytes.extend_from_slice(Book::new(&rules).as_bytes());
        let book = Book::from_bytes(bytes, 6).unwrap();
        let about = |key: Key<'_>| ids(&book, |book, found| book.about(key, found));
        assert_eq!(about(Key::Program("terraform")), ["a/t"]);
        assert_eq!(about(Key::Program("tofu")), ["a/t"]);
        assert_eq!(about(Key::Spoken("tofu", "apply")), ["a/2"]);
        assert_eq!(about(Key::EachSpoken("tofu")), ["a/2"]);
        assert_eq!(about(Key::AnyProgram), ["a/any"]);
        assert_eq!(about(Key::Overrides), ["a/w"]);
        assert!(about(Key::Program("ls")).is_empty() && !book.has_paths(Touch::Read));
        assert_eq!(book.rule(2).as_ref(), Some(&rules[2]));
        assert_eq!(book.rule(4), None);
        assert!(Book::new(&[]).is_empty() && !Book::new(&[]).has(Key::AnyProgram));
    }

    #[test]
    fn a_path_finds_the_rules_about_it_and_few_others() {
        let book = Book::new(&[
            write("a/prod", &["infra/prod/**"]),
            write("a/dev", &["infra/dev/**"]),
            write("a/home", &["~/keys/**", "/etc/**"]),
            write("a/pem", &["*.pem"]),
            write("a/id", &["id_*", "**/Secrets/**"]),
            write("a/open", &["*secret*"]),
            write("a/all", &["./**"]),
        ]);
        let about = |path: &str, tree: bool| {
            let form = Form::folded(path, "/p", Some("/Home/me"));
            ids(&book, |book, found| book.about_path(Touch::Write, &form, tree, found))
        };
        assert_eq!(about("/p/infra/prod/a", false), ["a/prod", "a/open", "a/all"]);
        assert_eq!(about("/p/infra", true), ["a/prod", "a/dev", "a/open", "a/all"]);
        assert_eq!(about("/p/infra", false), ["a/open", "a/all"]);
        assert_eq!(about("/Home/me/keys/x.pem", false), ["a/home", "a/pem", "a/open"]);
        assert_eq!(about("/Home", true), ["a/home", "a/open"]);
        assert_eq!(about("/x/SECRETS/y", false), ["a/id", "a/open"]);
        assert_eq!(about("/x/id_rsa", false), ["a/id", "a/open"]);
        assert_eq!(about("/etc/passwd", false), ["a/home", "a/open"]);
        assert_eq!(about("/", true), ["a/prod", "a/dev", "a/home", "a/open", "a/all"]);
    }

    #[test]
    fn hosts_by_their_last_labels() {
        let fetch = |id: &str, patterns: &[&str]| Rule {
            id: id.into(),
            when: When { fetch: like(patterns), ..When::default() },
            ..Rule::default()
        };
        let book = Book::new(&[
            fetch("a/evil", &["*.evil.example"]),
            fetch("a/one", &["one.example"]),
            fetch("a/any", &["host*"]),
        ]);
        let about = |host: &str| ids(&book, |book, found| book.about_host(Line::Fetch, host, found));
        assert_eq!(about("a.b.Evil.example"), ["a/evil", "a/any"]);
        assert_eq!(about("one.example"), ["a/one", "a/any"]);
        assert_eq!(about("other.example"), ["a/any"]);
        assert!(!book.has(Key::EachHost(Line::Send)));
    }

    #[test]
    fn damaged_bytes_are_no_rules() {
        let whole = Book::new(&[call("a/t", &["terraform"], &[])]).as_bytes().to_vec();
        let try_all = |bytes: Vec<u8>| {
            if let Some(book) = Book::from_bytes(bytes, 0) {
                let mut found = Vec::new();
                book.about(Key::Program("terraform"), &mut found);
                let form = Form::folded("/p/a", "/p", None);
                Touch::ALL.into_iter().for_each(|touch| book.about_path(touch, &form, true, &mut found));
                found.into_iter().for_each(|number| drop(book.rule(number)));
            }
        };
        for end in 0..whole.len() {
            try_all(whole[..end].to_vec());
        }
        for at in 0..whole.len() {
            let mut other = whole.clone();
            other[at] ^= 0xff;
            try_all(other);
        }
    }
}
