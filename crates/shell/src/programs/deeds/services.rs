//! What a call does at a service: statements and commands that reach it, what containers get, and how much of it is lost.

use model::deed::{Certainty, Deed, Object, Place, Verb};

use super::{Maker, Word};
use crate::programs::containers::{self, Mount};
use crate::programs::decode::decode;
use crate::programs::decoded::Decoded;
use crate::programs::{Program, Role, Stake};
use crate::reading::Arg;
use crate::sql::Act;
use crate::text::is_known;

impl Maker<'_> {
    /// Something that happens at a service. What was made to be thrown away is not destroyed, and is nobody else's.
    pub(super) fn at_service(&mut self, verb: Verb, object: Object, stake: Option<Stake>) {
        let remote = matches!(
            verb,
            Verb::Queries
                | Verb::Changes
                | Verb::Alters
                | Verb::Permits
                | Verb::Destroys
                | Verb::Empties
                | Verb::Publishes
                | Verb::Deploys
        );
        let trial = stake >= Some(Stake::Trial);
        let verb = if trial && remote && verb != Verb::Queries { Verb::Changes } else { verb };
        let place = match self.place {
            _ if remote && stake.is_some() => Place::Here,
            Place::Here if remote => Place::Service,
            place => place,
        };
        let span = self.call.span.clone();
        self.found.push(Deed { verb, object, span, certainty: Certainty::Known, place });
    }

    /// Statements and commands that come in, or are in a file.
    pub(super) fn input(&mut self, words: &Decoded) {
        let Some(entry) = words.entry else { return };
        let told = |role: Role| {
            words
                .given(&self.call.argv)
                .any(|(given, text)| given == role && (role != Role::Sql || crate::sql::is_statement(text)))
        };
        let stdin = self.call.stdin.clone().filter(|_| entry.style.stdin || told(Role::Script));
        match entry.language {
            "sql" => {
                let scripts = self.scripts(words);
                let stdin = stdin.filter(|_| !told(Role::Sql));
                for text in &scripts {
                    // Somebody keeps it in the project, and may well mean it.
                    let stake = words.stake.max(Some(Stake::Local));
                    self.sql(text, &crate::sql::acts_of_script(text), stake);
                }
                if scripts.is_empty() && told(Role::Script) {
                    let object = Object::Thing("whatever the file says".into());
                    self.at_service(Verb::Changes, object, words.stake);
                }
                if let Some(text) = stdin {
                    self.sql(&text, &crate::sql::acts(&text), words.stake);
                }
            }
            "transfers" => {
                let scripts = self.scripts(words);
                scripts.iter().for_each(|text| self.transfers(text));
                self.transfers(&stdin.unwrap_or_default());
            }
            // Its own words, a line each.
            "lines" => {
                // A file is what the subcommand for code would be given.
                let takes = |sub: &&Program| {
                    sub.operands.and_then(<[_]>::first).is_some_and(|operand| operand.role == Role::Code)
                };
                if let Some(sub) = entry.subs.iter().find(takes) {
                    for text in self.scripts(words) {
                        let argv = [self.call.argv[0].clone(), Arg::new(sub.name()), Arg::new(text)];
                        self.does(&decode(&argv, &[]), words.stake);
                    }
                }
                for line in stdin.as_deref().unwrap_or_default().lines().take(256) {
                    let mut argv = self.call.argv[..1].to_vec();
                    argv.extend(crate::wrapper::split_string(line));
                    self.does(&decode(&argv, &[]), words.stake);
                }
            }
            _ => {}
        }
    }

    /// The files that it is told to take its statements or commands from, as far as they can be read.
    fn scripts(&self, words: &Decoded) -> Vec<String> {
        let named = words.given(&self.call.argv).filter(|(role, _)| *role == Role::Script);
        named.filter_map(|(_, file)| self.read(file)).collect()
    }

    fn read(&self, file: &str) -> Option<String> {
        self.world.read(&crate::path::absolute(&self.below(file), &self.call.cwd))
    }

    fn sql(&mut self, text: &str, acts: &[Act], stake: Option<Stake>) {
        let statement = || Object::Statement(text.to_owned());
        for act in acts {
            match act {
                Act::Queries => self.at_service(Verb::Queries, statement(), stake),
                Act::Calls => {
                    self.at_service(Verb::Queries, statement(), stake);
                    self.found.last_mut().expect("it was added").certainty = Certainty::Unseen;
                }
                Act::Changes => self.at_service(Verb::Changes, statement(), stake),
                Act::Destroys { for_tests, .. } => {
                    let stake = stake.max(for_tests.then_some(Stake::Local));
                    self.at_service(Verb::Destroys, statement(), stake);
                }
                Act::Reads(file) => self.path(Verb::Reads, false, &Word::of(file)),
                Act::Writes(file) => self.path(Verb::Writes, false, &Word::of(file)),
                Act::Includes(file) => self.included(file, stake),
                Act::Grants(_) => self.at_service(Verb::Permits, statement(), stake),
                Act::Tells(what) => self.at_service(Verb::Reveals, Object::Thing(what.clone()), stake),
                // The reader has noted what they start.
                Act::Runs(_) => {}
            }
        }
    }

    /// A file of statements: somebody keeps it, and may well mean it. What cannot be read may change anything.
    fn included(&mut self, file: &str, stake: Option<Stake>) {
        self.path(Verb::Reads, false, &Word::of(file));
        match self.read(file) {
            Some(text) => {
                let acts: Vec<Act> = crate::sql::acts_of_script(&text)
                    .into_iter()
                    .filter(|act| !matches!(act, Act::Includes(_)))
                    .collect();
                self.sql(&text, &acts, stake.max(Some(Stake::Local)));
            }
            None => self.at_service(Verb::Changes, Object::Thing("whatever the file says".into()), stake),
        }
    }

    /// What a container gets of this machine.
    fn lend(&mut self, mount: &Mount, span: Option<std::ops::Range<usize>>) {
        let object = Object::Path { text: self.below(&mount.here), tree: true, pattern: false };
        let certainty = if is_known(&mount.here) { Certainty::Known } else { Certainty::Hole };
        let verb = if mount.read_only { Verb::Reads } else { Verb::Lends };
        self.found.push(Deed { verb, object, span, certainty, place: Place::Container });
    }

    /// What the containers of a compose file get.
    fn services(&mut self, words: &Decoded) {
        let argv = &self.call.argv;
        let mut files: Vec<&str> =
            words.given(argv).filter(|(role, _)| *role == Role::Compose).map(|(_, file)| file).collect();
        if files.is_empty() {
            files.extend(self.call.var("COMPOSE_FILE").iter().flat_map(|list| list.split(':')));
        }
        if files.is_empty() {
            files.extend(containers::NAMES);
        }
        for file in files {
            let Some(text) = self.world.read(&crate::path::absolute(file, &self.call.cwd)) else { continue };
            let given = containers::compose(&text);
            for mount in &given.mounts {
                self.lend(mount, self.call.span.clone());
            }
            if given.machine {
                self.at_service(Verb::Lends, Object::Thing("this machine".into()), None);
            }
        }
    }

    /// A word that is a statement; a single one names a database.
    pub(super) fn statement(&mut self, word: &Word<'_>) {
        if crate::sql::is_statement(word.text) {
            self.sql(word.text, &crate::sql::acts(word.text), self.call.words().stake);
        }
    }

    pub(super) fn mount(&mut self, word: &Word<'_>) {
        if let Some(mount) = containers::mount(word.text) {
            self.lend(&mount, word.span.clone());
        }
    }

    /// A file that holds a database is changed by what the statements change.
    pub(super) fn after_statements(&mut self, words: &Decoded) {
        let argv = &self.call.argv;
        if words.operand_spec().unwrap_or_default().iter().any(|operand| operand.role == Role::Service) {
            self.services(words);
        }
        let changes = |deed: &Deed| matches!(deed.verb, Verb::Changes | Verb::Destroys);
        if self.found.iter().any(|deed| changes(deed) && matches!(deed.object, Object::Statement(_))) {
            for (_, file) in words.given(argv).filter(|(role, _)| *role == Role::Database) {
                self.path(Verb::Edits, false, &Word::of(file));
            }
        }
    }
}
