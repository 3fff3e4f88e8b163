//! What a program prints, as far as that is easy to say: enough to follow text that is decoded, cut and pasted on its way to a
//! shell. Everything else is a hole that remembers where it came from.

use std::fmt::Write;

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, DECODED, NET, SECRET, holes, is_known};
use crate::wrapper::option_value;

/// Programs whose arguments are data, or which are followed in another way. For others, a tail that is a command counts.
const KNOWN: &[&str] = &[
    "[",
    "[[",
    "ack",
    "ag",
    "apropos",
    "apt",
    "apt-cache",
    "apt-get",
    "aws",
    "az",
    "awk",
    "base64",
    "basename",
    "bat",
    "biome",
    "black",
    "brew",
    "bun",
    "cargo",
    "cat",
    "chgrp",
    "chmod",
    "chown",
    "clang",
    "cmake",
    "cmp",
    "column",
    "comm",
    "cp",
    "curl",
    "cut",
    "date",
    "dd",
    "dcg",
    "deno",
    "df",
    "diff",
    "dig",
    "dirname",
    "dnf",
    "du",
    "echo",
    "ed",
    "egrep",
    "emacs",
    "eslint",
    "expr",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "fzf",
    "gawk",
    "gcc",
    "gcloud",
    "gh",
    "git",
    "glab",
    "go",
    "gofmt",
    "gpg",
    "grep",
    "gsutil",
    "gzip",
    "head",
    "help",
    "helm",
    "heroku",
    "hg",
    "http",
    "id",
    "info",
    "install",
    "jest",
    "join",
    "jq",
    "kill",
    "killall",
    "ln",
    "locate",
    "logger",
    "ls",
    "lsof",
    "mail",
    "man",
    "md5sum",
    "mkdir",
    "mocha",
    "more",
    "mv",
    "mypy",
    "nah",
    "nano",
    "nc",
    "ncat",
    "nl",
    "notify-send",
    "openssl",
    "osascript",
    "paste",
    "patch",
    "pgrep",
    "pip",
    "pip3",
    "pkill",
    "plimsoll",
    "poetry",
    "prettier",
    "printf",
    "ps",
    "psql",
    "pytest",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "ruff",
    "rustc",
    "rustfmt",
    "say",
    "scp",
    "sed",
    "seq",
    "sha256sum",
    "shellcheck",
    "shfmt",
    "shred",
    "sleep",
    "sort",
    "split",
    "sqlite3",
    "stat",
    "strings",
    "svn",
    "systemctl",
    "tac",
    "tail",
    "tar",
    "tee",
    "terraform",
    "test",
    "tig",
    "tldr",
    "touch",
    "tr",
    "tree",
    "truncate",
    "tsc",
    "type",
    "uniq",
    "unzip",
    "uv",
    "vercel",
    "vi",
    "vim",
    "vitest",
    "wc",
    "wget",
    "whatis",
    "whereis",
    "which",
    "who",
    "whoami",
    "wl-copy",
    "xclip",
    "xsel",
    "pbcopy",
    "yarn",
    "yq",
    "zip",
    "cowsay",
    "figlet",
    "jot",
    "tput",
    "todo.sh",
    "task",
    "todo",
    "explainshell",
    "safety-net",
    "dippy",
    "set",
    "compgen",
    "complete",
    "bind",
    "history",
    "fc",
];

pub(crate) fn is_known_program(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Files below a home that hold credentials.
const BELOW_HOME: &[&str] = &[
    ".aws/credentials",
    ".azure/accessTokens.json",
    ".azure/msal_token_cache.json",
    ".bash_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude/.credentials.json",
    ".claude/.env",
    ".config/gcloud/application_default_credentials.json",
    ".config/gcloud/credentials.db",
    ".config/gh/hosts.yml",
    ".config/op/config",
    ".config/rclone/rclone.conf",
    ".docker/config.json",
    ".git-credentials",
    ".kube/config",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".zsh_history",
];

/// Files of the system that do.
const OF_SYSTEM: &[&str] = &[
    "/etc/gshadow",
    "/etc/krb5.keytab",
    "/etc/master.passwd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
    "/etc/sudoers",
];

/// Names that give a secret away wherever they are.
const BY_NAME: &[&str] = &[
    "Login Data",
    "credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "login.keychain-db",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "serviceAccountKey.json",
];

const BY_ENDING: &[&str] = &[".jks", ".kdbx", ".keystore", ".p12", ".pem", ".pfx"];

/// The part of `path` below some person's home.
fn below_home<'a>(path: &'a str, home: Option<&str>) -> Option<&'a str> {
    let own = home.and_then(|home| path.strip_prefix(home)?.strip_prefix('/'));
    own.or_else(|| path.strip_prefix("/root/")).or_else(|| {
        path.strip_prefix("/home/").or(path.strip_prefix("/Users/"))?.split_once('/').map(|(_, rest)| rest)
    })
}

/// Files that hold what must not be read aloud. Asked for every word of every command, so it allocates nothing.
pub fn is_secret_path(path: &str, home: Option<&str>) -> bool {
    let name = crate::path::name(path);
    let likely = name.starts_with(".env")
        || path.contains("/.ssh")
        || path.contains("/.gnupg")
        || path.contains("/.password-store")
        || name == ".aws"
        || (path.starts_with("/proc/") && name == "environ")
        || BY_NAME.contains(&name)
        || BY_ENDING.iter().any(|ending| {
            name.len() > ending.len()
                && name.as_bytes()[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
        })
        || (name.ends_with(".key") && ["private", "server", "secret"].iter().any(|word| path.contains(word)))
        || below_home(path, home).is_some_and(|rest| BELOW_HOME.contains(&rest))
        || OF_SYSTEM.contains(&path)
        || ["/etc/ssl/private/", "/run/secrets/", "/var/run/secrets/"]
            .iter()
            .any(|dir| path.starts_with(dir))
        || (path.starts_with("/etc/ssh/") && name.contains("host") && name.contains("key"));
    likely && !is_harmless(path, name)
}

/// Samples, public halves, and what lies beside keys.
fn is_harmless(path: &str, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let sample = ["example", "sample", "template", "dist", "schema", "fixture", "test"]
        .iter()
        .any(|word| lower.contains(word));
    let environment =
        name.starts_with(".env") && !(name == ".env" || name.starts_with(".env.") && !lower.ends_with(".md"));
    let beside_keys = path.contains("/.ssh/")
        && matches!(name, "known_hosts" | "known_hosts.old" | "config" | "authorized_keys");
    sample
        || environment
        || beside_keys
        || lower.ends_with(".pub")
        || path.contains("/fixtures/")
        || path.contains("/testdata/")
}

impl Reader<'_> {
    /// What a program prints.
    pub(crate) fn simulate(&mut self, name: &str, argv: &[Arg], state: &mut State) -> String {
        let args: Vec<&str> = argv[1..].iter().map(|arg| arg.text.as_str()).collect();
        let stdin = state.stdin.clone().unwrap_or_default();
        match name {
            "echo" => echo(&args),
            "printf" => printf(&args),
            "cat" | "tac" | "head" | "tail" | "less" | "more" | "sort" | "uniq" | "nl" | "bat" | "zcat"
            | "strings" | "fold" | "fmt" | "expand" | "paste" | "pv" | "sponge" | "cut" | "grep" | "rg" => {
                let files = crate::builtin::operands(
                    &args,
                    &["-n", "-c", "-d", "-f", "-e", "-A", "-B", "-C", "-m", "-k", "-t"],
                );
                let files = if matches!(name, "grep" | "rg") {
                    files.get(1..).unwrap_or_default().to_vec()
                } else {
                    files
                };
                let whole = matches!(name, "cat" | "less" | "more" | "bat" | "pv" | "sponge")
                    || (args.is_empty()
                        && matches!(name, "sort" | "uniq" | "fold" | "head" | "tail" | "strings" | "expand"));
                let text = if files.is_empty() {
                    stdin
                } else {
                    files.iter().map(|file| self.file_text(file, state)).collect()
                };
                if whole { text } else { holes(&text) + &ANY.to_string() }
            }
            "tee" => {
                for file in crate::builtin::operands(&args, &[]) {
                    let path = state.absolute(file);
                    state.files.insert(path, stdin.clone());
                }
                stdin
            }
            "rev" => stdin.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect(),
            "tr" => translate(&args, &stdin),
            "base64" | "gbase64" if args.iter().any(|a| matches!(*a, "-d" | "-D" | "--decode" | "-di")) => {
                decoded(&stdin, base64)
            }
            "base32" | "uudecode" | "openssl" | "gpg" | "gzip" | "gunzip" | "xz" | "bzip2" | "zstd"
            | "unxz" | "bunzip2" | "base58" | "ascii85" => {
                let decodes = args.iter().any(|a| {
                    a.starts_with("-d") || a.contains("decode") || *a == "enc" || *a == "-dc" || *a == "-D"
                }) || name.starts_with("un")
                    || name.starts_with("gun")
                    || name.starts_with("bun");
                if name == "openssl" && args.contains(&"base64") && decodes {
                    return decoded(&stdin, base64);
                }
                let secret = self.secret_in(&args, state);
                let mark = if decodes { DECODED } else { ANY };
                format!("{}{secret}{mark}", holes(&stdin))
            }
            "xxd" | "hexdump" | "od"
                if args.iter().any(|a| a.starts_with("-r") || a.contains('r') && a.starts_with('-')) =>
            {
                decoded(&stdin, hex)
            }
            "sed" | "gsed" => substitute(&args, &stdin),
            "dirname" => {
                args.iter().find(|a| !a.starts_with('-')).map(|path| parent(path) + "\n").unwrap_or_default()
            }
            "basename" => {
                let words = crate::builtin::operands(&args, &["-s"]);
                let base = words.first().map_or("", |path| crate::path::name(path));
                base.strip_suffix(words.get(1).copied().unwrap_or("\0")).unwrap_or(base).to_owned() + "\n"
            }
            "realpath" | "readlink" => {
                let path = args.iter().find(|a| !a.starts_with('-')).copied().unwrap_or(".");
                state.absolute(path) + "\n"
            }
            "pwd" => state.cwd() + "\n",
            "whoami" | "hostname" | "date" | "id" | "uname" | "nproc" | "wc" | "true" | "stat" | "test"
            | "[" => ANY.to_string(),
            "mktemp" => format!("/tmp/tmp.{ANY}\n"),
            "seq" => sequence(&args),
            "curl" | "wget" | "http" | "https" | "fetch" | "aria2c" | "axel" | "lynx" | "w3m" | "links"
            | "ftp" | "gsutil" | "nc" | "ncat" | "netcat" | "socat" | "telnet" => {
                download(name, &args, argv, state);
                NET.to_string()
            }
            "env" | "printenv" | "set" | "export" if args.iter().all(|a| a.starts_with('-')) => {
                SECRET.to_string()
            }
            "printenv" if args.iter().any(|a| crate::expand::is_secret_name(a)) => SECRET.to_string(),
            "cp" | "mv" | "ln" | "install" => {
                let files = crate::builtin::operands(&args, &["-t", "-m", "-o", "-g", "-S"]);
                if let [from, to] = files.as_slice() {
                    let text = state.files.get(&state.absolute(from)).cloned();
                    let (from, to) = (state.absolute(from), state.absolute(to));
                    match text {
                        Some(text) => {
                            state.files.insert(to, text);
                        }
                        None if is_secret_path(&from, self.home().as_deref()) => {
                            state.files.insert(to, SECRET.to_string());
                        }
                        None => {}
                    }
                }
                String::new()
            }
            "git" if args.contains(&"rev-parse") && args.contains(&"--show-toplevel") => state.cwd() + "\n",
            _ => {
                let secret = self.secret_in(&args, state);
                let carried: String = args.iter().map(|a| holes(a)).collect::<String>() + &holes(&stdin);
                let carried = holes(&carried);
                format!("{carried}{secret}{ANY}")
            }
        }
    }

    /// The mark of a secret, where one of the files in `args` is one.
    fn secret_in(&mut self, args: &[&str], state: &State) -> String {
        let home = self.home();
        let found = args.iter().any(|arg| {
            let path = arg.split_once('=').map_or(*arg, |(_, value)| value).trim_start_matches('@');
            !path.is_empty() && !path.starts_with('-') && is_known(path) && {
                let absolute = state.absolute(path);
                is_secret_path(&absolute, home.as_deref())
                    || state.files.get(&absolute).is_some_and(|text| text.contains(SECRET))
            }
        });
        if found { SECRET.to_string() } else { String::new() }
    }
}

/// Files that a download leaves behind.
fn download(name: &str, args: &[&str], argv: &[Arg], state: &mut State) {
    let file = match name {
        "curl" => option_value(&argv[1..], &["-o", "--output"]).or_else(|| {
            let remote = args.iter().any(|a| {
                a.starts_with('-') && !a.starts_with("--") && a.contains('O') || *a == "--remote-name"
            });
            remote.then(|| {
                args.iter().rfind(|a| a.contains("://")).map(|url| crate::path::name(url).to_owned())
            })?
        }),
        "wget" => option_value(&argv[1..], &["-O", "--output-document"]).or_else(|| {
            args.iter().rfind(|a| !a.starts_with('-')).map(|url| crate::path::name(url).to_owned())
        }),
        _ => None,
    };
    if let Some(file) = file.filter(|file| file != "-") {
        let path = state.absolute(&file);
        state.files.insert(path, NET.to_string());
    }
}

fn echo(args: &[&str]) -> String {
    let mut escapes = false;
    let mut newline = true;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg.len() > 1 && arg.starts_with('-') && arg[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E')) {
            escapes |= arg.contains('e');
            newline &= !arg.contains('n');
            at += 1;
        } else {
            break;
        }
    }
    let mut text = args[at..].join(" ");
    if escapes {
        text = unescape(&text);
    }
    if newline {
        text.push('\n');
    }
    text
}

pub(crate) fn printf(args: &[&str]) -> String {
    let args = args.strip_prefix(&["--"]).unwrap_or(args);
    let Some((format, mut rest)) = args.split_first() else { return String::new() };
    let format = unescape(format);
    let mut out = String::new();
    loop {
        let before = rest.len();
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            while chars
                .peek()
                .is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ' ' | '#' | '.' | '*'))
            {
                chars.next();
            }
            match chars.next() {
                Some('%') => out.push('%'),
                Some('b') => out.push_str(&unescape(take(&mut rest))),
                Some(_) => out.push_str(take(&mut rest)),
                None => out.push('%'),
            }
        }
        // The format is used again while arguments are left.
        if rest.is_empty() || rest.len() == before || out.len() > 65_536 {
            return out;
        }
    }
}

fn take<'a>(rest: &mut &[&'a str]) -> &'a str {
    match rest.split_first() {
        Some((first, tail)) => {
            *rest = tail;
            first
        }
        None => "",
    }
}

/// `\n`, `\x41`, `\101` and the like, as `echo -e` and `printf` read them.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\u{7}'),
            Some('e') => out.push('\u{1b}'),
            Some('\\') => out.push('\\'),
            Some('"') => out.push('"'),
            Some('\'') => out.push('\''),
            Some('x') => out.extend(code(&mut chars, 16, 2)),
            Some('u') => out.extend(code(&mut chars, 16, 4)),
            Some(digit @ '0'..='7') => {
                let mut value = digit.to_digit(8).unwrap_or(0);
                for _ in 0..if digit == '0' { 3 } else { 2 } {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(next) => {
                            value = value * 8 + next;
                            chars.next();
                        }
                        None => break,
                    }
                }
                out.extend(char::from_u32(value));
            }
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

fn code(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize) -> Option<char> {
    let mut value = 0;
    for _ in 0..most {
        match chars.peek().and_then(|c| c.to_digit(radix)) {
            Some(digit) => {
                value = value * radix + digit;
                chars.next();
            }
            None => break,
        }
    }
    char::from_u32(value)
}

/// `tr a-z n-za-m`, `tr -d x`.
fn translate(args: &[&str], stdin: &str) -> String {
    if !is_known(stdin) {
        return holes(stdin) + &ANY.to_string();
    }
    let deletes = args.iter().any(|a| a.starts_with('-') && a.contains('d'));
    let sets: Vec<Vec<char>> =
        args.iter().filter(|a| !a.starts_with('-') || a.len() == 1).map(|set| set_of(set)).collect();
    match sets.as_slice() {
        [from] if deletes => stdin.chars().filter(|c| !from.contains(c)).collect(),
        [from, to] if !to.is_empty() => stdin
            .chars()
            .map(|c| match from.iter().position(|&f| f == c) {
                Some(at) => to[at.min(to.len() - 1)],
                None => c,
            })
            .collect(),
        _ => ANY.to_string(),
    }
}

fn set_of(text: &str) -> Vec<char> {
    let text = text
        .replace("[:lower:]", "a-z")
        .replace("[:upper:]", "A-Z")
        .replace("[:digit:]", "0-9")
        .replace("[:space:]", " \t\n");
    let text = unescape(&text);
    let chars: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if at + 2 < chars.len() && chars[at + 1] == '-' && chars[at] <= chars[at + 2] {
            set.extend(chars[at]..=chars[at + 2]);
            at += 3;
        } else {
            set.push(chars[at]);
            at += 1;
        }
    }
    set
}

fn decoded(stdin: &str, decode: fn(&str) -> Option<Vec<u8>>) -> String {
    if !is_known(stdin) {
        return format!("{}{DECODED}", holes(stdin));
    }
    decode(stdin).map_or_else(|| DECODED.to_string(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for b in text.bytes().filter(|b| !b.is_ascii_whitespace()) {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(out)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| u8::try_from(pair.iter().fold(0, |sum, d| sum * 16 + d)).ok()).collect()
}

/// `s/a/b/` on known text; anything else is not worked out.
fn substitute(args: &[&str], stdin: &str) -> String {
    let script = crate::builtin::operands(args, &["-e", "-f"])
        .first()
        .copied()
        .or(args.iter().find(|a| a.starts_with('s')).copied());
    let files = crate::builtin::operands(args, &["-e", "-f"]).len() > 1;
    if let Some(script) = script
        && !files
        && is_known(stdin)
        && let Some(rest) = script.strip_prefix('s')
        && let Some(delimiter) = rest.chars().next()
    {
        let parts: Vec<&str> = rest[delimiter.len_utf8()..].split(delimiter).collect();
        if parts.len() >= 2
            && !parts[0].contains(['*', '[', '.', '^', '$', '\\'])
            && !parts[1].contains(['\\', '&'])
        {
            let all = parts.get(2).is_some_and(|flags| flags.contains('g'));
            return if all {
                stdin.replace(parts[0], parts[1])
            } else {
                stdin.replacen(parts[0], parts[1], 1)
            };
        }
    }
    holes(stdin) + &ANY.to_string()
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
    (from..=to).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "{n}");
        text
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        assert_eq!(base64("cm0gLXJmIC8=").as_deref(), Some(&b"rm -rf /"[..]));
        assert_eq!(hex("726d202d7266207e").as_deref(), Some(&b"rm -rf ~"[..]));
        assert_eq!(translate(&["sng", "rmf"], "sn -sg ~"), "rm -rf ~");
        assert_eq!(printf(&["%s %s\\n", "a", "b", "c"]), "a b\nc \n");
        assert_eq!(echo(&["-ne", "\\x72m"]), "rm");
        assert_eq!(parent("/home/dev"), "/home");
        assert_eq!(parent("/home"), "/");
    }

    #[test]
    fn secrets_and_their_lookalikes() {
        let secret = |path: &str| is_secret_path(path, Some("/home/me"));
        for path in [
            "/p/.env",
            "/home/me/.ssh/id_rsa",
            "/home/x/.aws/credentials",
            "/etc/shadow",
            "/proc/1/environ",
            "/p/.env.production",
        ] {
            assert!(secret(path), "{path}");
        }
        for path in [
            "/p/.env.example",
            "/home/me/.ssh/known_hosts",
            "/home/me/.ssh/id_rsa.pub",
            "/p/tests/fixtures/credentials.json.sample",
            "/p/.envrc.example",
            "/etc/os-release",
        ] {
            assert!(!secret(path), "{path}");
        }
    }
}
