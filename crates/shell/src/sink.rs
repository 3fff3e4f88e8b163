//! Files that ordinary programs write to because an option, or a word of their little language, says so: `find -fprint`,
//! `git log --output`, sed's `w`, awk's `print > "…"`.

use crate::reader::Reader;
use crate::reading::{Arg, Call, Direction, Redirect};
use crate::state::State;

/// Options whose value is a file that is written.
static OPTIONS: &[(&[&str], &[&str])] = &[
    (&["find", "gfind"], &["-fls", "-fprint", "-fprint0", "-fprintf"]),
    (&["git"], &["--output"]),
    (&["sort", "gsort"], &["-o", "--output"]),
];

impl Reader<'_> {
    /// Notes the files that `name` writes by its options.
    pub(crate) fn file_slots(&mut self, name: &str, args: &[Arg], state: &State) {
        for (programs, options) in OPTIONS {
            if programs.contains(&name) {
                for path in crate::slot::option_values(args, options) {
                    self.note_written("option", &path, "", state);
                }
            }
        }
        match name {
            "sed" | "gsed" => {
                for path in args.iter().filter_map(|arg| sed_target(&arg.text)) {
                    self.note_written("sed", path, "", state);
                }
            }
            // `perl -i -e …` writes back what it reads.
            "perl" | "ruby" if args.iter().any(|arg| edits_in_place(&arg.text)) => {
                let words: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
                let mut files = crate::builtin::operands(&words, &["-e", "-E", "-pe", "-ne", "-pie", "-i"]);
                // A cluster that ends in `e` takes the next word for code.
                if let Some(at) = words.iter().position(|word| is_code_cluster(word)) {
                    files.retain(|file| Some(file) != words.get(at + 1));
                }
                for path in files {
                    self.note_written("perl", path, "", state);
                }
            }
            _ => {}
        }
    }

    /// A file that is written by something other than a redirection of the shell.
    pub(crate) fn note_written(&mut self, by: &'static str, path: &str, content: &str, state: &State) {
        let redirect = Redirect { fd: 1, direction: Direction::Write, target: Arg::new(path) };
        let wrappers = self.wrappers.iter().copied().chain([by]).collect();
        self.reading.calls.push(Call {
            redirects: vec![redirect],
            cwd: state.cwd(),
            wrappers,
            script: self.script.clone(),
            stdin: Some(content.into()),
            ..Call::default()
        });
    }
}

/// The file of `w file`, `1,5w file`, `s/a/b/w file`.
fn sed_target(script: &str) -> Option<&str> {
    let script = script.trim();
    let after = script.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' '));
    let after = match after.strip_prefix('/') {
        // `/pattern/w file`
        Some(rest) => rest.split_once('/')?.1.trim_start(),
        None => after,
    };
    if let Some(path) = after.strip_prefix("w ") {
        return Some(path.trim());
    }
    let rest = after.strip_prefix('s')?;
    let delimiter = rest.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace())?;
    let flags = rest[delimiter.len_utf8()..].split(delimiter).nth(2)?;
    let (before, _) = flags.split_once("w ")?;
    // A path may hold the delimiter, so it is cut from the whole.
    before
        .chars()
        .all(|c| "gpiIMm0123456789".contains(c))
        .then(|| script.rsplit_once("w ").map_or("", |(_, path)| path))
}

fn edits_in_place(option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { return false };
    // `-i.bak`, `-pi`, `-pie`: the letters before a suffix.
    let letters = letters.split('.').next().unwrap_or_default();
    letters.len() <= 6 && letters.contains('i') && letters.bytes().all(|b| b"0aceilnpsw".contains(&b))
}

fn is_code_cluster(option: &str) -> bool {
    option.len() > 2 && option.starts_with('-') && !option.starts_with("--") && option.ends_with(['e', 'E'])
}
