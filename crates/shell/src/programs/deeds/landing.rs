//! Where files come to lie that a call copies, moves or unpacks.

use model::deed::{Certainty, Deed, Object, Verb};

use super::{ELSEWHERE, Maker, Word, is_hollow, is_source};
use crate::programs::decoded::Decoded;
use crate::programs::{Brings, Role, kind};
use crate::reading::Call;
use crate::text::is_known;

impl Maker<'_> {
    /// An archive that is written here, or sent to a machine that packs and unpacks for others; and files whose names come in.
    pub(super) fn archived(&mut self, words: &Decoded) {
        let Some(entry) = words.entry else { return };
        let argv = &self.call.argv;
        if entry.rules.iter().any(|rule| rule.input == Some(Role::Read) && words.holds(rule, argv)) {
            let names = self.call.stdin.clone().unwrap_or_default();
            for name in names.split(['\n', '\0']).filter(|name| !name.is_empty()).take(256) {
                self.path(Verb::Reads, false, &Word::of(name));
            }
        }
        if entry.brings != Some(Brings::Tar) {
            return;
        }
        // A variable says more than the words do.
        let variables =
            self.call.vars.iter().filter(|(name, _)| super::super::variable(name) == Some(Role::Before));
        let more: Vec<&str> = variables
            .flat_map(|(_, value)| value.split_whitespace())
            .map(|word| word.trim_matches('\''))
            .collect();
        let named = more.iter().find_map(|word| word.strip_prefix("--file="));
        let creates = more.contains(&"--create");
        let makes = creates || ["c", "r", "u", "A"].iter().any(|mode| words.has(mode));
        let Some(file) = words.last("file", argv).or(named) else { return };
        if creates && !words.has("c") {
            for &at in &words.operands {
                self.path(Verb::Reads, true, &Word::whole(&argv[at]));
            }
        }
        match remote(file).filter(|_| !words.has("force-local")) {
            Some((host, _)) if makes => {
                let file = &file.to_owned();
                let read = self.found.iter().filter(|deed| deed.verb == Verb::Reads).cloned();
                let sent: Vec<Deed> = read.map(|deed| Deed { verb: Verb::Sends, ..deed }).collect();
                self.found.extend(sent);
                self.thing(Verb::Sends, Object::Host(host.to_owned()), &Word::of(file));
            }
            Some(_) => self.thing(Verb::Fetches, Object::Address(file.to_owned()), &Word::of(file)),
            // An archive beside what is packed is what everybody makes.
            None if makes && (file.starts_with(['/', '~', '.']) || !is_known(file)) => {
                self.path(Verb::Writes, false, &Word::of(file));
            }
            None => {}
        }
    }

    /// Where the sources land.
    pub(super) fn land(&mut self, role: Role, word: &Word<'_>) {
        if let Some((host, path)) = remote(word.text) {
            let local = self.sources.iter().filter(|(_, role)| *role != Role::Url);
            let sources: Vec<String> = local.map(|(source, _)| source.clone()).collect();
            for source in sources {
                let object = Object::Path { text: self.below(&source), tree: true, pattern: false };
                self.thing(Verb::Sends, object, word);
            }
            let _ = path;
            if role == Role::Mirror && kind::names_production(host) {
                self.whole(Verb::Alters, Object::Thing(ELSEWHERE.into()));
            }
            return self.thing(Verb::Sends, Object::Host(host.to_owned()), word);
        }
        let text = self.below(word.text);
        if is_hollow(&text) {
            // What is moved there is gone.
            for deed in self.found.iter_mut().filter(|deed| deed.verb == Verb::Moves) {
                deed.verb = Verb::Deletes;
            }
        }
        if role == Role::Mirror {
            self.path(Verb::Deletes, true, word);
        }
        // A name that leads nowhere has no content.
        let linked =
            |(source, role): &(String, Role)| matches!(role, Role::Link | Role::Symlink) && is_hollow(source);
        let verb = if self.sources.iter().any(linked) { Verb::Empties } else { Verb::Writes };
        if self.sources.is_empty() && role == Role::Into {
            // Whatever it makes.
            let object = Object::Path { text, tree: true, pattern: word.glob };
            let certainty = Certainty::Unseen;
            self.found.push(Deed { verb, object, span: word.span.clone(), certainty, place: self.place });
            return;
        }
        let certain = matches!(role, Role::Into | Role::Mirror)
            || text.ends_with('/')
            || matches!(text.as_str(), "." | ".." | "/tmp" | "/private/tmp" | "/var/tmp")
            || text.ends_with("/.")
            || self.sources.len() > 1;
        let is_folder = certain || self.world.is_directory(&crate::path::absolute(&text, &self.call.cwd));
        if is_folder {
            // `cp -r x/. y`, `rsync x/ y`: what is in it lands under names that are not known here.
            let name = |(source, role): &(String, Role)| match crate::path::name(source) {
                _ if matches!(role, Role::Remote | Role::Url) && source.ends_with('/') => ".".to_owned(),
                name => name.to_owned(),
            };
            let names: Vec<String> = self.sources.iter().map(name).collect();
            for name in names {
                let whole = matches!(name.as_str(), "." | "..");
                let path =
                    if whole { text.clone() } else { format!("{}/{name}", text.trim_end_matches('/')) };
                let object =
                    Object::Path { text: path, tree: whole, pattern: word.glob || name.contains(['*', '?']) };
                self.thing(verb, object, word);
            }
        } else {
            self.path(verb, false, &Word { text: word.text, span: word.span.clone(), glob: word.glob });
        }
    }
}

/// What a call makes of what: the source, and the name or the folder that it gets, as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    pub from: String,
    pub to: String,
    pub how: Role,
}

/// The copies, links and moves of a call.
pub fn landings(call: &Call) -> Vec<Landing> {
    let words = call.words();
    let argv = &call.argv;
    let given =
        words.options.iter().filter_map(|chosen| Some((chosen.option?.role, chosen.value?.text(argv))));
    let named = words.roles().iter().map(|&(at, role)| (role, argv[at].text.as_str()));
    let all: Vec<(Role, &str)> = given.chain(named).collect();
    let sources: Vec<_> = all.iter().filter(|(role, _)| is_source(*role)).collect();
    // What is mounted over a folder is seen there, and `ln -s x/y` makes a `y` here.
    let to = all.iter().rfind(|(role, _)| lands(*role) || *role == Role::Cover).map(|(_, text)| *text);
    let linked = sources.first().is_some_and(|(role, _)| matches!(role, Role::Link | Role::Symlink));
    let Some(to) = to.or(linked.then_some(".")) else { return Vec::new() };
    sources
        .into_iter()
        .map(|(how, from)| Landing { from: (*from).to_owned(), to: to.to_owned(), how: *how })
        .collect()
}

/// `user@host:path`, not `C:\x` and not `./a:b`.
pub(super) fn remote(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) =
        text.strip_prefix("rsync://").or(text.strip_prefix("sftp://")).or(text.strip_prefix("scp://"))
    {
        return Some(rest.split_once('/').unwrap_or((rest, "")));
    }
    let (host, path) = text.split_once(':')?;
    (host.len() > 1 && !host.contains('/')).then_some((host, path))
}

/// Whether a word with this role says where others land.
pub(super) fn lands(role: Role) -> bool {
    matches!(role, Role::Target | Role::Into | Role::Mirror)
}
