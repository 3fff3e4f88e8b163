//! What a call does, from the roles of its words: the table says what each word is for, this says what follows from it.

use model::deed::{Certainty, Deed, Object, Place, Verb};

use super::decoded::Decoded;
use super::{Registry, Role, Search, Takes, sed};
use landing::lands;
use word::{Word, has_no_files};

pub(crate) mod landing;
pub(crate) mod network;
pub(crate) mod refs;
mod services;
mod word;
use crate::reading::{Call, Direction, World};
use crate::text::{EACH, has_hole, is_known};

/// The deeds of one call, its redirections among them.
pub(crate) fn deeds(call: &Call, world: &dyn World) -> Vec<Deed> {
    let mut made = Maker {
        call,
        world,
        place: place(call),
        dir: None,
        sources: Vec::new(),
        transfer: refs::Transfer::default(),
        found: Vec::new(),
        emptied: false,
    };
    let words = call.words();
    made.dir = folder(call, words);
    if !call.argv.is_empty() {
        made.words(words);
    }
    if words.rehearses {
        made.found.retain(|deed| matches!(deed.verb, Verb::Reads | Verb::Looks | Verb::Uses | Verb::Queries));
    }
    for deed in made.found.iter_mut().filter(|deed| made.emptied && deed.verb == Verb::Edits) {
        deed.verb = Verb::Empties;
    }
    if words.prints(&call.argv) == Some(super::Prints::Nothing) {
        for deed in made.found.iter_mut().filter(|deed| deed.verb == Verb::Reads) {
            deed.verb = Verb::Uses;
        }
    }
    made.redirects();
    if made.prints_nothing() {
        for deed in made.found.iter_mut().filter(|deed| deed.verb == Verb::Writes) {
            deed.verb = Verb::Empties;
        }
    }
    made.found
}

/// Files that give nothing, or nothing that anybody wants to keep.
fn is_hollow(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/zero" | "/dev/full" | "/dev/random" | "/dev/urandom")
}

fn place(call: &Call) -> Place {
    if call.elsewhere {
        Place::Container
    } else if call.wrappers.iter().any(|wrapper| is_host(wrapper)) {
        Place::OtherHost
    } else {
        Place::Here
    }
}

/// Whether a program starts its commands on another machine.
fn is_host(program: &str) -> bool {
    super::find(program).is_some_and(|program| program.place == super::Where::Host)
}

/// The folder that the call goes to first, by `-C` and its like; each counts from the one before.
fn folder(call: &Call, words: &Decoded) -> Option<String> {
    let mut dir: Option<String> = None;
    for chosen in &words.options {
        if let (Some(option), Some(value)) = (chosen.option, chosen.value)
            && option.role == Role::Dir
        {
            let text = value.text(&call.argv);
            dir = Some(match dir {
                Some(outer) if !text.starts_with(['/', '~']) => {
                    format!("{}/{text}", outer.trim_end_matches('/'))
                }
                _ => text.to_owned(),
            });
        }
    }
    dir
}

struct Maker<'a> {
    call: &'a Call,
    world: &'a dyn World,
    place: Place,
    dir: Option<String>,
    /// Words that land somewhere: what is read, moved or linked.
    sources: Vec<(String, Role)>,
    transfer: refs::Transfer,
    found: Vec<Deed>,
    /// What is edited is left without content.
    emptied: bool,
}

impl Maker<'_> {
    fn words(&mut self, words: &Decoded) {
        let argv = &self.call.argv;
        let roles = words.roles();
        let mut targets: Vec<(Role, Word)> = Vec::new();
        for chosen in &words.options {
            let Some(value) = chosen.value else { continue };
            let role = match chosen.option {
                Some(option) if option.takes == Takes::Nothing => continue,
                Some(option) => option.role,
                // Whatever it is for.
                None => {
                    let name =
                        argv[chosen.word].text.trim_start_matches('-').split('=').next().unwrap_or_default();
                    let verb = if is_output(name) { Verb::Writes } else { Verb::Uses };
                    self.given(verb, Word::part(value, argv));
                    continue;
                }
            };
            let word = Word::part(value, argv);
            if role == Role::Tool && super::find(word.text).is_none() {
                self.whole(Verb::Runs, Object::Thing("a module that was not read".into()));
            }
            if lands(role) { targets.push((role, word)) } else { self.word(role, &word) }
        }
        for &(at, role) in roles {
            let word = Word::whole(&argv[at]);
            if lands(role) { targets.push((role, word)) } else { self.word(role, &word) }
        }
        if words.entry.is_some_and(|entry| entry.style.service) {
            self.told_by_files();
        }
        self.unnamed(words, roles);
        if words.entry.is_none() || words.operand_spec().is_none() {
            for &at in
                words.operands.iter().filter(|_| !words.entry.is_some_and(|entry| entry.style.harmless))
            {
                // The option before it may be for a file that is written, or may be none of its business.
                let before = argv[at - 1].text.trim_start_matches('-');
                let written = argv[at - 1].text.starts_with('-') && is_output(before);
                self.given(if written { Verb::Writes } else { Verb::Uses }, Word::whole(&argv[at]));
            }
        }
        if words.entry.is_none() {
            // `-o/etc/x`, where nobody knows that it is one.
            for arg in self.call.args() {
                if let Some(path) =
                    arg.text.strip_prefix("-o").filter(|path| path.starts_with(['/', '~', '.']))
                {
                    self.given(Verb::Writes, Word { text: path, span: arg.span.clone(), glob: false });
                }
            }
        }
        for (role, word) in targets {
            self.land(role, &word);
        }
        self.transferred(words);
        self.archived(words);
        self.input(words);
        self.connected(words);
        self.does(words, words.stake);
        self.after_statements(words);
    }

    /// What a service is told by a file, whatever the option is called: `--policy file://x.json`.
    fn told_by_files(&mut self) {
        for arg in self.call.args() {
            if let Some(path) = arg.text.strip_prefix("file://").or(arg.text.strip_prefix("fileb://")) {
                self.path(Verb::Reads, false, &Word { text: path, ..Word::whole(arg) });
            }
        }
    }

    /// What the call does whatever its words are for.
    fn does(&mut self, words: &Decoded, stake: Option<super::Stake>) {
        for (verb, thing) in words.does() {
            let object = match verb {
                Verb::Commits | Verb::Replays | Verb::Merges if !thing.is_empty() => {
                    Object::Ref(thing.to_owned())
                }
                Verb::Commits | Verb::Replays | Verb::Merges => Object::Ref(words.path.join(" ")),
                _ => self.object(thing, words),
            };
            self.at_service(verb, object, stake);
        }
    }

    /// What a table names in words: a thing, or a file that the program has by itself.
    fn object(&self, thing: &str, words: &Decoded) -> Object {
        let home = || self.world.home().unwrap_or_else(|| "~".to_owned());
        let path = match thing.strip_prefix("~/") {
            Some(rest) => Some(format!("{}/{rest}", home())),
            None => thing.starts_with(['/', '.']).then(|| self.below(thing)),
        };
        match path {
            Some(text) => Object::Path { tree: text.ends_with('/'), text, pattern: false },
            None if thing.is_empty() => Object::Thing(words.path.join(" ")),
            None => Object::Thing(thing.to_owned()),
        }
    }

    /// What happens to a whole folder, because no word names a part of it.
    fn unnamed(&mut self, words: &Decoded, roles: &[(usize, Role)]) {
        let spec = words.operand_spec().unwrap_or_default();
        let named = |wanted: Role| roles.iter().any(|(_, role)| *role == wanted);
        if spec.iter().any(|operand| operand.role == Role::Unpack) && !named(Role::Unpack) {
            let text = self.dir.clone().unwrap_or_else(|| ".".to_owned());
            let object = Object::Path { text, tree: true, pattern: false };
            let span = self.call.span.clone();
            let certainty = Certainty::Unseen;
            self.found.push(Deed { verb: Verb::Writes, object, span, certainty, place: self.place });
        }
        if let Some(search) = Search::of(self.call) {
            for root in &search.roots {
                let arg = self.call.args().iter().find(|arg| arg.text == *root);
                let word = |text| Word { text, span: arg.and_then(|arg| arg.span.clone()), glob: false };
                if !search.deletes {
                    self.path(Verb::Looks, true, &word(root.as_str()));
                } else if !search.is_narrowed() {
                    self.path(Verb::Deletes, true, &word(root.as_str()));
                } else {
                    let found = search.found(root);
                    self.path(Verb::Deletes, false, &word(found.last().map_or("", String::as_str)));
                }
            }
        }
    }

    /// What the call does as a whole, whatever its words are.
    fn whole(&mut self, verb: Verb, object: Object) {
        let span = self.call.span.clone();
        let certainty = if is_known(object.text()) { Certainty::Known } else { Certainty::Hole };
        self.found.push(Deed { verb, object, span, certainty, place: self.place });
    }

    fn word(&mut self, role: Role, word: &Word<'_>) {
        let (verb, tree) = match role {
            // What is installed in its place, from wherever an address leads.
            Role::ReadTree if self.installs() && source(word.text).is_some() => return self.package(word),
            Role::Read | Role::Suite => (Verb::Reads, false),
            Role::ReadTree => (Verb::Reads, true),
            Role::Look => (Verb::Looks, false),
            // A list of packages, a config: what an address says is not in the project.
            Role::Use | Role::Config if is_fetched(word.text) => {
                return self.thing(Verb::Fetches, Object::Address(word.text.to_owned()), word);
            }
            Role::Use | Role::Config | Role::Script => (Verb::Uses, false),
            Role::Write | Role::Unpack => (Verb::Writes, false),
            Role::Append | Role::Make => (Verb::Appends, false),
            Role::Folder => (Verb::Appends, true),
            Role::Edit => (Verb::Edits, false),
            Role::Empty => (Verb::Empties, false),
            Role::Delete => (Verb::Deletes, false),
            Role::Tree | Role::Pack => (Verb::Deletes, true),
            Role::Move => (Verb::Moves, true),
            Role::Cover => (Verb::Covers, true),
            Role::Disk => (Verb::Erases, false),
            Role::Link | Role::Symlink => (Verb::Links, false),
            Role::Permit => (Verb::Permits, false),
            Role::PermitTree => (Verb::Permits, true),
            _ if self.networked(role, word) => return,
            Role::Sql => return self.statement(word),
            Role::Database => (Verb::Reads, false),
            Role::Compose => (Verb::Uses, false),
            Role::Context if word.text.contains("://") || word.text.starts_with("git@") => {
                return self.thing(Verb::Fetches, Object::Address(word.text.to_owned()), word);
            }
            Role::Context => (Verb::Uses, true),
            Role::Mount => return self.mount(word),
            Role::Package => return self.package(word),
            Role::Uninstall => {
                return self.thing(Verb::Uninstalls, Object::Package(word.text.to_owned()), word);
            }
            Role::Stop => return self.thing(Verb::Stops, Object::Thing(word.text.to_owned()), word),
            Role::Later if !word.text.contains('/') => {
                return self.thing(Verb::Schedules, Object::Thing(word.text.to_owned()), word);
            }
            Role::Later => (Verb::Schedules, false),
            Role::Code => return self.code(word),
            Role::Tool => return self.tool(word, false),
            Role::Fetched => return self.tool(word, true),
            _ => return self.versioned(role, word),
        };
        if is_source(role) {
            self.sources.push((word.text.to_owned(), role));
        }
        if role == Role::Pack {
            self.path(Verb::Reads, true, word);
        }
        self.path(verb, tree, word);
    }

    fn path(&mut self, verb: Verb, tree: bool, word: &Word<'_>) {
        if matches!(word.text, "" | "-" | ":memory:") || has_no_files(word.text) {
            let secret =
                word.text.rsplit_once(':').is_some_and(|(_, name)| crate::expand::is_secret_name(name));
            // `Get-Content env:TOKEN`
            if verb == Verb::Reads && secret {
                let object = Object::Thing("a variable that holds a secret".into());
                self.thing(Verb::Reveals, object, word);
            }
            return;
        }
        // More words, from a file: `@list`.
        let looks = matches!(verb, Verb::Reads | Verb::Uses | Verb::Looks);
        if looks && (word.text.starts_with("@/") || word.text.starts_with("@~/")) {
            return self.path(verb, tree, &Word { text: &word.text[1..], ..word.clone() });
        }
        // A share begins with two of them.
        let slashes = word.text.contains('\\') && !word.text.starts_with("\\\\");
        let text = if slashes { self.below(&word.text.replace('\\', "/")) } else { self.below(word.text) };
        // Every name in the folder is what a pattern for all of them is.
        let each = has_hole(&text, EACH);
        let text = if each { text.replace(EACH, "*") } else { text };
        let object = Object::Path { text, tree, pattern: word.glob || each };
        self.thing(verb, object, word);
    }

    /// Files that the words of a little language name.
    fn code(&mut self, word: &Word<'_>) {
        if self.call.words().entry.is_some_and(|entry| entry.language == sed::LANGUAGE) {
            for path in sed::written(word.text) {
                self.path(Verb::Writes, false, &Word { text: path, span: word.span.clone(), glob: false });
            }
            for path in sed::read(word.text) {
                self.path(Verb::Reads, false, &Word { text: path, span: word.span.clone(), glob: false });
            }
            self.emptied |= sed::empties(word.text);
        }
        // Each line is read, and none is printed.
        let words = self.call.words();
        let printed = ["print", "say", "write"].iter().any(|verb| word.text.contains(verb));
        self.emptied |= words.entry.is_some_and(|entry| entry.language == "perl")
            && words.has("i")
            && words.has("n")
            && !words.has("p")
            && !printed;
        if self.call.words().entry.is_some_and(|entry| entry.language == "transfers") {
            self.transfers(word.text);
        }
    }

    /// A package by its name, which a registry answers for, or from wherever an address leads.
    fn package(&mut self, word: &Word<'_>) {
        let object = match source(word.text) {
            Some(address) => Object::Address(address.to_owned()),
            None => Object::Package(word.text.to_owned()),
        };
        self.thing(Verb::Installs, object, word);
    }

    /// A tool in a version of its own comes from a registry, and so does one that is `fetched` where it does not lie here.
    fn tool(&mut self, word: &Word<'_>, fetched: bool) {
        let version = word.text.char_indices().skip(1).any(|(_, c)| c == '@');
        if version || fetched && !self.lies_here(crate::path::name(word.text)) {
            self.thing(Verb::Installs, Object::Package(word.text.to_owned()), word);
        }
    }

    fn installs(&self) -> bool {
        self.call.words().entry.is_some_and(|entry| entry.registry.is_some())
    }

    /// Whether the project has installed a tool, here or in a folder above. Only programs of npm say so by where they lie.
    fn lies_here(&self, name: &str) -> bool {
        const DEEPEST: usize = 12;
        let npm = self.call.words().entry.is_some_and(|entry| entry.registry == Some(Registry::Npm));
        let mut dir = crate::path::absolute(self.dir.as_deref().unwrap_or("."), &self.call.cwd);
        for _ in 0..DEEPEST {
            if !npm || !is_known(&dir) {
                return false;
            }
            if self.world.exists(&format!("{}/node_modules/.bin/{name}", dir.trim_end_matches('/'))) {
                return true;
            }
            let Some((above, _)) = dir.rsplit_once('/') else { return false };
            dir = above.to_owned();
        }
        false
    }

    fn thing(&mut self, verb: Verb, object: Object, word: &Word<'_>) {
        let certainty = if is_known(word.text) { Certainty::Known } else { Certainty::Hole };
        self.found.push(Deed { verb, object, span: word.span.clone(), certainty, place: self.place });
    }

    /// A word of a program that nobody knows: it may do anything with it.
    fn given(&mut self, verb: Verb, word: Word<'_>) {
        // `--output=FILE` in one word, and `key=value`.
        let (name, text) = word.text.split_once('=').unwrap_or(("", word.text));
        let verb = if is_output(name.trim_start_matches('-')) { Verb::Writes } else { verb };
        let text = text.trim_start_matches('@');
        if text.is_empty() || text.starts_with('-') || text.contains('\n') || text.len() > 4096 {
            return;
        }
        let tree = verb == Verb::Uses;
        // A setting, or an address of its own: `Include /x`, `man:/x`.
        let parts = || text.split([' ', ':']).filter(|part| !part.is_empty());
        if let Some(last) = parts().next_back().filter(|last| last.starts_with('/') && *last != text)
            && parts().count() == 2
        {
            self.given(verb, Word { text: last, ..word.clone() });
        }
        let object = Object::Path { text: self.below(text), tree, pattern: word.glob };
        let certainty = Certainty::Unseen;
        self.found.push(Deed { verb, object, span: word.span, certainty, place: self.place });
    }

    /// Whether what the call writes is nothing: it prints nothing, or reads where nothing is.
    fn prints_nothing(&self) -> bool {
        let call = self.call;
        if call.argv.is_empty() {
            return call.stdin.is_none();
        }
        let words = call.words();
        let silent = words.entry.is_some_and(|entry| entry.style.silent)
            && call.texts().all(|text| text.is_empty() || text == "-n");
        let mut read = self.found.iter().filter(|deed| deed.verb == Verb::Reads).peekable();
        silent || read.peek().is_some() && read.all(|deed| is_hollow(deed.object.text()))
    }

    /// In the folder that the call goes to first.
    fn below(&self, path: &str) -> String {
        match &self.dir {
            Some(dir) if !path.starts_with(['/', '~']) && crate::path::unfolded(path) == path => {
                format!("{}/{path}", dir.trim_end_matches('/'))
            }
            _ => path.to_owned(),
        }
    }

    fn redirects(&mut self) {
        self.dir = None;
        for redirect in &self.call.redirects {
            let verb = match redirect.direction {
                Direction::Write => Verb::Writes,
                Direction::Append => Verb::Appends,
                Direction::ReadWrite => Verb::Edits,
                Direction::Read => Verb::Reads,
                _ => continue,
            };
            self.path(verb, false, &Word::whole(&redirect.target));
        }
    }
}

/// What a folder of production loses that is made like one here. Elsewhere that is how a site is brought up.
pub const ELSEWHERE: &str = "what another machine has";

/// An address of another machine that a file is taken from.
fn is_fetched(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| matches!(scheme, "http" | "https" | "ftp")) && !crate::address::is_here(text)
}

/// Where a package comes from that no registry has: `https://host/x.tgz`, `git+ssh://…`, `x @ git+https://…`, `github:user/repo`.
fn source(text: &str) -> Option<&str> {
    const FORGES: &[&str] =
        &["github:", "gitlab:", "bitbucket:", "gist:", "sourcehut:", "git:", "git@", "git+"];
    let text = text.split_once(" @ ").map_or(text, |(_, source)| source);
    let text = text.trim_start_matches("tarball+");
    let named = text.split_once('@').filter(|(name, _)| !name.is_empty()).map(|(_, source)| source);
    let is_source = |text: &str| {
        FORGES.iter().any(|forge| text.starts_with(forge))
            || text.contains("://") && !text.starts_with("file:") && !text.contains("+file:")
    };
    let found = [Some(text), named].into_iter().flatten().find(|text| is_source(text))?;
    if crate::address::is_registry(found) {
        return None;
    }
    (!crate::address::is_here(found.trim_start_matches("git+"))).then_some(found)
}

/// Whether a word with this role lands where another says.
fn is_source(role: Role) -> bool {
    matches!(role, Role::Read | Role::ReadTree | Role::Move | Role::Link | Role::Symlink | Role::Remote)
}

/// What most programs call the option for a file that they write.
fn is_output(name: &str) -> bool {
    matches!(name, "o" | "O" | "of") || name.starts_with("out")
}
