//! What a program prints, as far as that is easy to say: enough to follow text that is decoded, cut and pasted on its way to a
//! shell. Everything else is a hole that remembers where it came from. Programs that only turn text into text are in `filter`.

mod archive;
mod awk;
pub(crate) mod decode;
mod filter;
mod small;
mod write;

use std::rc::Rc;

use model::deed::Verb;

use crate::programs::decode::decode;
use crate::programs::decoded::{Chosen, Decoded};
use crate::programs::{Landing, Output, Prints, Program, Role};
use crate::reader::Reader;
use crate::reading::{Arg, Call};
use crate::secret::{Secrets, is_secret_path};
use crate::state::State;
use small::{parent, sequence};

use crate::text::{ANY, DECODED, EACH, NET, PAST, SECRET, has_hole, holes, is_known};

pub(crate) use filter::split_at;
pub(crate) use write::printf;

pub(crate) fn unescape(text: &str) -> String {
    write::unescape(text, false)
}

impl Reader<'_> {
    /// What a program prints. `at`: where the call was noted.
    pub(crate) fn simulate(
        &mut self,
        known: Option<&'static Program>,
        argv: &[Arg],
        at: Option<usize>,
        state: &mut State,
    ) -> String {
        let args: Vec<&str> = argv[1..].iter().map(|arg| arg.text.as_str()).collect();
        let output = known.and_then(|program| program.output);
        // The call that was noted knows its words.
        let noted = at.filter(|at| {
            self.reading
                .calls
                .get(*at)
                .is_some_and(|call| std::ptr::eq(call.argv.as_ptr(), argv.as_ptr()) || *call.argv == *argv)
        });
        let words = match noted {
            Some(at) => Rc::clone(self.reading.calls[at].shared_words()),
            None => Rc::new(decode(argv, &[])),
        };
        if let Some(program) = known
            && let Some(output) =
                by_table(program, &words, argv, state).or_else(|| self.fetched(program, noted, argv, state))
        {
            return output;
        }
        if words.prints(argv) == Some(Prints::Each) {
            return format!("{EACH}\n");
        }
        let lands = |program: &&Program| {
            program.operands.unwrap_or_default().iter().any(|operand| operand.role == Role::Target)
        };
        let network = words.prints(argv) == Some(Prints::Network);
        if known.as_ref().is_some_and(lands) && !network {
            self.landed(argv, state);
            return String::new();
        }
        match output {
            Some(Output::Echo) => write::echo(&args),
            Some(Output::Printf) => printf(&args),
            Some(Output::Folder) => format!("{}\n", state.folder()),
            // A name of its own, so that what is put there is found again.
            Some(Output::Temporary) => format!("/tmp/tmp.{}\n", self.reading.calls.len()),
            Some(Output::Numbers) => sequence(&args),
            Some(Output::Again) => {
                format!("{}\n", if args.is_empty() { "y".to_owned() } else { args.join(" ") }).repeat(2)
            }
            Some(Output::Through) => self.through(&words, argv, state),
            Some(Output::Archive) => self.archive(&words, &args, argv, state),
            Some(Output::Cipher) => self.cipher(&words, &args, argv, state),
            Some(Output::Unpacked) => self.unpacked(&args, true, state),
            Some(Output::Packed) => {
                self.unpacked(&args, filter::decodes(&args) || args.contains(&"--decrypt"), state)
            }
            Some(kind) if filter::is_filter(kind) => self.filtered(kind, &words, &args, argv, state),
            Some(kind) => {
                self.printed(kind, &args, state).unwrap_or_else(|| self.other(&words, &args, argv, state))
            }
            None => {
                compiled(&words, argv, state);
                self.other(&words, &args, argv, state)
            }
        }
    }

    /// What comes in, or a file, goes on to files, and is printed where it has not gone elsewhere.
    fn through(&mut self, words: &Decoded, argv: &[Arg], state: &mut State) -> String {
        let named = |wanted: Role| words.given(argv).filter(move |(role, _)| *role == wanted);
        let text = match named(Role::Read).next() {
            Some((_, file)) => self.file_text(file, state),
            None => state.piped(),
        };
        let mut elsewhere = false;
        for (role, file) in words.given(argv).filter(|(role, _)| matches!(role, Role::Write | Role::Append)) {
            let path = state.absolute(file);
            self.pour(&path, &text, state);
            let old = state.files.get(&path).filter(|_| role == Role::Append);
            let old = old.map(ToString::to_string).unwrap_or_default();
            state.write(path, old + &text);
            elsewhere = words.entry.is_some_and(|entry| entry.style.keys);
        }
        if elsewhere { String::new() } else { text.to_string() }
    }

    fn cipher(&mut self, words: &Decoded, args: &[&str], argv: &[Arg], state: &mut State) -> String {
        if words.prints(argv) == Some(Prints::Network) {
            return NET.to_string();
        }
        let encoded = words.entry.and_then(|entry| entry.output) == Some(Output::Base64) || words.has("a");
        if !encoded {
            return self.unpacked(args, args.contains(&"-d"), state);
        }
        let file = words.last("in", argv);
        // Where nothing is said of its input, somebody else says what comes in.
        let text = file.map_or_else(|| state.input(), |file| self.file_text(file, state));
        if !words.has("d") {
            return holes(&text) + &ANY.to_string();
        }
        decode::text(&text, decode::base64).unwrap_or_else(|| format!("{}{DECODED}", holes(&text)))
    }

    /// Programs that print something about the machine or about their words.
    fn printed(&mut self, kind: Output, args: &[&str], state: &mut State) -> Option<String> {
        let word = || args.iter().find(|a| !a.starts_with('-')).copied();
        Some(match kind {
            Output::Parent => word().map(|path| parent(path) + "\n").unwrap_or_default(),
            Output::Name => {
                let words = crate::builtin::operands(args, &["-s"]);
                let base = words.first().map_or("", |path| crate::path::name(path));
                base.strip_suffix(words.get(1).copied().unwrap_or("\0")).unwrap_or(base).to_owned() + "\n"
            }
            Output::Resolved => {
                let path = word().unwrap_or(".");
                state.resolved(path).unwrap_or_else(|| state.absolute(path)) + "\n"
            }
            Output::Located => {
                word().map(|name| format!("/usr/bin/{}\n", crate::path::name(name))).unwrap_or_default()
            }
            Output::Listing => self.listed(args, state),
            Output::Accounts => {
                format!("{ANY}:x:{ANY}:{ANY}::{}:{ANY}\n", self.home().unwrap_or_else(|| ANY.to_string()))
            }
            // Every process there is, the way `kill` says it.
            Output::Processes
                if args.iter().any(|a| a.contains(['e', 'A', 'a']))
                    && !args.iter().any(|a| matches!(*a, "-p" | "-C" | "-u" | "--pid")) =>
            {
                format!("{}\n{ANY}\n", "-1 ".repeat(12))
            }
            // A number that still says whose it is.
            Output::Process => format!("{ANY}{}\n", args.last().copied().unwrap_or_default()),
            Output::Past => format!("{SECRET}{PAST}"),
            Output::Variables
                if args.iter().all(|a| a.starts_with('-'))
                    || args.iter().any(|a| crate::expand::is_secret_name(a)) =>
            {
                SECRET.to_string()
            }
            Output::Query => match (word(), args.iter().any(|a| a.starts_with('-') && a.contains('n'))) {
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
                _ => return None,
            },
            Output::Result => {
                let text = args.iter().copied().chain(state.stdin.as_deref()).find_map(|text| {
                    let begin = text.find(['"', '['])?;
                    let end = text.rfind(['"', ']'])?;
                    text.get(begin + 1..end).map(str::to_owned)
                });
                format!("{}\n{ANY}", text.unwrap_or_default())
            }
            Output::Other => ANY.to_string(),
            _ => return None,
        })
    }

    /// The names in a folder, or those that were given.
    fn listed(&self, args: &[&str], state: &State) -> String {
        let files = crate::builtin::operands(args, &["-I", "-w"]);
        if files.is_empty() {
            // A line for each name; with more about it, the name is the ninth.
            let long = args.iter().any(|a| !a.starts_with("--") && a.contains('l'));
            return if long {
                format!("{}{EACH}\n", format!("{ANY} ").repeat(8))
            } else {
                format!("{EACH}\n")
            };
        }
        // `ls -d x/*` has each of them on a line of its own.
        let each = |file: &&str| match file.strip_suffix("/*") {
            Some(folder) => format!("{folder}/{EACH}\n"),
            None => format!("{file}\n"),
        };
        let mut output: String = files.iter().map(each).collect();
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

    /// What a table says in words, or only where it may come from.
    fn other(&mut self, words: &Decoded, args: &[&str], argv: &[Arg], state: &State) -> String {
        match words.prints(argv) {
            Some(Prints::All) => format!("{ANY}*\n"),
            Some(Prints::Each) => format!("{EACH}\n"),
            Some(Prints::Network) => NET.to_string(),
            Some(Prints::Text(text)) => format!("{text}\n"),
            Some(Prints::Nothing) => ANY.to_string(),
            Some(Prints::Input) => state.piped().to_string(),
            None => self.carried(args, state),
        }
    }

    /// Nothing is known of what it prints but where that may come from.
    fn carried(&mut self, args: &[&str], state: &State) -> String {
        let secret = self.secret_in(args, state);
        let carried: String = args.iter().map(|a| holes(a)).collect::<String>()
            + &holes(state.stdin.as_deref().unwrap_or_default());
        format!("{}{secret}{ANY}", holes(&carried))
    }

    fn filtered(
        &mut self,
        kind: Output,
        words: &Decoded,
        args: &[&str],
        argv: &[Arg],
        state: &State,
    ) -> String {
        let texts = |read: bool| {
            let is_file = move |role: Role| matches!(role, Role::Read | Role::Edit) == read;
            words
                .roles()
                .iter()
                .filter(move |(_, role)| is_file(*role))
                .map(|(at, _)| argv[*at].text.as_str())
        };
        let files: Vec<&str> = texts(true).collect();
        let decodes = matches!(kind, Output::Base64 | Output::Base32) && filter::decodes(args)
            || kind == Output::Hex && args.iter().any(|a| a.starts_with('-') && a.contains('r'));
        let input = if files.iter().any(|file| *file != "-") {
            files.iter().map(|file| self.file_text(file, state).to_string()).collect::<String>().into()
        } else if decodes {
            // Nobody decodes nothing: where its input is not said, somebody else says it.
            state.input()
        } else {
            state.piped()
        };
        let named: Vec<&str> = args.iter().filter(|a| !files.contains(a)).copied().collect();
        let mut output = match filter::filter(kind, &named, texts(false).next(), &input) {
            Some(output) => output,
            None if decodes => DECODED.to_string(),
            // A text that is written here and then turned into another is a code of its own.
            None if is_known(&input) && !input.trim().is_empty() && state.stdin.is_some() => {
                DECODED.to_string()
            }
            None => ANY.to_string(),
        };
        // Most leave something out; then it is no longer all that was there.
        let all = match kind {
            Output::Matching => args.iter().any(|a| a.starts_with('-') && a.contains('v')),
            _ => !filter::leaves_out(kind),
        };
        if !all && has_hole(&output, EACH) {
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

    /// Files that stand for other files after a copy, a move or a link.
    fn landed(&mut self, argv: &[Arg], state: &mut State) {
        let landings = crate::programs::landings(&Call { argv: argv.to_vec().into(), ..Call::default() });
        let several = landings.len() > 1;
        for Landing { from, to, how } in landings {
            if how == Role::Remote && !from.starts_with('/') && from.contains(':') && !to.contains(':') {
                // What comes from elsewhere lies where it was put, under its own name.
                let name = crate::path::name(from.rsplit(':').next().unwrap_or(&from));
                for path in [state.absolute(&to), state.absolute(&format!("{to}/{name}"))] {
                    state.write(path, NET.to_string());
                }
                continue;
            }
            if !is_known(&from) || !is_known(&to) {
                continue;
            }
            if matches!(from.as_str(), "/dev/stdin" | "/dev/fd/0") {
                let (to, text) = (state.absolute(&to), state.piped());
                state.write(to, text);
                continue;
            }
            let folder = several || to.ends_with('/') || to == ".";
            let (from, mut to) = (state.absolute(&from), state.absolute(&to));
            if folder {
                to = format!("{to}/{}", crate::path::name(&from));
            }
            match state.files.get(&from).cloned() {
                Some(text) => {
                    if how == Role::Move {
                        state.files.remove(&from);
                    }
                    state.write(to, text);
                }
                None if is_secret_path(&from, self.home().as_deref()) => {
                    state.write(to, SECRET.to_string());
                }
                // A program under another name, or a way to another place.
                None if matches!(how, Role::Link | Role::Symlink)
                    || crate::path::is_program(&from)
                    || crate::path::is_stream(&from) =>
                {
                    state.links.insert(to, from);
                }
                None => {}
            }
        }
    }

    /// The mark of a secret, where one of the files in `args` is one.
    fn secret_in(&self, args: &[&str], state: &State) -> String {
        let secrets = Secrets::seen_from(state.folder(), self.home_ref());
        let found = args.iter().any(|arg| is_secret_among(&secrets, arg, state));
        if found { SECRET.to_string() } else { String::new() }
    }

    /// Whether a word names a file with a secret, by itself or as `@file`, `name=@file`, `FILE:file`.
    pub(crate) fn is_secret_word(&self, arg: &str, state: &State) -> bool {
        is_secret_among(&Secrets::seen_from(state.folder(), self.home_ref()), arg, state)
    }

    /// What a program prints that speaks to other machines, and the files that it leaves behind.
    fn fetched(
        &mut self,
        program: &Program,
        noted: Option<usize>,
        argv: &[Arg],
        state: &mut State,
    ) -> Option<String> {
        if !program.style.network {
            return None;
        }
        let made;
        let call = if let Some(at) = noted {
            &self.reading.calls[at]
        } else {
            made = self.call(argv.to_vec(), state);
            &made
        };
        if call.does(Verb::Fetches) {
            for path in call.written() {
                let path = state.absolute(path);
                state.write(path, NET.to_string());
            }
        }
        // What is kept under its own name is meant to be printed where somebody waits for it: `wget x | sh`.
        let awaited = self.output != crate::reading::Output::Shown
            && call.words().roles().iter().any(|(_, role)| *role == Role::Save);
        (awaited || call.words().prints(argv) == Some(Prints::Network)).then(|| NET.to_string())
    }
}

/// What a compiler makes of code from the network is code from the network.
fn compiled(words: &Decoded, argv: &[Arg], state: &mut State) {
    let nothing_foreign = state.files.is_empty() && state.stdin.is_none();
    if nothing_foreign || !words.does().any(|(verb, _)| verb == Verb::Builds) {
        return;
    }
    let named =
        |wanted: Role| words.given(argv).filter(move |(role, _)| *role == wanted).map(|(_, text)| text);
    let is_foreign = |file: &str| {
        let text = if file == "-" {
            state.stdin.as_deref()
        } else {
            state.files.get(&state.absolute(file)).map(Rc::as_ref)
        };
        text.is_some_and(|text| text.contains(NET))
    };
    if !named(Role::Read).any(is_foreign) {
        return;
    }
    let stem = |file: &str| crate::path::name(file).rsplit_once('.').map(|(stem, _)| stem.to_owned());
    let mut made: Vec<String> = named(Role::Write).map(str::to_owned).collect();
    if made.is_empty() {
        made.push("a.out".to_owned());
        made.extend(named(Role::Read).filter_map(stem));
    }
    for path in made {
        state.write(state.absolute(&path), NET.to_string());
    }
}

/// What a version system or a forge prints, as far as its table says so.
fn by_table(program: &Program, words: &Decoded, argv: &[Arg], state: &State) -> Option<String> {
    if !program.style.service && !program.style.versions || words.prints(argv).is_some() {
        return None;
    }
    if program.style.service {
        let does = |verb: Verb| words.does().any(|(known, _)| known == verb);
        let hole = if does(Verb::Tells) || does(Verb::Reveals) { SECRET } else { NET };
        return (hole == SECRET || does(Verb::Queries)).then(|| hole.to_string());
    }
    // What lies elsewhere is printed, and not kept.
    let remote = |chosen: &Chosen| chosen.option.is_some_and(|option| option.role == Role::From);
    if words.options.iter().any(remote) {
        return Some(NET.to_string());
    }
    if words.has("show-toplevel") {
        return Some(format!("{}\n", state.folder()));
    }
    if words.path.last() == Some(&"rev-parse") {
        if let Some(path) = words.last("git-path", argv) {
            return Some(format!("{}/.git/{path}\n", state.folder()));
        }
        if ["git-dir", "git-common-dir", "absolute-git-dir"].iter().any(|name| words.has(name)) {
            return Some(format!("{}/.git\n", state.folder()));
        }
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

/// The same, seen from where it is known which paths are.
fn is_secret_among(secrets: &Secrets<'_>, arg: &str, state: &State) -> bool {
    if arg.starts_with('-') && !arg.contains('=') {
        return false;
    }
    let path = arg.split_once('=').map_or(arg, |(_, value)| value);
    let path = path
        .split_once(':')
        .filter(|(scheme, _)| matches!(*scheme, "FILE" | "file" | "OPEN" | "open"))
        .map_or(path, |(_, file)| file);
    let path = path.trim_start_matches(['@', '<']);
    if path.is_empty() || path.starts_with('-') || !is_known(path) {
        return false;
    }
    // What the script itself has written is none by its looks.
    let filled = || state.files.get(&state.absolute(path)).is_some_and(|text| text.contains(SECRET));
    secrets.names(path) || !state.files.is_empty() && filled()
}
