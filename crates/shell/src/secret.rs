//! Files that hold secrets, by where they are and what they are called.

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
    ".codex/auth.json",
    ".config/github-copilot/apps.json",
    ".config/github-copilot/hosts.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".config/gcloud/application_default_credentials.json",
    ".config/gcloud/credentials.db",
    ".config/gh/hosts.yml",
    ".config/glab-cli/config.yml",
    ".config/pypoetry/auth.toml",
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
    ".boto",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/containers/auth.json",
    ".config/doctl/config.yaml",
    ".config/helm/registry/config.json",
    ".config/hub",
    ".config/sops/age/keys.txt",
    ".databrickscfg",
    ".fly/config.yml",
    ".gem/credentials",
    ".mysql_history",
    ".netlify/config.json",
    ".node_repl_history",
    ".psql_history",
    ".python_history",
    ".railway/config.json",
    ".s3cfg",
    ".snowflake/config.toml",
    ".bitcoin/wallet.dat",
    ".gradle/gradle.properties",
    ".m2/settings.xml",
    ".bluemix/config.json",
    ".cache/huggingface/stored_tokens",
    ".cache/huggingface/token",
    ".config/configstore/firebase-tools.json",
    ".config/hcloud/cli.toml",
    ".config/linode-cli",
    ".config/netlify/config.json",
    ".config/ngrok/ngrok.yml",
    ".config/solana/id.json",
    ".config/stripe/config.toml",
    ".dockercfg",
    ".huggingface/token",
    ".ivy2/.credentials",
    ".kaggle/kaggle.json",
    ".ngrok2/ngrok.yml",
    ".nuget/NuGet/NuGet.Config",
    ".sbt/1.0/credentials.sbt",
    ".terraformrc",
    ".wakatime.cfg",
];

/// Folders below a home in which everything is one.
const FOLDERS_BELOW_HOME: &[&str] = &[
    ".aws/cli/cache/",
    ".config/1Password/",
    ".config/Slack/Local Storage/",
    ".config/discord/Local Storage/",
    ".electrum/wallets/",
    ".ethereum/keystore/",
    ".config/Bitwarden/",
    ".local/share/keyrings/",
    ".config/op/",
    ".local/share/kwalletd/",
    "Library/Keychains/",
];

/// Files of the system that do.
const OF_SYSTEM: &[&str] = &[
    "/etc/gshadow",
    "/etc/krb5.keytab",
    "/etc/kubernetes/admin.conf",
    "/etc/kubernetes/super-admin.conf",
    "/etc/rancher/k3s/k3s.yaml",
    "/var/lib/rancher/k3s/server/node-token",
    "/etc/master.passwd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/run/secrets/kubernetes.io/serviceaccount/token",
    "/var/run/secrets/kubernetes.io/serviceaccount/token",
];

/// Names that give a secret away wherever they are.
const BY_NAME: &[&str] = &[
    ".boto",
    ".git-credentials",
    ".netrc",
    ".pgpass",
    ".pypirc",
    "Login Data",
    "cookies.sqlite",
    "credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "key4.db",
    "login.keychain-db",
    "logins.json",
    "master.key",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "serviceAccountKey.json",
];

/// Folders of browsers, in which what signs one in is kept under plain names.
const BROWSERS: &[&str] = &[
    "/Arc/",
    "/BraveSoftware/",
    "/Chrome/",
    "/Chromium/",
    "/Microsoft Edge/",
    "/chromium/",
    "/google-chrome/",
    "/microsoft-edge/",
    "/opera/",
    "/vivaldi/",
];

const BY_ENDING: &[&str] =
    &[".jks", ".kdbx", ".keystore", ".p12", ".pem", ".pfx", ".tfstate", ".tfstate.backup"];

/// The part of `path` below some person's home.
fn below_home<'a>(path: &'a str, home: Option<&str>) -> Option<&'a str> {
    let own = home.and_then(|home| path.strip_prefix(home)?.strip_prefix('/'));
    own.or_else(|| path.strip_prefix("/root/")).or_else(|| {
        let users = path.strip_prefix("/home/").or(path.strip_prefix("/Users/"));
        // A drive of Windows.
        let windows = || path.strip_prefix("/mnt/")?.get(1..)?.strip_prefix("/Users/");
        users.or_else(windows)?.split_once('/').map(|(_, rest)| rest)
    })
}

/// Whether a part of a path begins with a dot, which most do not.
fn has_hidden(path: &str) -> bool {
    path.as_bytes().windows(2).any(|pair| pair == b"/.")
}

/// Whether words name such files, where a call is. Asked for every word of every command, so what cannot be one by its looks is not
/// even joined to its folder.
#[derive(Clone, Copy, Debug)]
pub struct Secrets<'a> {
    cwd: &'a str,
    home: Option<&'a str>,
    /// Any file of the folder may be one.
    all: bool,
}

impl<'a> Secrets<'a> {
    pub fn seen_from(cwd: &'a str, home: Option<&'a str>) -> Self {
        Self::placed(cwd, home, Self::is_place(cwd))
    }

    /// The same where it is known already whether that is such a place.
    pub(crate) fn placed(cwd: &'a str, home: Option<&'a str>, all: bool) -> Self {
        Self { cwd, home, all }
    }

    /// Whether any name may be a secret there.
    pub(crate) fn is_place(cwd: &str) -> bool {
        has_place(cwd) || cwd.len() < 2
    }

    /// Whether a word is but a word: no path, no pattern, no value, and no name that is known.
    pub fn passes(&self, word: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !self.all && word.bytes().all(is_plain) && !is_telling(word)
    }

    pub fn names(&self, text: &str) -> bool {
        self.may_name(text) && is_secret_path(&crate::path::absolute(text, self.cwd), self.home)
    }

    /// Whether what `is_secret_path` looks for may be there: a hidden part, a name or an ending that it knows, or a folder of the
    /// system.
    fn may_name(&self, text: &str) -> bool {
        has_place(text) || self.all && !text.starts_with('/') || is_telling(crate::path::name(text))
    }
}

/// A name that is known, or may have an ending that is.
fn is_telling(name: &str) -> bool {
    let begins =
        matches!(name.as_bytes(), [b'C' | b'L' | b'W' | b'c' | b'i' | b'k' | b'l' | b'm' | b's', ..]);
    begins && (BY_NAME.contains(&name) || matches!(name, "Cookies" | "Web Data"))
        || name.bytes().rposition(|b| b == b'.').is_some_and(|dot| {
            let ending = &name[dot..];
            ending.eq_ignore_ascii_case(".backup")
                || ending == ".key"
                || BY_ENDING.iter().any(|known| ending.eq_ignore_ascii_case(known))
        })
}

/// A folder in which files may be secrets whatever they are called: hidden ones, those of the system, those of Windows and macOS.
fn has_place(path: &str) -> bool {
    let bytes = path.as_bytes();
    if matches!(bytes, [_, b':', ..] | [b'/', b'e' | b'p' | b'd' | b'r' | b'v', ..]) {
        return true;
    }
    if !may_have_place(bytes) {
        return false;
    }
    let mut before = b'/';
    for (at, &byte) in bytes.iter().enumerate() {
        // `.ssh`, `..`, `Library`; a dot alone is the folder itself.
        let begins = before == b'/'
            && (byte == b'L' || byte == b'.' && bytes.get(at + 1).is_some_and(|next| *next != b'/'));
        if begins || byte == b'\\' {
            return true;
        }
        before = byte;
    }
    false
}

/// Whether a name may begin with a dot or an `L`, or stands behind a backslash. Without branches, so that it is done for many bytes at once.
#[expect(clippy::needless_bitwise_bool, reason = "a branch for each byte would end what it is for")]
fn may_have_place(path: &[u8]) -> bool {
    let begins = |byte: u8| (byte == b'.') | (byte == b'L');
    let behind = path.iter().zip(path.get(1..).unwrap_or_default());
    let found = behind.fold(false, |found, (slash, byte)| found | (*slash == b'/') & begins(*byte));
    found | path.first().is_some_and(|byte| begins(*byte)) | path.contains(&b'\\')
}

/// Files that hold what must not be read aloud, by their absolute paths.
pub fn is_secret_path(path: &str, home: Option<&str>) -> bool {
    let name = crate::path::name(path);
    let likely = name.starts_with(".env")
        || (has_hidden(path)
            && (["/.ssh", "/.gnupg", "/.password-store"].iter().any(|folder| path.contains(folder))
                || name == ".aws"
                || path.ends_with("/.aws/credentials")
                || path.contains("/.aws/sso/cache/")))
        || (path.starts_with("/proc/") && matches!(name, "environ" | "mem" | "kcore"))
        || matches!(path, "/dev/mem" | "/dev/kmem")
        || BY_NAME.contains(&name)
        || (matches!(name, "Cookies" | "Web Data") && BROWSERS.iter().any(|folder| path.contains(folder)))
        || BY_ENDING.iter().any(|ending| {
            name.len() > ending.len()
                && name.as_bytes()[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
        })
        || (name.ends_with(".key")
            && ["private", "server", "secret", "/credentials/"].iter().any(|word| path.contains(word)))
        || below_home(path, home).is_some_and(|rest| {
            // What is found somewhere below counts by what is known of it.
            let known = rest
                .split_once('/')
                .filter(|(first, _)| first.chars().all(crate::text::is_hole))
                .map_or(rest, |(_, known)| known);
            BELOW_HOME.contains(&known)
                || FOLDERS_BELOW_HOME.iter().any(|folder| known.starts_with(folder))
                || (known.starts_with(".aws/") && known.ends_with(crate::text::is_hole))
        })
        || OF_SYSTEM.contains(&path)
        || ["/etc/ssl/private/", "/run/secrets/", "/var/run/secrets/"]
            .iter()
            .any(|dir| path.starts_with(dir))
        || (path.starts_with("/etc/ssh/") && name.contains("host") && name.contains("key"));
    likely && !is_harmless(path, name)
}

/// Samples, public halves, and what lies beside keys.
fn is_harmless(path: &str, name: &str) -> bool {
    // `.env*` is known only as far as its star.
    let name = name.trim_end_matches(crate::text::is_hole);
    let lower = name.to_ascii_lowercase();
    let public = lower.ends_with(".pem")
        && ["cert", "chain", "ca.", "ca-", "ca_", "public", "root"].iter().any(|word| lower.contains(word));
    let sample = ["example", "sample", "template", "dist", "schema", "fixture", "test"]
        .iter()
        .any(|word| lower.contains(word));
    let environment =
        name.starts_with(".env") && !(name == ".env" || name.starts_with(".env.") && !lower.ends_with(".md"));
    let beside_keys = path.contains("/.ssh/")
        && (name.starts_with("known_hosts")
            || name.starts_with("config")
            || matches!(name, "authorized_keys")
            || path.contains("/config.d/")
            || lower.ends_with(".md")
            || lower.contains(".pub"))
        || path.contains("/.gnupg/") && lower.ends_with(".conf");
    public
        || sample
        || environment
        || beside_keys
        || lower.ends_with(".pub")
        || path.contains("/fixtures/")
        || path.contains("/testdata/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left out by its looks is none.
    #[test]
    fn looks_agree_with_paths() {
        let homes = ["/home/me", "/root", "/mnt/c/Users/me", "/Users/me"];
        let below = BELOW_HOME.iter().map(ToString::to_string);
        let below = below.chain(FOLDERS_BELOW_HOME.iter().map(|folder| format!("{folder}x")));
        let below = below.flat_map(|rest| homes.map(|home| format!("{home}/{rest}")));
        let named = BY_NAME.iter().map(|name| format!("/srv/{name}"));
        let ending = BY_ENDING.iter().map(|ending| format!("/srv/a{}", ending.to_uppercase()));
        let browsers = BROWSERS.iter().map(|folder| format!("/srv{folder}Cookies"));
        let others =
            ["/proc/1/mem", "/etc/ssh/ssh_host_rsa_key", "/run/secrets/a", "/dev/mem", "/srv/server.key"];
        let paths = below.chain(named).chain(ending).chain(browsers).chain(others.map(str::to_owned));
        for path in paths.chain(OF_SYSTEM.iter().map(ToString::to_string)) {
            assert!(is_secret_path(&path, Some("/home/me")), "{path}");
            for at in path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0) {
                let (cwd, text) = (&path[..at], &path[at + 1..]);
                assert!(Secrets::seen_from(cwd, Some("/home/me")).names(text), "{text} in {cwd}");
            }
            assert!(Secrets::seen_from("/p", Some("/home/me")).names(&path), "{path}");
            assert!(Secrets::seen_from("/", Some("/home/me")).names(&path[1..]), "{path}");
            assert!(Secrets::seen_from("/p", Some("/home/me")).names(&format!("..{path}")), "{path}");
        }
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
