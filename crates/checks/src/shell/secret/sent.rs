//! Secrets that would leave the machine: by a program that sends, by what is piped to one, by words of a chat or a commit.

use model::Facts;
use model::deed::{Object, Verb};
use shell::text::SECRET;
use shell::{Call, Reading, is_secret_path};

use super::home;
use super::programs::is_dump;

/// Programs that send what they are given.
pub(in crate::shell) const SENDERS: &[&str] = &[
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
    "ftp-upload",
    "ncftpput",
    "glab",
    "s5cmd",
];

/// A cmdlet, or a method of .NET.
pub(super) fn is_of_powershell(call: &Call) -> bool {
    call.words().entry.is_some_and(|entry| entry.style.cmdlet) || call.program().contains("::")
}

/// What a call gives to another machine, as its table says it.
fn sent_by_deeds(call: &Call, is_secret: &dyn Fn(&str, &Call) -> bool) -> Option<String> {
    call.deeds.iter().find_map(|deed| {
        let text = deed.object.text();
        let share = |path: &str| path.starts_with("\\\\");
        match (deed.verb, &deed.object) {
            (Verb::Fetches | Verb::Sends, Object::Address(to) | Object::Host(to))
                if to.contains("169.254.169.254") || to.contains("metadata.google.internal") =>
            {
                Some("a request for this machine's own credentials".into())
            }
            (Verb::Sends | Verb::Fetches, _) if text.contains(SECRET) => Some("a secret".into()),
            // What comes in is the body of a request.
            (Verb::Fetches, _) if call.stdin.as_deref().is_some_and(|text| text.contains(SECRET)) => {
                Some("a secret".into())
            }
            (Verb::Sends, Object::Path { .. }) if is_secret(text, call) => Some(shell::text::show(text)),
            // A share is another machine's.
            (Verb::Writes, Object::Path { .. }) if share(text) => {
                let read = call.paths(&[Verb::Reads]).find(|(path, _)| is_secret(path, call));
                read.map(|(path, _)| shell::text::show(path))
            }
            _ => None,
        }
    })
}

/// What would leave the machine, in words.
pub(super) fn sent(reading: &Reading, facts: &dyn Facts) -> Option<String> {
    let home = home(facts);
    let is_secret = |path: &str, call: &Call| {
        let absolute = shell::path::absolute(path, &call.cwd);
        is_secret_path(&absolute, home.as_deref())
            || matches!(absolute.as_str(), "/etc/passwd" | "/etc/hosts.equiv")
            || absolute.starts_with("/etc/shadow")
            || call.secrets.iter().any(|named| named.ends_with(path))
    };
    let dumps = reading.calls.iter().any(is_dump);
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
            && matches!(
                program,
                "curl"
                    | "wget"
                    | "http"
                    | "https"
                    | "xh"
                    | "nc"
                    | "ncat"
                    | "aria2c"
                    | "fetch"
                    | "lynx"
                    | "telnet"
                    | "socat"
            )
        {
            return Some("a request for this machine's own credentials".into());
        }
        if is_of_powershell(call) {
            if let Some(what) = sent_by_deeds(call, &is_secret) {
                return Some(what);
            }
            continue;
        }
        if !SENDERS.contains(&program) {
            continue;
        }
        if matches!(program, "ssh" | "mosh") && call.texts().any(|t| t.contains(SECRET)) {
            return Some("a secret".into());
        }
        // What it reads on stdin, where it sends that.
        let sends_stdin = match program {
            "curl" | "http" | "xh" | "wget" => {
                call.texts().any(|t| {
                    t.contains("@-")
                        || t == "-"
                        || t.contains("/dev/stdin")
                        || t == "-T-"
                        || t.ends_with("=<-")
                        || t.starts_with("telnet://")
                }) || matches!(program, "http" | "xh")
            }
            "dig" | "nslookup" | "host" | "ping" | "aws" | "gh" | "gsutil" | "rclone" => call.has("-"),
            _ => true,
        };
        if sends_stdin && call.stdin.as_deref().is_some_and(|text| text.contains(SECRET)) {
            return Some("a secret".into());
        }
        // To a machine that one logs in to, a dump is a backup.
        let anybody = matches!(
            program,
            "curl" | "wget" | "nc" | "ncat" | "netcat" | "socat" | "telnet" | "http" | "xh"
        );
        let local = call.texts().any(|t| t.contains("localhost") || t.contains("127.0.0.1"));
        if dumps
            && anybody
            && sends_stdin
            && !local
            && call.stdin.as_deref().is_some_and(|text| text.contains(shell::text::is_hole))
        {
            return Some("a whole database, repository or set of secrets".into());
        }
        if let Some(what) = sent_by_words(call, &is_secret) {
            return Some(what);
        }
    }
    for (_, code) in &reading.inline {
        let bare = shell::without_texts(code);
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
            "file_get_contents(\"http",
            "file_get_contents('http",
            "curl_exec",
            "https.request",
            "http.request",
            "').request(",
            "\").request(",
            "ftplib",
        ]
        .iter()
        .any(|word| bare.contains(word));
        let secret = [
            ".ssh/",
            ".aws/credentials",
            "os.environ",
            "process.env)",
            "JSON.stringify(process.env",
            ".env'",
            ".env\"",
            ".env`",
            "/etc/shadow",
            "id_rsa",
            ".netrc",
            "dict(os.environ",
            "ENV.to_h",
            "%ENV",
        ]
        .iter()
        .any(|word| code.contains(word));
        // One variable by its name is a setting, unless the name says otherwise.
        let named = |open: &str| {
            code.split(open).skip(1).any(|rest| {
                let name: String =
                    rest.chars().skip(1).take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                shell::is_secret_name(&name)
            })
        };
        // In its own request header it is what it is for; in an address it is given away.
        let given =
            (named("os.environ[") || named("environ.get(") || named("getenv(")) && !code.contains("eaders");
        let whole = !code.contains("os.environ[") && !code.contains("os.environ.get")
            || given
            || code.contains(".ssh/")
            || code.contains("id_rsa");
        if sends && secret && whole {
            return Some("a secret".into());
        }
    }
    None
}

/// Whether a request goes to this very machine, and by no other.
fn stays_here(call: &Call) -> bool {
    const DETOURS: &[&str] = &["-x", "--proxy", "--preproxy", "--resolve", "--connect-to", "-K", "--config"];
    let here = |text: &str| {
        let rest = text.strip_prefix("http://").or(text.strip_prefix("https://")).unwrap_or(text);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0")
    };
    matches!(call.program(), "curl" | "wget" | "http" | "xh")
        && call.texts().any(here)
        && !call.texts().any(|t| t.contains("://") && !here(t))
        && !call.texts().any(|t| DETOURS.iter().any(|option| t.starts_with(option)))
}

fn sent_by_words(call: &Call, is_secret: &dyn Fn(&str, &Call) -> bool) -> Option<String> {
    let args = call.args();
    let program = call.program();
    if matches!(program, "sftp" | "ftp" | "lftp") {
        let script: String = call.texts().chain(call.stdin.as_deref()).collect::<Vec<_>>().join("\n");
        let commands = script.split(['\n', ';']).map(|line| line.split_whitespace().collect::<Vec<_>>());
        let put = commands
            .filter(|words| matches!(words.first(), Some(&("put" | "mput" | "send" | "mirror"))))
            .find_map(|words| {
                words[1..].iter().find(|file| is_secret(file, call)).map(|file| (*file).to_owned())
            });
        if put.is_some() {
            return put;
        }
    }
    for (index, arg) in args.iter().enumerate() {
        let text = arg.text.as_str();
        let before = index.checked_sub(1).map_or("", |i| args[i].text.as_str());
        // A header is how one signs in; that is what the secret is for.
        let header =
            matches!(before, "-H" | "--header" | "-u" | "--user" | "-b" | "--cookie" | "--oauth2-bearer")
                || text.starts_with("-H")
                || text.starts_with("Authorization:");
        // A forge keeps secrets as well as it publishes texts.
        let kept = matches!(program, "gh" | "glab")
            && matches!(
                args[0].text.as_str(),
                "secret" | "variable" | "auth" | "api" | "codespace" | "ssh-key"
            );
        if text.contains(SECRET)
            && !header
            && !kept
            && !stays_here(call)
            && !matches!(program, "aws" | "az" | "ssh" | "rsync" | "scp")
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
            // Their own commands: `put file`.
            "sftp" | "ftp" | "lftp" => None,
            "socat" => text
                .split_once(':')
                .filter(|(kind, _)| matches!(kind.to_ascii_uppercase().as_str(), "FILE" | "OPEN" | "GOPEN"))
                .map(|(_, file)| file.split(',').next().unwrap_or(file)),
            "logger" => matches!(before, "-f" | "--file").then_some(text),
            "ftp-upload" | "ncftpput" => (!text.starts_with('-')).then_some(text),
            "scp" | "rsync" | "gsutil" | "aws" | "rclone" | "s3cmd" | "s5cmd" | "mc" | "az" => {
                let remote = args.last().is_some_and(|last| last.text.contains(':'))
                    || args.iter().skip(index + 1).any(|later| later.text.contains("://"));
                // A key that signs in, a name that is left out.
                let of_option = matches!(
                    before,
                    "-i" | "-F"
                        | "-P"
                        | "-o"
                        | "-e"
                        | "-S"
                        | "-l"
                        | "--exclude"
                        | "--exclude-from"
                        | "--include"
                        | "--rsh"
                        | "--filter"
                        | "--profile"
                        | "--endpoint-url"
                );
                (remote && index + 1 < args.len() && !text.starts_with('-') && !of_option).then_some(text)
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
