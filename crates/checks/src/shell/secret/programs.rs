//! Programs that print secrets which are in no file here: vaults, keyrings, clusters, dumps.

use model::deed::{Object, Verb};
use shell::Call;

use crate::shell::words::{only_looks, operands, value};

const PROGRAMS: &[&str] = &[
    "LaZagne",
    "ansible-vault",
    "aws",
    "az",
    "chamber",
    "dashlane",
    "dcli",
    "doppler",
    "gcloud",
    "gcore",
    "keyring",
    "kubectl",
    "kwallet-query",
    "lazagne",
    "lpass",
    "mimikatz",
    "mimipenguin",
    "oc",
    "rails",
    "ssh-keygen",
    "unshadow",
    "vault",
];

/// What is printed, and whether that is beyond question.
pub(super) fn told(call: &Call) -> Option<(String, bool)> {
    // Passwords of people are beyond question; a token of a service can be made anew.
    let style = call.words().entry.map(|entry| entry.style).unwrap_or_default();
    let tells = call.deeds.iter().find(|deed| deed.verb == Verb::Tells);
    if let Some((what, hard)) = told_by(call) {
        return Some((what.to_owned(), hard));
    }
    let deed = tells.filter(|_| style.versions || style.service || style.cmdlet || style.slash)?;
    Some((deed.object.text().to_owned(), style.versions))
}

fn told_by(call: &Call) -> Option<(&'static str, bool)> {
    if !PROGRAMS.contains(&call.program()) {
        return None;
    }
    let words = operands(call.args(), &["-n", "--namespace", "--context", "--kubeconfig", "-C", "-c"]);
    let word = |at: usize| words.get(at).map_or("", |arg| arg.text.as_str());
    let says = |names: &[&str]| call.texts().any(|t| names.contains(&t));
    Some(match (call.program(), word(0), word(1)) {
        _ if only_looks(call) => return None,
        ("keyring", "get", _) => ("the keyring", true),
        ("kwallet-query", ..) if !says(&["-l", "--list-entries"]) => ("the keyring", true),
        ("lpass", "show" | "export", _)
        | ("chamber", "read" | "export", _)
        | ("dashlane" | "dcli", "password", _) => ("a vault of passwords", true),
        ("gcore", ..) => ("the memory of a process", true),
        ("unshadow" | "mimikatz" | "mimipenguin" | "lazagne" | "LaZagne", ..) => {
            ("the password hashes", true)
        }
        ("kubectl" | "oc", "config", "view") if says(&["--raw", "--raw=true"]) => {
            ("the keys of clusters", true)
        }
        ("kubectl" | "oc", "get", kinds) => {
            let secrets =
                kinds.split(',').any(|kind| matches!(kind.split('/').next(), Some("secret" | "secrets")));
            // Names alone are no secret; `-o wide` and `-o name` show only those.
            let shown = value(call, &["-o", "--output"]).is_some_and(|form| !matches!(form, "name" | "wide"))
                || says(&["--template"]);
            if !(secrets && shown) {
                return None;
            }
            ("secrets of a cluster", true)
        }
        ("kubectl" | "oc", "cp", from) if from.contains("/secrets/") || from.contains("/.ssh/") => {
            ("secrets of a container", true)
        }
        // The passphrase taken off, so that whoever has the file has the key.
        ("ssh-keygen", ..) if says(&["-p"]) && value(call, &["-N"]) == Some("") => {
            ("a private key without its passphrase", true)
        }
        ("rails", verb, _) if verb.starts_with("credentials:show") => {
            ("the credentials of the application", false)
        }
        ("ansible-vault", "view" | "decrypt", _) => ("a vault of Ansible", false),
        ("vault", "kv", "get") | ("vault", "read", _) => ("a secret of Vault", false),
        ("aws", "secretsmanager", "get-secret-value") => ("a secret of AWS", false),
        ("aws", "ssm", verb) if verb.starts_with("get-parameter") && says(&["--with-decryption"]) => {
            ("a secret of AWS", false)
        }
        ("gcloud", "secrets", "versions") if word(2) == "access" => ("a secret of Google Cloud", false),
        ("az", "keyvault", "secret") if matches!(word(2), "show" | "download") => {
            ("a secret of Azure", false)
        }
        ("doppler", "secrets", _) if says(&["get", "download", "--plain"]) => ("secrets of Doppler", false),
        _ => return None,
    })
}

/// Programs whose output is a whole database, repository or cluster's secrets.
pub(super) fn is_dump(call: &Call) -> bool {
    match call.program() {
        "pg_dump" | "pg_dumpall" | "mysqldump" | "mariadb-dump" | "mongodump" | "redis-dump" | "influxd" => {
            true
        }
        // A whole repository.
        _ if call
            .deeds
            .iter()
            .any(|deed| deed.verb == Verb::Reads && matches!(deed.object, Object::Thing(_))) =>
        {
            true
        }
        "kubectl" | "oc" => told_by(call).is_some(),
        _ => false,
    }
}
