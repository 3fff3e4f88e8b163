//! Programs that read text and print text, as far as they do something simple with it. Each gives `None` where it does not; then
//! only the origin of the text is kept.

use crate::programs::Output;
use crate::text::{ANY, holes, is_known};

use super::decode;

/// Whether it turns text into text.
pub(crate) fn is_filter(kind: Output) -> bool {
    let cuts = matches!(kind, Output::First | Output::Last | Output::Joined | Output::Matching);
    let turns = matches!(kind, Output::Letters | Output::Edited | Output::Turned | Output::Hex);
    let codes = matches!(kind, Output::Base64 | Output::Base32 | Output::Encoded);
    cuts || turns || codes || !leaves_out(kind)
}

/// Whether some of what it reads may be missing in what it prints.
pub(crate) fn leaves_out(kind: Output) -> bool {
    !matches!(
        kind,
        Output::Same
            | Output::Line
            | Output::Upward
            | Output::Sorted
            | Output::Distinct
            | Output::Backward
            | Output::Program
            | Output::Parts
    )
}

/// `first` is the operand that says what to do.
pub(crate) fn filter(kind: Output, args: &[&str], first: Option<&str>, input: &str) -> Option<String> {
    let flag =
        |letter: char| args.iter().any(|a| a.starts_with('-') && !a.starts_with("--") && a.contains(letter));
    let lines = || input.lines();
    match kind {
        Output::Same => Some(input.to_owned()),
        Output::Line if input.lines().count() <= 1 => Some(input.to_owned()),
        Output::Upward => Some(lines().rev().map(|line| format!("{line}\n")).collect()),
        Output::Backward => {
            // Where words of an unknown text begin, and lines end, is not known.
            let turned = |line: &str| {
                if is_known(line) {
                    line.chars().rev().collect::<String>() + "\n"
                } else {
                    holes(line) + &ANY.to_string()
                }
            };
            Some(lines().map(turned).collect())
        }
        Output::First => head(args, input),
        Output::Last => tail(args, input),
        Output::Parts => cut(args, input),
        Output::Sorted => {
            let mut sorted: Vec<&str> = lines().collect();
            let plain = args.iter().all(|a| matches!(*a, "-r" | "-u" | "-ru" | "-ur" | "-"));
            if !plain || !is_known(input) {
                return None;
            }
            sorted.sort_unstable();
            if flag('u') {
                sorted.dedup();
            }
            if flag('r') {
                sorted.reverse();
            }
            Some(sorted.into_iter().map(|line| format!("{line}\n")).collect())
        }
        Output::Distinct if args.is_empty() => {
            let mut kept: Vec<&str> = lines().collect();
            kept.dedup();
            Some(kept.into_iter().map(|line| format!("{line}\n")).collect())
        }
        Output::Letters => translate(args, input),
        Output::Joined if flag('s') => {
            let delimiter = value(args, 'd').unwrap_or("\t");
            let delimiter = super::write::unescape(delimiter, false);
            Some(lines().collect::<Vec<_>>().join(delimiter.get(..1).unwrap_or("")) + "\n")
        }
        Output::Edited => substitute(args, first, input),
        Output::Matching => search(args, first, input),
        Output::Program => super::awk::run(args, first?, input),
        Output::Base64 if decodes(args) => decode::text(input, decode::base64),
        Output::Encoded if decodes(args) && args.iter().any(|a| a.starts_with("--base64")) => {
            decode::text(input, decode::base64)
        }
        Output::Encoded if decodes(args) && args.contains(&"--base16") => decode::text(input, decode::hex),
        Output::Base32 if decodes(args) => decode::text(input, decode::base32),
        Output::Hex if flag('r') && flag('p') => decode::text(input, decode::hex),
        _ => None,
    }
}

/// Whether an encoder is told to work backwards.
pub(crate) fn decodes(args: &[&str]) -> bool {
    args.iter().any(|a| {
        matches!(
            *a,
            "-d" | "-D"
                | "--decode"
                | "-di"
                | "-id"
                | "--decompress"
                | "-dc"
                | "-cd"
                | "-dk"
                | "--uncompress"
        )
    })
}

/// The value of a short option, in its word or in the next.
fn value<'a>(args: &[&'a str], letter: char) -> Option<&'a str> {
    for (index, arg) in args.iter().enumerate() {
        let Some(cluster) = arg.strip_prefix('-').filter(|c| !c.starts_with('-')) else { continue };
        if let Some(at) = cluster.find(letter) {
            let rest = &cluster[at + 1..];
            return if rest.is_empty() { args.get(index + 1).copied() } else { Some(rest) };
        }
    }
    None
}

fn head(args: &[&str], input: &str) -> Option<String> {
    if let Some(count) = value(args, 'c') {
        let count: i64 = count.parse().ok()?;
        let total = i64::try_from(input.chars().count()).ok()?;
        let kept = if count < 0 { (total + count).max(0) } else { count };
        return Some(input.chars().take(usize::try_from(kept).ok()?).collect());
    }
    let count: i64 = match value(args, 'n').or_else(|| args.iter().find_map(|a| a.strip_prefix("--lines="))) {
        Some(count) => count.parse().ok()?,
        None => args.iter().find_map(|a| a.strip_prefix('-')?.parse().ok()).unwrap_or(10),
    };
    let total = i64::try_from(input.lines().count()).ok()?;
    let kept = if count < 0 { (total + count).max(0) } else { count };
    Some(input.split_inclusive('\n').take(usize::try_from(kept).ok()?).collect())
}

fn tail(args: &[&str], input: &str) -> Option<String> {
    if let Some(count) = value(args, 'c') {
        let chars: Vec<char> = input.chars().collect();
        let from = begin(count, chars.len())?;
        return Some(chars[from..].iter().collect());
    }
    let count = match value(args, 'n').or_else(|| args.iter().find_map(|a| a.strip_prefix("--lines="))) {
        Some(count) => count,
        None => args
            .iter()
            .find_map(|a| {
                a.strip_prefix('-').filter(|n| n.bytes().all(|b| b.is_ascii_digit()) && !n.is_empty())
            })
            .unwrap_or("10"),
    };
    let lines: Vec<&str> = input.split_inclusive('\n').collect();
    let from = begin(count, lines.len())?;
    Some(lines[from..].concat())
}

/// Where `tail` begins: `+3` counts from the front, `3` from the end.
fn begin(count: &str, total: usize) -> Option<usize> {
    match count.strip_prefix('+') {
        Some(first) => Some(first.parse::<usize>().ok()?.saturating_sub(1).min(total)),
        None => Some(total.saturating_sub(count.trim_start_matches('-').parse().ok()?)),
    }
}

/// `cut -c1-3`, `cut -d, -f2,3`.
fn cut(args: &[&str], input: &str) -> Option<String> {
    let long = |name: &str| args.iter().find_map(|a| a.strip_prefix(name));
    if let Some(list) = value(args, 'c').or(value(args, 'b')).or(long("--characters=")) {
        let wanted = ranges(list)?;
        let one = |line: &str| {
            if !is_known(line) {
                return holes(line) + &ANY.to_string();
            }
            line.chars()
                .enumerate()
                .filter(|(at, _)| wanted.contains(at + 1))
                .map(|(_, c)| c)
                .collect::<String>()
                + "\n"
        };
        return Some(input.lines().map(one).collect());
    }
    let list = value(args, 'f').or(long("--fields="))?;
    let delimiter = value(args, 'd').or(long("--delimiter=")).unwrap_or("\t");
    let wanted = ranges(list)?;
    let one = |line: &str| {
        if delimiter.is_empty() || !line.contains(delimiter) {
            if !is_known(line) {
                return holes(line) + &ANY.to_string();
            }
            return format!("{line}\n");
        }
        let fields: Vec<&str> = line
            .split(delimiter)
            .enumerate()
            .filter(|(at, _)| wanted.contains(at + 1))
            .map(|(_, f)| f)
            .collect();
        fields.join(delimiter) + "\n"
    };
    Some(input.lines().map(one).collect())
}

struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    fn contains(&self, at: usize) -> bool {
        self.0.iter().any(|(from, to)| (*from..=*to).contains(&at))
    }
}

fn ranges(list: &str) -> Option<Ranges> {
    let one = |part: &str| match part.split_once('-') {
        Some((from, to)) => {
            let from = if from.is_empty() { 1 } else { from.parse().ok()? };
            Some((from, if to.is_empty() { usize::MAX } else { to.parse().ok()? }))
        }
        None => part.parse().ok().map(|at| (at, at)),
    };
    list.split(',').map(one).collect::<Option<_>>().map(Ranges)
}

/// `tr a-z n-za-m`, `tr -d x`, `tr -s ' '`.
fn translate(args: &[&str], input: &str) -> Option<String> {
    let flags: String =
        args.iter().filter(|a| a.len() > 1 && a.starts_with('-')).flat_map(|a| a[1..].chars()).collect();
    let sets: Vec<Vec<char>> =
        args.iter().filter(|a| !a.starts_with('-') || a.len() == 1).map(|set| set_of(set)).collect();
    let complement = flags.contains(['c', 'C']);
    let within =
        |set: &Vec<char>, c: char| crate::text::is_hole(c) && !complement || set.contains(&c) != complement;
    match (sets.as_slice(), flags.contains('d'), flags.contains('s')) {
        ([from], true, _) => {
            Some(input.chars().filter(|c| crate::text::is_hole(*c) || !within(from, *c)).collect())
        }
        ([set], false, true) => {
            let mut out = String::new();
            for c in input.chars() {
                if !(within(set, c) && out.ends_with(c)) {
                    out.push(c);
                }
            }
            Some(out)
        }
        ([from, to], false, squeeze) if !to.is_empty() => {
            let mut out = String::new();
            for c in input.chars() {
                let at = if complement {
                    (!from.contains(&c)).then_some(to.len() - 1)
                } else {
                    from.iter().rposition(|&f| f == c)
                };
                let new = match at {
                    Some(at) if !crate::text::is_hole(c) => to[at.min(to.len() - 1)],
                    _ => c,
                };
                if !(squeeze && to.contains(&new) && out.ends_with(new)) {
                    out.push(new);
                }
            }
            Some(out)
        }
        _ => None,
    }
}

fn set_of(text: &str) -> Vec<char> {
    let classes = [
        ("[:lower:]", "a-z"),
        ("[:upper:]", "A-Z"),
        ("[:digit:]", "0-9"),
        ("[:alpha:]", "A-Za-z"),
        ("[:alnum:]", "0-9A-Za-z"),
        ("[:space:]", " \t\n"),
        ("[:blank:]", " \t"),
    ];
    let text = classes.iter().fold(text.to_owned(), |text, (class, set)| text.replace(class, set));
    let text = super::write::unescape(&text, false);
    let chars: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < chars.len() && set.len() < 2048 {
        if at + 2 < chars.len() && chars[at + 1] == '-' && chars[at] <= chars[at + 2] {
            set.extend((chars[at]..=chars[at + 2]).take(512));
            at += 3;
        } else {
            set.push(chars[at]);
            at += 1;
        }
    }
    set
}

/// `s/a/b/`, `y/ab/cd/`, `2p`, `1d`, one after the other; patterns only where they are plain text.
fn substitute(args: &[&str], first: Option<&str>, input: &str) -> Option<String> {
    let quiet = args.iter().any(|a| a.starts_with('-') && !a.starts_with("--") && a.contains('n'));
    let mut scripts: Vec<&str> = args
        .windows(2)
        .filter(|pair| matches!(pair[0], "-e" | "--expression" | "-ne"))
        .map(|pair| pair[1])
        .collect();
    scripts.extend(args.iter().filter_map(|a| a.strip_prefix("--expression=")));
    if scripts.is_empty() {
        scripts.extend(first);
    }
    if args.iter().any(|a| *a == "-f" || a.starts_with("--file")) || scripts.is_empty() {
        return None;
    }
    let mut text = input.to_owned();
    for script in scripts {
        for command in statements(script) {
            text = command_of(command.trim(), &text, quiet)?;
        }
    }
    Some(text)
}

/// A sed script at its semicolons, where they do not belong to a pattern.
fn statements(script: &str) -> Vec<&str> {
    if script.trim_start().starts_with(['s', 'y']) && script.contains(';') {
        let delimiter = script.trim_start()[1..].chars().next().unwrap_or('/');
        let mut parts = Vec::new();
        let (mut begin, mut seen) = (0, 0);
        for (at, c) in script.char_indices() {
            if c == delimiter {
                seen += 1;
            } else if (c == ';' || c == '\n') && seen % 3 == 0 {
                parts.push(&script[begin..at]);
                begin = at + 1;
                seen = 0;
            }
        }
        parts.push(&script[begin..]);
        return parts;
    }
    script.split([';', '\n']).collect()
}

fn command_of(command: &str, input: &str, quiet: bool) -> Option<String> {
    if command.is_empty() {
        return Some(input.to_owned());
    }
    let mut chars = command.chars();
    match chars.next()? {
        kind @ ('s' | 'y') => {
            let delimiter = chars.next()?;
            let rest = chars.as_str();
            let parts: Vec<&str> = rest.split(delimiter).collect();
            let [old, new, flags] = parts.as_slice() else { return None };
            let flags = flags.trim_end_matches('}');
            if kind == 'y' {
                let (from, to): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
                let map = |c: char| {
                    from.iter().position(|&f| f == c).and_then(|at| to.get(at)).copied().unwrap_or(c)
                };
                return Some(input.chars().map(map).collect());
            }
            if !flags.chars().all(|c| matches!(c, 'g' | 'p'))
                || old.contains(['*', '[', '.', '$', '\\', '+', '?', '('])
                || new.contains(['\\', '&'])
            {
                return None;
            }
            let one = |line: &str| {
                let (newline, line) = (line.ends_with('\n'), line.trim_end_matches('\n'));
                let new = match old.strip_prefix('^') {
                    Some(head) => {
                        line.strip_prefix(head).map_or_else(|| line.to_owned(), |rest| format!("{new}{rest}"))
                    }
                    None if flags.contains('g') => line.replace(old, new),
                    None => line.replacen(old, new, 1),
                };
                if newline { new + "\n" } else { new }
            };
            Some(input.split_inclusive('\n').map(one).collect())
        }
        _ => {
            // `2p`, `1,3p`, `1d`.
            let (range, verb) = command.split_at(command.len() - 1);
            let total = input.lines().count();
            let number =
                |text: &str| if text == "$" { Some(total) } else { text.trim().parse::<usize>().ok() };
            let (from, to) = match range.split_once(',') {
                Some((from, to)) => (number(from)?, number(to)?),
                None if range.is_empty() => (1, usize::MAX),
                None => (number(range)?, number(range)?),
            };
            let within = |at: usize| (from..=to).contains(&(at + 1));
            let keep = |at: usize| match verb {
                "p" => !quiet || within(at),
                "d" => !within(at),
                _ => true,
            };
            if !matches!(verb, "p" | "d") || (verb == "p" && !quiet) {
                return None;
            }
            Some(
                input
                    .split_inclusive('\n')
                    .enumerate()
                    .filter(|(at, _)| keep(*at))
                    .map(|(_, line)| line)
                    .collect(),
            )
        }
    }
}

/// The lines that contain a plain text; with a pattern that is none, every line may be one.
fn search(args: &[&str], first: Option<&str>, input: &str) -> Option<String> {
    let pattern = value(args, 'e').or(first)?;
    let flag =
        |letter: char| args.iter().any(|a| a.starts_with('-') && !a.starts_with("--") && a.contains(letter));
    if flag('q') || args.contains(&"--quiet") {
        return Some(String::new());
    }
    if flag('c') || flag('l') || flag('n') {
        return None;
    }
    let plain = !pattern.contains(['*', '[', '.', '^', '$', '\\', '+', '?', '(', '|', '{']);
    if !plain {
        return Some(format!("{input}{ANY}"));
    }
    if flag('o') {
        return Some(input.matches(pattern).map(|found| format!("{found}\n")).collect());
    }
    let fits = |line: &str| {
        (line.contains(pattern) || flag('i') && line.to_lowercase().contains(&pattern.to_lowercase()))
            != flag('v')
    };
    Some(input.lines().filter(|line| fits(line)).map(|line| format!("{line}\n")).collect())
}

/// Fields of a line by `IFS`, the last of at most `most` taking the rest: what `read` does.
pub(crate) fn split_at(line: &str, ifs: &str, most: usize) -> Vec<String> {
    let white = |c: char| matches!(c, ' ' | '\t' | '\n') && ifs.contains(c);
    let mut rest = line.trim_start_matches(white);
    let mut fields = Vec::new();
    while !rest.is_empty() {
        if fields.len() + 1 >= most {
            let mut last = rest.trim_end_matches(white);
            // One separator at the end belongs to the field before it.
            if let Some(cut) = last
                .strip_suffix(|c: char| ifs.contains(c) && !white(c))
                .filter(|cut| !cut.contains(|c: char| ifs.contains(c)))
            {
                last = cut;
            }
            fields.push(last.to_owned());
            break;
        }
        let Some(at) = rest.find(|c: char| ifs.contains(c)) else {
            fields.push(rest.to_owned());
            break;
        };
        fields.push(rest[..at].to_owned());
        rest = rest[at..].trim_start_matches(white);
        if let Some(after) = rest.strip_prefix(|c: char| ifs.contains(c) && !white(c)) {
            rest = after.trim_start_matches(white);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_and_pasted() {
        let run = |kind: Output, args: &[&str], input: &str| {
            filter(kind, args, args.last().copied(), input).unwrap()
        };
        assert_eq!(run(Output::Letters, &["sng", "rmf"], "sn -sg ~"), "rm -rf ~");
        assert_eq!(run(Output::Letters, &["-d", "X"], "rXmX"), "rm");
        assert_eq!(run(Output::Parts, &["-c3-"], "xxrm\n"), "rm\n");
        assert_eq!(run(Output::Parts, &["-d", " ", "-f2"], "x rm y\n"), "rm\n");
        assert_eq!(run(Output::First, &["-c2"], "rmdir\n"), "rm");
        assert_eq!(run(Output::Last, &["-n", "+2"], "a\nb\nc\n"), "b\nc\n");
        assert_eq!(run(Output::Edited, &["s/a/b/g;s/^/x/"], "aa\n"), "xbb\n");
        assert_eq!(run(Output::Edited, &["-n", "2p"], "a\nb\n"), "b\n");
        assert_eq!(run(Output::Matching, &["rm"], "a\nrm -rf\n"), "rm -rf\n");
        assert_eq!(run(Output::Joined, &["-sd", " "], "a\nb\n"), "a b\n");
    }

    #[test]
    fn lines_are_split_as_read_does() {
        assert_eq!(split_at(" a  b c ", " \t\n", 2), ["a", "b c"]);
        assert_eq!(split_at("a,,b", ",", 9), ["a", "", "b"]);
        assert_eq!(split_at("a:b:", ":", 2), ["a", "b"]);
        assert_eq!(split_at("x", " ", 3), ["x"]);
    }
}
