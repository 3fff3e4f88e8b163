//! Statements for databases: what they read, change and destroy, in the words of SQL's dialects and of Cypher, with the commands of
//! clients among them (`\!`, `.shell`). Text that a statement builds from constants and then runs is followed as far as they go.

use std::collections::HashMap;

use crate::programs::kind::is_for_tests;
use crate::text::ANY;

/// One thing that a text would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Queries,
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

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// In capitals.
    Word(String),
    /// A name in quotes of its own.
    Name(String),
    Text(String),
    Sign(char),
    End,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Token::Word(own) if own == word)
    }

    fn word(&self) -> &str {
        match self {
            Token::Word(text) | Token::Name(text) => text,
            _ => "",
        }
    }
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
            ".import" => match bare.split_whitespace().next().unwrap_or_default().trim_matches(['\'', '"']) {
                _ if bare.starts_with('|') => self.add(Act::Runs(bare[1..].to_owned())),
                file => {
                    self.add(Act::Reads(file.to_owned()));
                    self.add(Act::Changes);
                }
            },
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
        let pragma = first == "PRAGMA" && !tokens.contains(&Token::Sign('='));
        let asks = reads.contains(&first.as_str()) || first == "MATCH";
        let quiet = first == "SELECT" || !tokens.iter().skip(1).any(|t| writes(t.word()));
        let into = tokens.iter().any(|t| t.is("INTO"));
        self.add(if pragma || asks && quiet && !into { Act::Queries } else { Act::Changes });
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

    /// What the word at `at` does, where it is a verb.
    fn verb(&mut self, tokens: &[Token], at: usize, taken_back: bool) {
        let word = |index: usize| tokens.get(index).map_or("", Token::word);
        let before = if at == 0 { "" } else { word(at - 1) };
        let first = word(0);
        let is_verb = !matches!(
            before,
            "ON" | "FOR" | "OR" | "BEFORE" | "AFTER" | "INSTEAD" | "GRANT" | "AS" | "." | "SELECT" | "BY"
        );
        match word(at) {
            "DROP" if is_verb => self.drops(tokens, at),
            "TRUNCATE"
                if is_verb
                    && tokens.get(at + 1).is_some_and(|t| *t != Token::Sign('('))
                    && !word(at + 1).is_empty() =>
            {
                self.destroys("run TRUNCATE", false);
            }
            "DELETE" if is_verb && before != "DETACH" && first != "MATCH" => {
                let from = word(at + 1) == "FROM"
                    || at == 0 && !word(1).is_empty()
                    || before == "THEN" && word(at + 1).is_empty();
                let clickhouse = first == "ALTER" && word(at + 1) == "WHERE";
                let merges = tokens.iter().any(|t| t.is("MERGE"));
                if (from || clickhouse) && !merges {
                    self.rows(tokens, at, "delete every row of a table", taken_back);
                }
            }
            "UPDATE"
                if is_verb
                    && !matches!(before, "DO" | "KEY")
                    && word(at + 1) != "SET"
                    && !word(at + 1).is_empty()
                    && tokens[at..].iter().any(|t| t.is("SET")) =>
            {
                self.rows(tokens, at, "change every row of a table", taken_back);
            }
            // Cypher: every node, or every one of a kind.
            "MATCH" if at == 0 => {
                let deletes = tokens.iter().any(|t| t.is("DELETE"));
                let narrowed = tokens.iter().any(|t| t.is("WHERE") || *t == Token::Sign('{'));
                match deletes {
                    true if !narrowed => self.destroys("delete every node of a graph", false),
                    true => self.add(Act::Changes),
                    false => {}
                }
            }
            "FLUSHALL" | "FLUSHDB" if at == 0 => self.destroys("empty a database", false),
            "RESET" if at == 0 && matches!(word(1), "MASTER" | "BINARY") => {
                self.destroys("remove a database's journal", false);
            }
            "PURGE" if at == 0 && matches!(word(1), "BINARY" | "MASTER") => {
                self.destroys("remove a database's journal", false);
            }
            _ => {}
        }
    }

    fn drops(&mut self, tokens: &[Token], at: usize) {
        const KINDS: &[&str] = &[
            "DATABASE",
            "TABLE",
            "SCHEMA",
            "TABLESPACE",
            "KEYSPACE",
            "COLLECTION",
            "USER",
            "ROLE",
            "OWNED",
            "WAREHOUSE",
            "MEASUREMENT",
            "SERIES",
            "BUCKET",
            "STREAM",
            "TOPIC",
            "CATALOG",
            "DICTIONARY",
            "GRAPH",
            "DATASET",
            "TABLES",
            "LOGIN",
        ];
        const PARTS: &[&str] = &[
            "CONSTRAINT",
            "INDEX",
            "KEY",
            "PRIMARY",
            "FOREIGN",
            "DEFAULT",
            "NOT",
            "EXPRESSION",
            "IDENTITY",
            "CHECK",
            "TRIGGER",
            "PROJECTION",
        ];
        let words: Vec<&str> = tokens[at + 1..].iter().map(Token::word).filter(|w| !w.is_empty()).collect();
        let skip = words
            .iter()
            .take_while(|w| matches!(**w, "FOREIGN" | "EXTERNAL" | "EDGE" | "VERTEX" | "IF" | "EXISTS"));
        let kind = words.get(skip.count()).copied().unwrap_or_default();
        if tokens[0].is("ALTER") {
            let column = words.first().is_some_and(|word| !PARTS.contains(word) && !KINDS.contains(word));
            if column || words.first().is_some_and(|w| *w == "PARTITION") {
                self.destroys("drop a column", false);
            }
            return;
        }
        if words.first().is_some_and(|w| matches!(*w, "TEMP" | "TEMPORARY")) || !KINDS.contains(&kind) {
            return;
        }
        let names: Vec<&str> = words
            .iter()
            .skip_while(|w| **w != kind)
            .skip(1)
            .copied()
            .filter(|w| !matches!(*w, "IF" | "EXISTS" | "CASCADE" | "RESTRICT" | "FORCE" | "WITH" | "PURGE"))
            .collect();
        if kind == "TABLE"
            && !names.is_empty()
            && names.iter().all(|name| self.made.iter().any(|made| made == name))
        {
            return self.add(Act::Changes);
        }
        let whole = matches!(kind, "DATABASE" | "SCHEMA" | "KEYSPACE");
        let for_tests = whole && !names.is_empty() && names.iter().all(|name| is_for_tests(name));
        self.destroys(format!("run DROP {kind}"), for_tests);
    }

    /// A verb for rows: is there something that says which?
    fn rows(&mut self, tokens: &[Token], at: usize, what: &str, taken_back: bool) {
        let mut depth = 0_i32;
        let mut end = tokens.len();
        for (index, token) in tokens.iter().enumerate().skip(at) {
            depth += match token {
                Token::Sign('(') => 1,
                Token::Sign(')') => -1,
                _ => 0,
            };
            if depth < 0 {
                end = index;
                break;
            }
        }
        let own = &tokens[at..end];
        let condition =
            own.iter().position(|t| t.is("WHERE") || t.is("ON") && own.iter().any(|t| t.is("JOIN")));
        let stops = ["RETURNING", "ORDER", "LIMIT", "GROUP", "OPTION"];
        let narrowed = condition.is_some_and(|from| {
            let rest = &own[from + 1..];
            let until = rest.iter().position(|t| stops.iter().any(|w| t.is(w))).unwrap_or(rest.len());
            !is_always_true(&rest[..until])
        });
        let few = own.iter().any(|t| t.is("LIMIT") || t.is("TOP"));
        if narrowed || few || taken_back {
            self.add(Act::Changes);
        } else {
            self.destroys(what, false);
        }
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

fn last_word(text: &str) -> &str {
    text.split_whitespace().last().unwrap_or(text).trim_matches(['\'', '"'])
}

fn is_type(word: &str) -> bool {
    let word = word.split('(').next().unwrap_or(word);
    word.is_empty()
        || [
            "TEXT", "VARCHAR", "NVARCHAR", "CHAR", "VARCHAR2", "CLOB", "STRING", "DECLARE", "SET", "MAX",
            "CONSTANT", "BEGIN",
        ]
        .contains(&word)
        || word.bytes().all(|b| b.is_ascii_digit())
}

/// The text that an expression of constants makes; what is not one is a hole.
fn fold(tokens: &[Token], variables: &HashMap<String, String>) -> String {
    let mut made = String::new();
    let mut depth = 0_i32;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Text(text) => made.push_str(text),
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => {
                depth -= 1;
                if depth < 0 {
                    break;
                }
            }
            Token::Sign('|' | '+' | ',') => {}
            Token::Word(word)
                if matches!(word.as_str(), "USING" | "INTO" | "FROM" | "WHERE" | "END" | "LOOP") =>
            {
                break;
            }
            Token::Word(word)
                if matches!(
                    word.as_str(),
                    "N" | "E" | "CONCAT" | "CONCAT_WS" | "UPPER" | "LOWER" | "TRIM"
                ) => {}
            Token::Word(word) if matches!(word.as_str(), "CHR" | "CHAR") => {
                let end = tokens[at..]
                    .iter()
                    .position(|t| *t == Token::Sign(')'))
                    .map_or(tokens.len(), |end| at + end);
                let codes =
                    tokens[at..end].iter().filter_map(|t| t.word().parse().ok()).filter_map(char::from_u32);
                made.extend(codes);
                at = end;
            }
            Token::Word(word)
                if matches!(word.as_str(), "FORMAT" | "REPLACE" | "REVERSE" | "QUOTE_IDENT")
                    && tokens.get(at + 1) == Some(&Token::Sign('(')) =>
            {
                let (arguments, end) = arguments(tokens, at + 1, variables);
                let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
                made.push_str(&match word.as_str() {
                    "FORMAT" => filled(&arguments),
                    "REPLACE" => argument(0).replace(argument(1), argument(2)),
                    "REVERSE" => argument(0).chars().rev().collect(),
                    _ => argument(0).to_owned(),
                });
                at = end;
            }
            token => match variables.get(token.word()) {
                Some(value) => made.push_str(value),
                None if token.word().is_empty() => {}
                None => made.push(ANY),
            },
        }
        at += 1;
    }
    made
}

/// The arguments of a call whose bracket is at `open`, and where it ends.
fn arguments(tokens: &[Token], open: usize, variables: &HashMap<String, String>) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_i32, open + 1);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') if depth == 1 => {
                found.push(fold(&tokens[from..at], variables));
                return (found, at);
            }
            Token::Sign(')') => depth -= 1,
            Token::Sign(',') if depth == 1 => {
                found.push(fold(&tokens[from..at], variables));
                from = at + 1;
            }
            _ => {}
        }
    }
    (found, tokens.len())
}

/// `format('DROP %s %I', 'TABLE', name)`
fn filled(arguments: &[String]) -> String {
    let Some((template, values)) = arguments.split_first() else { return String::new() };
    let mut values = values.iter();
    let mut parts = template.split('%');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$');
        if let Some(rest) = rest.strip_prefix(['I', 's', 'L']) {
            made.push_str(values.next().map_or("x", String::as_str));
            made.push_str(rest);
        } else {
            made.push_str(part);
        }
    }
    made
}

/// `WHERE true`, `1=1`, `id = id`, `name LIKE '%'`, or any of them behind an `OR`.
fn is_always_true(condition: &[Token]) -> bool {
    let plain: Vec<&Token> = condition.iter().filter(|t| !matches!(t, Token::Sign('(' | ')'))).collect();
    plain.split(|t| t.is("OR")).any(|part| part.split(|t| t.is("AND")).all(is_true))
}

fn is_true(atom: &[&Token]) -> bool {
    let number = |t: &Token| t.word().parse::<i64>().ok();
    match atom {
        [only] => only.is("TRUE") || number(only).is_some_and(|n| n != 0),
        [not, only] => not.is("NOT") && (only.is("FALSE") || number(only) == Some(0)),
        [left, Token::Sign('='), right] => left == right,
        [left, Token::Sign('<' | '!' | '>'), .., right]
            if number(left).is_some() && number(right).is_some() =>
        {
            true
        }
        [_, like, Token::Text(pattern)] if like.is("LIKE") || like.is("ILIKE") => {
            pattern.bytes().all(|b| b == b'%')
        }
        // Every row has an `id`.
        [id, Token::Sign('>'), .., least] => is_id(id) && number(least).is_some_and(|n| n <= 0),
        [id, is, not, null] => is_id(id) && is.is("IS") && not.is("NOT") && null.is("NULL"),
        _ => false,
    }
}

fn is_id(token: &Token) -> bool {
    matches!(token.word().rsplit('.').next(), Some("ID" | "ROWID" | "_ID" | "CTID"))
}

/// Words, names, texts and signs; comments left out.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let until = |from: usize, end: &str| {
        let end: Vec<char> = end.chars().collect();
        (from..chars.len()).find(|&i| chars[i..].starts_with(&end)).unwrap_or(chars.len())
    };
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '-' if at(i + 1) == '-' => i = until(i, "\n"),
            // MySQL runs `/*! … */`.
            '/' if at(i + 1) == '*' && at(i + 2) == '!' => i += 3,
            '*' if at(i + 1) == '/' => i += 2,
            '/' if at(i + 1) == '*' => i = until(i + 2, "*/") + 2,
            '\'' => {
                let mut value = String::new();
                i += 1;
                while i < chars.len() {
                    if chars[i] == '\'' {
                        if at(i + 1) != '\'' {
                            break;
                        }
                        i += 1;
                    }
                    value.push(chars[i]);
                    i += 1;
                }
                i += 1;
                found.push(Token::Text(value));
            }
            open @ ('"' | '`') => {
                let end = until(i + 1, &open.to_string());
                let name: String = chars[(i + 1).min(end)..end].iter().collect();
                // MySQL takes texts in these quotes, too.
                found.push(if name.contains(' ') && open == '"' {
                    Token::Text(name)
                } else {
                    Token::Name(name.to_ascii_uppercase())
                });
                i = end + 1;
            }
            '[' if at(i + 1).is_alphabetic() => {
                let end = until(i, "]");
                found.push(Token::Name(chars[i + 1..end].iter().collect::<String>().to_ascii_uppercase()));
                i = end + 1;
            }
            '$' if at(i + 1) == '$' || at(i + 1).is_alphabetic() || at(i + 1) == '_' => {
                let tag_end = until(i + 1, "$");
                let tag: String = chars[i..(tag_end + 1).min(chars.len())].iter().collect();
                if tag[1..].trim_end_matches('$').chars().all(|c| c.is_alphanumeric() || c == '_')
                    && tag.ends_with('$')
                {
                    let end = until(tag_end + 1, &tag);
                    found.push(Token::Text(chars[(tag_end + 1).min(end)..end].iter().collect()));
                    i = end + tag.chars().count();
                } else {
                    i += 1;
                }
            }
            ';' => {
                found.push(Token::End);
                i += 1;
            }
            c if c.is_alphanumeric()
                || matches!(c, '_' | '@' | '#' | '\\' | ANY)
                || c == ':' && at(i + 1).is_alphabetic() =>
            {
                let from = i;
                i += 1;
                while at(i).is_alphanumeric() || matches!(at(i), '_' | '@' | '#' | '$' | '.' | ANY) {
                    i += 1;
                }
                let word: String = chars[from..i].iter().collect();
                found.push(if word == "GO" { Token::End } else { Token::Word(word.to_uppercase()) });
            }
            c if c.is_whitespace() => i += 1,
            c => {
                found.push(Token::Sign(c));
                i += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destroyed(text: &str) -> Vec<String> {
        let what = |act| if let Act::Destroys { what, .. } = act { Some(what) } else { None };
        acts(text).into_iter().filter_map(what).collect()
    }

    #[test]
    fn what_is_destroyed() {
        for (text, what) in [
            ("DROP TABLE users", "run DROP TABLE"),
            ("drop\n table if exists users cascade;", "run DROP TABLE"),
            ("/* x */ DROP /* y */ SCHEMA public", "run DROP SCHEMA"),
            ("BEGIN; DROP TABLE a; COMMIT", "run DROP TABLE"),
            ("TRUNCATE users", "run TRUNCATE"),
            ("SELECT 1; truncate table a, b", "run TRUNCATE"),
            ("DELETE FROM users", "delete every row of a table"),
            ("DELETE FROM users WHERE 1=1", "delete every row of a table"),
            ("delete from users where 'a'='a' -- x", "delete every row of a table"),
            ("DELETE FROM users WHERE id = 1 OR true", "delete every row of a table"),
            ("DELETE FROM users WHERE id > 0", "delete every row of a table"),
            ("DELETE FROM users WHERE name LIKE '%'", "delete every row of a table"),
            ("DELETE users", "delete every row of a table"),
            (
                "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone WHERE id = 1",
                "delete every row of a table",
            ),
            ("EXPLAIN ANALYZE DELETE FROM users", "delete every row of a table"),
            ("UPDATE users SET role='admin'", "change every row of a table"),
            ("ALTER TABLE users DROP COLUMN email", "drop a column"),
            ("ALTER TABLE users DROP email", "drop a column"),
            ("MATCH (n) DETACH DELETE n", "delete every node of a graph"),
            ("CREATE OR REPLACE TABLE t AS SELECT 1", "replace a table"),
            ("DO $$ BEGIN EXECUTE 'DR' || 'OP TABLE users'; END $$", "run DROP TABLE"),
            ("DO $x$ DECLARE s text := 'TRUNC'; BEGIN EXECUTE s || 'ATE users'; END $x$;", "run TRUNCATE"),
            (
                "DO $$ DECLARE r record; BEGIN FOR r IN SELECT tablename FROM pg_tables LOOP EXECUTE 'DROP TABLE ' || quote_ident(r.tablename); END LOOP; END $$",
                "run DROP TABLE",
            ),
            ("EXEC('DROP TABLE dbo.users')", "run DROP TABLE"),
            ("EXEC sp_executesql N'TRUNCATE TABLE users'", "run TRUNCATE"),
            ("DECLARE @s nvarchar(max) = 'DROP ' + 'TABLE users'; EXEC(@s)", "run DROP TABLE"),
            ("SET @s = CONCAT('DR', 'OP TABLE ', 'users'); PREPARE p FROM @s; EXECUTE p", "run DROP TABLE"),
            ("EXECUTE IMMEDIATE 'drop user app cascade'", "run DROP USER"),
            ("SELECT format('DROP TABLE %I', tablename) FROM pg_tables \\gexec", "run DROP TABLE"),
            ("EXECUTE chr(68)||'ROP TABLE x'", "run DROP TABLE"),
            ("EXECUTE reverse('x ELBAT PORD')", "run DROP TABLE"),
            (
                "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE users $$ LANGUAGE sql; SELECT f();",
                "run DROP TABLE",
            ),
            ("/*!50000 DROP TABLE users */", "run DROP TABLE"),
            ("DROP DATABASE app_test", "run DROP DATABASE"),
        ] {
            assert_eq!(destroyed(text), [what], "{text}");
        }
    }

    #[test]
    fn what_is_not() {
        for text in [
            "SELECT * FROM orders WHERE note = 'DROP TABLE orders'",
            "EXPLAIN DELETE FROM users",
            "SELECT 1 -- DROP TABLE users",
            "DELETE FROM t WHERE id=1",
            "DELETE FROM t WHERE created_at < now() - interval '30 days'",
            "UPDATE t SET a = 1 WHERE id IN (1, 2)",
            "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 2",
            "SELECT * FROM t FOR UPDATE",
            "CREATE TABLE t (a int REFERENCES b ON DELETE CASCADE)",
            "CREATE TEMP TABLE x(a int); DROP TABLE x",
            "create table t(a); drop table t",
            "DROP INDEX i; DROP VIEW v; ALTER TABLE t DROP CONSTRAINT c; ALTER TABLE t ALTER a DROP DEFAULT",
            "GRANT DELETE ON t TO app",
            "BEGIN; DELETE FROM t; ROLLBACK;",
            "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE users $$ LANGUAGE sql",
            "CREATE TRIGGER t BEFORE DELETE ON x EXECUTE FUNCTION f()",
            "SELECT truncate(1.5, 1)",
            "DELETE FROM t LIMIT 10",
            "SELECT \"drop\" FROM t; SELECT dropped FROM t",
            "MATCH (n:Person {id: 1}) DETACH DELETE n",
            "\\dt",
            "PREPARE p AS SELECT * FROM t WHERE id = $1; EXECUTE p(1)",
            "COPY t FROM STDIN",
        ] {
            assert!(destroyed(text).is_empty(), "{text}: {:?}", acts(text));
        }
        assert_eq!(acts("SELECT 1"), [Act::Queries]);
        assert_eq!(acts("INSERT INTO t VALUES (1)"), [Act::Changes]);
        assert!(matches!(acts("DROP DATABASE app_test")[..], [Act::Destroys { for_tests: true, .. }]));
        assert!(matches!(acts("DROP DATABASE app")[..], [Act::Destroys { for_tests: false, .. }]));
    }

    #[test]
    fn a_script_may_make_its_tables_anew() {
        let dump = "DROP TABLE IF EXISTS a; CREATE TABLE a (id int); DROP TABLE IF EXISTS public.b; CREATE TABLE public.b (id int);";
        assert_eq!(acts_of_script(dump), [Act::Changes]);
        assert!(!destroyed(dump).is_empty());
        let gone = acts_of_script("DROP TABLE a; CREATE TABLE b (id int)");
        assert!(gone.iter().any(|act| matches!(act, Act::Destroys { .. })), "{gone:?}");
    }

    #[test]
    fn files_and_commands() {
        assert!(acts("COPY t TO PROGRAM 'curl x'").contains(&Act::Runs("curl x".into())));
        assert!(acts("\\! rm -rf ~").contains(&Act::Runs("rm -rf ~".into())));
        assert!(acts(".shell rm x\nSELECT 1").contains(&Act::Runs("rm x".into())));
        assert!(acts("SELECT writefile('/etc/x', 'y')").contains(&Act::Writes("/etc/x".into())));
        assert!(acts("SELECT 1 INTO OUTFILE '/tmp/x'").contains(&Act::Writes("/tmp/x".into())));
        assert!(acts("SELECT pg_read_file('/etc/passwd')").contains(&Act::Reads("/etc/passwd".into())));
        assert!(acts("EXEC xp_cmdshell 'whoami /x'").contains(&Act::Runs("whoami /x".into())));
        assert!(acts("\\o |sh").contains(&Act::Runs("sh".into())));
    }

    #[test]
    fn hostile_texts_end() {
        acts(&"EXECUTE '".repeat(5000));
        acts(&"(".repeat(50_000));
        acts(&"$a$".repeat(5000));
        acts("DO $$ DO $x$ DO $y$ DO $z$ DO $w$ DROP TABLE t $w$ $z$ $y$ $x$ $$");
    }
}
