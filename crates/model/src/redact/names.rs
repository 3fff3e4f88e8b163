//! What a secret is called, and the options of programs that one follows.

/// Whether the value of something called so is secret: `DB_PASSWORD`, `--api-key`, `client_secret`, `X-Auth-Token`.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.trim_start_matches('-');
    let ends = |list: &[&str]| list.iter().any(|end| ends_with(name, end));
    // By the last letter first: most words end here.
    match name.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b'n') => ends(&["token", "authorization"]),
        Some(b't') => ends(&["secret"]),
        Some(b'd') => ends(&["password", "passwd", "pwd"]),
        Some(b'e') => ends(&["passphrase", "cookie"]),
        Some(b'y') => {
            ends(&["apikey", "accesskey", "secretkey", "accountkey", "authkey", "-key", "_key"])
                && !ends(&[
                    "public_key",
                    "public-key",
                    "primary_key",
                    "foreign_key",
                    "cache_key",
                    "sort_key",
                    "partition_key",
                ])
                || name.eq_ignore_ascii_case("key")
        }
        Some(b's') => {
            ends(&["_pass", "-pass", "credentials"])
                || ["pass", "creds"].iter().any(|word| name.eq_ignore_ascii_case(word))
        }
        Some(b'l') => ends(&["credential"]),
        Some(b'h') => ends(&["_auth"]),
        Some(b'w') => name.eq_ignore_ascii_case("pw"),
        _ => false,
    }
}

/// The same for the parameters of an address.
pub(super) fn is_secret_parameter(name: &str) -> bool {
    const PARAMETERS: &[&str] = &[
        "sig",
        "signature",
        "x-amz-signature",
        "x-amz-credential",
        "x-goog-signature",
        "x-goog-credential",
        "auth",
        "pass",
        "passcode",
        "jwt",
        "sas",
    ];
    is_secret(name) || PARAMETERS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Names whose value is more often a file than a secret.
pub(super) fn may_be_a_file(name: &str) -> bool {
    ["key", "credential", "credentials", "cookie", "creds"].iter().any(|end| ends_with(name, end))
}

/// A header whose value is the rest of the line.
pub(super) fn is_cookie(name: &str) -> bool {
    ends_with(name, "cookie")
}

fn ends_with(name: &str, end: &str) -> bool {
    let at = name.len().wrapping_sub(end.len());
    name.as_bytes().get(at..).is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

/// How a program takes secrets besides options whose name says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Habits {
    /// Options before a secret, which may also stand right behind them: `-p x`, `-px`.
    pub(super) options: &'static [&'static str],
    /// Only right behind them: `-px`.
    pub(super) attached: &'static [&'static str],
    /// Only in the next word: `-pass pass:x`.
    pub(super) separate: &'static [&'static str],
    /// Only after one of these words, if there are any: `docker login -p x`, but `docker run -p 80:80`.
    pub(super) after: &'static [&'static str],
    /// These words make what is on stdin secret: `gh auth login --with-token`.
    pub(super) stdin: &'static [&'static str],
    /// Every `name=value` after one of these words.
    pub(super) pairs: &'static [&'static str],
    /// The words that are no options: the one of this number, counted from one, where `only_with` is there.
    pub(super) positional: u8,
    pub(super) only_with: &'static str,
}

const NONE: Habits = Habits {
    options: &[],
    attached: &[],
    separate: &[],
    after: &[],
    stdin: &[],
    pairs: &[],
    positional: 0,
    only_with: "",
};

/// By the program's name. A name in here is enough: what it is written in does not matter.
pub(super) fn habits(program: &str) -> Option<Habits> {
    Some(match program {
        "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mysqlsh" | "mariadb" | "mariadb-dump"
        | "mariadb-admin" | "sshpass" | "mongo" | "mongosh" | "mongodump" | "mongorestore"
        | "mongoexport" | "mongoimport" | "twine" | "rdesktop" | "evil-winrm" | "netexec"
        | "crackmapexec" => Habits { options: &["-p"], ..NONE },
        "usermod" | "useradd" => Habits { separate: &["-p"], ..NONE },
        "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" | "helm" | "oras" | "crane" | "regctl" => {
            Habits { options: &["-p"], after: &["login"], stdin: &["--password-stdin"], ..NONE }
        }
        "az" => Habits { separate: &["-p", "--value"], after: &["login", "secret"], ..NONE },
        "openssl" => Habits {
            separate: &[
                "-k",
                "-K",
                "-pass",
                "-passin",
                "-passout",
                "-password",
                "-hmac",
                "-passcert",
                "-macopt",
            ],
            ..NONE
        },
        "redis-cli" | "valkey-cli" => Habits { options: &["-a"], ..NONE },
        "zip" | "unzip" | "zipcloak" | "sqlcmd" | "bcp" | "tsql" | "ipmitool" => {
            Habits { options: &["-P"], ..NONE }
        }
        "7z" | "7za" | "7zr" | "7zz" | "rar" | "unrar" => Habits { attached: &["-p", "-hp"], ..NONE },
        "ssh-keygen" => Habits { separate: &["-N", "-P"], ..NONE },
        "ldapsearch" | "ldapadd" | "ldapmodify" | "ldapdelete" | "ldapwhoami" | "ldappasswd" => {
            Habits { separate: &["-w", "-s"], ..NONE }
        }
        "snmpwalk" | "snmpget" | "snmpset" => Habits { separate: &["-A", "-X"], ..NONE },
        "security" => Habits { separate: &["-w"], stdin: &["add-generic-password"], ..NONE },
        "curl" => {
            Habits { separate: &["--oauth2-bearer", "--pass", "--proxy-pass", "--tlspassword"], ..NONE }
        }
        "xfreerdp" | "xfreerdp3" | "wfreerdp" | "cmdkey" => {
            Habits { attached: &["/p:", "/pass:", "/password:"], ..NONE }
        }
        "convertto-securestring" | "ConvertTo-SecureString" => {
            Habits { positional: 1, separate: &["-String"], ..NONE }
        }
        "kubectl" | "oc" | "k3s" => Habits {
            separate: &["--from-literal"],
            attached: &["--from-literal="],
            after: &["secret"],
            ..NONE
        },
        "vault" | "bao" => Habits { pairs: &["put", "write", "patch", "login"], stdin: &["login"], ..NONE },
        "fly" | "flyctl" | "doppler" | "supabase" | "infisical" | "wrangler" | "railway" | "pulumi"
        | "eas" => Habits { pairs: &["secrets", "secret"], stdin: &["secrets", "secret"], ..NONE },
        "gh" | "glab" => Habits {
            options: &["-b", "--body"],
            after: &["secret"],
            stdin: &["--with-token", "--stdin", "secret"],
            ..NONE
        },
        "aws" => {
            Habits { separate: &["--secret-string", "--secret-binary"], after: &["secretsmanager"], ..NONE }
        }
        "sudo" => Habits { stdin: &["-S", "--stdin"], ..NONE },
        "gpg" | "gpg2" => Habits { stdin: &["--passphrase-fd"], ..NONE },
        "passwd" | "chpasswd" | "smbpasswd" | "kinit" | "cryptsetup" | "su" => {
            Habits { stdin: &[""], ..NONE }
        }
        "htpasswd" => Habits { positional: 3, only_with: "b", ..NONE },
        "wpa_passphrase" => Habits { positional: 2, ..NONE },
        "mkpasswd" => Habits { positional: 1, ..NONE },
        "rclone" => Habits { positional: 2, only_with: "obscure", ..NONE },
        "smbclient" | "rpcclient" | "smbget" | "winexe" | "wmic" | "net" => {
            Habits { options: &["--pw-nt-hash"], ..NONE }
        }
        _ => return None,
    })
}

/// Programs that take `-U user%password`.
pub(super) fn has_percent_users(program: &str) -> bool {
    matches!(
        program,
        "smbclient"
            | "rpcclient"
            | "smbget"
            | "winexe"
            | "wmic"
            | "net"
            | "smbcacls"
            | "smbtree"
            | "nmblookup"
    )
}
