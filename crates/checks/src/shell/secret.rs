//! Secrets, read aloud or sent away: `shell/secret`.

use model::{Event, Facts, Findings, Meta};
use shell::text::SECRET;
use shell::{Call, Direction, Reading, is_secret_path};

use super::words::operands;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/secret",
    "a command that reads secrets or sends them away",
    "\
Refuses to print private keys, credentials of cloud and package tools, password databases and process environments, and to send
secrets or system files over the network, through pipes, files, substitutions and variables. Reading a project's `.env` is a
question to the person. Samples (`.env.example`), public keys, and programs that use a secret without showing it (`ssh -i`,
`source .env`, `docker --env-file`) pass.
",
    include_str!("secret.toml"),
);

/// Programs that name a secret file without printing it.
const QUIET: &[&str] = &[
    "ls",
    "stat",
    "test",
    "[",
    "[[",
    "chmod",
    "chown",
    "ssh",
    "ssh-add",
    "ssh-keygen",
    "ssh-copy-id",
    "touch",
    "rm",
    "echo",
    "printf",
    "find",
    "export",
    "source",
    ".",
    "git",
    "mkdir",
    "file",
    "wc",
    "du",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "cd",
    "docker",
    "docker-compose",
    "podman",
    "kubectl",
    "cmp",
    "sha256sum",
    "md5sum",
    "shasum",
    "which",
    "type",
    "dotenv",
    "direnv",
    "vercel",
    "ln",
    "unset",
    "declare",
    "local",
    "terraform",
    "ansible",
    "ansible-playbook",
    "helm",
    "gh",
    "node",
    "python",
    "python3",
    "npm",
    "npx",
    "uv",
    "sops",
    "age",
    "chattr",
    "shred",
    "trash",
    "rsync",
    "rmdir",
    "mount",
    "ssh-agent",
    "sshpass",
    "aws",
    "gcloud",
    "az",
];

/// Programs that send what they are given.
const SENDERS: &[&str] = &[
    "curl",
    "wget",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "mail",
    "mailx",
    "sendmail",
    "mutt",
    "http",
    "https",
    "httpie",
    "xh",
    "scp",
    "sftp",
    "rsync",
    "ftp",
    "lftp",
    "ssh",
    "dig",
    "nslookup",
    "host",
    "ping",
    "gsutil",
    "aws",
    "rclone",
    "s3cmd",
    "az",
    "gh",
    "openssl",
    "croc",
    "wormhole",
    "transfer.sh",
    "pastebinit",
    "tftp",
    "mc",
    "swaks",
    "finger",
    "whois",
    "logger",
    "websocat",
    "wscat",
    "grpcurl",
];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
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
        for call in &reading.calls {
            let Some((path, hard)) = read_aloud(call, cx.facts) else { continue };
            let what = format!("This would print {}, which holds secrets.", shell::text::show(&path));
            let why = "What is printed ends up in the conversation.";
            if hard {
                out.deny(META.id, what, why).instead =
                    Some("Test for the file with `test -f`, or let the person look.".into());
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
    if call.elsewhere {
        return None;
    }
    match program {
        "gpg" | "gpg2" if call.texts().any(|t| t.starts_with("--export-secret")) => {
            return Some(("the private keys of gpg".into(), true));
        }
        "ssh-keygen" if call.has("-y") => {}
        "security"
            if call.texts().any(|t| {
                matches!(t, "find-generic-password" | "find-internet-password" | "dump-keychain")
            }) && (call.has("-w") || call.has("-g") || call.has("dump-keychain") || call.has("-d")) =>
        {
            return Some(("the keychain".into(), true));
        }
        _ if QUIET.contains(&program) => return None,
        _ => {}
    }
    let home = home(facts);
    let copies = matches!(program, "cp" | "mv" | "install" | "scp");
    let mut words = operands(
        call.args(),
        &["-n", "-c", "-e", "-f", "-A", "-B", "-C", "-m", "-F", "-d", "-s", "--header", "-H", "-o", "-t"],
    );
    if matches!(program, "grep" | "rg" | "egrep" | "sed" | "awk" | "gawk" | "jq" | "yq" | "ag")
        && !words.is_empty()
    {
        words.remove(0);
    }
    if copies {
        words.pop();
    }
    // `cut -d= -f1` shows names, not values.
    if program == "cut" && call.texts().any(|t| t == "-f1")
        || program == "grep" && super::words::has_flag(call, "qlLc", &["quiet", "count"])
    {
        return None;
    }
    let paths =
        words.into_iter().map(|arg| (arg.text.strip_prefix("if=").unwrap_or(&arg.text).to_owned(), arg.glob));
    let redirected = call
        .redirects
        .iter()
        .filter(|r| r.direction == Direction::Read)
        .map(|r| (r.target.text.clone(), r.target.glob));
    for (path, glob) in paths.chain(redirected) {
        if path.starts_with('-') || path.is_empty() || path.contains('\n') {
            continue;
        }
        let absolute = shell::path::absolute(&path, &call.cwd);
        let hit = is_secret_path(&absolute, home.as_deref()) || (glob && glob_hits(&absolute));
        if hit && !(copies && shell::path::name(&absolute).starts_with(".env")) {
            let soft = shell::path::name(&absolute).starts_with(".env")
                || shell::path::is_below(&absolute, &facts.project().to_string_lossy());
            return Some((path, !soft));
        }
    }
    None
}

/// A pattern that would match a key: `~/.ssh/id_*`, `~/.ssh/*`.
fn glob_hits(path: &str) -> bool {
    let (dir, pattern) = path.rsplit_once('/').unwrap_or(("", path));
    dir.ends_with("/.ssh")
        && ["id_rsa", "id_ed25519", "id_ecdsa"].iter().any(|name| shell::path::matches(pattern, name))
        || dir.ends_with("/.aws")
        || dir.ends_with("/.gnupg")
}

/// What would leave the machine, in words.
fn sent(reading: &Reading, facts: &dyn Facts) -> Option<String> {
    let home = home(facts);
    let is_secret = |path: &str, call: &Call| {
        let absolute = shell::path::absolute(path, &call.cwd);
        is_secret_path(&absolute, home.as_deref())
            || matches!(absolute.as_str(), "/etc/passwd" | "/etc/hosts.equiv")
            || absolute.starts_with("/etc/shadow")
    };
    for call in &reading.calls {
        let network_file = |r: &shell::Redirect| {
            r.target.text.starts_with("/dev/tcp/") || r.target.text.starts_with("/dev/udp/")
        };
        if call.redirects.iter().any(network_file)
            && (call.args().iter().any(|a| is_secret(&a.text, call))
                || call.stdin.as_deref().is_some_and(|t| t.contains(SECRET))
                || call.texts().any(|t| t.contains(SECRET)))
        {
            return Some("a secret".into());
        }
        let program = call.program();
        if call.texts().any(|t| t.contains("169.254.169.254") || t.contains("metadata.google.internal"))
            && SENDERS.contains(&program)
        {
            return Some("a request for this machine's own credentials".into());
        }
        if !SENDERS.contains(&program) {
            continue;
        }
        // What it reads on stdin, where it sends that.
        let sends_stdin = match program {
            "curl" | "http" | "xh" | "wget" => {
                call.texts().any(|t| t.contains("@-") || t == "-" || t.contains("/dev/stdin") || t == "-T-")
                    || matches!(program, "http" | "xh")
            }
            "dig" | "nslookup" | "host" | "ping" | "aws" | "gh" | "gsutil" | "rclone" => call.has("-"),
            _ => true,
        };
        if sends_stdin && call.stdin.as_deref().is_some_and(|text| text.contains(SECRET)) {
            return Some("a secret".into());
        }
        if let Some(what) = sent_by_words(call, &is_secret) {
            return Some(what);
        }
    }
    for (_, code) in &reading.inline {
        let sends = [
            "requests.post",
            "urlopen(",
            "http.client",
            "fetch(",
            "axios.post",
            "smtplib",
            "urllib.request",
            "HTTP.post",
            "Net::HTTP",
            "LWP",
            "socket",
        ]
        .iter()
        .any(|word| code.contains(word));
        let secret = [
            ".ssh/",
            ".aws/credentials",
            "os.environ",
            "process.env)",
            "JSON.stringify(process.env",
            ".env'",
            ".env\"",
            "/etc/shadow",
            "id_rsa",
            ".netrc",
            "dict(os.environ",
        ]
        .iter()
        .any(|word| code.contains(word));
        let whole = !code.contains("os.environ[") && !code.contains("os.environ.get")
            || code.contains(".ssh/")
            || code.contains("id_rsa");
        if sends && secret && whole {
            return Some("a secret".into());
        }
    }
    None
}

fn sent_by_words(call: &Call, is_secret: &dyn Fn(&str, &Call) -> bool) -> Option<String> {
    let args = call.args();
    let program = call.program();
    for (index, arg) in args.iter().enumerate() {
        let text = arg.text.as_str();
        let before = index.checked_sub(1).map_or("", |i| args[i].text.as_str());
        // A header is how one signs in; that is what the secret is for.
        let header =
            matches!(before, "-H" | "--header" | "-u" | "--user" | "-b" | "--cookie" | "--oauth2-bearer")
                || text.starts_with("-H")
                || text.starts_with("Authorization:");
        if text.contains(SECRET)
            && !header
            && !matches!(program, "gh" | "aws" | "az" | "ssh" | "rsync" | "scp")
        {
            return Some("a secret".into());
        }
        let file = match program {
            "curl" => {
                let data = matches!(
                    before,
                    "-d" | "--data"
                        | "--data-binary"
                        | "--data-raw"
                        | "--data-urlencode"
                        | "-F"
                        | "--form"
                        | "-T"
                        | "--upload-file"
                        | "--json"
                ) || text.starts_with("-F")
                    || text.starts_with("-d@")
                    || text.starts_with("--data")
                    || text.starts_with("-T");
                let named = text.split_once('@').map(|(_, file)| file.split(';').next().unwrap_or(file));
                let upload = matches!(before, "-T" | "--upload-file")
                    .then_some(text)
                    .or(text.strip_prefix("-T").filter(|t| !t.is_empty()));
                if data { upload.or(named) } else { None }
            }
            "wget" => text.strip_prefix("--post-file=").or(text.strip_prefix("--body-file=")).or(matches!(
                before,
                "--post-file" | "--body-file"
            )
            .then_some(text)),
            "scp" | "rsync" | "sftp" | "gsutil" | "aws" | "rclone" | "s3cmd" | "mc" | "az" => {
                let remote = args.last().is_some_and(|last| last.text.contains(':'));
                (remote && index + 1 < args.len() && !text.starts_with('-')).then_some(text)
            }
            "gh" => (args.iter().any(|a| a.text == "gist") && !text.starts_with('-')).then_some(text),
            "http" | "xh" => text.split_once('@').map(|(_, file)| file),
            "mail" | "mutt" | "mailx" | "swaks" => matches!(before, "-a" | "-A" | "--attach").then_some(text),
            "croc" | "wormhole" => Some(text),
            _ => None,
        };
        if let Some(file) = file.filter(|file| !file.is_empty() && is_secret(file, call)) {
            return Some(file.to_owned());
        }
    }
    None
}
