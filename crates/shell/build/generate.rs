//! The code of the static tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Entry, Made, Opt, STYLES, brings, output, places, registry};

pub(super) fn generate(entries: &[Entry]) -> Made<String> {
    let mut by_name = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        for name in &entry.names {
            if by_name.insert(name.clone(), index).is_some() {
                return Err(format!("{name} is described twice"));
            }
        }
    }
    for same in aliases(entries).filter(|same| !same.is_empty()) {
        let mut found = entries.iter().find(|entry| entry.names[0] == same[0]);
        for name in &same[1..] {
            found = found.and_then(|entry| entry.subs.iter().find(|sub| sub.names[0] == *name));
        }
        if !found.is_some_and(|entry| entry.same.is_empty()) {
            return Err(format!("{} is not described", same.join(" ")));
        }
    }
    let mut code = String::from("static PROGRAMS: &[Program] = &[\n");
    for entry in entries {
        program(entry, None, &mut code)?;
        code.push('\n');
    }
    if by_name.len() * 2 > places::PLACES {
        return Err(format!("{} names are too many for {} places", by_name.len(), places::PLACES));
    }
    // Zero is a free place; a name whose place is taken has the next that is free.
    let mut taken = vec![0_u16; places::PLACES];
    for (number, name) in by_name.keys().enumerate() {
        let mut at = places::place(name);
        while taken[at] != 0 {
            at = (at + 1) % places::PLACES;
        }
        taken[at] = u16::try_from(number + 1).expect("there are fewer");
    }
    let _ = writeln!(code, "];\n\nstatic TAKEN: [u16; places::PLACES] = {taken:?};");
    code.push_str("\nstatic BY_NAME: &[(&str, usize)] = &[\n");
    for (name, index) in by_name {
        let _ = writeln!(code, "    ({name:?}, {index}),");
    }
    let mut variables: Vec<_> = entries.iter().flat_map(|entry| variables_of(entry, "")).collect();
    variables.sort();
    if let Some(pair) = variables.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("${} is described twice", pair[0].0));
    }
    let _ = writeln!(code, "];\n\n{}", spoken(entries)?);
    let rows: String =
        variables.iter().map(|(name, role, program)| format!("({name:?}, {role}, {program:?}), ")).collect();
    let _ = writeln!(code, "static VARIABLES: &[(&str, Role, &str)] = &[{rows}];");
    Ok(code)
}

/// What PowerShell and `cmd` call programs, and the names with a star.
fn spoken(entries: &[Entry]) -> Made<String> {
    let mut code = String::new();
    for (list, mark) in [("CMDLETS", '~'), ("OF_CMD", '^')] {
        let mut names = BTreeMap::new();
        for entry in entries {
            let own = entry
                .names
                .iter()
                .filter(|_| mark == '~' && entry.styles.iter().any(|style| style == "cmdlet"));
            let own = own.map(|name| (name.as_str(), name.as_str()));
            let called = entry
                .aliases
                .iter()
                .filter_map(|(name, other)| Some((name.strip_prefix(mark)?, other.as_str())));
            for (name, other) in own.chain(called) {
                if names.insert(name, other).is_some() {
                    return Err(format!("{name} is described twice"));
                }
            }
        }
        let pairs: String = names.iter().map(|pair| format!("{pair:?}, ")).collect();
        let _ = writeln!(code, "static {list}: &[(&str, &str)] = &[{pairs}];");
    }
    let patterns =
        entries.iter().enumerate().flat_map(|(at, entry)| entry.names.iter().map(move |name| (name, at)));
    let patterns: String =
        patterns.filter(|(name, _)| name.contains('*')).map(|pair| format!("{pair:?}, ")).collect();
    let _ = writeln!(code, "static PATTERNS: &[(&str, usize)] = &[{patterns}];");
    Ok(code)
}

/// What every cmdlet takes: names, whether a value follows, whether nothing is done with it.
const COMMON: &[(&[&str], &str, bool)] = &[
    (&["verbose", "vb"], "Nothing", false),
    (&["debug", "db"], "Nothing", false),
    (&["erroraction", "ea"], "Value", false),
    (&["warningaction", "wa"], "Value", false),
    (&["informationaction", "infa"], "Value", false),
    (&["progressaction", "proga"], "Value", false),
    (&["errorvariable", "ev"], "Value", false),
    (&["warningvariable", "wv"], "Value", false),
    (&["informationvariable", "iv"], "Value", false),
    (&["outvariable", "ov"], "Value", false),
    (&["outbuffer", "ob"], "Value", false),
    (&["pipelinevariable", "pv"], "Value", false),
    (&["whatif", "wi"], "Nothing", true),
    (&["confirm", "cf"], "Nothing", false),
    (&["?"], "Nothing", true),
];

fn pairs(list: &[(String, String)]) -> String {
    list.iter().map(|(name, role)| format!("({name:?}, {role}), ")).collect()
}

/// The variables of an entry and of what is below it, with the words that it is called by.
fn variables_of(entry: &Entry, before: &str) -> Vec<(String, String, String)> {
    let called = format!("{before}{}", entry.names.first().map_or("", String::as_str));
    let own = entry.variables.iter().map(|(name, role)| (name.clone(), role.clone(), called.clone()));
    let below = entry.subs.iter().flat_map(|sub| variables_of(sub, &format!("{called} ")));
    own.chain(below).collect()
}

fn aliases(entries: &[Entry]) -> Box<dyn Iterator<Item = &[String]> + '_> {
    Box::new(entries.iter().flat_map(|entry| std::iter::once(&entry.same[..]).chain(aliases(&entry.subs))))
}

/// Habits that a subcommand has from its program.
const INHERITED: &[&str] = &[
    "single", "exact", "valued", "global", "deep", "anycase", "cobra", "lang", "place", "usage", "versions",
    "service", "from",
];

/// `outer`: the styles of the program that it is a subcommand of, and all options that are known there.
fn program(entry: &Entry, outer: Option<(&[String], &[&str])>, code: &mut String) -> Made<()> {
    let is_sub = outer.is_some();
    let (outer, known) = outer.unwrap_or_default();
    // `lang` of `lang:sh`.
    let key = |style: &str| style.split(':').next().unwrap_or(style).to_owned();
    let is_own = |style: &str| entry.styles.iter().any(|own| key(own) == key(style));
    let inherited = outer.iter().filter(|style| INHERITED.contains(&key(style).as_str()) && !is_own(style));
    let styles: Vec<String> = entry.styles.iter().chain(inherited).cloned().collect();
    let fail = |what: &str| Err(format!("{}: {what}", entry.names.join(" ")));
    let mut seen = Vec::new();
    for name in entry.options.iter().flat_map(|option| &option.names) {
        if seen.contains(&name) {
            return fail(&format!("-{name} twice"));
        }
        seen.push(name);
    }
    let known: Vec<&str> = known
        .iter()
        .copied()
        .chain(entry.options.iter().flat_map(|o| &o.names).map(String::as_str))
        .collect();
    if let Some(name) = entry.mentioned.iter().find(|name| !known.contains(&name.as_str())) {
        return fail(&format!("a rule about -{name}, which is not an option"));
    }
    let _ = write!(code, "Program {{ names: &{:?}, style: Style {{ ", entry.names);
    style_of(entry, &styles, code)?;
    let named = options_of(entry, &styles, is_sub, code);
    let operands = entry.operands.as_ref().map_or("None".to_owned(), |roles| format!("Some({roles})"));
    if entry.rules.len() > 128 {
        return fail("more rules than fit into the marks of those that hold");
    }
    let _ =
        write!(code, "], {}, operands: {operands}, rules: &[{}], ", spelt(&named), entry.rules.join(", "));
    let _ =
        write!(code, "instead: {:?}, usual: &{:?}, same: &{:?}, ", entry.instead, entry.usual, entry.same);
    let _ = write!(code, "loads: &{:?}, ", entry.loads);
    let (starts, acts, settings) = (starts(entry), acts(entry), pairs(&entry.settings));
    let _ = write!(code, "starts: {starts}, acts: {acts}, settings: &[{settings}], subs: &[");
    for sub in &entry.subs {
        program(sub, Some((&styles, &known)), code)?;
    }
    code.push_str("] }, ");
    Ok(())
}

/// What holds of the program as a whole, up to its options.
fn style_of(entry: &Entry, styles: &[String], code: &mut String) -> Made<()> {
    let fail = |what: &str| Err(format!("{}: {what}", entry.names.join(" ")));
    let attribute = |key: &str| styles.iter().find_map(|style| style.strip_prefix(key)?.strip_prefix(':'));
    for style in styles {
        let keyed = ["lang:", "place:", "out:", "brings:", "from:"].iter().any(|key| style.starts_with(key));
        if keyed || matches!(style.as_str(), "nohelp" | "usage") {
            continue;
        }
        if !STYLES.contains(&style.as_str()) {
            return fail(&format!("`{style}` is not a style"));
        }
        let _ = write!(code, "{style}: true, ");
    }
    for style in STYLES.iter().filter(|style| !styles.iter().any(|own| own == *style)) {
        let _ = write!(code, "{style}: false, ");
    }
    let place = match attribute("place") {
        None => "Here",
        Some("container") => "Container",
        Some("kept") => "Kept",
        Some("host") => "Host",
        Some("user") => "User",
        Some(other) => return fail(&format!("`{other}` is not a place")),
    };
    let language = attribute("lang").unwrap_or_default();
    let named = |key: &str, all: &[(&str, &str)], kind: &str| match attribute(key) {
        None => Ok("None".to_owned()),
        Some(word) => match all.iter().find(|(known, _)| *known == word) {
            Some((_, name)) => Ok(format!("Some({kind}::{name})")),
            None => Err(format!("{}: `{key}:{word}` is not known", entry.names.join(" "))),
        },
    };
    let output = named("out", output::Output::ALL, "Output")?;
    let brings = named("brings", brings::Brings::ALL, "Brings")?;
    let registry = named("from", registry::Registry::ALL, "Registry")?;
    let _ = write!(
        code,
        "}}, language: {language:?}, place: Where::{place}, output: {output}, brings: {brings}, registry: {registry}, options: &["
    );
    Ok(())
}

/// Its options, and their names.
fn options_of<'e>(entry: &'e Entry, styles: &[String], is_sub: bool, code: &mut String) -> Vec<Vec<&'e str>> {
    let seen: Vec<&str> = entry.options.iter().flat_map(|option| &option.names).map(String::as_str).collect();
    let mut named: Vec<Vec<&'e str>> = Vec::new();
    for option in &entry.options {
        let Opt { names, takes, role, rehearses, ends } = option;
        named.push(names.iter().map(String::as_str).collect());
        let _ = write!(
            code,
            "Opt {{ names: &{names:?}, takes: Takes::{takes}, role: {role}, rehearses: {rehearses}, ends: {ends}, marks: {} }}, ",
            marks(names)
        );
    }
    let is_cmdlet = styles.iter().any(|style| style == "cmdlet");
    for (names, takes, rehearses) in COMMON.iter().filter(|_| is_cmdlet) {
        let names: Vec<&str> = names.iter().copied().filter(|name| !seen.contains(name)).collect();
        named.push(names.clone());
        let _ = write!(
            code,
            "Opt {{ names: &{names:?}, takes: Takes::{takes}, role: Role::Text, rehearses: {rehearses}, ends: false, marks: {} }}, ",
            marks(&names)
        );
    }
    // Nearly every program obeys these; one that does not says `nohelp`, or what they mean to it. A subcommand has no version.
    if !is_cmdlet && !styles.iter().any(|style| style == "nohelp") {
        let usage = styles.iter().any(|style| style == "usage").then_some("h");
        let version = (!is_sub).then_some("version");
        let names = std::iter::once("help").chain(version).chain(usage);
        for name in names.filter(|name| !seen.contains(name)) {
            named.push(vec![name]);
            let _ = write!(
                code,
                "Opt {{ names: &[{name:?}], takes: Takes::Nothing, role: Role::Text, rehearses: true, ends: false, marks: {} }}, ",
                marks(&[name])
            );
        }
    }
    named
}

/// Roles of words that can start something.
const STARTING: &[&str] = &[
    "Shell", "Code", "Sql", "Script", "Words", "Keys", "Setting", "From", "To", "Run", "Start", "Line",
    "Each", "Template", "Tool", "Fetched", "Suite", "Module", "Config", "Relay",
];

/// Whether any word of a program or of its subcommands can start something.
/// The marks of an option's names. One that keeps its dash is asked for without it, too.
pub(crate) fn marks(names: &[impl AsRef<str>]) -> String {
    let marks = names
        .iter()
        .map(AsRef::as_ref)
        .fold(0, |marks, name| marks | places::mark(name) | name.strip_prefix('-').map_or(0, places::mark));
    let digits = format!("{marks:016x}").into_bytes();
    let groups: Vec<String> =
        digits.chunks(4).map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    format!("0x{}", groups.join("_"))
}

/// Where the options of one letter stand, and whether any is a word after one dash: most words need no other look at the names.
fn spelt(named: &[Vec<&str>]) -> String {
    let one = |name: &str| {
        let mut chars = name.chars();
        chars.next().filter(|_| chars.next().is_none())
    };
    let places = named.iter().enumerate();
    let letters: Vec<(char, u16)> = places
        .flat_map(|(at, names)| {
            names.iter().filter_map(move |name| Some((one(name)?, u16::try_from(at).ok()?)))
        })
        .collect();
    let dashed = named.iter().flatten().any(|name| name.starts_with('-'));
    format!("letters: &{letters:?}, dashed: {dashed}")
}

/// Whether it runs what a file says that its operands name, or that an option describes.
fn acts(entry: &Entry) -> bool {
    let named = |role: &str| {
        ["Script", "Task", "Service", "Compose", "Context"].iter().any(|acts| role == format!("Role::{acts}"))
    };
    let operands = entry.operands.as_deref().unwrap_or_default();
    let roles = operands.split(|c: char| !(c.is_alphanumeric() || c == ':'));
    roles.into_iter().any(named) || entry.options.iter().any(|option| option.role == "Role::Compose")
}

fn starts(entry: &Entry) -> bool {
    let habit = |style: &String| {
        let keeps = ["make", "just", "npm", "ini-tasks", "yaml-tasks", "yaml-hooks"];
        style == "stdin" || style.strip_prefix("lang:").is_some_and(|language| keeps.contains(&language))
    };
    let named = |code: &str| STARTING.iter().any(|role| code.contains(&format!("Role::{role},")));
    entry.styles.iter().any(habit)
        || !entry.loads.is_empty()
        || entry.options.iter().any(|option| named(&format!("{},", option.role)))
        || entry.operands.as_deref().is_some_and(named)
        || entry.rules.iter().any(|rule| named(rule))
        || entry.subs.iter().any(starts)
}
