//! Secrets, read aloud or sent away: `shell/secret`.

use model::deed::Verb;
use model::{Event, EventName, Facts, Findings, Meta, On};
use shell::text::SECRET;
use shell::{Call, Direction, is_secret_path};

use super::words::{operands, value};
use crate::{Check, Context};

mod exposed;
mod programs;
mod sent;

use exposed::exposed;
use programs::told;
use sent::sent;

static META: Meta = super::guard_on(
    ON,
    "shell/secret",
    "a command or a tool that reads secrets or sends them away",
    "\
Refuses to print private keys, credentials of cloud and package tools, password databases and process environments, and to send
secrets or system files over the network, through pipes, files, substitutions and variables. Reading a project's `.env` is a
question to the person. Samples (`.env.example`), public keys, and programs that use a secret without showing it (`ssh -i`,
`source .env`, `docker --env-file`) pass.

Every other tool is held to the same: reading a key by `Read`, `Grep` or a server's tool, uploading one, an address with a key in it, and the
addresses where clouds give a machine's credentials away. A search that shows what it finds in a whole home is a question.
",
    include_str!("secret.toml"),
);

static ON: &[On] =
    &[On::shell(EventName::PreToolUse), On::foreign(EventName::PreToolUse), On::reads(EventName::PreToolUse)];

/// Programs that show, copy or pack what is in the files they are given. What is not here uses a secret without showing it
/// (`ssh -i`, `curl --cert`, `docker --env-file`).
const READERS: &[&str] = &[
    "7z",
    "ack",
    "ag",
    "awk",
    "base32",
    "base64",
    "bat",
    "batcat",
    "cat",
    "code",
    "column",
    "comm",
    "cp",
    "csplit",
    "cut",
    "dd",
    "diff",
    "ed",
    "egrep",
    "emacs",
    "ex",
    "expand",
    "fgrep",
    "fmt",
    "fold",
    "gawk",
    "gedit",
    "glow",
    "grep",
    "gzip",
    "hd",
    "head",
    "hexdump",
    "hexyl",
    "highlight",
    "iconv",
    "install",
    "join",
    "jless",
    "jq",
    "less",
    "look",
    "m4",
    "mapfile",
    "mdcat",
    "more",
    "most",
    "mv",
    "nano",
    "nawk",
    "nl",
    "nvim",
    "od",
    "openssl",
    "paste",
    "pbcopy",
    "perl",
    "pr",
    "pygmentize",
    "qrencode",
    "read",
    "rev",
    "rg",
    "ruby",
    "scp",
    "sed",
    "shuf",
    "sort",
    "split",
    "sqlite3",
    "strings",
    "tac",
    "tail",
    "tar",
    "tee",
    "tr",
    "ul",
    "unexpand",
    "uniq",
    "uuencode",
    "vi",
    "view",
    "vim",
    "wl-copy",
    "xclip",
    "xmllint",
    "xsel",
    "xxd",
    "xz",
    "yq",
    "zcat",
    "zgrep",
    "zip",
    "zless",
    "zstd",
];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        crate::deeds::secret(META.id, event, cx, out);
        let Some(reading) = cx.reading(event) else { return };
        if let Some(what) = sent(reading, cx.facts) {
            out.deny(
                META.id,
                format!("This would send {what} over the network."),
                "A secret that has left the machine is no secret.",
            )
            .instead = Some("Leave it where it is; ask the person how the other side gets its own.".into());
            return;
        }
        // `export $(grep -v '^#' .env)` sets what it reads, and prints nothing: one file for each.
        let sets = |call: &&Call| {
            matches!(call.program(), "export" | "declare" | "typeset")
                && call.texts().any(|t| t.contains(SECRET))
                || call.wrappers.last() == Some(&"env")
                    && call.argv.first().is_some_and(|a| a.text.contains(SECRET))
        };
        let mut set = reading.calls.iter().filter(sets).count();
        for call in &reading.calls {
            if let Some((what, hard)) = exposed(call, cx.facts) {
                let why = "A secret that others have seen is no secret.";
                let instead = "Leave secrets where they are, and name only what is needed.";
                if hard {
                    out.deny(META.id, what, why).instead = Some(instead.into());
                    return;
                }
                out.ask(META.id, what, why).instead = Some(instead.into());
            }
            let Some((path, hard)) = read_aloud(call, cx.facts) else { continue };
            if !hard && set > 0 && call.redirects.is_empty() {
                set -= 1;
                continue;
            }
            let what = format!("This would print {}, which holds secrets.", shell::text::show(&path));
            let why = "What is printed ends up in the conversation.";
            if hard {
                out.deny(META.id, what, why).instead =
                    Some("Test for the file with `test -f <file>`, or let the person look.".into());
                return;
            }
            out.ask(META.id, what, why).instead = Some("Names without values: `cut -d= -f1 .env`.".into());
        }
    }
}

fn home(facts: &dyn Facts) -> Option<String> {
    facts.home().map(|home| home.to_string_lossy().into_owned())
}

/// A secret file that a call prints, and whether that is beyond question.
fn read_aloud(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let program = call.program();
    match program {
        "gpg" | "gpg2" if call.texts().any(|t| t.starts_with("--export-secret")) => {
            return Some(("the private keys of gpg".into(), true));
        }
        "security"
            if call.texts().any(|t| {
                matches!(t, "find-generic-password" | "find-internet-password" | "dump-keychain")
            }) && (super::words::has_flag(call, "wgd", &[]) || call.has("dump-keychain")) =>
        {
            return Some(("the keychain".into(), true));
        }
        "pass" | "gopass"
            if call.args().first().is_some_and(|a| matches!(a.text.as_str(), "show" | "otp"))
                || call.args().len() == 1 && call.args()[0].text.contains('/') =>
        {
            return Some(("the password store".into(), true));
        }
        "secret-tool" if call.has("lookup") || call.has("search") => {
            return Some(("the keyring".into(), true));
        }
        "op" if call.has("read") || call.has("--reveal") => {
            return Some(("the vault of 1Password".into(), true));
        }
        "bw" if call.has("get") || call.has("export") => {
            return Some(("the vault of Bitwarden".into(), true));
        }
        "getent" if call.has("shadow") || call.has("gshadow") => {
            return Some(("the password hashes".into(), true));
        }
        _ => {}
    }
    if let Some((what, hard)) = told(call) {
        return Some((what, hard));
    }
    let quiet: &[&str] = &["quiet", "count", "files-with-matches"];
    if names_only(call)
        || matches!(program, "grep" | "egrep" | "fgrep") && super::words::has_flag(call, "qlLc", quiet)
        || matches!(program, "rg" | "ag" | "ack") && super::words::has_flag(call, "qlc", quiet)
    {
        return None;
    }
    let home = home(facts);
    let copies = matches!(program, "cp" | "mv" | "install" | "scp");
    for (path, glob) in shown(call) {
        if path.starts_with('-') || path.is_empty() || path.contains('\n') {
            continue;
        }
        let absolute = outside(&shell::path::absolute(&path, &call.cwd), call);
        let Some(absolute) = absolute else { continue };
        let hit = is_secret_path(&absolute, home.as_deref())
            || (glob && glob_hits(&absolute, home.as_deref()))
            || call.secrets.contains(&path);
        let environment = shell::path::name(&absolute).starts_with(".env");
        // A loop that reads an environment file sets variables.
        if hit && !(environment && (copies || call.argv.is_empty())) {
            let soft = environment
                || shell::path::is_below(&absolute, &facts.project().to_string_lossy())
                    && !call.secrets.contains(&path);
            return Some((path, !soft));
        }
    }
    None
}

/// Names without their values: `cut -d= -f1`, `awk -F= '{print $1}'`, `sed 's/=.*//'`, `grep -o '^[A-Z_]*'`.
fn names_only(call: &Call) -> bool {
    match call.program() {
        "cut" => call.has("-f1"),
        "awk" | "gawk" => {
            (call.has("-F=") || value(call, &["-F"]) == Some("="))
                && call.texts().any(|t| t.split_whitespace().collect::<String>() == "{print$1}")
        }
        "sed" => {
            let scripts = operands(call.args(), &[]);
            scripts
                .first()
                .is_some_and(|arg| matches!(arg.text.as_str(), "s/=.*//" | "s/=.*/=/" | "s/=.*$//"))
        }
        "grep" | "egrep" => {
            super::words::has_flag(call, "o", &["only-matching"])
                && operands(call.args(), &[]).first().is_some_and(|arg| {
                    matches!(
                        arg.text.as_str(),
                        "^[A-Z_]*"
                            | "^[A-Z_]\\+"
                            | "^[A-Z_]+"
                            | "^[^=]*"
                            | "^[^=]\\+"
                            | "^[^=]+"
                            | "^[A-Z0-9_]*"
                            | "^[A-Z0-9_]+"
                            | "^[A-Za-z0-9_]*"
                            | "^[A-Za-z_]*"
                    )
                })
        }
        _ => false,
    }
}

/// The files whose content a call shows, and whether their names are patterns.
pub(super) fn shown(call: &Call) -> Vec<(String, bool)> {
    let program = call.program();
    let mut paths: Vec<(String, bool)> = Vec::new();
    match program {
        "curl" | "wget" => paths.extend(
            call.texts().filter_map(|t| t.strip_prefix("file://")).map(|path| (path.to_owned(), false)),
        ),
        // `git show HEAD:.env`
        _ if call.keeps_versions() => {
            paths.extend(call.paths(&[Verb::Reads]).map(|(path, pattern)| (path.to_owned(), pattern)));
        }
        "openssl" => {
            // Certificates and requests are public; only what handles keys shows them.
            let keys = call.args().first().is_some_and(|a| {
                matches!(
                    a.text.as_str(),
                    "rsa" | "dsa" | "ec" | "pkey" | "pkcs8" | "pkcs12" | "enc" | "base64" | "asn1parse"
                )
            });
            let quiet = call.has("-noout") && !call.has("-text") || call.has("-pubout") || call.has("-check");
            let file = value(call, &["-in"]).filter(|_| keys && !quiet);
            paths.extend(file.map(|path| (path.to_owned(), false)));
        }
        // What a cmdlet reads it shows, or hands on.
        _ if sent::is_of_powershell(call) => {
            paths.extend(call.paths(&[Verb::Reads]).map(|(path, pattern)| (path.to_owned(), pattern)));
        }
        // What is changed in its place is not shown.
        "sed" | "gsed" if call.deeds.iter().any(|deed| deed.verb == Verb::Edits) => {}
        _ if READERS.contains(&program) => {
            let values: &[&str] = match program {
                "head" | "tail" => &["-n", "-c"],
                "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
                    &["-e", "-A", "-B", "-C", "-m", "-g", "-t", "--glob", "--type", "--include", "--exclude"]
                }
                "cut" => &["-d", "-f", "-c", "-b"],
                "sed" => &["-e", "-l"],
                "awk" | "gawk" | "nawk" => &["-F", "-v", "-f"],
                "sort" => &["-k", "-t", "-o"],
                "xxd" | "hexdump" | "od" => &["-l", "-s", "-g", "-N", "-j", "-t", "-A"],
                "tar" => &["-f", "-C", "--exclude"],
                "perl" | "ruby" => &["-e", "-E", "-I"],
                "vim" | "vi" | "nvim" | "ex" | "view" | "emacs" => &["-c", "--cmd", "--eval"],
                "scp" => &["-i", "-F", "-P", "-o", "-S", "-c", "-l"],
                "sqlite3" => &["-cmd"],
                _ => &[],
            };
            let mut words = operands(call.args(), values);
            let scripted =
                call.texts().any(|t| matches!(t, "-e" | "-f" | "--expression" | "--file" | "--regexp"));
            if matches!(
                program,
                "grep"
                    | "egrep"
                    | "fgrep"
                    | "rg"
                    | "sed"
                    | "awk"
                    | "gawk"
                    | "nawk"
                    | "jq"
                    | "yq"
                    | "ag"
                    | "ack"
            ) && !words.is_empty()
                && !scripted
            {
                words.remove(0);
            }
            if matches!(program, "cp" | "mv" | "install" | "scp") {
                words.pop();
            }
            paths.extend(
                words
                    .into_iter()
                    .map(|arg| (arg.text.strip_prefix("if=").unwrap_or(&arg.text).to_owned(), arg.glob)),
            );
        }
        _ => {}
    }
    // `exec 3< file` gives it to whatever reads there.
    if call.argv.is_empty() || READERS.contains(&program) || matches!(program, "xargs" | "exec") {
        paths.extend(
            call.redirects
                .iter()
                .filter(|r| r.direction == Direction::Read)
                .map(|r| (r.target.text.clone(), r.target.glob)),
        );
    }
    paths
}

/// The path on this machine; `None` for one that only a container has.
fn outside(path: &str, call: &Call) -> Option<String> {
    if !call.elsewhere {
        return Some(path.to_owned());
    }
    call.mounts.iter().find_map(|(inside, here)| {
        let rest = path.strip_prefix(inside.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", here.trim_end_matches('/')))
    })
}

/// A pattern that would match a secret: `~/.ssh/id_*`, `~/.s*h/id_r?a`, `~/.aws/*`.
pub(crate) fn glob_hits(pattern: &str, home: Option<&str>) -> bool {
    const USUAL: &[&str] = &[
        ".ssh/id_rsa",
        ".ssh/id_ed25519",
        ".ssh/id_ecdsa",
        ".aws/credentials",
        ".netrc",
        ".pgpass",
        ".git-credentials",
        ".kube/config",
        ".gnupg/secring.gpg",
    ];
    let parts: Vec<&str> = pattern.split('/').collect();
    let fits = |path: &str| {
        let other: Vec<&str> = path.split('/').collect();
        // A pattern does not find hidden files by a leading star.
        parts.len() == other.len()
            && parts
                .iter()
                .zip(&other)
                .all(|(p, o)| shell::path::matches(p, o) && (!o.starts_with('.') || p.starts_with('.')))
    };
    let homes = [home.unwrap_or("/root"), "/root", "/home/x"];
    homes.iter().any(|home| USUAL.iter().any(|name| fits(&format!("{home}/{name}")))) || fits("/etc/shadow")
}
