//! Ways to run a command, and ways to only write it down: what holds for a command must hold in each of the first, and in none of the others.

/// From a command to another one.
pub type Wrap = fn(&str) -> String;

fn quoted(command: &str) -> String {
    shell::quote(command).into_owned()
}

/// Between double quotes.
fn double(command: &str) -> String {
    let escaped: String = command
        .chars()
        .flat_map(|c| if matches!(c, '"' | '\\' | '$' | '`') { vec!['\\', c] } else { vec![c] })
        .collect();
    format!("\"{escaped}\"")
}

fn encoded(command: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in command.as_bytes().chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, b| bits << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]));
        }
        out.push_str(&"=".repeat(3 - chunk.len()));
    }
    out
}

/// Ways to run a command line of any kind. A newline ends it, so that comments and here-documents in it stay whole.
pub const WRAPPERS: &[(&str, Wrap)] = &[
    ("bash -c", |c| format!("bash -c {}", quoted(c))),
    ("sh -c, double quotes", |c| format!("sh -c {}", double(c))),
    ("eval", |c| format!("eval {}", quoted(c))),
    ("eval of a variable", |c| format!("plimsoll_text={}; eval \"$plimsoll_text\"", quoted(c))),
    ("sudo bash -c", |c| format!("sudo -n bash -c {}", quoted(c))),
    ("env", |c| format!("env X=1 bash -c {}", quoted(c))),
    ("subshell", |c| format!("(\n{c}\n)")),
    ("group", |c| format!("{{\n{c}\n}}")),
    ("if", |c| format!("if true; then\n{c}\nfi")),
    ("else", |c| format!("if test -f x; then :; else\n{c}\nfi")),
    ("for", |c| format!("for i in 1 2; do\n{c}\ndone")),
    ("while", |c| format!("while true; do\n{c}\nbreak; done")),
    ("case", |c| format!("case x in x)\n{c}\n;; esac")),
    ("and", |c| format!("ls && {{\n{c}\n}}")),
    ("or", |c| format!("test -f x || {{\n{c}\n}}")),
    ("after another", |c| format!("ls -la; cd .\n{c}")),
    ("background", |c| format!("{{\n{c}\n}} & wait")),
    ("timeout", |c| format!("timeout 5 bash -c {}", quoted(c))),
    ("nohup", |c| format!("nohup nice -n 5 sh -c {} > /dev/null 2>&1", quoted(c))),
    ("xargs", |c| format!("xargs -n1 sh -c {} < /dev/null", quoted(c))),
    ("find -exec", |c| format!("find . -maxdepth 1 -exec sh -c {} \\;", quoted(c))),
    ("here-document", |c| format!("bash <<'PLIMSOLL'\n{c}\nPLIMSOLL")),
    ("here-string", |c| format!("bash <<< {}", quoted(c))),
    ("pipe", |c| format!("printf '%s\\n' {} | bash", quoted(c))),
    ("decoded", |c| format!("echo {} | base64 -d | bash", encoded(c))),
    ("function", |c| format!("f() {{\n{c}\n}}; f")),
    ("trap", |c| format!("trap {} EXIT", quoted(c))),
    ("substitution", |c| format!("echo \"$(\n{c}\n)\"")),
    ("process substitution", |c| format!("source <(printf '%s\\n' {})", quoted(c))),
    ("written and run", |c| {
        format!("cat > plimsoll-case.sh <<'PLIMSOLL'\n{c}\nPLIMSOLL\nbash plimsoll-case.sh")
    }),
    ("python", |c| format!("python3 -c {}", quoted(&format!("import os; os.system({c:?})")))),
];

/// Ways to run one program with its arguments.
pub const PREFIXES: &[&str] = &[
    "sudo",
    "sudo -u root --",
    "env",
    "env -i A=1",
    "X=1 Y=2",
    "command",
    "exec",
    "nohup",
    "nice -n 19",
    "timeout -k 1 5",
    "time",
    "setsid",
    "stdbuf -oL",
    "ionice -c3",
    "doas",
    "unbuffer",
    "strace -f",
    "xargs -I@@",
    "ls;",
    "true &&",
    "! ",
    "2>/dev/null",
    "watch -x",
    "flock lock",
    "uv run",
];

/// A single program with plain words: what may stand after `sudo`.
pub fn is_simple(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    let special = [
        "if", "for", "while", "until", "case", "function", "select", "coproc", "time", "cd", "eval", "alias",
        "export", "declare", "local", "source", ".", "trap", "set", "exec", "builtin", "command", "hash",
        "mapfile", "read",
    ];
    !command.contains(['\n', ';', '|', '&', '<', '>', '(', ')', '`', '#', '{', '=', '$', '!'])
        && !special.contains(&first)
        && first.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Ways in which a command is only text.
pub const TEXTS: &[(&str, Wrap)] = &[
    ("echo", |c| format!("echo {}", quoted(c))),
    ("printf", |c| format!("printf '%s\\n' {}", quoted(c))),
    ("commit message", |c| format!("git commit -m {}", quoted(c))),
    ("comment", |c| format!("ls\n{}", c.lines().map(|line| format!("# {line}\n")).collect::<String>())),
    ("here-document to a file", |c| format!("cat > notes.md <<'PLIMSOLL'\n{c}\nPLIMSOLL")),
    ("pattern", |c| format!("grep -rnF -e {} docs", quoted(c))),
    ("assignment", |c| format!("x={}", quoted(c))),
    ("test", |c| format!("[ \"$x\" = {} ] && echo same", quoted(c))),
    ("issue", |c| format!("gh issue create --title x --body {}", quoted(c))),
    ("explained", |c| format!("plimsoll explain {}", quoted(c))),
    ("text of a program", |c| format!("python3 -c {}", quoted(&format!("print({c:?})")))),
    ("list of a loop", |c| format!("for c in {} ls; do echo \"$c\"; done", quoted(c))),
];

/// Every way to run this command, with a name for each. Some do not fit every command.
pub fn wrapped(command: &str) -> Vec<(String, String)> {
    let fits = |name: &str| {
        !(name == "find -exec" && command.contains("{}")
            || name == "written and run" && command.contains("$0"))
    };
    let mut all: Vec<(String, String)> = WRAPPERS
        .iter()
        .filter(|(name, _)| fits(name))
        .map(|(name, wrap)| ((*name).to_owned(), wrap(command)))
        .collect();
    if is_simple(command) {
        all.extend(PREFIXES.iter().map(|prefix| ((*prefix).to_owned(), format!("{prefix} {command}"))));
    }
    all
}
