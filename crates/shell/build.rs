//! `programs/*.txt` to one static table, checked on the way: a wrong line does not compile, and nothing is parsed when the program
//! runs. The format is described in `programs/README.md`.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads the tables and writes what it makes of them"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

#[path = "src/programs/role.rs"]
#[expect(unreachable_pub, reason = "it is the library's file")]
mod role;

#[path = "src/programs/output.rs"]
#[expect(unreachable_pub, dead_code, reason = "it is the library's file")]
mod output;

#[path = "src/programs/brings.rs"]
#[expect(unreachable_pub, dead_code, reason = "it is the library's file")]
mod brings;

#[path = "src/programs/registry.rs"]
#[expect(unreachable_pub, dead_code, reason = "it is the library's file")]
mod registry;

#[path = "src/programs/places.rs"]
mod places;

#[path = "build/generate.rs"]
mod generate;

type Made<T> = Result<T, String>;

fn main() {
    let folder = Path::new("programs");
    println!("cargo::rerun-if-changed=programs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/programs/role.rs");
    println!("cargo::rerun-if-changed=src/programs/output.rs");
    println!("cargo::rerun-if-changed=src/programs/brings.rs");
    println!("cargo::rerun-if-changed=src/programs/registry.rs");
    println!("cargo::rerun-if-changed=src/programs/places.rs");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the tables are there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    files.sort();
    let mut programs = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a table is text");
        match read(&text).and_then(|mut found| borrow(&mut found, &[]).map(|()| found)) {
            Ok(mut found) => programs.append(&mut found),
            Err(error) => panic!("{}: {error}", file.display()),
        }
    }
    let code = generate::generate(&programs).unwrap_or_else(|error| panic!("{error}"));
    let out = std::env::var("OUT_DIR").expect("cargo says where");
    std::fs::write(Path::new(&out).join("programs.rs"), code).expect("it is written");
}

#[derive(Default)]
struct Entry {
    names: Vec<String>,
    /// What it is called in PowerShell (`~`) and in `cmd` (`^`) alone, with the name before it.
    aliases: Vec<(String, String)>,
    styles: Vec<String>,
    options: Vec<Opt>,
    operands: Option<String>,
    rules: Vec<String>,
    /// Options that its rules speak of.
    mentioned: Vec<String>,
    subs: Vec<Entry>,
    /// Entries beside it, or the one around it, whose options it has too.
    like: Vec<String>,
    /// What to do instead of what it does.
    instead: String,
    /// Names and role of settings, and of variables of the environment.
    settings: Vec<(String, String)>,
    variables: Vec<(String, String)>,
    usual: Vec<String>,
    /// Files with code that it loads by itself.
    loads: Vec<String>,
    /// It is another program or subcommand under a name of its own.
    same: Vec<String>,
}

#[derive(Clone)]
struct Opt {
    names: Vec<String>,
    takes: &'static str,
    role: String,
    rehearses: bool,
    ends: bool,
}

/// A line with how deep it stands.
struct Line<'a> {
    number: usize,
    depth: usize,
    text: &'a str,
}

fn read(text: &str) -> Made<Vec<Entry>> {
    // A line goes on after a backslash at its end.
    let text = &text.replace("\\\n", " ");
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let spaces = line.len() - line.trim_start().len();
        if spaces % 2 != 0 || line.starts_with('\t') {
            return Err(format!("line {}: indent by two spaces", index + 1));
        }
        let (number, depth) = (index + 1, spaces / 2);
        let words = ["with ", "does ", "like ", "usual ", "loads ", "prints "];
        let is_name = !bare.starts_with(['-', ':', '>', '<', '.', '$'])
            && !words.iter().any(|word| bare.starts_with(word))
            && depth > 0;
        // What a subcommand's operands are, and what it does, may stand behind its names, and the one behind the other.
        let operands = bare.find(" : ").filter(|_| is_name);
        let does = bare.find(" does ").filter(|_| is_name || bare.starts_with(':'));
        let ends: Vec<usize> = operands.into_iter().chain(does).chain([bare.len()]).collect();
        lines.push(Line { number, depth, text: &bare[..ends[0]] });
        for part in ends.windows(2) {
            let depth = if is_name { depth + 1 } else { depth };
            lines.push(Line { number, depth, text: bare[part[0]..part[1]].trim_start() });
        }
    }
    let mut at = 0;
    let mut entries = Vec::new();
    while at < lines.len() {
        entries.push(entry(&lines, &mut at, 0, false)?);
    }
    Ok(entries)
}

/// The entry whose header is at `at`, with everything below it. `whole`: options of what it belongs to are words after one dash.
fn entry(lines: &[Line<'_>], at: &mut usize, depth: usize, whole: bool) -> Made<Entry> {
    let header = &lines[*at];
    let fail = |line: &Line<'_>, what: &str| format!("line {}: {what}: {}", line.number, line.text);
    if header.depth != depth {
        return Err(fail(header, "stands too deep"));
    }
    let mut made = Entry::default();
    // A program may be called `[` itself.
    let (names, styles) =
        header.text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")).unwrap_or((header.text, ""));
    let (names, same) = names.split_once(" = ").unwrap_or((names, ""));
    made.same = same.split_whitespace().map(str::to_owned).collect();
    for name in names.split_whitespace() {
        match made.names.last() {
            Some(other) if name.len() > 1 && name.starts_with(['~', '^']) => {
                made.aliases.push((name.to_owned(), other.clone()));
            }
            _ => made.names.push(name.to_owned()),
        }
    }
    made.styles = styles.split_whitespace().map(str::to_owned).collect();
    let whole = whole
        || made.styles.iter().any(|style| matches!(style.as_str(), "single" | "keys" | "cmdlet" | "slash"));
    *at += 1;
    while let Some(line) = lines.get(*at).filter(|line| line.depth > depth) {
        if line.depth > depth + 1 {
            return Err(fail(line, "stands too deep"));
        }
        if line.text.starts_with('-') {
            for part in line.text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                made.options.push(option(part, whole).map_err(|error| fail(line, &error))?);
            }
            *at += 1;
        } else if let Some(operands) = line.text.strip_prefix(':') {
            made.operands = Some(roles(operands).map_err(|error| fail(line, &error))?);
            *at += 1;
        } else if line.text.starts_with("with ")
            || line.text.starts_with("does ")
            || line.text.starts_with("prints ")
            || line.text.starts_with("< ")
            || STAKES.contains(&line.text)
        {
            made.rules.push(rule(line.text, whole, &mut made.mentioned).map_err(|error| fail(line, &error))?);
            *at += 1;
        } else if let Some(advice) = line.text.strip_prefix("> ") {
            advice.clone_into(&mut made.instead);
            *at += 1;
        } else if let Some(names) = line.text.strip_prefix("like ") {
            made.like.extend(names.split_whitespace().map(str::to_owned));
            *at += 1;
        } else if let Some(names) = line.text.strip_prefix("usual ") {
            made.usual.extend(names.split_whitespace().map(str::to_owned));
            *at += 1;
        } else if let Some(names) = line.text.strip_prefix("loads ") {
            made.loads.extend(names.split_whitespace().map(str::to_owned));
            *at += 1;
        } else if let Some(mark) = line.text.chars().next().filter(|c| matches!(c, '.' | '$')) {
            let (names, role) = line.text.rsplit_once('=').ok_or_else(|| fail(line, "no role"))?;
            let role = role_name(role).map_err(|error| fail(line, &error))?;
            let list = if mark == '.' { &mut made.settings } else { &mut made.variables };
            list.extend(
                names.split_whitespace().map(|name| (name.trim_start_matches(mark).to_owned(), role.clone())),
            );
            *at += 1;
        } else {
            made.subs.push(entry(lines, at, depth + 1, whole)?);
        }
    }
    Ok(made)
}

/// Gives entries the options of those that they are like: beside them, or beside what is around them.
fn borrow(entries: &mut [Entry], outer: &[(Vec<String>, Vec<Opt>)]) -> Made<()> {
    for index in 0..entries.len() {
        for name in entries[index].like.clone() {
            let beside = entries.iter().find(|other| other.names.contains(&name)).map(|other| &other.options);
            let around = outer.iter().find(|(names, _)| names.contains(&name)).map(|(_, options)| options);
            let lent = beside.or(around).ok_or_else(|| format!("like {name}: nobody has that name"))?.clone();
            let own = &mut entries[index].options;
            for mut option in lent {
                option.names.retain(|name| !own.iter().any(|other| other.names.contains(name)));
                if !option.names.is_empty() {
                    own.push(option);
                }
            }
        }
    }
    let around: Vec<_> = entries
        .iter()
        .map(|entry| (entry.names.clone(), entry.options.clone()))
        .chain(outer.to_vec())
        .collect();
    entries.iter_mut().try_for_each(|entry| borrow(&mut entry.subs, &around))
}

/// A name without its dashes. A word after one dash keeps it where other options are letters: `wget -nv`.
fn option_name(text: &str, whole: bool) -> String {
    let bare = text.trim_start_matches('-');
    let is_word = text.len() - bare.len() == 1 && bare.chars().count() > 1 && !whole;
    if text == "-" || is_word { text } else { bare }.to_owned()
}

fn option(text: &str, whole: bool) -> Made<Opt> {
    let (text, rehearses) = text.strip_suffix('!').map_or((text, false), |text| (text, true));
    let (text, ends) = text.strip_suffix('/').map_or((text, false), |text| (text, true));
    let (names, role) = text.split_once('=').map_or((text, None), |(names, role)| (names, Some(role)));
    // One that is itself a word of this kind: `chmod -x`.
    let (names, itself) = match names.split_once('@') {
        Some((names, role)) if role.starts_with(|c: char| c.is_ascii_alphabetic()) => (names, role),
        _ => (names, "_"),
    };
    let (takes, role) = match role {
        None => ("Nothing", itself),
        Some(role) => match role.as_bytes() {
            [b'?', ..] => ("Attached", &role[1..]),
            [b'#', ..] => ("Digits", &role[1..]),
            [b'&', ..] => ("Second", &role[1..]),
            _ => ("Value", role),
        },
    };
    let names: Vec<String> = names.split_whitespace().map(|name| option_name(name, whole)).collect();
    if names.iter().any(String::is_empty) {
        return Err(format!("an option without a name in `{text}`"));
    }
    Ok(Opt { names, takes, role: role_name(role)?, rehearses, ends })
}

fn role_name(word: &str) -> Made<String> {
    role::Role::ALL
        .iter()
        .find(|(_, known, _)| *known == word)
        .map(|(.., name)| format!("Role::{name}"))
        .ok_or_else(|| format!("`{word}` is not a role"))
}

/// `read... target` as a list.
fn roles(text: &str) -> Made<String> {
    let mut code = String::from("&[");
    let mut behind = false;
    for word in text.split_whitespace() {
        if word == "--" {
            behind = true;
            continue;
        }
        let (role, many) = word.strip_suffix("...").map_or((word, false), |role| (role, true));
        let _ = write!(code, "Operand {{ role: {}, many: {many}, behind: {behind} }}, ", role_name(role)?);
    }
    Ok(code + "]")
}

/// What a rule may say about what is at stake.
const STAKES: &[&str] = &["nothing", "trial", "local"];

/// `with -r, -x + !-n : tree...`, `with --all does destroys every pod`, `with @:memory: trial`, `does publishes`.
fn rule(text: &str, whole: bool, mentioned: &mut Vec<String>) -> Made<String> {
    let (condition, rest) = match text.strip_prefix("with ") {
        None => ("", text),
        Some(rest) => {
            let end =
                [" : ", " does ", " prints ", " < ", " :"].iter().filter_map(|mark| rest.find(mark)).min();
            let end = end.or_else(|| {
                STAKES.iter().find_map(|stake| {
                    rest.strip_suffix(stake)?.ends_with(' ').then(|| rest.len() - stake.len())
                })
            });
            let end = end.ok_or("a condition without a consequence")?;
            (&rest[..end], rest[end..].trim_start())
        }
    };
    let mut when = String::from("&[");
    for alternative in condition.split(", ").map(str::trim).filter(|part| !part.is_empty()) {
        when.push_str("&[");
        let mut parts: Vec<&str> = alternative.split(" + ").map(str::trim).collect();
        while let Some(part) = parts.first().copied() {
            let count = parts.len();
            parts.retain(|other| *other != part);
            when.push_str(&clause(part, count - parts.len(), whole, mentioned)?);
        }
        when.push_str("], ");
    }
    when.push(']');
    let mut made: BTreeMap<&str, String> =
        ["operands", "does", "stake", "prints", "input"].map(|field| (field, "None".to_owned())).into();
    if let Some(operands) = rest.strip_prefix(':') {
        made.insert("operands", format!("Some({})", roles(operands)?));
    } else if let Some(does) = rest.strip_prefix("does ") {
        let (verb, object) = does.split_once(' ').unwrap_or((does, ""));
        made.insert("does", format!("Some((Verb::{}, {object:?}))", capital(verb)));
    } else if let Some(text) = rest.strip_prefix("prints ") {
        let text = match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
            Some(text) => format!("Text({text:?})"),
            None => capital(text),
        };
        made.insert("prints", format!("Some(Prints::{text})"));
    } else if let Some(role) = rest.strip_prefix("< ") {
        made.insert("input", format!("Some({})", role_name(role)?));
    } else if STAKES.contains(&rest) {
        made.insert("stake", format!("Some(Stake::{})", capital(rest)));
    } else {
        return Err("neither `:` nor `does`".into());
    }
    let fields: String = made.iter().map(|(field, value)| format!("{field}: {value}, ")).collect();
    Ok(format!("Rule {{ when: {when}, {fields} }}"))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|c| c.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// `-x`, `--mode=a|b*`, `@operand`, `@1=first`, `@@every`, `#2`, `$NAME=value`, and `!` before any of them.
/// One that is named several times must be there as often.
fn clause(text: &str, times: usize, whole: bool, mentioned: &mut Vec<String>) -> Made<String> {
    let (bare, not) = text.strip_prefix('!').map_or((text, false), |bare| (bare, true));
    let (name, values) = bare.split_once('=').unwrap_or((bare, ""));
    let (about, values) = match (bare.as_bytes(), name.get(1..).unwrap_or_default()) {
        ([b'@', b'@', ..], _) => ("About::Operands".to_owned(), &bare[2..]),
        ([b'@', ..], place) if place.parse::<usize>().is_ok_and(|place| place > 0) && bare.contains('=') => {
            (format!("About::Operand(Some({}))", index(place)?), values)
        }
        ([b'@', ..], _) => ("About::Operand(None)".to_owned(), &bare[1..]),
        ([b'0'..=b'9', ..], _) if name.parse::<usize>().is_ok_and(|place| place > 0) => {
            (format!("About::Operand(Some({}))", index(name)?), values)
        }
        (b"nothing", _) => {
            return Ok(format!(
                "Clause {{ about: About::Count(1), values: &[], not: {}, times: 1, marks: 0 }}, ",
                !not
            ));
        }
        ([b'#', ..], count) => (format!("About::Count({count})"), ""),
        ([b'$', ..], name) => (format!("About::Variable({name:?})"), values),
        ([b'-', ..], _) => {
            mentioned.push(option_name(name, whole));
            (format!("About::Option({:?})", option_name(name, whole)), values)
        }
        _ => return Err(format!("`{bare}` is neither an option nor `@`, `#` or `$`")),
    };
    // A star or a bar that stands for itself.
    let values = values.replace("\\*", "\u{1}").replace("\\|", "\u{2}");
    let values: Vec<&str> = values.split('|').filter(|value| !value.is_empty()).collect();
    let marks = match bare.as_bytes() {
        [b'-', ..] => generate::marks(&[option_name(name, whole)]),
        _ => "0".to_owned(),
    };
    Ok(format!(
        "Clause {{ about: {about}, values: &{values:?}, not: {not}, times: {times}, marks: {marks} }}, "
    ))
}

/// Names with their roles.
/// Operands are counted from 1.
fn index(number: &str) -> Made<usize> {
    number
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1))
        .ok_or_else(|| format!("`{number}` is not a place"))
}

const STYLES: &[&str] = &[
    "posix",
    "single",
    "bundle",
    "keys",
    "find",
    "exact",
    "valued",
    "global",
    "harmless",
    "stdin",
    "deep",
    "anycase",
    "signal",
    "cobra",
    "plus",
    "transparent",
    "dashed",
    "versions",
    "service",
    "silent",
    "striking",
    "base",
    "lasting",
    "network",
    "cmdlet",
    "slash",
];
