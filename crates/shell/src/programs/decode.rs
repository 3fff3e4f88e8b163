//! The words of a call, read as its program reads them: options in every spelling, their values, subcommands, operands.
//!
//! As `getopt_long` works: short options cluster and take a value attached or apart, long ones with `=`, apart, or by any unambiguous
//! beginning. What the table does not know makes the call "not understood"; it is never taken for something else.

use model::deed::Verb;

use super::{About, Clause, Operand, Opt, Prints, Program, Role, Rule, Stake, Takes, kind, places};
use crate::reading::Arg;

/// What the words of a call are.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    pub program: Option<&'static Program>,
    /// The program or the innermost subcommand.
    pub entry: Option<&'static Program>,
    /// The program and its subcommands by their first names in the table.
    pub path: Vec<&'static str>,
    pub options: Vec<Chosen>,
    /// The marks of all their names: most names that are asked for have another.
    marks: u64,
    /// Their places among the call's words.
    pub operands: Vec<usize>,
    /// How many of them stand before `--`.
    pub before: Option<usize>,
    /// Every option is in the table, and the operands are described.
    pub understood: bool,
    /// It asks for help or for a rehearsal: nothing is done.
    pub rehearses: bool,
    /// How much would be lost; `None` where nothing says that it is little.
    pub stake: Option<Stake>,
    /// Of the rules' clauses about variables, those that name a value that is set.
    set: Vec<&'static Clause>,
    /// Which of the entry's rules hold, by their places: every check asks. Set when all words have been read.
    held: Option<u128>,
    /// What the operands are for, and which is for what: every check asks.
    spec: Option<&'static [Operand]>,
    roles: Vec<(usize, Role)>,
    does: Vec<(Verb, &'static str)>,
}

/// Whose options a rule speaks of, where a program and its subcommand have one of the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Program,
    Entry,
}

/// An option as it was given.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// `None` for one that the table does not know.
    pub option: Option<&'static Opt>,
    /// The word that it stands in.
    pub word: usize,
    pub value: Option<Value>,
    /// Its program has subcommands, and one of them was named.
    pub outer: bool,
}

/// A part of the call's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub word: usize,
    /// Where it begins in that word.
    pub from: usize,
    /// For a command that ends at `;`: the word after its last.
    pub end: usize,
}

impl Value {
    fn whole(word: usize) -> Self {
        Self { word, from: 0, end: word + 1 }
    }

    fn rest(word: usize, from: usize) -> Self {
        Self { word, from, end: word + 1 }
    }

    pub fn text(self, argv: &[Arg]) -> &str {
        argv.get(self.word).map_or("", |arg| &arg.text[self.from..])
    }
}

impl Decoded {
    /// Whether an option was given, under any of its names. One letter is a short option.
    pub fn has(&self, name: &str) -> bool {
        self.chosen(name).next().is_some()
    }

    /// Whether the innermost subcommand has an option of this name, and not the one that its program knows everywhere.
    fn own(&self, name: &str) -> bool {
        let has = |entry: &Program| entry.options.iter().any(|option| option.names.contains(&name));
        self.entry.is_some_and(|entry| has(entry) && !entry.style.global)
    }

    /// An option as often as it was given. The program's own is not the one of that name that a subcommand has: `git -C x branch`.
    pub fn chosen<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Chosen> {
        self.chosen_by(Whose::Entry, name)
    }

    fn chosen_by<'a>(&'a self, whose: Whose, name: &'a str) -> impl Iterator<Item = &'a Chosen> {
        let counts = move |chosen: &Chosen| chosen.outer == (whose == Whose::Program) || !self.own(name);
        self.marked(name).iter().filter(move |chosen| chosen.is(name) && counts(chosen))
    }

    /// The options, unless none of them can have this name.
    fn marked(&self, name: &str) -> &[Chosen] {
        if self.marks & places::mark(name) == 0 { &[] } else { &self.options }
    }

    /// The values that an option was given, in their order.
    pub fn values<'a>(&'a self, name: &'a str, argv: &'a [Arg]) -> impl Iterator<Item = &'a str> {
        self.chosen(name).filter_map(move |chosen| Some(chosen.value?.text(argv)))
    }

    /// The value that counts.
    pub fn last<'a>(&'a self, name: &str, argv: &'a [Arg]) -> Option<&'a str> {
        let given = self
            .marked(name)
            .iter()
            .rev()
            .filter(|chosen| chosen.is(name) && !(chosen.outer && self.own(name)));
        given.into_iter().find_map(|chosen| Some(chosen.value?.text(argv)))
    }

    /// Whether a rule applies.
    pub fn holds(&self, rule: &'static Rule, argv: &[Arg]) -> bool {
        let place = || self.entry?.rules.iter().position(|own| std::ptr::eq(own, rule));
        match self.held.zip(place()) {
            Some((held, at)) => held >> at & 1 == 1,
            None => self.holds_by(Whose::Entry, rule, argv),
        }
    }

    /// What the rules of the entry say that hold.
    fn said<'a, T: 'a>(
        &'a self,
        argv: &'a [Arg],
        pick: fn(&'static Rule) -> Option<T>,
    ) -> impl DoubleEndedIterator<Item = T> + 'a {
        let rules = self.entry.map_or(&[][..], |entry| entry.rules).iter().enumerate();
        let holds = move |at: usize, rule: &'static Rule| match self.held {
            Some(held) => held >> at & 1 == 1,
            None => self.holds_by(Whose::Entry, rule, argv),
        };
        rules.filter_map(move |(at, rule)| pick(rule).filter(|_| holds(at, rule)))
    }

    fn marks(&self, argv: &[Arg]) -> u128 {
        let rules = self.entry.map_or(&[][..], |entry| entry.rules).iter().enumerate();
        rules.fold(0, |held, (at, rule)| held | u128::from(self.holds_by(Whose::Entry, rule, argv)) << at)
    }

    fn holds_by(&self, whose: Whose, rule: &'static Rule, argv: &[Arg]) -> bool {
        let says = |clause| self.says(whose, clause, argv);
        // Most rules begin with an option, and most calls have few.
        let hopeless = |clauses: &[Clause]| {
            self.options.is_empty()
                && matches!(clauses.first(), Some(Clause { about: About::Option(_), not: false, .. }))
        };
        rule.when.is_empty() || rule.when.iter().any(|clauses| !hopeless(clauses) && clauses.iter().all(says))
    }

    fn says(&self, whose: Whose, clause: &'static Clause, argv: &[Arg]) -> bool {
        let fits = |text: &str| clause.values.is_empty() || kind::is_one_of(text, clause.values);
        let there = match clause.about {
            About::Option(name) if self.marks & places::mark(name) == 0 => false,
            About::Option(name) if clause.values.is_empty() => {
                self.chosen_by(whose, name).take(clause.times).count() >= clause.times
            }
            // `-o ro,bind`, `-G users,sudo`.
            About::Option(name) => self
                .chosen_by(whose, name)
                .filter_map(|chosen| Some(chosen.value?.text(argv)))
                .any(|value| fits(value) || value.split(',').any(fits)),
            About::Operand(None) => self.operands.iter().any(|&at| fits(&argv[at].text)),
            About::Operand(Some(place)) => self.operands.get(place).is_some_and(|&at| fits(&argv[at].text)),
            About::Operands => {
                !self.operands.is_empty() && self.operands.iter().all(|&at| fits(&argv[at].text))
            }
            About::Count(count) => self.operands.len() >= count,
            About::Variable(_) => self.set.iter().any(|set| std::ptr::eq(*set, clause)),
        };
        there != clause.not
    }

    /// What it prints, where a rule says so.
    pub fn prints(&self, argv: &[Arg]) -> Option<Prints> {
        self.said(argv, |rule| rule.prints).next()
    }

    /// What the operands are for, by the last rule that holds. Where only `does` describes the call, they are text.
    pub fn operand_spec(&self) -> Option<&'static [Operand]> {
        self.spec
    }

    fn specified(&self, argv: &[Arg]) -> Option<&'static [Operand]> {
        let described = || self.entry?.rules.iter().any(|rule| rule.does.is_some()).then_some(&[][..]);
        self.roles_given(argv).or_else(described)
    }

    fn roles_given(&self, argv: &[Arg]) -> Option<&'static [Operand]> {
        let said = self.said(argv, |rule| rule.operands).next_back();
        said.or(self.entry?.operands)
    }

    /// What the call does whatever its operands are, by every rule that holds. What certain options of a program mean, they mean with
    /// its subcommands too.
    pub fn does(&self) -> impl Iterator<Item = (Verb, &'static str)> {
        self.does.iter().copied()
    }

    fn done(&self, argv: &[Arg]) -> Vec<(Verb, &'static str)> {
        let outer =
            self.program.filter(|program| !self.entry.is_some_and(|entry| std::ptr::eq(entry, *program)));
        let outer = outer.map_or(&[][..], |program| program.rules).iter();
        let holds = |rule: &&'static Rule| {
            !rule.when.is_empty() && rule.does.is_some() && self.holds_by(Whose::Program, rule, argv)
        };
        let outer = outer.filter(holds).filter_map(|rule| rule.does);
        self.said(argv, |rule| rule.does).chain(outer).collect()
    }

    /// Whether a setting is given a value for good, and not for this call alone.
    pub fn lasts(&self) -> bool {
        self.roles.iter().any(|(_, role)| *role == Role::Value)
    }

    /// The values of options and the operands, each with what it is for.
    pub fn given<'a>(&'a self, argv: &'a [Arg]) -> impl Iterator<Item = (Role, &'a str)> {
        let options =
            self.options.iter().filter(|chosen| chosen.option.is_some_and(|o| o.takes != Takes::Nothing));
        let options = options.filter_map(|chosen| Some((chosen.option?.role, chosen.value?.text(argv))));
        options.chain(self.roles.iter().map(|&(at, role)| (role, argv[at].text.as_str())))
    }

    /// The operands with their roles.
    pub fn roles(&self) -> &[(usize, Role)] {
        &self.roles
    }

    fn assigned(&self, spec: &[Operand], argv: &[Arg]) -> Vec<(usize, Role)> {
        match spec.iter().position(|operand| operand.behind) {
            None => roles(spec, &self.operands, argv),
            Some(at) => {
                let (before, behind) = self.operands.split_at(self.before.unwrap_or(self.operands.len()));
                let mut found = roles(&spec[..at], before, argv);
                found.extend(roles(&spec[at..], behind, argv));
                found
            }
        }
    }
}

fn roles(spec: &[Operand], operands: &[usize], argv: &[Arg]) -> Vec<(usize, Role)> {
    let count = operands.len();
    let many = spec.iter().position(|operand| operand.many);
    let after = many.map_or(0, |at| spec.len() - at - 1);
    let mut found = Vec::with_capacity(count);
    let mut assigning = spec.first().is_some_and(|operand| operand.many && operand.role == Role::Assign);
    for (index, &word) in operands.iter().enumerate() {
        if assigning {
            if is_assignment(&argv[word].text) {
                found.push((word, Role::Assign));
                continue;
            }
            assigning = false;
        }
        let role = match many {
            // `assign... run`: what follows the assignments.
            Some(0) if spec[0].role == Role::Assign => spec.get(1).map_or(Role::Text, |operand| operand.role),
            Some(many) if index >= many => {
                let from_end = count - index;
                let at = if from_end <= after { spec.len() - from_end } else { many };
                spec[at].role
            }
            _ => spec.get(index).or(spec.last()).map_or(Role::Text, |operand| operand.role),
        };
        found.push((word, role));
        if role.takes_rest() {
            break;
        }
    }
    found
}

impl Chosen {
    pub fn is(&self, name: &str) -> bool {
        // A word after one dash keeps it.
        let same = |known: &str| match known.len() - name.len().min(known.len()) {
            0 => known == name,
            1 => known.starts_with('-') && &known[1..] == name,
            _ => false,
        };
        self.option.is_some_and(|option| option.names.iter().any(|known| same(known)))
    }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| crate::wrapper::is_name(name) || name.starts_with("BASH_FUNC_"))
}

/// Reads the words of a call, with the variables that are set for it.
pub(crate) fn decode(argv: &[Arg], vars: &[(String, String)]) -> Decoded {
    let Some(first) = argv.first() else { return Decoded { understood: true, ..Decoded::default() } };
    let (program, sub) = entries(crate::path::name(&first.text));
    let mut decoder = Decoder {
        argv,
        vars,
        at: 1,
        chain: Vec::with_capacity(2),
        made: Decoded { understood: program.is_some(), ..Decoded::default() },
        ended: false,
        expression: false,
        signal: false,
        posix: vars.iter().any(|(name, _)| name == "POSIXLY_CORRECT"),
        named_operands: 0,
    };
    program.into_iter().chain(sub).for_each(|entry| decoder.enter(entry));
    decoder.made.program = decoder.chain.first().copied();
    decoder.bundle();
    while decoder.at < argv.len() {
        decoder.word();
    }
    decoder.settle();
    let mut made = decoder.made;
    made.path = decoder.chain.iter().map(|entry| entry.name()).collect();
    // What `--no-x` has taken back does not count.
    let rehearses = |chosen: &Chosen| {
        let none = chosen.value.is_some_and(|value| is_no(value.text(argv)));
        chosen.option.is_some_and(|option| option.rehearses) && !none
    };
    made.rehearses = made.options.iter().any(rehearses);
    made.held = Some(made.marks(argv));
    let rules = decoder.chain.iter().flat_map(|entry| entry.rules);
    let rules = rules.filter(|rule| rule.stake.is_some() && made.holds(rule, argv));
    made.stake = rules.filter_map(|rule| rule.stake).max();
    made.rehearses |= made.stake == Some(Stake::Nothing);
    // What is called after production is not there for development, wherever it is.
    if made.stake == Some(Stake::Local) && argv[1..].iter().any(|arg| kind::names_production(&arg.text)) {
        made.stake = None;
    }
    made.does = made.done(argv);
    made.spec = made.roles_given(argv);
    // Where only `does` describes it, one of those must hold.
    let described =
        made.entry.is_some_and(|entry| entry.style.harmless) || made.spec.is_some() || !made.does.is_empty();
    made.spec = made.spec.or_else(|| made.specified(argv));
    made.roles = made.assigned(made.spec.unwrap_or_default(), argv);
    made.understood &= described || made.rehearses;
    // Whatever it is told, it only prints or compares it.
    made.understood |= made.entry.is_some_and(|entry| entry.style.harmless);
    made
}

/// The entry of a program, or of a subcommand that is called as a program of its own.
fn entries(name: &str) -> (Option<&'static Program>, Option<&'static Program>) {
    super::by_name(name).map_or_else(|| dashed(name).unzip(), |entry| (Some(entry), None))
}

fn dashed(name: &str) -> Option<(&'static Program, &'static Program)> {
    let (program, sub) = name.split_once('-')?;
    let entry = super::find(program).filter(|entry| entry.style.dashed)?;
    Some((entry, entry.sub(sub)?))
}

/// The program of a call.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    super::find(name).or_else(|| dashed(name).map(|(entry, _)| entry))
}

struct Decoder<'a> {
    argv: &'a [Arg],
    vars: &'a [(String, String)],
    at: usize,
    /// The program and the subcommands so far.
    chain: Vec<&'static Program>,
    made: Decoded,
    /// Only operands follow.
    ended: bool,
    /// The expression of a search has begun.
    expression: bool,
    /// The signal was named.
    signal: bool,
    /// The environment wants the old way.
    posix: bool,
    /// Operands that were given by a name.
    named_operands: usize,
}

impl Decoder<'_> {
    /// The words that follow belong to this one.
    fn enter(&mut self, entry: &'static Program) {
        if !entry.same.is_empty() {
            self.chain.clear();
            entry.chain().into_iter().for_each(|entry| self.enter(entry));
            return;
        }
        self.chain.push(entry);
        self.made.entry = Some(entry);
        if self.vars.is_empty() {
            return;
        }
        for clause in entry.rules.iter().flat_map(|rule| rule.when).copied().flatten() {
            let About::Variable(name) = clause.about else { continue };
            // The last value is the one that counts.
            let last = self.vars.iter().rfind(|(known, _)| kind::is_one_of(known, &[name]));
            let fits = |text: &str| clause.values.is_empty() || kind::is_one_of(text, clause.values);
            if last.is_some_and(|(_, value)| fits(value)) {
                self.made.set.push(clause);
            }
        }
    }

    fn style(&self) -> super::Style {
        let style = self.made.entry.map(|entry| entry.style).unwrap_or_default();
        // Programs of GNU then take no options after their first operand.
        super::Style { posix: style.posix || self.posix, ..style }
    }

    fn word(&mut self) {
        let text = self.argv[self.at].text.as_str();
        let style = self.style();
        if self.ended {
            self.operand();
        } else if style.find && self.expression && !text.starts_with('-') {
            // Brackets and negations; their words are not read further.
            self.at += 1;
        } else if style.cmdlet {
            if is_parameter(text) { self.parameter(text) } else { self.operand() }
        } else if style.slash && self.slashed(text) {
        } else if text == "--" && !style.find || text == "-" && style.plus {
            self.ended = true;
            self.made.before = Some(self.made.operands.len());
            self.at += 1;
        } else if style.keys {
            self.key(text);
        } else if style.signal && self.signal(text) {
        } else if text.len() > 1 && text.starts_with('-') {
            if style.single {
                self.single(text);
            } else if let Some(name) = text.strip_prefix("--") {
                self.long(name, 2);
            } else if let Some(option) = self.after_one_dash(text) {
                let word = self.at;
                self.at += 1;
                let value = (option.takes == Takes::Value).then(|| self.next(Some(option))).flatten();
                self.choose(Some(option), word, value);
            } else if let Some((name, _)) = text.split_once('=')
                && let Some(option) = self.after_one_dash(name)
            {
                self.choose(Some(option), self.at, Some(Value::rest(self.at, name.len() + 1)));
                self.at += 1;
            } else {
                self.cluster(text, 1);
            }
        } else if style.plus && text.len() > 1 && text.starts_with('+') {
            self.take_back(text);
        } else if let Some(option) =
            (text == "-").then(|| self.find(&mut |option| option.names == ["-"])).flatten()
        {
            self.choose(Some(option), self.at, None);
            self.at += 1;
        } else if style.find && matches!(text, "(" | "!") {
            self.expression = true;
            self.at += 1;
        } else {
            self.operand();
        }
    }

    /// `-Recurse`, `-rec`, `-Path x`, `-Confirm:$false`
    fn parameter(&mut self, text: &str) {
        let word = self.at;
        self.at += 1;
        let (name, given) = match text.split_once(':') {
            Some((name, _)) => (&name[1..], Some(Value::rest(word, name.len() + 1))),
            None => (&text[1..], None),
        };
        let option = self.in_any_case(&name.to_ascii_lowercase());
        let value = match (option.map(|option| option.takes), given) {
            (Some(Takes::Nothing), Some(value)) if is_no(value.text(self.argv).trim_start_matches('$')) => {
                return;
            }
            (_, Some(value)) => Some(value),
            (Some(Takes::Value), None) => self.next(option),
            _ => None,
        };
        if let Some(value) =
            value.filter(|value| value.from == 0 && option.is_some_and(|option| option.role == Role::Operand))
        {
            self.made.operands.insert(self.named_operands, value.word);
            self.named_operands += 1;
        }
        self.choose(option, word, value);
    }

    fn in_any_case(&self, name: &str) -> Option<&'static Opt> {
        let options = self.chain.last()?.options;
        let exact = options.iter().find(|option| option.names.contains(&name));
        exact.or_else(|| {
            // What all cmdlets take comes after what is its own.
            let fits = |option: &&Opt| option.names.iter().any(|known| known.starts_with(name));
            let own =
                options.iter().position(|option| option.names == ["verbose", "vb"]).unwrap_or(options.len());
            let (own, common) = options.split_at(own);
            let among = if own.iter().any(|option| fits(&option)) { own } else { common };
            let mut found = among.iter().filter(fits);
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// `/s`, `/s/q`, `/a:h`; a word with a slash that is not an option is an operand.
    fn slashed(&mut self, text: &str) -> bool {
        let Some(bare) =
            text.strip_prefix(['/', '-']).map(|rest| rest.trim_start_matches('/').to_ascii_lowercase())
        else {
            return false;
        };
        let find = |decoder: &Self, name: &str| decoder.find(&mut |option| option.names.contains(&name));
        let word = self.at;
        let (name, given) = bare.split_once([':', '=']).map_or((bare.as_str(), None), |(name, _)| {
            (name, Some(Value::rest(word, text.len() - bare.len() + name.len() + 1)))
        });
        if let Some(option) = find(self, name) {
            self.at += 1;
            let value = match (option.takes, given) {
                (_, Some(value)) => Some(value),
                (Takes::Value, None) => self.next(Some(option)),
                _ => None,
            };
            self.choose(Some(option), word, value);
            return true;
        }
        let all: Option<Vec<_>> =
            bare.split('/').map(|name| find(self, name.split(':').next().unwrap_or(name))).collect();
        let Some(all) = all.filter(|all| all.len() > 1) else { return false };
        self.at += 1;
        all.into_iter().for_each(|option| self.choose(Some(option), word, None));
        true
    }

    /// `kill -KILL 12`, `kill -9 -1`: a signal is not a cluster of options, and after it a number with a dash is not an option.
    fn signal(&mut self, text: &str) -> bool {
        let Some(word) = text.strip_prefix('-').filter(|word| !word.is_empty()) else { return false };
        let number = word.bytes().all(|b| b.is_ascii_digit());
        if self.find(&mut |option| option.names.contains(&word)).is_some() {
            return false;
        }
        if number && (self.signal || self.made.options.iter().any(|chosen| chosen.value.is_some())) {
            self.operand();
        } else if number || kind::is_signal(word) {
            self.signal = true;
            self.at += 1;
        } else {
            return false;
        }
        true
    }

    /// `tar xfz FILE`: the first word is a cluster, and its values are the words after it.
    fn bundle(&mut self) {
        let Some(first) = self.argv.get(1).filter(|_| self.style().bundle) else { return };
        if first.text.starts_with('-') || first.text.is_empty() {
            return;
        }
        let mut next = 2;
        for letter in first.text.chars() {
            let option = self.letter(letter);
            let takes = option.is_some_and(|option| option.takes == Takes::Value);
            let value = (takes && next < self.argv.len()).then(|| Value::whole(next));
            next += usize::from(value.is_some());
            self.choose(option, 1, value);
        }
        self.at = next;
    }

    /// The option of the innermost entry that fits; of those around it where they are known everywhere.
    fn find(&self, fits: &mut dyn FnMut(&Opt) -> bool) -> Option<&'static Opt> {
        let innermost = self.chain.last()?;
        innermost.options.iter().find(|option| fits(option)).or_else(|| {
            let outer = self.chain.iter().rev().skip(1).filter(|entry| entry.style.global);
            // After a subcommand, `--version` is not the program's.
            let lasts = |option: &&Opt| !(option.rehearses && option.names == ["version"]);
            outer.flat_map(|entry| entry.options).filter(lasts).find(|option| fits(option))
        })
    }

    /// An option that is a word after one dash, dash and all.
    fn after_one_dash(&self, text: &str) -> Option<&'static Opt> {
        let any = self.chain.iter().any(|entry| entry.dashed);
        any.then(|| self.find(&mut |option| option.names.contains(&text))).flatten()
    }

    /// An option of one letter, as `find` finds it.
    fn letter(&self, letter: char) -> Option<&'static Opt> {
        self.chain.last()?.letter(letter).or_else(|| {
            let outer = self.chain.iter().rev().skip(1).filter(|entry| entry.style.global);
            outer.into_iter().find_map(|entry| entry.letter(letter))
        })
    }

    /// `kubectl -l app=x delete pods`: an option of a subcommand that is still to come, with its value.
    fn takes_early(&self) -> bool {
        self.style().cobra
            && self.made.entry.is_some_and(|entry| !entry.subs.is_empty() && entry.operands.is_none())
    }

    /// Looks for those options again, now that the subcommand is known.
    fn settle(&mut self) {
        for index in 0..self.made.options.len() {
            let chosen = &self.made.options[index];
            if chosen.option.is_some() || !self.style().cobra {
                continue;
            }
            let (text, value) = (self.argv[chosen.word].text.as_str(), chosen.value);
            let name = text.trim_start_matches('-').split('=').next().unwrap_or_default();
            let Some(option) = self.find(&mut |option| option.names.contains(&name)) else { continue };
            let none = value.is_some_and(|value| is_no(value.text(self.argv)));
            let taken_back = option.takes == Takes::Nothing && none && !option.rehearses;
            let chosen = &mut self.made.options[index];
            (chosen.option, chosen.outer) = ((!taken_back).then_some(option), false);
            self.made.marks |= option.marks;
        }
    }

    fn choose(&mut self, option: Option<&'static Opt>, word: usize, value: Option<Value>) {
        self.made.understood &= option.is_some();
        self.made.marks |= option.map_or(0, |option| option.marks);
        // Whatever follows a command is its own.
        self.ended |=
            value.is_some() && option.is_some_and(|o| o.ends || matches!(o.role, Role::Run | Role::Start));
        self.made.options.push(Chosen { option, word, value, outer: false });
    }

    fn cluster(&mut self, text: &str, from: usize) {
        let word = self.at;
        self.at += 1;
        let letters = &text[from..];
        if letters.bytes().all(|b| b.is_ascii_digit())
            && letters.chars().next().is_some_and(|digit| self.letter(digit).is_none())
        {
            // `head -5`, `kill -9`: a number by itself.
            return;
        }
        let mut strange = false;
        for (index, letter) in letters.char_indices() {
            let option = self.letter(letter);
            let mut rest = from + index + letter.len_utf8();
            // What follows a letter that nobody knows may be its value: `-p='{"h": 1}'` asks for no help.
            strange |= option.is_none();
            if strange && option.is_some_and(|option| option.rehearses) {
                continue;
            }
            if option.is_none() && text[rest..].starts_with('=') {
                self.choose(None, word, None);
                return;
            }
            if self.style().cobra && text[rest..].starts_with('=') && option.is_some() {
                rest += 1;
                if option.is_some_and(|option| option.takes == Takes::Nothing) {
                    if !is_no(&text[rest..]) {
                        self.choose(option, word, Some(Value::rest(word, rest)));
                    }
                    return;
                }
            }
            let value = match option.map_or(Takes::Nothing, |option| option.takes) {
                Takes::Nothing => None,
                Takes::Value if rest < text.len() => Some(Value::rest(word, rest)),
                Takes::Value => self.next(option),
                Takes::Attached => (rest < text.len()).then(|| Value::rest(word, rest)),
            };
            let ends = option.is_some_and(|option| option.takes != Takes::Nothing);
            let value = if option.is_none() && text.len() == 2 && self.takes_early() {
                self.next(None)
            } else {
                value
            };
            self.choose(option, word, value);
            if ends {
                return;
            }
        }
    }

    /// `+n` after `-n`.
    fn take_back(&mut self, text: &str) {
        self.at += 1;
        for letter in text[1..].chars() {
            let option = self.letter(letter);
            if option.is_some_and(|option| option.takes == Takes::Value) {
                self.at += 1;
            }
            let given =
                |chosen: &Chosen| chosen.option.map(std::ptr::from_ref) == option.map(std::ptr::from_ref);
            self.made.options.retain(|chosen| !given(chosen));
        }
        self.made.rehearses =
            self.made.options.iter().any(|chosen| chosen.option.is_some_and(|option| option.rehearses));
    }

    /// The next word as a value; for a command up to `;`, all of its words.
    fn next(&mut self, option: Option<&'static Opt>) -> Option<Value> {
        if self.at >= self.argv.len() {
            return None;
        }
        let mut value = Value::whole(self.at);
        if option.is_some_and(|option| option.role == Role::Exec) {
            let ends = |arg: &Arg| matches!(arg.text.as_str(), ";" | "+" | "\\;");
            let count = self.argv[self.at..].iter().position(ends);
            value.end = self.at + count.unwrap_or(self.argv.len() - self.at);
            self.at = (value.end + 1).min(self.argv.len());
        } else {
            self.at += 1;
        }
        Some(value)
    }

    fn long(&mut self, text: &str, dashes: usize) {
        let word = self.at;
        self.at += 1;
        let (name, given) = match text.split_once('=') {
            Some((name, _)) => (name, Some(Value::rest(word, dashes + name.len() + 1))),
            None => (text, None),
        };
        let option = self.named(name);
        // `--no-x` takes `--x` back.
        if option.is_none()
            && let Some(positive) = name.strip_prefix("no-").and_then(|name| self.named(name))
        {
            self.made
                .options
                .retain(|chosen| !chosen.option.is_some_and(|option| std::ptr::eq(option, positive)));
            return;
        }
        let value = match (option.map(|option| option.takes), given) {
            (Some(Takes::Nothing), Some(value)) => {
                let said = value.text(self.argv);
                if is_no(said) && option.is_some_and(|option| !option.rehearses) {
                    return;
                }
                Some(value)
            }
            (_, Some(value)) => Some(value),
            (Some(Takes::Value), None) => self.next(option),
            (None, None) if self.takes_early() => self.next(None),
            (None, None) if self.style().valued => {
                let is_value = |arg: &&Arg| !arg.text.starts_with('-');
                self.argv.get(self.at).as_ref().is_some_and(is_value).then(|| self.next(None)).flatten()
            }
            _ => None,
        };
        self.choose(option, word, value);
    }

    /// The option of this name, or of which this is the beginning and no other's.
    fn named(&self, name: &str) -> Option<&'static Opt> {
        let exact =
            self.find(&mut |option| option.names.iter().any(|known| *known == name && is_long(known)));
        if exact.is_some() || self.style().exact || self.style().cobra || name.len() < 2 {
            return exact;
        }
        let begins =
            |option: &Opt| option.names.iter().any(|known| is_long(known) && known.starts_with(name));
        let mut count = 0;
        let found = self.find(&mut |option| {
            let fits = begins(option);
            count += usize::from(fits);
            fits
        });
        let all =
            self.chain.last().map_or(0, |entry| entry.options.iter().filter(|option| begins(option)).count());
        found.filter(|_| all <= 1)
    }

    fn single(&mut self, text: &str) {
        let word = self.at;
        let bare = text.trim_start_matches('-');
        let dashes = text.len() - bare.len();
        self.expression |= self.style().find && !matches!(bare, "H" | "L" | "P");
        let (name, given) = match bare.split_once('=') {
            Some((name, _)) => (name, Some(Value::rest(word, dashes + name.len() + 1))),
            None => (bare, None),
        };
        let option = self.find(&mut |option| option.names.contains(&name));
        self.at += 1;
        let value = match (option.map(|option| option.takes), given) {
            (Some(Takes::Nothing), Some(value)) if is_no(value.text(self.argv)) => return,
            (_, Some(value)) => Some(value),
            (Some(Takes::Value), None) => self.next(option),
            _ => None,
        };
        self.choose(option, word, value);
    }

    fn key(&mut self, text: &str) {
        let word = self.at;
        let Some((name, _)) = text.split_once('=') else { return self.operand() };
        let option = self.find(&mut |option| option.names.contains(&name));
        self.at += 1;
        self.choose(option, word, Some(Value::rest(word, name.len() + 1)));
    }

    fn operand(&mut self) {
        let word = self.at;
        self.at += 1;
        let text = self.argv[word].text.as_str();
        // A group by the name of a verb that only asks: `search service delete`.
        if let Some(sub) = self.behind_a_group(text) {
            self.enter(sub);
            self.made.options.iter_mut().for_each(|chosen| chosen.outer = true);
            return;
        }
        if let Some(entry) =
            self.made.entry.filter(|entry| !entry.subs.is_empty() && self.made.operands.is_empty())
        {
            let outer = self.chain.iter().rev().skip(1).filter(|_| entry.style.deep);
            match entry.sub(text).or_else(|| outer.copied().find_map(|outer| outer.sub(text))) {
                Some(sub) => {
                    self.enter(sub);
                    self.made.options.iter_mut().for_each(|chosen| chosen.outer = true);
                    self.ended = false;
                    return;
                }
                // A group of commands.
                None if entry.style.deep => return,
                // `cargo +nightly build`: another toolchain.
                None if text.starts_with('+') => {
                    self.made.understood = false;
                    return;
                }
                // A verb that nobody has described.
                None if entry.operands.is_none() => self.made.understood = false,
                None => {}
            }
        }
        self.made.operands.push(word);
        self.ended |= self.style().posix || self.is_command(word);
    }

    /// The verb that follows what was taken for one, where that only asks and this does more.
    fn behind_a_group(&self, text: &str) -> Option<&'static Program> {
        let asks = |entry: &Program| {
            entry.rules.iter().any(|rule| rule.does.is_some_and(|(verb, _)| verb == Verb::Queries))
        };
        let taken = self.made.entry.filter(|entry| entry.subs.is_empty() && asks(entry))?;
        if !self.chain.first()?.style.deep || taken.operands.is_some() || !self.made.operands.is_empty() {
            return None;
        }
        let found = self.chain.iter().rev().skip(1).copied().find_map(|outer| outer.sub(text))?;
        (!asks(found)).then_some(found)
    }

    /// Whether a command begins with this operand, the last so far.
    fn is_command(&self, word: usize) -> bool {
        let runs = Role::takes_rest;
        if !self.made.entry.is_some_and(|entry| entry.starts) {
            return false;
        }
        let spec = self.made.specified(self.argv).unwrap_or_default();
        spec.iter().any(|operand| runs(operand.role))
            && self.made.assigned(spec, self.argv).last().is_some_and(|(at, role)| *at == word && runs(*role))
    }
}

fn is_parameter(text: &str) -> bool {
    let name = text.strip_prefix('-').map(|name| name.split(':').next().unwrap_or(name));
    name.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '?'))
            && !name.contains(char::is_whitespace)
    })
}

fn is_long(name: &str) -> bool {
    name.len() > 1 && !name.starts_with('-')
}

fn is_no(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "false" | "no" | "0" | "none" | "off")
}
