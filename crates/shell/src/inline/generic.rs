//! Languages that are not read: what their texts say is done where words of theirs start commands, delete files or run what they fetch.

use super::literals::literals;
use super::program::STARTS;
use super::{home_path, is_command};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::NET;

/// Words by which code of any language deletes what its texts name.
const DELETES: &[&str] = &[
    "call delete(",
    "fn.delete(",
    "rm(",
    "rm_rf",
    "rm-rf",
    "delete-directory",
    "delete-file",
    "delete-tree",
    "os.remove(",
    "removeSync",
    "rmtree",
    "remove_dir",
    "deleteDir",
    "deleteRecursively",
    "removeItem",
    "RemoveAll",
    "removePathForcibly",
];

/// Words by which code of any language asks for the home.
const HOME: &[&str] = &[
    "user_home",
    "user.home",
    "homedir",
    "NSHomeDirectory",
    "UserHomeDir",
    "homeDirectory",
    "Path.home",
    "Dir.home",
    "env.HOME",
    "\"HOME\"",
    "<HOME>",
    "$*HOME",
];

/// Words by which code of any language fetches, and by which it runs a text.
const OBTAINS: &[&str] = &["url-retrieve", "url-insert-file-contents"];
const EVALUATES: &[&str] = &["eval-buffer", "(eval ", "eval-region", "load-string", "Code.eval"];

impl Reader<'_> {
    /// Code of a language that is not read: where it starts commands, its texts are taken for them.
    pub(super) fn generic(&mut self, code: &str, fetches: bool, state: &mut State) {
        let literals = literals(code);
        if STARTS.iter().any(|word| code.contains(word)) || code.contains('`') {
            for text in &literals {
                if is_command(text) {
                    self.run_slot("generic", text, state);
                }
            }
            // `cmd("rm", ["-rf", "/"])`
            if literals.first().is_some_and(|first| !first.contains(' ')) && literals.len() > 1 {
                let word = |text: &String| {
                    if matches!(text.as_str(), "HOME" | "user.home") { "~".to_owned() } else { text.clone() }
                };
                self.start("generic", literals.iter().map(word).collect(), state);
            }
        }
        let home = HOME.iter().any(|word| code.contains(word)).then(|| "~".to_owned());
        // Raku's `run <rm -rf>, %*ENV<HOME>`.
        for words in code.split('<').skip(1).filter_map(|piece| piece.split('>').next()) {
            if is_command(words) {
                let words = words.split_whitespace().map(str::to_owned);
                self.start("generic", words.chain(home.clone()).collect(), state);
            }
        }
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if (fetches || has(OBTAINS)) && has(EVALUATES) {
            self.unseen("generic", &NET.to_string());
        }
        if has(DELETES) {
            for path in literals.into_iter().chain(home) {
                self.note_as("generic", ["rm".to_owned(), "-rf".to_owned(), path], state);
            }
        }
    }

    /// Tcl: commands of words, in brackets or one a line.
    pub(super) fn tcl(&mut self, code: &str, state: &mut State) {
        for piece in code.split([';', '\n', '[', ']', '{', '}']).take(400) {
            let piece = piece.trim();
            if let Some(command) =
                piece.strip_prefix("exec ").or(piece.strip_prefix("spawn ")).or(piece.strip_prefix("system "))
            {
                self.run_slot("tcl", command, state);
            } else if let Some(paths) = piece.strip_prefix("file delete") {
                let words = ["rm", "-rf"]
                    .into_iter()
                    .chain(paths.split_whitespace().filter(|word| !word.starts_with('-')));
                self.note_as("tcl", words.map(str::to_owned), state);
            } else if let Some(paths) = piece.strip_prefix("glob ").filter(|_| code.contains("file delete")) {
                let found = paths.split_whitespace().filter(|word| !word.starts_with('-'));
                for path in found {
                    let path = Arg { glob: path.contains('*'), ..Arg::new(home_path(path, self.home_ref())) };
                    let argv = vec![Arg::new("rm"), Arg::new("-rf"), path];
                    self.wrapped("tcl", |reader| reader.record(argv, state));
                }
            }
        }
    }
}
