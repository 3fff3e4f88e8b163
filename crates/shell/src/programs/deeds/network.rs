//! What a call does over the network: what it fetches and keeps, what it sends, whom it lets in.

use model::deed::{Certainty, Deed, Object, Verb};

use super::{Maker, Word};
use crate::programs::Role;
use crate::programs::decoded::Decoded;
use crate::text::{SHELL, is_known};

/// What others can use where a command's input and output are a connection.
const A_SHELL: &str = "a shell";

/// One end of a connection, as relays name it.
enum End<'a> {
    Command(&'a str),
    File(&'a str),
    Listener(&'a str),
    Peer(&'a str),
    Other,
}

/// `TCP:host:1`, `tcp-listen:1,fork`, `EXEC:"cmd",pty`, `FILE:path`, `ws://host`, `sh-c:cmd`.
fn end(text: &str) -> End<'_> {
    let text = text.split("!!").next().unwrap_or(text);
    let keyword = text.split([':', ',']).next().unwrap_or(text);
    // Without a keyword it is a file.
    if keyword.contains('/') || !text.contains(':') && keyword.contains('.') {
        return End::File(text.split(',').next().unwrap_or(text));
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return if keyword.eq_ignore_ascii_case("shell") { End::Command("/bin/sh") } else { End::Other };
    };
    let scheme = scheme.to_ascii_lowercase();
    let first = rest.split(',').next().unwrap_or(rest).trim_matches(['"', '\'']);
    match scheme.as_str() {
        "exec" | "system" | "shell" | "sh-c" | "cmd" => End::Command(first.trim_matches(['"', '\''])),
        "file" | "open" | "gopen" | "readfile" | "create" | "creat" => End::File(first),
        "writefile" | "appendfile" | "stdio" | "stdin" | "pty" | "pipe" | "unix" | "unix-connect"
        | "unix-listen" | "unix-l" | "abstract" | "fd" | "mirror" | "literal" => End::Other,
        _ if scheme.contains("-l") || scheme.contains("listen") => End::Listener(rest),
        _ => End::Peer(rest),
    }
}

/// The command at one end of a connection.
pub(crate) fn relayed(text: &str) -> Option<&str> {
    match end(text) {
        End::Command(code) => Some(code),
        _ => None,
    }
}

impl Maker<'_> {
    /// A word that is for the network; `false` for all others.
    pub(super) fn networked(&mut self, role: Role, word: &Word<'_>) -> bool {
        match role {
            Role::Url => self.address(word),
            Role::Save => {
                self.address(word);
                let path = word.text.split(['?', '#']).next().unwrap_or(word.text).trim_end_matches('/');
                let name = path.split_once("://").map_or(path, |(_, rest)| rest);
                let name = if name.contains('/') { crate::path::name(name) } else { "index.html" };
                self.path(Verb::Writes, false, &Word { text: name, ..word.clone() });
            }
            Role::Host => self.thing(Verb::Queries, Object::Host(word.text.to_owned()), word),
            Role::Remote => self.elsewhere(word),
            Role::Post => self.post(word),
            Role::Send => self.sent_file(word.text, word),
            Role::Tell => self.thing(Verb::Sends, Object::Thing(word.text.to_owned()), word),
            Role::Header => {
                // A jar of cookies has neither.
                let jar = !word.text.is_empty() && !word.text.contains([':', '=', ';']);
                if let Some(file) = word.text.strip_prefix('@').or(jar.then_some(word.text)) {
                    self.sent_file(file, word);
                }
            }
            Role::Item => self.item(word),
            Role::Relay => self.relay(word),
            Role::Served => self.path(Verb::Admits, true, word),
            _ => return false,
        }
        true
    }

    /// An address is fetched; a file behind one is read.
    fn address(&mut self, word: &Word<'_>) {
        // Browsers take a file's path as well.
        if ["/", "~/", "./", "../"].iter().any(|begin| word.text.starts_with(begin)) {
            return self.path(Verb::Reads, false, word);
        }
        match crate::address::file(word.text) {
            Some(path) => self.path(Verb::Reads, false, &Word { text: &path, ..word.clone() }),
            None => self.thing(Verb::Fetches, Object::Address(word.text.to_owned()), word),
        }
    }

    fn sent_file(&mut self, file: &str, word: &Word<'_>) {
        match file {
            "" | "-" | "/dev/stdin" | "/dev/fd/0" => self.sent_input(),
            file => self.path(Verb::Sends, false, &Word { text: file, ..word.clone() }),
        }
    }

    /// Text that is sent, or `@file`, or `name=@file`.
    fn post(&mut self, word: &Word<'_>) {
        let named = word.text.split_once("=@").or(word.text.split_once("=<"));
        // `--data-urlencode name@file`
        let named = named.or(word.text.split_once('@').filter(|(name, _)| crate::wrapper::is_name(name)));
        match word.text.strip_prefix(['@', '<']).or(named.map(|(_, file)| file)) {
            Some(file) => self.sent_file(file.split(';').next().unwrap_or(file), word),
            None => self.thing(Verb::Sends, Object::Thing(word.text.to_owned()), word),
        }
    }

    fn item(&mut self, word: &Word<'_>) {
        let text = word.text;
        let Some(at) = text.find([':', '=', '@']) else {
            return self.thing(Verb::Sends, Object::Thing(text.to_owned()), word);
        };
        let (mark, rest) = (text.as_bytes()[at], &text[at + 1..]);
        match mark {
            b':' if !rest.starts_with('=') => {
                if let Some(file) = rest.strip_prefix('@') {
                    self.sent_file(file, word);
                }
            }
            b'@' => self.sent_file(rest.split(';').next().unwrap_or(rest), word),
            _ => match rest.strip_prefix("=@").or(rest.strip_prefix('@')) {
                Some(file) => self.sent_file(file, word),
                None => self.thing(Verb::Sends, Object::Thing(text.to_owned()), word),
            },
        }
    }

    fn relay(&mut self, word: &Word<'_>) {
        match end(word.text) {
            End::File(file) => {
                let made = word.text.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("create"))
                    || [",creat", ",wronly", ",trunc", ",append"].iter().any(|how| word.text.contains(how));
                let verb = if made { Verb::Writes } else { Verb::Sends };
                self.path(verb, false, &Word { text: file, ..word.clone() });
            }
            End::Listener(port) => self.thing(Verb::Listens, Object::Thing(port.to_owned()), word),
            End::Peer(host) => {
                let host = host.trim_start_matches('/');
                self.thing(Verb::Queries, Object::Host(host.to_owned()), word);
            }
            End::Command(_) | End::Other => {}
        }
    }

    /// `host:path` is fetched, a path here is read.
    fn elsewhere(&mut self, word: &Word<'_>) {
        match super::landing::remote(word.text) {
            Some((_, path)) => {
                self.sources.push((path.to_owned(), Role::Url));
                self.thing(Verb::Fetches, Object::Address(word.text.to_owned()), word);
            }
            None => {
                self.sources.push((word.text.to_owned(), Role::Remote));
                self.path(Verb::Reads, true, word);
            }
        }
    }

    /// What comes in is sent, as far as it is known.
    fn sent_input(&mut self) {
        let text = self.call.stdin.as_deref().unwrap_or_default();
        let (span, text) = (self.call.span.clone(), if is_known(text) { "what comes in" } else { text });
        let object = Object::Thing(text.to_owned());
        let certainty = Certainty::Known;
        self.found.push(Deed { verb: Verb::Sends, object, span, certainty, place: self.place });
    }

    /// What happens to the input, and to connections as a whole.
    pub(super) fn connected(&mut self, words: &Decoded) {
        let argv = &self.call.argv;
        let rules = words.entry.map_or(&[][..], |entry| entry.rules);
        let sends = rules.iter().any(|rule| rule.input == Some(Role::Send) && words.holds(rule, argv));
        if sends && self.call.stdin.is_some() {
            self.sent_input();
        }
        let relays = || words.given(argv).filter(|(role, _)| *role == Role::Relay).map(|(_, text)| end(text));
        let network = relays().any(|end| matches!(end, End::Peer(_) | End::Listener(_)));
        let command = relays().any(|end| matches!(end, End::Command(_)));
        let shell = sends && self.call.stdin.as_deref().is_some_and(|text| text.contains(SHELL));
        if network && command || shell || self.is_shell_on_network(words) {
            self.whole(Verb::Admits, Object::Thing(A_SHELL.into()));
        }
    }

    /// `sh -i >& /dev/tcp/host/1`, and a shell that goes on like that by itself.
    fn is_shell_on_network(&self, words: &Decoded) -> bool {
        let Some(style) = words.entry.map(|entry| entry.style) else { return false };
        let network = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
        let mut targets = self.call.redirects.iter().map(|redirect| redirect.target.text.as_str());
        // To see whether a service of this machine answers, a connection is opened, and nothing is run in it.
        let knocks = style.lasting && words.operands.is_empty();
        let own = |text: &str| text.split('/').nth(3).is_some_and(crate::programs::kind::is_local);
        (style.plus || style.lasting) && targets.any(|text| network(text) && !(knocks && own(text)))
    }

    /// What is put somewhere else, by the commands of a program that transfers files.
    pub(super) fn transfers(&mut self, text: &str) {
        for line in text.split(['\n', ';']).take(256) {
            let mut words = line.split_whitespace();
            let verb = words.next().unwrap_or_default().trim_start_matches('-');
            if matches!(verb, "get" | "recv" | "reget") {
                let mut named = words.clone().filter(|word| !word.starts_with('-'));
                if let Some(file) = named.nth(1) {
                    self.path(Verb::Writes, false, &Word::of(file));
                }
            }
            if matches!(verb, "put" | "mput" | "send" | "append" | "reput" | "mirror") {
                for file in words.filter(|word| !word.starts_with('-')) {
                    self.path(Verb::Sends, false, &Word { text: file, span: None, glob: file.contains('*') });
                }
            }
        }
    }
}
