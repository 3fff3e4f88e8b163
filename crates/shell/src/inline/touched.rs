//! Files that code names, in languages of which no more is known than how their texts look: what holds secrets is taken to be read, and
//! where the code writes anything, what the system and its users start from is taken to be written.

use crate::path::is_below;
use crate::reader::Reader;
use crate::state::State;

/// Words of code that only asks whether a file is there.
const ASKS: &[&str] = &["exist", "isfile", "is_file", "fileexists", "stat(", "access("];

/// Words of code that writes files.
const WRITES: &[&str] = &[
    "\"w\"", "'w'", "\"wb\"", "'wb'", "\"a\"", "'a'", "\"ab\"", "write", "Write", "O_CREAT", "save", "dump ",
    "fputs", "copy(", "copy_", "cp(", "download", "openout", ">/", "file {",
];

/// Where what is written is run or believed later.
const STARTS_FROM: &[&str] = &["/etc", "/lib", "/usr/lib", "/var/spool/cron", "/boot", "/root", "/Library"];

impl Reader<'_> {
    pub(crate) fn touched(&mut self, language: &'static str, code: &str, state: &State) {
        // A program of the project may use what is secret; code on the command line is there to show it.
        if self.script.is_some() || !code.contains(['/', '~']) {
            return;
        }
        if super::table::is_known(language) {
            self.read_somehow(language, code, state);
            return;
        }
        let writes = WRITES.iter().any(|word| code.contains(word));
        let asks = ASKS.iter().any(|word| code.contains(word));
        let home = self.home();
        let paths = code.split(|c: char| c.is_whitespace() || "\"'`(){}[]<>,;=|$#".contains(c));
        for path in paths.filter_map(named).take(32) {
            let path = super::home_path(path, home.as_deref());
            if !asks && crate::secret::is_secret_path(&path, home.as_deref()) {
                self.note_read(language, path.clone(), state);
            }
            let own = home
                .as_deref()
                .and_then(|home| path.strip_prefix(home))
                .is_some_and(|rest| rest.starts_with("/."));
            if writes && (own || STARTS_FROM.iter().any(|folder| is_below(&path, folder))) {
                self.note_written(language, &path, "", state);
            }
        }
    }
}

/// Words of code that prints, or hands on, what it has.
const PRINTS: &[&str] =
    &["print", "puts", "p ", "say ", "echo ", "console.", "stdout", "pipe(", "dump", "Dumper"];

/// Words of code that uses a key for what it is.
const SIGNS: &[&str] = &["key_filename", "keyfile", "keyFile", "certfile", "load_cert_chain", "chmod("];

impl Reader<'_> {
    /// Secret files that code of a language that is read names, and hands to a function that nobody knows.
    fn read_somehow(&mut self, language: &'static str, code: &str, state: &State) {
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if !has(PRINTS) || has(ASKS) || has(SIGNS) {
            return;
        }
        let home = self.home();
        let asks_home = has(&["HOME", "home"]);
        // A path is one word: what is a command, or said to somebody, has several.
        let texts = super::literals::literals(code);
        for text in texts.iter().filter(|text| !text.contains(char::is_whitespace)).take(32) {
            // `process.env.HOME + "/.ssh/id_rsa"`
            let below = home.as_deref().filter(|_| asks_home && text.starts_with("/."));
            let path = match (below, named(text)) {
                (Some(home), _) => format!("{home}{text}"),
                (None, Some(path)) => super::home_path(path, home.as_deref()),
                (None, None) => continue,
            };
            if crate::secret::is_secret_path(&path, home.as_deref()) {
                self.note_read(language, path, state);
            }
        }
    }
}

/// A path from the root or the home.
fn named(token: &str) -> Option<&str> {
    let token = token
        .strip_prefix("file://")
        .unwrap_or(token)
        .trim_start_matches('@')
        .trim_end_matches(['.', '\\', ':']);
    (token.starts_with("~/") || token.starts_with('/') && token.len() > 4 && !token.starts_with("//"))
        .then_some(token)
}
