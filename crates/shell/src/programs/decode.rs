//! The words of a call, read as its program reads them: options in every spelling, their values, subcommands, operands.
//! As `getopt_long` works: short options cluster and take a value attached or apart, long ones with `=`, apart, or by any unambiguous
//! beginning. What the table does not know makes the call "not understood"; it is never taken for something else.

mod styles;

use model::deed::Verb;

use super::decoded::{Chosen, Decoded, Value};
use super::{About, Opt, Program, Role, Stake, Takes, kind};
use crate::reading::Arg;

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
    made.given = made.roles_of_all();
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
            if styles::is_parameter(text) { self.parameter(text) } else { self.operand() }
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
        let mut after = 0;
        for (index, letter) in letters.char_indices() {
            if index < after {
                continue;
            }
            let option = self.letter(letter);
            let mut rest = from + index + letter.len_utf8();
            if option.is_some_and(|option| option.takes == Takes::Digits) {
                after = index + letter.len_utf8() + styles::digits(&text[rest..]);
                let value = (from + after > rest).then(|| Value::rest(word, rest));
                self.choose(option, word, value);
                continue;
            }
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
                Takes::Nothing | Takes::Digits => None,
                Takes::Value if rest < text.len() => Some(Value::rest(word, rest)),
                Takes::Value | Takes::Second => self.next(option),
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
            (Some(Takes::Second), None) => {
                self.at += usize::from(self.at < self.argv.len());
                self.next(option)
            }
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
        if exact.is_some() || self.style().exact || self.style().cobra || name.is_empty() {
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
        if !self.made.entry.is_some_and(|entry| entry.starts) {
            return false;
        }
        let spec = self.made.specified(self.argv).unwrap_or_default();
        spec.iter().any(|operand| operand.role.takes_rest())
            && self
                .made
                .assigned(spec, self.argv)
                .last()
                .is_some_and(|(at, role)| *at == word && role.takes_rest())
    }
}

fn is_long(name: &str) -> bool {
    name.len() > 1 && !name.starts_with('-')
}

fn is_no(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "false" | "no" | "0" | "none" | "off")
}
