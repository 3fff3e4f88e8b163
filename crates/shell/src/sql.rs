//! Statements for databases: what they read, change and destroy, in the words of SQL's dialects and of Cypher, with the commands of
//! clients among them (`\!`, `.shell`). Text that a statement builds from constants and then runs is followed as far as they go.

mod called;
mod constants;
mod loss;
mod tokens;

use std::collections::HashMap;

use constants::{fold, is_type, last_word};
use tokens::{Token, tokens};

/// One thing that a text would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Queries,
    /// It asks for something, by functions of which nobody here knows what they do.
    Calls,
    Changes,
    Destroys {
        /// In words, after "would": `run DROP TABLE`.
        what: String,
        /// It is a database whose name says that it is for tests or development.
        for_tests: bool,
    },
    /// A file of the machine that the database, or its client, runs on.
    Reads(String),
    Writes(String),
    /// A file of statements that are run.
    Includes(String),
    /// A command for a shell there.
    Runs(String),
    /// Rights for everybody, or all of them for somebody; in words, after "would".
    Grants(String),
    /// What the database keeps of its users' passwords.
    Tells(String),
}

/// Texts that are longer are data.
const MOST: usize = 256 * 1024;
/// Text that runs text that runs text.
const DEEPEST: usize = 4;
/// Texts that are made and run, all together.
const MOST_RUN: usize = 64;

/// What a text of statements does, each kind once and everything that it destroys.
pub fn acts(text: &str) -> Vec<Act> {
    read(text, Reader::default())
}

/// The same of a file that somebody wrote to be run: tables that it makes anew are meant to go first.
pub fn acts_of_script(text: &str) -> Vec<Act> {
    let tokens = if text.len() <= MOST { tokens(text) } else { Vec::new() };
    let creates = tokens.windows(2).filter(|pair| pair[0].is("TABLE") || pair[0].is("EXISTS"));
    let after_create = |name: &str| {
        tokens.split(|t| *t == Token::End).any(|part| {
            part.first().is_some_and(|t| t.is("CREATE")) && part.iter().take(7).any(|t| t.word() == name)
        })
    };
    let made = creates.map(|pair| pair[1].word().to_owned()).filter(|name| after_create(name)).collect();
    read(text, Reader { made, ..Reader::default() })
}

fn read(text: &str, mut reader: Reader) -> Vec<Act> {
    if text.len() <= MOST {
        reader.text(text, 0);
        // The same by a function.
        if text.to_ascii_lowercase().contains("load_extension(") {
            reader.add(Act::Runs("load_extension".to_owned()));
        }
        reader.rights(&tokens(text));
    } else {
        reader.add(Act::Changes);
    }
    reader.found
}

/// Whether a word is a statement or a command of the client; a single word names a database.
pub fn is_statement(text: &str) -> bool {
    const ALONE: &[&str] = &["ALTER", "DELETE", "DROP", "INSERT", "TRUNCATE", "UPDATE"];
    text.trim().contains(char::is_whitespace)
        || text.starts_with(['\\', '.'])
        || ALONE.iter().any(|verb| text.eq_ignore_ascii_case(verb))
}

#[derive(Default)]
struct Reader {
    found: Vec<Act>,
    /// What variables hold.
    variables: HashMap<String, String>,
    /// Functions that the text makes, with what they do when they are called.
    functions: Vec<(String, String)>,
    /// Tables that the text makes for itself.
    made: Vec<String>,
    run: usize,
}

impl Reader {
    fn add(&mut self, act: Act) {
        if !self.found.contains(&act) {
            self.found.push(act);
        }
    }

    /// Users and what they may do.
    fn rights(&mut self, tokens: &[Token]) {
        const LISTS: &[&str] = &[
            "PG_SHADOW",
            "PG_AUTHID",
            "PG_USER_MAPPING",
            "PG_USER_MAPPINGS",
            "SYSLOGINS",
            "SQL_LOGINS",
            "USER$",
        ];
        for part in tokens.split(|token| *token == Token::End) {
            let has = |word: &str| part.iter().any(|token| token.is(word));
            let first = part.first().map(Token::word).unwrap_or_default();
            let named = |word: &str| has(word) && !has(&format!("NO{word}"));
            let role = has("ROLE") || has("USER") || has("LOGIN");
            if matches!(first, "ALTER" | "CREATE") && role && named("SUPERUSER") {
                self.add(Act::Grants("give all rights of the database to a user".into()));
            }
            let star = part.windows(3).any(|three| {
                three[0] == Token::Sign('*') && three[1] == Token::Sign('.') && three[2] == Token::Sign('*')
            });
            let anywhere = part
                .iter()
                .any(|token| matches!(token, Token::Text(text) | Token::Name(text) if text == "%"));
            if first == "GRANT" && has("ALL") && (star || anywhere || has("PUBLIC")) {
                self.add(Act::Grants("give all rights of the database to somebody".into()));
            }
            let lists = part.iter().any(|token| LISTS.contains(&token.word().to_ascii_uppercase().as_str()));
            let mysql = part
                .windows(3)
                .any(|three| three[0].is("MYSQL") && three[1] == Token::Sign('.') && three[2].is("USER"))
                && (has("AUTHENTICATION_STRING") || has("PASSWORD") || part.contains(&Token::Sign('*')));
            let keys = lists && first != "GRANT" && first != "REVOKE";
            if keys || mysql {
                self.add(Act::Tells("what the database keeps of passwords".into()));
            }
        }
    }

    fn destroys(&mut self, what: impl Into<String>, for_tests: bool) {
        self.add(Act::Destroys { what: what.into(), for_tests });
    }

    fn text(&mut self, text: &str, depth: usize) {
        if depth > DEEPEST {
            return self.add(Act::Changes);
        }
        let mut rest = String::with_capacity(text.len());
        for line in text.lines() {
            if !self.command(line.trim()) {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        let tokens = tokens(&rest);
        // What is taken back at the end was never done: rows, that is; tables are gone in some databases all the same.
        let begins = tokens.iter().any(|t| t.is("BEGIN") || t.is("TRANSACTION"));
        let last = tokens.rsplit(|t| *t == Token::End).find(|part| !part.is_empty());
        let taken_back = begins
            && last.is_some_and(|part| part[0].is("ROLLBACK"))
            && !tokens.iter().any(|t| t.is("COMMIT"));
        for statement in tokens.split(|token| *token == Token::End).filter(|part| !part.is_empty()) {
            self.statement(statement, taken_back, depth);
        }
    }

    /// A command of the client itself: `\! rm x`, `.shell rm x`, `\i file`.
    fn command(&mut self, line: &str) -> bool {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().trim_end_matches(';');
        let bare = rest.trim_matches(['\'', '"']);
        match name.to_ascii_lowercase().as_str() {
            "\\!" | ".shell" | ".system" | "system" | "!!" => self.add(Act::Runs(rest.to_owned())),
            "\\o" | "\\out" | "\\g" | "\\gx" | ".output" | ".once" | "\\t" | "tee" | ".log" | "\\w" => {
                match bare.strip_prefix('|') {
                    Some(code) => self.add(Act::Runs(code.to_owned())),
                    None if bare.is_empty() || matches!(bare, "stdout" | "off") => {}
                    None => self.add(Act::Writes(bare.to_owned())),
                }
            }
            "\\i" | "\\ir" | "\\include" | ".read" | "source" | "\\." => match bare.strip_prefix('|') {
                Some(code) => self.add(Act::Runs(code.to_owned())),
                None => self.add(Act::Includes(bare.to_owned())),
            },
            // A library is code that nobody has read.
            ".load" => self.add(Act::Runs(bare.to_owned())),
            // `'|cmd' table`
            ".import" if rest.trim_start_matches(['\'', '"']).starts_with('|') => {
                let mark = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
                let code = rest.trim_start_matches(['\'', '"']).trim_start_matches('|');
                let code = mark.and_then(|mark| code.split(mark).next()).unwrap_or(code);
                self.add(Act::Runs(code.to_owned()));
            }
            ".import" => {
                let file = bare.split_whitespace().next().unwrap_or_default();
                self.add(Act::Reads(file.trim_matches(['\'', '"']).to_owned()));
                self.add(Act::Changes);
            }
            ".archive" | ".ar" | ".excel" => self.add(Act::Changes),
            ".backup" | ".save" | ".clone" | ".dump_to" => self.add(Act::Writes(last_word(bare).to_owned())),
            ".restore" => self.destroys("replace a database by a copy", false),
            "\\set" => {
                let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                self.variables
                    .insert(format!(":{}", name.to_ascii_uppercase()), value.trim_matches('\'').to_owned());
            }
            // Its statement is SQL's COPY.
            "\\copy" => return false,
            name if name.starts_with('\\') || name.len() > 1 && name.starts_with('.') => {
                self.add(Act::Queries);
            }
            _ => return false,
        }
        true
    }

    fn statement(&mut self, all: &[Token], taken_back: bool, depth: usize) {
        let gexec = all.iter().any(|t| t.is("\\GEXEC"));
        let mut tokens = all;
        // `EXPLAIN` only asks, unless it is told to try.
        if tokens[0].is("EXPLAIN") {
            if !tokens.iter().take(6).any(|t| t.is("ANALYZE")) {
                return self.add(Act::Queries);
            }
            let verb = tokens
                .iter()
                .position(|t| ["SELECT", "DELETE", "UPDATE", "INSERT", "WITH"].iter().any(|w| t.is(w)));
            tokens = &tokens[verb.unwrap_or(0)..];
        }
        let first = tokens[0].word().to_owned();
        self.files(tokens);
        if first == "CREATE" && self.creates(tokens)
            || matches!(first.as_str(), "GRANT" | "REVOKE" | "COMMENT")
        {
            return self.add(Act::Changes);
        }
        if first == "DO" {
            let body =
                tokens.iter().find_map(|t| if let Token::Text(body) = t { Some(body.clone()) } else { None });
            if let Some(body) = body {
                return self.text(&body, depth + 1);
            }
        }
        self.assignments(tokens);
        let before = self.found.len();
        for at in 0..tokens.len() {
            self.verb(tokens, at, taken_back);
            self.runs(tokens, at, gexec, depth);
        }
        for (name, body) in self.functions.clone().into_iter().take(MOST_RUN) {
            if self.run < MOST_RUN && tokens.iter().any(|t| t.word() == name) {
                self.run += 1;
                self.text(&body, depth + 1);
            }
        }
        if self.found.len() > before {
            return;
        }
        let reads = [
            "SELECT", "SHOW", "DESCRIBE", "DESC", "WITH", "VALUES", "TABLE", "USE", "LIST", "RETURN", "FROM",
            "HELP",
        ];
        let writes =
            |word: &str| ["INSERT", "INTO", "DELETE", "UPDATE", "MERGE", "SET", "CREATE"].contains(&word);
        let pragma =
            first == "PRAGMA" && !tokens.contains(&Token::Sign('=')) && !called::sets_in_brackets(tokens);
        let asks = reads.contains(&first.as_str()) || first == "MATCH";
        let quiet = first == "SELECT" || !tokens.iter().skip(1).any(|t| writes(t.word()));
        let into = tokens.iter().any(|t| t.is("INTO"));
        let selects = matches!(first.as_str(), "SELECT" | "WITH" | "FROM" | "VALUES" | "TABLE");
        self.add(match () {
            () if !(pragma || asks && quiet && !into) => Act::Changes,
            () if selects && called::does_more(tokens) => Act::Calls,
            () => Act::Queries,
        });
    }

    /// Notes what a `CREATE` makes; whether that is all it does.
    fn creates(&mut self, tokens: &[Token]) -> bool {
        let kind = tokens.iter().take(6).position(|t| {
            ["FUNCTION", "PROCEDURE", "TRIGGER", "EVENT", "RULE", "TABLE", "PROC"].iter().any(|w| t.is(w))
        });
        let Some(kind) = kind else { return true };
        let only_if = tokens[kind..].iter().take(4).any(|t| t.is("EXISTS"));
        let name = tokens[kind + 1..].iter().find(|t| !["IF", "NOT", "EXISTS"].iter().any(|w| t.is(w)));
        let name = name.map(|t| t.word().to_owned()).unwrap_or_default();
        if tokens[kind].is("TABLE") {
            let passing =
                tokens[..kind].iter().any(|t| t.is("TEMP") || t.is("TEMPORARY") || t.is("UNLOGGED"));
            if passing || !only_if {
                self.made.push(name);
            }
            // `CREATE TABLE x AS …` and `CREATE OR REPLACE TABLE`.
            if tokens[..kind].iter().any(|t| t.is("REPLACE")) {
                self.destroys("replace a table", false);
            }
        } else {
            let body =
                tokens.iter().find_map(|t| if let Token::Text(body) = t { Some(body.clone()) } else { None });
            self.functions.extend(body.map(|body| (name, body)));
        }
        true
    }

    /// Files and commands that a statement names.
    fn files(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            let text = |from: usize| {
                tokens.iter().skip(from).find_map(|t| match t {
                    Token::Text(text) => Some(text.clone()),
                    _ => None,
                })
            };
            let before = |word: &str| tokens[..at].iter().any(|t| t.is(word));
            let next = tokens.get(at + 1);
            let called = next.is_some_and(|t| *t == Token::Sign('('));
            let copies = tokens[0].is("COPY") || tokens[0].is("\\COPY");
            let act = match token.word() {
                "PROGRAM" if copies => text(at + 1).map(Act::Runs),
                "XP_CMDSHELL" => text(at + 1).map(Act::Runs),
                "SYS_EXEC" | "SYS_EVAL" | "SHELL" if called => text(at + 1).map(Act::Runs),
                // `edit(value, 'command')`
                "EDIT" if called => {
                    let inside = tokens[at + 2..].iter().take_while(|t| **t != Token::Sign(')'));
                    let behind = inside.skip_while(|t| **t != Token::Sign(','));
                    behind.filter_map(Token::text).last().map(Act::Runs)
                }
                "GETENV" if called => text(at + 1)
                    .filter(|name| crate::expand::is_secret_name(name))
                    .map(|_| Act::Tells("a variable that holds a secret".into())),
                "TO" if copies && matches!(next, Some(Token::Text(_))) => text(at + 1).map(Act::Writes),
                "FROM" if copies && matches!(next, Some(Token::Text(_))) => text(at + 1).map(Act::Reads),
                "OUTFILE" | "DUMPFILE" => text(at + 1).map(Act::Writes),
                "INTO" if tokens[0].is("VACUUM") => text(at + 1).map(Act::Writes),
                "DISK" if tokens[0].is("BACKUP") => text(at + 1).map(Act::Writes),
                "DIRECTORY" if tokens[0].is("EXPORT") => text(at + 1).map(Act::Writes),
                "INFILE" if before("LOAD") => text(at + 1).map(Act::Reads),
                "PG_READ_FILE"
                | "PG_READ_BINARY_FILE"
                | "PG_LS_DIR"
                | "LO_IMPORT"
                | "LOAD_FILE"
                | "READFILE"
                | "READ_TEXT"
                | "READ_BLOB"
                | "READ_CSV"
                | "READ_CSV_AUTO"
                | "READ_JSON"
                | "FILE_READ"
                    if called =>
                {
                    text(at + 1).map(Act::Reads)
                }
                "WRITEFILE" | "LO_EXPORT" | "PG_FILE_WRITE" | "FILE_WRITE" if called => {
                    text(at + 1).map(Act::Writes)
                }
                _ => None,
            };
            if let Some(act) = act {
                self.add(act);
            }
        }
    }

    /// `SET @x = 'DROP '`, `x := …`, `DECLARE @x … = …`.
    fn assignments(&mut self, tokens: &[Token]) {
        for at in 1..tokens.len() {
            let colon = tokens[at] == Token::Sign(':') && tokens.get(at + 1) == Some(&Token::Sign('='));
            let declares = tokens[0].is("SET") || tokens[0].is("DECLARE");
            let equals = tokens[at] == Token::Sign('=') && tokens[at - 1] != Token::Sign(':') && declares;
            if !colon && !equals {
                continue;
            }
            // The name stands before its type.
            let name = tokens[..at].iter().rev().map(Token::word).find(|w| w.starts_with('@'));
            let name = name
                .or_else(|| tokens[..at].iter().map(Token::word).rfind(|w| !is_type(w)))
                .unwrap_or_default();
            let from = at + 1 + usize::from(colon);
            let value = fold(&tokens[from..], &self.variables);
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// Text that is run as a statement.
    fn runs(&mut self, tokens: &[Token], at: usize, gexec: bool, depth: usize) {
        let word = tokens[at].word();
        let next = tokens.get(at + 1);
        let from = match word {
            "EXECUTE" | "EXEC" => {
                let trigger = next.is_some_and(|t| t.is("FUNCTION") || t.is("PROCEDURE") || t.is("ON"));
                let immediate = usize::from(next.is_some_and(|t| t.is("IMMEDIATE")));
                (!trigger).then_some(at + 1 + immediate)
            }
            "SP_EXECUTESQL" | "DBLINK_EXEC" | "SP_MSFOREACHTABLE" | "QUERY_TO_XML" | "DBLINK" => Some(at + 1),
            "FROM" if tokens[0].is("PREPARE") => Some(at + 1),
            "AS" if tokens[0].is("PREPARE") => {
                let rest = tokens[at + 1..].to_vec();
                if !rest.is_empty() {
                    self.statement(&rest, false, depth + 1);
                }
                return;
            }
            "SELECT" if gexec => Some(at + 1),
            _ => None,
        };
        if let Some(from) = from.filter(|from| *from < tokens.len() && self.run < MOST_RUN) {
            self.run += 1;
            let text = fold(&tokens[from..], &self.variables);
            if !text.trim().is_empty() && text.contains(char::is_whitespace) {
                self.text(&text, depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests;
