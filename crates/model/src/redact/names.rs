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
            ends(&["_pass", "-pass", "storepass", "keypass", "credentials"])
                || ["pass", "creds", "sshpass", "dbpass", "rootpass", "userpass"]
                    .iter()
                    .any(|word| name.eq_ignore_ascii_case(word))
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The words that are not options: the one of this number, counted from one, where `only_with` is there.
    pub(super) positional: u8,
    pub(super) only_with: &'static str,
    /// Options before a user, and the sign between the name and the password: `-U me%x`.
    pub(super) user: &'static [&'static str],
    pub(super) user_sign: char,
}

impl Default for Habits {
    fn default() -> Self {
        NONE
    }
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
    user: &[],
    user_sign: ':',
};

/// By the program's name. A name in here is enough: what it is written in does not matter.
pub(super) fn habits(program: &str) -> Option<Habits> {
    Some(match program {
        "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mysqlsh" | "mariadb" | "mariadb-dump"
        | "mariadb-admin" | "mongo" | "mongosh" | "mongodump" | "mongorestore" | "mongoexport"
        | "mongoimport" | "cqlsh" | "beeline" | "sshpass" | "twine" | "rdesktop" | "evil-winrm"
        | "netexec" | "crackmapexec" | "hydra" | "ncftp" | "ncftpput" | "ncftpget" | "psexec"
        | "certutil" => Habits { options: &["-p"], ..NONE },
        "usermod" | "useradd" => Habits { separate: &["-p"], ..NONE },
        "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" | "helm" | "oras" | "crane" | "regctl" => {
            Habits { options: &["-p"], after: &["login"], stdin: &["--password-stdin", "secret"], ..NONE }
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
        "zip" | "unzip" | "zipcloak" | "sqlcmd" | "bcp" | "tsql" | "ipmitool" | "mosquitto_pub"
        | "mosquitto_sub" => Habits { options: &["-P"], ..NONE },
        "7z" | "7za" | "7zr" | "7zz" | "rar" | "unrar" => Habits { attached: &["-p", "-hp"], ..NONE },
        "ssh-keygen" => Habits { separate: &["-N", "-P"], ..NONE },
        "ldapsearch" | "ldapadd" | "ldapmodify" | "ldapdelete" | "ldapwhoami" | "ldappasswd" => {
            Habits { separate: &["-w"], ..NONE }
        }
        "snmpwalk" | "snmpget" | "snmpset" => Habits { separate: &["-A", "-X", "-c"], ..NONE },
        "restic" => Habits { separate: &["--password-command"], ..NONE },
        "msmtp" => Habits { separate: &["--passwordeval"], ..NONE },
        "neo4j-admin" => Habits { separate: &["set-initial-password"], ..NONE },
        "codecov" => Habits { separate: &["-t"], ..NONE },
        "bun" => Habits { separate: &["--auth"], after: &["publish"], ..NONE },
        "gem" => Habits { separate: &["-k"], after: &["push"], ..NONE },
        "vsce" | "ovsx" => Habits { options: &["-p"], after: &["publish", "login"], ..NONE },
        "cypher-shell" => Habits { options: &["-p"], ..NONE },
        "security" => Habits { separate: &["-w"], ..NONE },
        "curl" => {
            Habits { separate: &["--oauth2-bearer", "--pass", "--proxy-pass", "--tlspassword"], ..NONE }
        }
        "xfreerdp" | "xfreerdp3" | "wfreerdp" | "cmdkey" => Habits { attached: &["/p:", "/pass:"], ..NONE },
        "signtool" => Habits { separate: &["/p"], ..NONE },
        "pdftk" => Habits { separate: &["user_pw", "owner_pw", "input_pw"], ..NONE },
        "nmcli" => Habits { separate: &["password", "wifi-sec.psk", "psk"], ..NONE },
        "ngrok" => Habits { separate: &["authtoken", "add-authtoken"], ..NONE },
        "doctl" => Habits { separate: &["-t"], ..NONE },
        "poetry" => Habits { options: &["-p"], after: &["publish"], ..NONE },
        "dotnet" | "nuget" => Habits { separate: &["-k"], after: &["push"], ..NONE },
        "kubectl" | "k3s" => Habits { after: &["secret"], ..KUBERNETES },
        "oc" => Habits { options: &["-p"], after: &["secret", "login"], ..KUBERNETES },
        "vault" | "bao" => Habits {
            pairs: &["put", "write", "patch", "login"],
            stdin: &["put", "write", "patch", "login"],
            ..NONE
        },
        "fly" | "flyctl" | "doppler" | "supabase" | "infisical" | "wrangler" | "railway" | "pulumi"
        | "eas" => Habits { pairs: &["secrets", "secret"], stdin: &["secrets", "secret"], ..NONE },
        "gh" | "glab" => Habits {
            options: &["-b", "--body"],
            after: &["secret"],
            stdin: &["--with-token", "--stdin", "secret"],
            ..NONE
        },
        "aws" => Habits {
            separate: &["--secret-string", "--secret-binary", "--value"],
            after: &["secretsmanager", "ssm"],
            ..NONE
        },
        "gcloud" => Habits { stdin: &["secrets"], ..NONE },
        "keyring" => Habits { stdin: &["set"], ..NONE },
        "sudo" => Habits { stdin: &["-S", "--stdin"], ..NONE },
        "gpg" | "gpg2" => Habits { stdin: &["--passphrase-fd"], ..NONE },
        "pass" => Habits { stdin: &["insert"], ..NONE },
        "secret-tool" => Habits { stdin: &["store"], ..NONE },
        "passwd" | "chpasswd" | "smbpasswd" | "kinit" | "cryptsetup" | "su" => {
            Habits { stdin: &[""], ..NONE }
        }
        "htpasswd" => Habits { positional: 3, only_with: "b", ..NONE },
        "rabbitmqctl" => Habits { positional: 3, only_with: "add_user", ..NONE },
        "consul" => Habits { positional: 4, only_with: "put", ..NONE },
        "mc" => Habits { positional: 6, only_with: "alias", ..NONE },
        "cargo" => Habits { positional: 2, only_with: "login", ..NONE },
        "snyk" => Habits { positional: 2, only_with: "auth", ..NONE },
        "rclone" => Habits { positional: 2, only_with: "obscure", ..NONE },
        "ansible-vault" => Habits { positional: 2, only_with: "encrypt_string", ..NONE },
        "wpa_passphrase" => Habits { positional: 2, ..NONE },
        "mkpasswd" | "convertto-securestring" | "ConvertTo-SecureString" => Habits { positional: 1, ..NONE },
        "smbclient" | "rpcclient" | "smbget" | "winexe" | "wmic" | "smbcacls" | "smbtree" => {
            Habits { user: &["-U", "--user"], user_sign: '%', ..NONE }
        }
        "net" => Habits { user: &["-U", "--user"], user_sign: '%', positional: 4, only_with: "use", ..NONE },
        // `user/password@service`, `domain/user:password@host`, `:pserver:user:password@host`
        "sqlplus" | "sqlldr" | "expdp" | "impdp" => Habits { user: &[""], user_sign: '/', ..NONE },
        "impacket-psexec"
        | "impacket-smbexec"
        | "impacket-wmiexec"
        | "impacket-secretsdump"
        | "psexec.py"
        | "smbexec.py"
        | "wmiexec.py"
        | "secretsdump.py" => Habits { user: &[""], user_sign: ':', ..NONE },
        "cvs" => Habits { user: &["-d"], user_sign: ':', ..NONE },
        "lftp" => Habits { user: &["-u", "--user"], user_sign: ',', ..NONE },
        "http" | "https" | "xh" => Habits { user: &["-a", "--auth"], user_sign: ':', ..NONE },
        _ => return None,
    })
}

const KUBERNETES: Habits =
    Habits { separate: &["--from-literal"], attached: &["--from-literal="], stdin: &["secret"], ..NONE };

/// `openssl passwd x`
pub(super) const OPENSSL_PASSWD: Habits = Habits { positional: 1, stdin: &["-stdin"], ..NONE };
