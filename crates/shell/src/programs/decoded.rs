//! What the words of a call are, after `decode` has read them: options, values, operands, and which rules of the table hold.

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
    pub(super) marks: u64,
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
    pub(super) set: Vec<&'static Clause>,
    /// Which of the entry's rules hold, by their places: every check asks. Set when all words have been read.
    pub(super) held: Option<u128>,
    /// What the operands are for, and which is for what: every check asks.
    pub(super) spec: Option<&'static [Operand]>,
    pub(super) roles: Vec<(usize, Role)>,
    pub(super) does: Vec<(Verb, &'static str)>,
    /// A bit for each role that an option or an operand has: most that are asked for nobody has.
    pub(super) given: u128,
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
    pub(super) fn whole(word: usize) -> Self {
        Self { word, from: 0, end: word + 1 }
    }

    pub(super) fn rest(word: usize, from: usize) -> Self {
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

    pub(super) fn marks(&self, argv: &[Arg]) -> u128 {
        let rules = self.entry.map_or(&[][..], |entry| entry.rules).iter().enumerate();
        rules.fold(0, |held, (at, rule)| held | u128::from(self.holds_by(Whose::Entry, rule, argv)) << at)
    }

    fn holds_by(&self, whose: Whose, rule: &'static Rule, argv: &[Arg]) -> bool {
        let says = |clause| self.says(whose, clause, argv);
        // Most rules begin with an option, and most calls have few.
        let hopeless = |clauses: &[Clause]| {
            clauses
                .first()
                .is_some_and(|first| !first.not && first.marks != 0 && self.marks & first.marks == 0)
        };
        rule.when.is_empty() || rule.when.iter().any(|clauses| !hopeless(clauses) && clauses.iter().all(says))
    }

    fn says(&self, whose: Whose, clause: &'static Clause, argv: &[Arg]) -> bool {
        let fits = |text: &str| clause.values.is_empty() || kind::is_one_of(text, clause.values);
        let there = match clause.about {
            About::Option(_) if self.marks & clause.marks == 0 => false,
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

    pub(super) fn specified(&self, argv: &[Arg]) -> Option<&'static [Operand]> {
        let described = || self.entry?.rules.iter().any(|rule| rule.does.is_some()).then_some(&[][..]);
        self.roles_given(argv).or_else(described)
    }

    pub(super) fn roles_given(&self, argv: &[Arg]) -> Option<&'static [Operand]> {
        let said = self.said(argv, |rule| rule.operands).next_back();
        said.or(self.entry?.operands)
    }

    /// What the call does whatever its operands are, by every rule that holds. What certain options of a program mean, they mean with
    /// its subcommands too.
    pub fn does(&self) -> impl Iterator<Item = (Verb, &'static str)> {
        self.does.iter().copied()
    }

    pub(super) fn done(&self, argv: &[Arg]) -> Vec<(Verb, &'static str)> {
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

    /// Whether any option or operand is for this.
    pub fn has_role(&self, role: Role) -> bool {
        self.given >> role as u32 & 1 == 1
    }

    pub(super) fn roles_of_all(&self) -> u128 {
        let options = self.options.iter().filter_map(|chosen| Some(chosen.option?.role));
        let all = options.chain(self.roles.iter().map(|(_, role)| *role));
        all.fold(0, |given, role| given | 1 << role as u32)
    }

    /// The operands with their roles.
    pub fn roles(&self) -> &[(usize, Role)] {
        &self.roles
    }

    pub(super) fn assigned(&self, spec: &[Operand], argv: &[Arg]) -> Vec<(usize, Role)> {
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
