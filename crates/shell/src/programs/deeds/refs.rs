//! What the words of a version system do: repositories, references, commits and the files in them, and settings.

use model::deed::{Certainty, Deed, Object, Place, Verb};

use super::landing::remote;
use super::{Maker, Word};
use crate::programs::Role;
use crate::programs::decoded::Decoded;
use crate::reading::Call;
use crate::text::is_known;

/// A transfer between repositories, gathered from its words.
#[derive(Default)]
pub(super) struct Transfer {
    /// The other side, and whether commits go there.
    other: Option<(String, bool)>,
    specs: Vec<String>,
    /// The commit that files are taken from.
    version: Option<String>,
    /// The name of a setting that the next word gives a value.
    key: String,
}

impl Maker<'_> {
    /// What a word of these roles does; nothing for others.
    pub(super) fn versioned(&mut self, role: Role, word: &Word<'_>) {
        let text = word.text;
        match role {
            Role::From | Role::Pull => self.comes_from(role, word),
            Role::To => self.transfer.other = Some((text.to_owned(), true)),
            Role::Refspec => self.transfer.specs.push(text.to_owned()),
            Role::Rev => self.file_in(word),
            // Onto what others have, it goes on where they are.
            Role::Base if !text.contains('/') && !text.contains("@{u") => {
                self.whole(Verb::Commits, Object::Ref("HEAD".into()));
            }
            Role::Version => self.transfer.version = Some(text.to_owned()),
            Role::Branch => self.branch(word),
            Role::New => self.thing(Verb::Keeps, Object::Ref(short(text).into()), word),
            Role::Ref | Role::Moved => self.set(role == Role::Moved, word),
            Role::Reset => {
                self.set(false, word);
                self.thing(Verb::Keeps, Object::Ref(short(text).into()), word);
            }
            Role::Unref => self.thing(Verb::Deletes, Object::Ref(short(text).into()), word),
            Role::Lost => self.thing(Verb::Discards, Object::Ref(short(text).into()), word),
            Role::Pathspec => {
                if let Some(path) = pathspec(text) {
                    self.path(Verb::Reads, false, &Word { text: path, ..word.clone() });
                }
            }
            Role::Discard | Role::Purge => self.lose(role == Role::Purge, word),
            Role::Nest => self.path(Verb::Keeps, true, word),
            Role::Setting => {
                // `ssh -o 'Name value'`
                let (name, value) = text.split_once(['=', ' ']).unwrap_or((text, "true"));
                self.sets(name, value, word);
            }
            Role::SettingVar => {
                let (name, variable) = text.rsplit_once('=').unwrap_or((text, ""));
                let value = self.call.var(variable).map_or(crate::text::ANY.to_string(), str::to_owned);
                self.sets(name, &value, word);
            }
            Role::Key => text.clone_into(&mut self.transfer.key),
            Role::Value => {
                let name = std::mem::take(&mut self.transfer.key);
                self.sets(&name, text, word);
            }
            Role::Shell => {
                let object = Object::Code { language: "sh".into(), text: text.into() };
                self.thing(Verb::Runs, object, word);
            }
            _ => {}
        }
    }

    fn sets(&mut self, name: &str, value: &str, word: &Word<'_>) {
        let object = Object::Setting { name: name.to_ascii_lowercase(), value: value.to_owned() };
        self.thing(Verb::Sets, object, word);
    }

    fn comes_from(&mut self, role: Role, word: &Word<'_>) {
        let text = word.text;
        self.transfer.other = Some((text.to_owned(), false));
        if is_local(text) {
            self.path(Verb::Uses, true, word);
        } else if is_address(text) {
            self.thing(Verb::Fetches, Object::Address(text.to_owned()), word);
        } else {
            self.thing(Verb::Fetches, Object::Thing(text.to_owned()), word);
        }
        // From this machine it is a merge like any other; from an address, it is from nobody that the repository knows.
        if role == Role::Pull && is_local(text) {
            self.whole(Verb::Merges, Object::Ref("HEAD".into()));
        } else if role == Role::Pull && is_address(text) {
            self.whole(Verb::Records, Object::Ref("HEAD".into()));
        }
    }

    /// `HEAD:.env`, `:.env`; a file by its name where it could be one that matters.
    fn file_in(&mut self, word: &Word<'_>) {
        let text = word.text;
        let inside = text.split_once(':').filter(|_| !is_magic(text)).map(|(_, path)| {
            // `:0:path` is a path in the index, too.
            path.split_once(':').map_or(path, |(_, path)| path)
        });
        let path = inside.or_else(|| {
            let absolute = crate::path::absolute(text, &self.call.cwd);
            crate::is_secret_path(&absolute, self.world.home().as_deref()).then_some(text)
        });
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            self.path(Verb::Reads, false, &Word { text: path, ..word.clone() });
        }
    }

    fn branch(&mut self, word: &Word<'_>) {
        let text = word.text;
        let absolute = crate::path::absolute(&self.below(text), &self.call.cwd);
        // No branch is called like this.
        let path =
            is_whole(text) || word.glob || text.starts_with(['/', '~', '.', ':']) || text.ends_with('/');
        let folder = path || self.world.is_directory(&absolute);
        if folder {
            return self.lose(false, word);
        }
        if self.call.words().operands.len() > 1 {
            self.transfer.version = Some(text.to_owned());
        } else if text.contains('.') && !text.contains("..") {
            // A file, more likely than a branch.
            self.lose(false, word);
        } else {
            self.thing(Verb::Keeps, Object::Ref(short(text).into()), word);
        }
    }

    /// A branch that is set to another commit. What becomes of main matters, and of what is not known.
    fn set(&mut self, moved: bool, word: &Word<'_>) {
        let name = short(word.text);
        let matters = is_main(name) || name == "HEAD" || !is_known(name);
        let verb = if matters { Verb::Merges } else { Verb::Records };
        self.thing(verb, Object::Ref(name.into()), word);
        if moved && is_main(name) {
            self.thing(Verb::Discards, Object::Ref(name.into()), word);
        }
    }

    /// Files whose changes are lost; from another version they are written anew.
    fn lose(&mut self, purge: bool, word: &Word<'_>) {
        let Some(path) = pathspec(word.text) else { return };
        let absolute = crate::path::absolute(&self.below(path), &self.call.cwd);
        let tree = purge
            || is_whole(path)
            || path.ends_with('/')
            || path.contains('*')
            || self.world.is_directory(&absolute);
        let path = if path.is_empty() { "." } else { path };
        let word = Word { text: path, ..word.clone() };
        self.path(Verb::Discards, tree, &word);
        if self.transfer.version.as_deref().is_some_and(|version| !matches!(version, "HEAD" | "@")) {
            self.path(Verb::Writes, tree, &word);
        }
    }

    /// What comes of a transfer when all of its words are known.
    pub(super) fn transferred(&mut self, words: &Decoded) {
        let argv = &self.call.argv;
        let spec = words.operand_spec().unwrap_or_default();
        let is_push = spec.iter().any(|operand| operand.role == Role::To);
        let named = words.last("repo", argv).map(|text| (text.to_owned(), true));
        let other = self.transfer.other.take().or(named.filter(|_| is_push));
        if is_push {
            return self.pushed(words, other.map(|(name, _)| name).unwrap_or_default());
        }
        let Some((from, _)) = other else { return };
        for spec in std::mem::take(&mut self.transfer.specs) {
            let Some((_, to)) = spec.split_once(':').filter(|(_, to)| !to.is_empty()) else { continue };
            if to.starts_with("refs/remotes/") {
                continue;
            }
            // Every branch here becomes what the other side has, whatever it was.
            if to == "refs/heads/*" && (spec.starts_with('+') || words.has("force")) {
                self.whole(Verb::Discards, Object::Thing("every branch's own commits".into()));
            }
            let merges = is_local(&from) && is_main(short(to));
            self.whole(if merges { Verb::Merges } else { Verb::Records }, Object::Ref(short(to).into()));
        }
        // A copy lies under the name of what is copied, unless another is given.
        let nests = spec.iter().any(|operand| operand.role == Role::Nest);
        if nests && words.operands.len() == 1 {
            let name = crate::path::name(from.trim_end_matches('/')).rsplit(':').next().unwrap_or_default();
            let object =
                Object::Path { text: name.trim_end_matches(".git").into(), tree: true, pattern: false };
            self.whole(Verb::Keeps, object);
        }
    }

    fn pushed(&mut self, words: &Decoded, to: String) {
        let specs = std::mem::take(&mut self.transfer.specs);
        let has = |name: &str| words.has(name);
        let forced = has("force");
        let local = is_local(&to);
        if !local {
            let object = if is_address(&to) { Object::Address(to) } else { Object::Thing(to) };
            self.whole(Verb::Publishes, object);
        }
        let every = |text: &str| {
            matches!(
                text.rsplit(':').next().unwrap_or(text).trim_start_matches('+'),
                "refs/heads/*" | "refs/*" | "*"
            )
        };
        let all = has("mirror")
            || (has("all") || has("branches")) && (forced || has("prune"))
            || has("prune") && (forced || specs.iter().any(|text| every(text)));
        let place = if local { self.place } else { Place::OtherHost };
        let mut add = |verb: Verb, name: &str| {
            let certainty = if is_known(name) { Certainty::Known } else { Certainty::Hole };
            let span = self.call.span.clone();
            self.found.push(Deed { verb, object: Object::Ref(name.into()), span, certainty, place });
        };
        if all {
            add(Verb::Discards, "*");
        }
        for text in &specs {
            let plus = text.starts_with('+');
            let bare = text.trim_start_matches('+');
            let (from, to) = bare.split_once(':').unwrap_or((bare, bare));
            // `HEAD` by itself is the branch that is checked out.
            let to = if to == "@" { "HEAD" } else { short(to) };
            let deletes = has("delete") || from.is_empty() && !to.is_empty();
            if deletes {
                add(Verb::Deletes, to);
            } else if forced || plus {
                add(Verb::Discards, if every(text) { "*" } else { to });
            } else if local {
                add(if is_main(to) { Verb::Merges } else { Verb::Records }, to);
            }
        }
        if specs.is_empty() && forced {
            add(Verb::Discards, "HEAD");
        }
    }
}

/// A branch that everybody builds on.
pub fn is_main(name: &str) -> bool {
    matches!(short(name), "main" | "master")
}

/// A reference without the folder of branches.
fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").or(name.strip_prefix("heads/")).unwrap_or(name)
}

fn is_local(place: &str) -> bool {
    place.starts_with(['.', '/', '~']) || place.starts_with("file:")
}

fn is_address(place: &str) -> bool {
    place.contains("://") || place.contains("::") || remote(place).is_some()
}

/// A pattern that begins with a word of magic: `:/`, `:!x`, `:(top)x`.
fn is_magic(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|rest| rest.starts_with(['/', '!', '^', '(']))
}

/// The path of a pattern; `None` for one that only leaves something out.
fn pathspec(text: &str) -> Option<&str> {
    let Some(rest) = text.strip_prefix(':') else { return Some(text) };
    if rest.starts_with(['!', '^']) || rest.starts_with("(exclude") {
        return None;
    }
    match rest.strip_prefix('(').and_then(|magic| magic.split_once(')')) {
        Some((_, path)) => Some(path),
        None => Some(rest.trim_start_matches('/')),
    }
}

/// Everything below the folder that it is about, or more.
pub fn is_whole(path: &str) -> bool {
    pathspec(path).is_some_and(|path| path.chars().all(|c| matches!(c, '.' | '/' | '*')))
}

/// Where the repository is that a call is about: where it goes first, or by where its files are.
pub fn repository(call: &Call) -> String {
    match store(call) {
        Some(path) => path.strip_suffix("/.git").unwrap_or(&path).to_owned(),
        None => folder(call),
    }
}

fn folder(call: &Call) -> String {
    let dir = super::folder(call, call.words());
    dir.map_or_else(|| call.cwd.to_string(), |dir| crate::path::absolute(&dir, &call.cwd))
}

/// Where its files are, if the call says so by an option or a variable.
pub fn store(call: &Call) -> Option<String> {
    let words = call.words();
    let by_option = words.options.iter().rev().find_map(|chosen| {
        let is_store = chosen.option.is_some_and(|option| option.role == Role::Store);
        chosen.value.filter(|_| is_store).map(|value| value.text(&call.argv))
    });
    let by_variable = || {
        let mut vars = call.vars.iter().rev();
        let found = vars.find(|(name, _)| crate::programs::variable(name) == Some(Role::Store));
        found
            .map(|(_, value)| value.as_str())
            .filter(|_| words.program.is_some_and(|entry| entry.style.versions))
    };
    by_option.or_else(by_variable).map(|store| crate::path::absolute(store, &folder(call)))
}
