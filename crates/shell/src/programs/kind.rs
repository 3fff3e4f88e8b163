//! Kinds of values that the tables name in their conditions: `<local>`, `<test>`, and words with `*` in them.

use crate::text::ANY;

/// Whether a value is one of these: a word, a word with `*`, or a kind. Capitals do not matter.
pub(crate) fn is_one_of(text: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|wanted| match *wanted {
        pattern if !pattern.starts_with('<') => fits(pattern, text),
        "<local>" => is_local(text),
        "<test>" => is_for_tests(text),
        "<tests>" => is_named(text, &["test", "testing", "tests"]),
        "<trial>" => is_named(text, &["test", "testing", "tests", "ci", "tmp"]),
        "<empty>" => text.is_empty(),
        "<unknown>" => !crate::text::is_known(text),
        "<shell>" => starts_shell(text),
        "<names>" => keeps_names(text),
        "<temp>" => text == ":memory:" || is_temporary(text),
        "<prod>" => names_production(text),
        // A regular expression that every text fits.
        "<everything>" => text.chars().all(|c| ".*+?^$()".contains(c)),
        "<all>" => text.starts_with(ANY) && text.ends_with('*'),
        pattern => fits(pattern, text),
    })
}

/// The same text, where `*` stands for anything. (`build.rs` writes a star and a bar that stand for themselves as the first two
/// characters of all.) With `?` and `[…]` as in a shell.
fn fits(pattern: &str, text: &str) -> bool {
    // Most differ in their first letter.
    match (pattern.bytes().next(), text.bytes().next()) {
        (Some(1 | 2 | b'*' | b'?' | b'['), _) => {}
        (Some(p), Some(t)) if p.eq_ignore_ascii_case(&t) => {}
        (None, _) => return text.is_empty(),
        _ => return false,
    }
    // Most others are plain words.
    if !pattern.bytes().any(|b| matches!(b, 1 | 2 | b'*' | b'?' | b'[')) {
        return pattern.eq_ignore_ascii_case(text);
    }
    if pattern.contains(['?', '[']) {
        return crate::path::matches(&pattern.to_ascii_lowercase(), &text.to_ascii_lowercase());
    }
    let same = |(p, t): (&u8, &u8)| p.eq_ignore_ascii_case(t) || matches!((*p, *t), (1, b'*') | (2, b'|'));
    let (text, last) = (text.as_bytes(), pattern.matches('*').count());
    let mut at = 0;
    for (index, part) in pattern.split('*').map(str::as_bytes).enumerate() {
        let is_here =
            |from: usize| text.get(from..from + part.len()).is_some_and(|t| part.iter().zip(t).all(same));
        let found = if index == 0 {
            is_here(0).then_some(0)
        } else if index == last {
            text.len().checked_sub(part.len()).filter(|from| *from >= at && is_here(*from))
        } else {
            (at..=text.len()).find(|from| is_here(*from))
        };
        let Some(found) = found else { return false };
        at = found + part.len();
    }
    last > 0 || at == text.len()
}

/// A host, an address or a connection that is this machine's own, or a socket or file on it.
pub fn is_local(text: &str) -> bool {
    if let Some(rest) = text.split_once("://").map(|(_, rest)| rest) {
        if ["file:", "sqlite:", "unix:"].iter().any(|scheme| text.starts_with(scheme)) {
            return true;
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let hosts = authority.rsplit('@').next().unwrap_or(authority);
        return !hosts.is_empty() && hosts.split(',').all(is_own_host);
    }
    // `host=localhost dbname=app`
    let mut named = text.split_whitespace().filter_map(|part| part.strip_prefix("host=")).peekable();
    if named.peek().is_some() {
        return named.all(|host| is_own_host(host) || host.starts_with('/'));
    }
    text.starts_with('/')
        || ["sqlite:", "file:"].iter().any(|scheme| text.starts_with(scheme))
        || is_own_host(text)
}

fn is_own_host(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(bare, _)| bare);
    let bare = bare.unwrap_or(if host.matches(':').count() == 1 {
        host.split(':').next().unwrap_or(host)
    } else {
        host
    });
    let loopback = bare.strip_prefix("127.").is_some_and(|rest| {
        rest.split('.').count() == 3 && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    loopback || bare == "::1" || bare.eq_ignore_ascii_case("localhost")
}

/// The name of a database for tests or development, by itself or in an address.
pub fn is_for_tests(text: &str) -> bool {
    let named = text.split_whitespace().find_map(|part| part.strip_prefix("dbname="));
    let name = named.unwrap_or_else(|| match text.split_once("://") {
        Some((_, rest)) => rest.split(['?', '#']).next().unwrap_or(rest).rsplit('/').next().unwrap_or(rest),
        None => text,
    });
    let name = name.trim_matches(['"', '`', '[', ']']).to_ascii_lowercase();
    name.ends_with("_test") || name.ends_with("_dev")
}

/// The name of an environment, of settings, of a cluster or of a database has such a part: `test`, `app.settings.testing`.
fn is_named(text: &str, parts: &[&str]) -> bool {
    let name = text.split(['?', '#']).next().unwrap_or(text);
    name.rsplit('/').next().unwrap_or(name).split(['_', '-', '.', '=']).any(|part| parts.contains(&part))
}

/// Of `NAME=value` it keeps the name: `^[A-Z_]*` that is searched for, `s/=.*//`, `{print $1}`.
fn keeps_names(text: &str) -> bool {
    if let Some(class) = text.strip_prefix("^[") {
        let Some((class, count)) = class.split_once(']') else { return false };
        let values = class.contains('=') != class.starts_with('^');
        return !values && matches!(count, "*" | "+" | "\\+" | "*=" | "+=" | "\\+=");
    }
    let bare: String = text.split_whitespace().collect();
    // What is put in the place of a value is not that value: `s/=.*/=***/`.
    let replaced = bare.strip_prefix("s/=.*").map(|rest| rest.trim_start_matches('$').trim_end_matches('g'));
    let replaced = replaced.and_then(|rest| rest.strip_prefix('/')?.strip_suffix('/'));
    let hides = replaced.is_some_and(|new| !new.contains(['/', '&', '\\']));
    // The names of an object's parts.
    let keys = bare.ends_with("|keys") || bare.ends_with("|keys[]") || bare == "keys";
    hides || keys || matches!(bare.as_str(), "{print$1}" | "NF{print$1}")
}

/// A command that is a shell, or an interpreter of another language.
fn starts_shell(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let known = |word: &str| super::find(crate::path::name(word));
    let Some(first) = words.next() else { return false };
    let program = known(first);
    let wraps = |program: &super::Program| {
        program
            .operands
            .is_some_and(|operands| operands.iter().any(|operand| operand.role == super::Role::Run))
    };
    program.is_some_and(|program| program.style.stdin && !program.language.is_empty())
        // `env -u X nice sh`
        || program.is_some_and(wraps) && words.any(|word| known(word).is_some_and(|inner| inner.style.plus))
        || crate::path::name(text).eq_ignore_ascii_case("cmd.exe")
}

/// In a folder for temporary files.
pub fn is_temporary(path: &str) -> bool {
    ["/tmp/", "/private/tmp/", "/var/tmp/", "/dev/shm/", "/var/folders/"]
        .iter()
        .any(|root| path.starts_with(root) && path.len() > root.len() && !path.contains("/../"))
}

/// `prod`, `--prod`, `environment=production`, `deploy-prod.yml`, `k8s/prod/`; not `preprod`, `non-prod` or `--prod=false`.
pub fn names_production(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    // Several words are a message to people.
    if word.contains(char::is_whitespace) || word.ends_with("=false") {
        return false;
    }
    let mut before = "";
    for part in word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        if matches!(part, "prod" | "production" | "prd") && !matches!(before, "pre" | "non" | "no" | "not") {
            return true;
        }
        before = part;
    }
    false
}

/// `KILL`, `SIGTERM`, `RTMIN+1`.
pub(crate) fn is_signal(word: &str) -> bool {
    const SIGNALS: &[&str] = &[
        "ABRT", "ALRM", "BUS", "CHLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "KILL", "PIPE", "POLL",
        "PROF", "PWR", "QUIT", "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN", "TTOU",
        "URG", "USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ",
    ];
    let word = word.to_ascii_uppercase();
    let name = word.strip_prefix("SIG").unwrap_or(&word);
    SIGNALS.contains(&name) || name.starts_with("RTM")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_stars() {
        for (pattern, text) in [
            ("delete-*", "delete-user"),
            ("*=false*", "a=FALSE,b"),
            ("*", ""),
            ("a*b*c", "a-b-c"),
            ("X", "x"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("delete-*", "undelete-user"), ("a*b", "a-c"), ("a", "ab")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_on_this_machine() {
        for text in [
            "localhost",
            "127.0.0.1",
            "127.0.0.1:5432",
            "::1",
            "[::1]:6379",
            "/var/run/postgresql",
            "postgres://me:pw@localhost:5432/app",
            "jdbc:mysql://127.0.0.1/app",
            "host=localhost dbname=app",
            "sqlite:app.db",
            "postgresql://[::1]/x",
        ] {
            assert!(is_local(text), "{text}");
        }
        for text in [
            "db",
            "localhost.example.com",
            "127.0.0.1.nip.io",
            "postgres://localhost@db.example.com/app",
            "postgres:///app",
            "host=localhost,db host=db",
            "http://db/localhost",
            "127.evil.example",
            "",
        ] {
            assert!(!is_local(text), "{text}");
        }
    }

    #[test]
    fn names_of_databases() {
        for text in
            ["app_test", "app_dev", "postgres://db/app_test?ssl=1", "dbname=app_dev host=db", "\"x_test\""]
        {
            assert!(is_for_tests(text), "{text}");
        }
        for text in ["app", "test_app", "contest", "latest", "postgres://db_test/app"] {
            assert!(!is_for_tests(text), "{text}");
        }
    }
}
