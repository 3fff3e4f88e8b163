//! What a program prints, as far as that is easy to say: enough to follow text that is decoded, cut and pasted on its way to a
//! shell. Everything else is a hole that remembers where it came from. Programs that only turn text into text are in `filter`.

mod awk;
pub(crate) mod decode;
mod filter;
mod known;
mod write;

use model::deed::Verb;

use crate::programs::decode::{Chosen, decode, program};
use crate::programs::{Prints, Role};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::secret::is_secret_path;
use crate::state::State;
use crate::text::{ANY, DECODED, EACH, NET, SECRET, holes, is_known};
use crate::wrapper::option_value;

pub(crate) use filter::split_at;
pub(crate) use known::is_known_program;
pub(crate) use write::printf;

/// Programs that undo a compression or an encryption.
const UNPACKERS: &[&str] = &[
    "ascii85", "base58", "brotli", "bunzip2", "bzcat", "bzip2", "gpg", "gunzip", "gzip", "lz4", "lzcat",
    "unlzma", "unxz", "unzstd", "uudecode", "xz", "xzcat", "zcat", "zstd", "zstdcat",
];

pub(crate) fn unescape(text: &str) -> String {
    write::unescape(text, false)
}

impl Reader<'_> {
    /// What a program prints.
    pub(crate) fn simulate(&mut self, name: &str, argv: &[Arg], state: &mut State) -> String {
        let args: Vec<&str> = argv[1..].iter().map(|arg| arg.text.as_str()).collect();
        if let Some(output) = by_table(argv, state).or_else(|| self.fetched(argv, state)) {
            return output;
        }
        match name {
            "echo" => write::echo(&args),
            "printf" => printf(&args),
            "pwd" => state.cwd() + "\n",
            "mktemp" => format!("/tmp/tmp.{ANY}\n"),
            "seq" => sequence(&args),
            "yes" => format!("{}\n", if args.is_empty() { "y".to_owned() } else { args.join(" ") }).repeat(2),
            "tee" | "sponge" => {
                let stdin = state.piped();
                for file in crate::builtin::operands(&args, &[]) {
                    let path = state.absolute(file);
                    self.pour(&path, &stdin, state);
                    let old = if args.contains(&"-a") {
                        state.files.get(&path).map(ToString::to_string).unwrap_or_default()
                    } else {
                        String::new()
                    };
                    state.write(path, old + &stdin);
                }
                if name == "tee" { stdin.to_string() } else { String::new() }
            }
            "cp" | "mv" | "ln" | "install" => {
                self.copied(name, &args, state);
                String::new()
            }
            "dd" => {
                let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key)).map(str::to_owned);
                let text = match value("if=") {
                    Some(file) => self.file_text(&file, state),
                    None => state.piped(),
                };
                match value("of=") {
                    Some(file) => {
                        let path = state.absolute(&file);
                        state.write(path, text);
                        String::new()
                    }
                    None => text.to_string(),
                }
            }
            "tar" | "gtar" | "bsdtar" | "zip" | "7z" => {
                let secret = self.secret_in(&args, state);
                let archive = match name {
                    "zip" => args.iter().find(|a| !a.starts_with('-')).map(|a| (*a).to_owned()),
                    "7z" => args.get(1).map(|a| (*a).to_owned()),
                    _ => option_value(&argv[1..], &["-f", "--file"]).or_else(|| {
                        args.first()
                            .filter(|a| !a.starts_with('-') && a.ends_with('f'))
                            .and(args.get(1))
                            .map(|a| (*a).to_owned())
                    }),
                };
                if let Some(archive) = archive.filter(|file| file != "-" && !secret.is_empty()) {
                    let path = state.absolute(&archive);
                    state.write(path, secret.clone());
                }
                let takes_out =
                    args.iter().any(|a| *a == "--to-stdout" || !a.starts_with("--") && a.contains('O'));
                let extracts = args.iter().any(|a| *a == "--extract" || !a.contains('/') && a.contains('x'));
                if extracts && self.is_from_network(&args, state) {
                    self.from_network |= !takes_out;
                    return if takes_out { NET.to_string() } else { String::new() };
                }
                secret + &ANY.to_string()
            }
            "unzip" | "unar" => {
                self.from_network |= self.is_from_network(&args, state);
                String::new()
            }
            "openssl" if args.contains(&"base64") || args.contains(&"-base64") || args.contains(&"-a") => {
                let stdin = state.piped();
                let file = option_value(&argv[1..], &["-in"]);
                let text = file.map_or(stdin, |file| self.file_text(&file, state));
                if !args.contains(&"-d") {
                    return holes(&text) + &ANY.to_string();
                }
                decode::text(&text, decode::base64).unwrap_or_else(|| format!("{}{DECODED}", holes(&text)))
            }
            "openssl" | "ssh-keygen" => self.unpacked(&args, args.contains(&"-d"), state),
            _ if UNPACKERS.contains(&name) => {
                let packs = matches!(
                    name,
                    "brotli" | "bzip2" | "gzip" | "lz4" | "xz" | "zstd" | "gpg" | "base58" | "ascii85"
                );
                self.unpacked(&args, !packs || filter::decodes(&args) || args.contains(&"--decrypt"), state)
            }
            _ if filter::NAMES.contains(&name) => self.filtered(name, &args, state),
            _ => self.printed(name, &args, argv, state),
        }
    }

    /// Whether an archive came over the network: on stdin, or as a file that this script has fetched.
    fn is_from_network(&self, args: &[&str], state: &State) -> bool {
        let fetched =
            |arg: &&str| state.files.get(&state.absolute(arg)).is_some_and(|text| text.contains(NET));
        state.stdin.as_deref().is_some_and(|text| text.contains(NET)) || args.iter().any(fetched)
    }

    /// Programs that print something about the machine or about their words.
    fn printed(&mut self, name: &str, args: &[&str], argv: &[Arg], state: &mut State) -> String {
        let word = || args.iter().find(|a| !a.starts_with('-')).copied();
        match name {
            "dirname" => word().map(|path| parent(path) + "\n").unwrap_or_default(),
            "basename" => {
                let words = crate::builtin::operands(args, &["-s"]);
                let base = words.first().map_or("", |path| crate::path::name(path));
                base.strip_suffix(words.get(1).copied().unwrap_or("\0")).unwrap_or(base).to_owned() + "\n"
            }
            "realpath" | "readlink" => {
                let path = word().unwrap_or(".");
                state.resolved(path).unwrap_or_else(|| state.absolute(path)) + "\n"
            }
            "which" | "type" | "command" | "whereis" => {
                word().map(|name| format!("/usr/bin/{}\n", crate::path::name(name))).unwrap_or_default()
            }
            "ls" if word().is_none() => {
                // A line for each name; with more about it, the name is the ninth.
                let long = args.iter().any(|a| !a.starts_with("--") && a.contains('l'));
                if long { format!("{}{EACH}\n", format!("{ANY} ").repeat(8)) } else { format!("{EACH}\n") }
            }
            "ls" => {
                let files = crate::builtin::operands(args, &["-I", "-w"]);
                let mut output: String = files.iter().map(|file| format!("{file}\n")).collect();
                // Of these it lists what is in them.
                let is_full = |file: &&str| {
                    let path = state.absolute(file);
                    path == "/" || self.home_ref() == Some(path.as_str())
                };
                if files.iter().any(is_full) {
                    output.push(ANY);
                    output.push('\n');
                }
                output
            }
            "getent" if args.first() == Some(&"passwd") => {
                format!("{ANY}:x:{ANY}:{ANY}::{}:{ANY}\n", self.home().unwrap_or_else(|| ANY.to_string()))
            }
            // Every process there is, the way `kill` says it.
            "ps" if args.iter().any(|a| a.contains(['e', 'A', 'a']))
                && !args.iter().any(|a| matches!(*a, "-p" | "-C" | "-u" | "--pid")) =>
            {
                "-1 ".repeat(12) + "\n"
            }
            // A number that still says whose it is.
            "pgrep" | "pidof" => format!("{ANY}{}\n", args.last().copied().unwrap_or_default()),
            "env" | "printenv" | "history" if args.iter().all(|a| a.starts_with('-')) => SECRET.to_string(),
            "printenv" if args.iter().any(|a| crate::expand::is_secret_name(a)) => SECRET.to_string(),
            "jq" => match (word(), args.iter().any(|a| a.starts_with('-') && a.contains('n'))) {
                (Some(program), true)
                    if program.starts_with('"') && program.ends_with('"') && program.len() > 1 =>
                {
                    format!("{}\n", &program[1..program.len() - 1])
                }
                // Text that is written here, and taken out of its wrapping there.
                (Some(program), _) if program.contains("@base64d") => DECODED.to_string(),
                (_, false)
                    if state.stdin.as_deref().is_some_and(|text| is_known(text) && !text.is_empty()) =>
                {
                    DECODED.to_string()
                }
                _ => self.carried(args, state),
            },
            "bc" | "dc" => {
                let text = args.iter().copied().chain(state.stdin.as_deref()).find_map(|text| {
                    let begin = text.find(['"', '['])?;
                    let end = text.rfind(['"', ']'])?;
                    text.get(begin + 1..end).map(str::to_owned)
                });
                format!("{}\n{ANY}", text.unwrap_or_default())
            }
            "true" | "false" | "test" | "[" | "wc" | "date" | "id" | "uname" | "nproc" | "stat"
            | "whoami" | "hostname" => ANY.to_string(),
            _ => match decode(argv, &[]).prints(argv) {
                Some(Prints::All) => format!("{ANY}*\n"),
                Some(Prints::Network) => NET.to_string(),
                Some(Prints::Text(text)) => format!("{text}\n"),
                Some(Prints::Nothing) => ANY.to_string(),
                Some(Prints::Input) => state.piped().to_string(),
                None => self.carried(args, state),
            },
        }
    }

    /// Nothing is known of what it prints but where that may come from.
    fn carried(&mut self, args: &[&str], state: &State) -> String {
        let secret = self.secret_in(args, state);
        let carried: String = args.iter().map(|a| holes(a)).collect::<String>()
            + &holes(state.stdin.as_deref().unwrap_or_default());
        format!("{}{secret}{ANY}", holes(&carried))
    }

    fn filtered(&mut self, name: &str, args: &[&str], state: &State) -> String {
        let words = crate::builtin::operands(args, filter::valued(name));
        let files = words.get(filter::leading(name, args)..).unwrap_or_default();
        let input = if files.iter().all(|file| *file == "-") {
            state.piped()
        } else {
            files.iter().map(|file| self.file_text(file, state).to_string()).collect::<String>().into()
        };
        let decodes = matches!(name, "base64" | "gbase64" | "base32") && filter::decodes(args)
            || name == "xxd" && args.iter().any(|a| a.starts_with('-') && a.contains('r'));
        let named: Vec<&str> = args.iter().filter(|a| !files.contains(a)).copied().collect();
        let mut output = match filter::filter(name, &named, &input) {
            Some(output) => output,
            None if decodes => DECODED.to_string(),
            // A text that is written here and then turned into another is a code of its own.
            None if is_known(&input) && !input.trim().is_empty() && state.stdin.is_some() => {
                DECODED.to_string()
            }
            None => ANY.to_string(),
        };
        // Most leave something out; then it is no longer all that was there.
        let all = matches!(name, "cat" | "tac" | "sort" | "uniq" | "shuf" | "rev" | "awk" | "gawk" | "cut")
            || matches!(name, "grep" | "egrep" | "fgrep")
                && args.iter().any(|a| a.starts_with('-') && a.contains('v'));
        if !all && output.contains(EACH) {
            output = output.replace(EACH, &ANY.to_string());
        }
        // Where it comes from stays with it, whatever was cut away.
        let nothing = output.trim().is_empty();
        for hole in holes(&input).chars() {
            // What nobody knows matters only where nothing else is left.
            let matters = nothing || !matches!(hole, ANY | EACH | crate::text::UNSET);
            let hole = if hole == EACH { ANY } else { hole };
            if matters && !output.contains(hole) {
                output.push(hole);
            }
        }
        output
    }

    fn unpacked(&mut self, args: &[&str], unpacks: bool, state: &State) -> String {
        let secret = self.secret_in(args, state);
        let mark = if unpacks { DECODED } else { ANY };
        format!("{}{secret}{mark}", holes(state.stdin.as_deref().unwrap_or_default()))
    }

    /// Files that stand for other files after a copy or a link.
    fn copied(&mut self, name: &str, args: &[&str], state: &mut State) {
        let files = crate::builtin::operands(args, &["-t", "-m", "-o", "-g", "-S"]);
        let [from, to] = files.as_slice() else { return };
        if !is_known(from) || !is_known(to) {
            return;
        }
        let symbolic = name == "ln" && args.iter().any(|a| a.starts_with('-') && a.contains('s'));
        if matches!(*from, "/dev/stdin" | "/dev/fd/0") {
            let (to, text) = (state.absolute(to), state.piped());
            state.write(to, text);
            return;
        }
        let (from, mut to) = (state.absolute(from), state.absolute(to));
        if args.last().is_some_and(|to| to.ends_with('/') || *to == ".") {
            to = format!("{to}/{}", crate::path::name(&from));
        }
        match state.files.get(&from).cloned() {
            Some(text) => {
                if name == "mv" {
                    state.files.remove(&from);
                }
                state.write(to, text);
            }
            None if is_secret_path(&from, self.home().as_deref()) => {
                state.write(to, SECRET.to_string());
            }
            // A program under another name, or a way to another place.
            None if symbolic || name == "ln" || crate::path::is_program(&from) => {
                state.links.insert(to, from);
            }
            None => {}
        }
    }

    /// The mark of a secret, where one of the files in `args` is one.
    fn secret_in(&self, args: &[&str], state: &State) -> String {
        let found = args.iter().any(|arg| self.is_secret_word(arg, state));
        if found { SECRET.to_string() } else { String::new() }
    }

    /// Whether a word names a file with a secret, by itself or as `@file`, `name=@file`, `FILE:file`.
    pub(crate) fn is_secret_word(&self, arg: &str, state: &State) -> bool {
        let path = arg.split_once('=').map_or(arg, |(_, value)| value);
        let path = path
            .split_once(':')
            .filter(|(scheme, _)| matches!(*scheme, "FILE" | "file" | "OPEN" | "open"))
            .map_or(path, |(_, file)| file);
        let path = path.trim_start_matches(['@', '<']);
        if path.is_empty() || path.starts_with('-') || !is_known(path) {
            return false;
        }
        let absolute = state.absolute(path);
        is_secret_path(&absolute, self.home_ref())
            || state.files.get(&absolute).is_some_and(|text| text.contains(SECRET))
    }

    /// What a program prints that speaks to other machines, and the files that it leaves behind.
    fn fetched(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        program(crate::path::name(&argv.first()?.text)).filter(|program| program.style.network)?;
        let call = self.call(argv.to_vec(), state);
        if call.does(Verb::Fetches) {
            for path in call.written() {
                let path = state.absolute(path);
                state.write(path, NET.to_string());
            }
        }
        (call.words().prints(argv) == Some(Prints::Network)).then(|| NET.to_string())
    }
}

fn sequence(args: &[&str]) -> String {
    let numbers: Option<Vec<i64>> = args
        .iter()
        .filter(|a| !a.starts_with("-s") && !a.starts_with("-w"))
        .map(|a| a.parse().ok())
        .collect();
    let (from, to) = match numbers.as_deref() {
        Some([to]) => (1, *to),
        Some([from, to]) => (*from, *to),
        _ => return ANY.to_string(),
    };
    if to.saturating_sub(from) > 64 {
        return ANY.to_string();
    }
    (from..=to).map(|n| format!("{n}\n")).collect()
}

fn parent(path: &str) -> String {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
        None if path.is_empty() => "/".to_owned(),
        None => ".".to_owned(),
    }
}

/// What a version system or a forge prints, as far as its table says so.
fn by_table(argv: &[Arg], state: &State) -> Option<String> {
    let program = program(crate::path::name(&argv.first()?.text))?;
    if !program.style.service && !program.style.versions {
        return None;
    }
    let words = decode(argv, &[]);
    if words.prints(argv).is_some() {
        return None;
    }
    if program.style.service {
        let does = |verb: Verb| words.does(argv).any(|(known, _)| known == verb);
        let hole = if does(Verb::Tells) || does(Verb::Reveals) { SECRET } else { NET };
        return (hole == SECRET || does(Verb::Queries)).then(|| hole.to_string());
    }
    // What lies elsewhere is printed, and not kept.
    let remote = |chosen: &Chosen| chosen.option.is_some_and(|option| option.role == Role::From);
    if words.options.iter().any(remote) {
        return Some(NET.to_string());
    }
    if words.has("show-toplevel") {
        return Some(state.cwd() + "\n");
    }
    let format = words.last("format", argv).filter(|format| format.contains("%("))?;
    let mut text = String::new();
    for (index, piece) in format.split("%(").enumerate() {
        match piece.split_once(')').filter(|_| index > 0) {
            Some((_, rest)) => {
                text.push(ANY);
                text.push_str(rest);
            }
            None => text.push_str(piece),
        }
    }
    Some(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_and_numbers() {
        assert_eq!(parent("/home/dev"), "/home");
        assert_eq!(parent("/home"), "/");
        assert_eq!(sequence(&["2", "4"]), "2\n3\n4\n");
    }
}
