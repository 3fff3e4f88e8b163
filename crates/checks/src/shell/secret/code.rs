//! Code on a command line that prints secrets of its environment.

use shell::Reading;

/// Code that takes in an environment file by the library for it, and prints all that it holds.
pub(super) fn prints_settings(code: &str, reading: &Reading) -> bool {
    let loads = code.contains("dotenv")
        || reading
            .calls
            .iter()
            .any(|call| call.texts().any(|text| text.starts_with("dotenv") || text == "-rdotenv/config"));
    let bare: String = code.split_whitespace().collect();
    let prints = ["print(", "console.log(", "console.table(", "puts", "pp", "json.dumps("]
        .iter()
        .any(|word| bare.contains(word));
    let all = [
        "os.environ)",
        "os.environ}",
        "dotenv_values",
        "process.env)",
        "stringify(process.env",
        ".parsed",
        "ENV.to_h",
    ]
    .iter()
    .any(|word| bare.contains(word));
    loads && prints && all
}

/// How languages say "print", up to what is printed.
const PRINTS: &[&str] = &[
    "print(",
    "println(",
    "cat(",
    "print ",
    "puts ",
    "puts(",
    "p ",
    "echo ",
    "console.log(",
    "console.error(",
    "stdout.write(",
    "say ",
];

/// How languages ask for a variable, up to its name.
const ASKS: &[&str] = &[
    "os.environ[",
    "environ.get(",
    "getenv(",
    "process.env.",
    "process.env[",
    "env.get(",
    "ENV[",
    "ENV.fetch(",
    "$ENV{",
    "$_ENV[",
    "$_SERVER[",
    "ENVIRON[",
    "Bun.env.",
    "Sys.getenv(",
];

/// Before it, what says only whether it is there, how long it is, or what it hashes to; after it, what leaves but a part of it.
const ASIDE: &[&str] = &[
    "len(", "bool(", "!!", "typeof", "Boolean(", "isset", "defined", "empty(", "length", "strlen", "sha",
    "md5(", "hash(", "hashlib", "digest", "hmac",
];
const PARTLY: &[&str] = &[
    "[:",
    ".slice",
    ".length",
    ".size",
    " is ",
    " in ",
    "!=",
    "==",
    "?",
    ".nil",
    ".substr",
    "[0",
    "[-",
    ".startsWith",
    ".startswith",
    ".start_with",
    "&&",
    " and ",
    "replace",
    "redact",
];

/// A secret variable, by its name, that code on the command line prints as it is.
pub(super) fn prints_variable<'a>(code: &'a str, reading: &Reading) -> Option<&'a str> {
    if !ASKS.iter().any(|word| code.contains(word)) || !is_on_the_line(code, reading) {
        return None;
    }
    code.split(['\n', ';']).take(200).find_map(|statement| {
        let (before, printed) = PRINTS.iter().find_map(|word| {
            let at = statement.find(word)?;
            let is_word = !statement[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_word.then(|| (&statement[..at], &statement[at + word.len()..]))
        })?;
        let (asked, rest) =
            ASKS.iter().filter_map(|word| printed.split_once(word)).min_by_key(|(head, _)| head.len())?;
        let rest = rest.trim_start_matches(['"', '\'']);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let partly = ASIDE.iter().any(|word| asked.contains(word) || after.contains(word))
            || PARTLY.iter().any(|word| after.contains(word))
            || asked.contains('?')
            || before.contains("if ");
        (shell::is_secret_name(name) && !partly).then_some(name)
    })
}

/// Whether the code stands in the command itself, and not in a file of the project.
fn is_on_the_line(code: &str, reading: &Reading) -> bool {
    let is_part = |text: &str| text.len() > 4 && (code.contains(text.trim()) || text.contains(code));
    reading.calls.iter().any(|call| call.texts().chain(call.stdin.as_deref()).any(is_part))
}
