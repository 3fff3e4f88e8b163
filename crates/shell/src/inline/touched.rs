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
        if self.script.is_some() || super::table::is_known(language) || !code.contains(['/', '~']) {
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
