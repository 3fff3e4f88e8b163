//! What runs elsewhere and is paid for: `shell/destroy-cloud`.

use model::{Event, Findings, Meta};
use shell::Call;

use super::words::{has_flag, only_looks, operands, subcommands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/destroy-cloud",
    "a command that destroys servers, clusters, volumes or buckets",
    "\
Refuses deletions through cloud and container tools: `terraform destroy`, `aws … delete-*`, `gcloud … delete`, `az … delete`, `kubectl
delete` of more than single pods, `helm uninstall`, `docker system prune --volumes`, `docker compose down -v`, the small platforms
(`heroku apps:destroy`, `fly apps destroy`, `vercel remove`), and containers that get the whole disk of this machine. Reading,
rehearsing (`--dry-run`) and asking for help pass.
",
    include_str!("destroy_cloud.toml"),
);

/// A program and words that must all be among its own. Sorted by program.
const ROWS: &[(&str, &[&str])] = &[
    ("argocd", &["app", "delete"]),
    ("azcopy", &["remove"]),
    ("borg", &["delete"]),
    ("cdk", &["destroy"]),
    ("cf", &["delete"]),
    ("consul", &["kv", "delete"]),
    ("copilot", &["delete"]),
    ("databricks", &["delete"]),
    ("doctl", &["delete"]),
    ("eb", &["terminate"]),
    ("eksctl", &["delete"]),
    ("exo", &["delete"]),
    ("firebase", &["firestore:delete"]),
    ("firebase", &["projects:delete"]),
    ("firebase", &["hosting:disable"]),
    ("firebase", &["functions:delete"]),
    ("fly", &["destroy"]),
    ("flyctl", &["destroy"]),
    ("fly", &["apps", "destroy"]),
    ("istioctl", &["uninstall"]),
    ("linkerd", &["uninstall"]),
    ("flux", &["uninstall"]),
    ("hcloud", &["delete"]),
    ("helm", &["uninstall"]),
    ("helm", &["delete"]),
    ("helmfile", &["destroy"]),
    ("heroku", &["apps:destroy"]),
    ("heroku", &["apps:delete"]),
    ("heroku", &["destroy"]),
    ("heroku", &["pg:reset"]),
    ("heroku", &["addons:destroy"]),
    ("ibmcloud", &["delete"]),
    ("kind", &["delete", "cluster"]),
    ("kind", &["delete", "clusters"]),
    ("k3d", &["cluster", "delete"]),
    ("kops", &["delete"]),
    ("incus", &["delete"]),
    ("linode-cli", &["delete"]),
    ("lxc", &["delete"]),
    ("minikube", &["delete"]),
    ("mc", &["rb"]),
    ("multipass", &["delete"]),
    ("netlify", &["sites:delete"]),
    ("netlify", &["api", "deleteSite"]),
    ("nomad", &["job", "stop"]),
    ("oci", &["delete"]),
    ("oci", &["terminate"]),
    ("oc", &["delete", "project"]),
    ("openstack", &["delete"]),
    ("pscale", &["database", "delete"]),
    ("pct", &["destroy"]),
    ("podman", &["system", "reset"]),
    ("pulumi", &["destroy"]),
    ("pulumi", &["stack", "rm"]),
    ("qm", &["destroy"]),
    ("railway", &["delete"]),
    ("railway", &["down"]),
    ("rclone", &["delete"]),
    ("rclone", &["purge"]),
    ("render", &["delete"]),
    ("restic", &["forget"]),
    ("s3cmd", &["rb"]),
    ("s3cmd", &["del"]),
    ("sam", &["delete"]),
    ("scw", &["delete"]),
    ("serverless", &["remove"]),
    ("sls", &["remove"]),
    ("sst", &["remove"]),
    ("supabase", &["delete"]),
    ("terraform", &["destroy"]),
    ("terraform", &["state", "rm"]),
    ("terraform", &["workspace", "delete"]),
    ("terragrunt", &["destroy"]),
    ("terragrunt", &["run-all", "destroy"]),
    ("tofu", &["destroy"]),
    ("vagrant", &["destroy"]),
    ("vault", &["delete"]),
    ("vault", &["kv", "delete"]),
    ("vault", &["kv", "destroy"]),
    ("vault", &["metadata", "delete"]),
    ("vault", &["operator", "seal"]),
    ("vault", &["secrets", "disable"]),
    ("velero", &["delete"]),
    ("vercel", &["remove"]),
    ("vercel", &["rm"]),
    ("vultr-cli", &["delete"]),
    ("wrangler", &["delete"]),
    ("npm", &["unpublish"]),
    ("gcloud", &["delete"]),
    ("gcloud", &["destroy"]),
    ("az", &["delete"]),
    ("az", &["purge"]),
];

/// What such tools are asked to do. The first of them in a command is what it does.
const VERBS: &[&str] = &[
    "add",
    "apply",
    "create",
    "delete",
    "deploy",
    "describe",
    "destroy",
    "diff",
    "edit",
    "export",
    "get",
    "help",
    "import",
    "info",
    "inspect",
    "list",
    "logs",
    "ls",
    "plan",
    "purge",
    "put",
    "read",
    "remove",
    "restart",
    "rm",
    "set",
    "show",
    "start",
    "status",
    "stop",
    "submit",
    "tail",
    "terminate",
    "uninstall",
    "update",
    "view",
    "wait",
];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in &reading.calls {
            if !only_looks(call) && destroys(call) {
                let what =
                    format!("`{}` destroys what others may be using.", shell::text::show(&call.line()));
                out.deny(META.id, what, "It cannot be brought back from here.").instead =
                    Some("Show what would go (a plan, a list, --dry-run) and let the person do it.".into());
                return;
            }
        }
    }
}

/// Programs that reach clouds, clusters and containers.
pub(super) fn is_cloud(program: &str) -> bool {
    matches!(
        program,
        "aws" | "docker" | "podman" | "nerdctl" | "docker-compose" | "kubectl" | "oc" | "gsutil" | "ansible"
    ) || (program != "npm"
        && program != "cargo"
        && program != "gem"
        && ROWS.iter().any(|(name, _)| *name == program))
}

fn destroys(call: &Call) -> bool {
    let program = call.program();
    let words = subcommands(
        call,
        &[
            "-n",
            "--namespace",
            "--context",
            "-p",
            "--project",
            "--region",
            "--profile",
            "--cluster",
            "-a",
            "--app",
            "-f",
        ],
    );
    // Where the verb is a common word, it must be the command's own, not one of its arguments: `gcloud logging read delete`.
    let first = words.iter().find(|word| VERBS.contains(word));
    let own = |verbs: &[&str]| verbs.len() > 1 || !VERBS.contains(&verbs[0]) || first == Some(&verbs[0]);
    if ROWS
        .iter()
        .any(|(name, verbs)| program == *name && verbs.iter().all(|verb| words.contains(verb)) && own(verbs))
    {
        return true;
    }
    match program {
        "az" | "ibmcloud" | "oci" => {
            words.iter().any(|word| word.starts_with("delete-") || word.ends_with("-delete"))
        }
        "gcloud" => {
            words.contains(&"storage") && words.contains(&"rm") && has_flag(call, "rR", &["recursive"])
        }
        "aws" => aws(call, &words),
        "kubectl" | "oc" | "k" => kubernetes(call, &words),
        "docker" | "podman" | "nerdctl" | "docker-compose" => container(call, &words),
        "gsutil" => {
            words.first() == Some(&"rb")
                || (words.contains(&"rm") && has_flag(call, "rR", &["recursive"]))
                || (words.contains(&"rsync") && has_flag(call, "d", &[]))
        }
        "mc" => {
            words.first() == Some(&"rm")
                && has_flag(call, "r", &["recursive"])
                && has_flag(call, "", &["force"])
        }
        "terraform" | "tofu" | "terragrunt" => words.contains(&"apply") && call.has("-destroy"),
        "ansible" => call.texts().any(|t| t.contains("state=absent") && t.contains("path=/")),
        "cargo" | "gem" => words.first() == Some(&"yank"),
        "wrangler" => call.texts().any(|t| t.ends_with(":delete")),
        _ => false,
    }
}

fn aws(call: &Call, words: &[&str]) -> bool {
    let (service, verb) =
        (words.first().copied().unwrap_or_default(), words.get(1).copied().unwrap_or_default());
    if service == "s3" {
        return verb == "rb"
            || (verb == "rm" && call.has("--recursive"))
            || (verb == "sync" && call.has("--delete"))
            || verb == "mv" && call.has("--recursive");
    }
    let small = matches!(
        verb,
        "delete-message" | "delete-item" | "delete-object-tagging" | "delete-tags" | "delete-log-stream"
    );
    !small
        && (["delete-", "terminate-", "destroy-", "purge-", "deregister-", "batch-delete-", "remove-"]
            .iter()
            .any(|prefix| verb.starts_with(prefix))
            || matches!(
                verb,
                "schedule-key-deletion"
                    | "disable-key"
                    | "close-account"
                    | "leave-organization"
                    | "stop-logging"
                    | "cancel-key-deletion"
                    | "delete"
            ) && verb != "cancel-key-deletion")
}

fn kubernetes(call: &Call, words: &[&str]) -> bool {
    if words.contains(&"drain") || (words.contains(&"replace") && call.has("--force")) {
        return words.contains(&"drain");
    }
    let Some(at) = words.iter().position(|w| *w == "delete") else { return false };
    let rest = &words[at + 1..];
    let kind = rest.first().map(|w| w.split('/').next().unwrap_or(w)).unwrap_or_default();
    let all = call.has("--all")
        || call.has("-A")
        || call.has("--all-namespaces")
        || call.texts().any(|t| t.starts_with("--selector") || t == "-l");
    let file = call
        .texts()
        .any(|t| matches!(t, "-f" | "-k" | "--filename" | "--kustomize") || t.starts_with("--filename="));
    let single =
        matches!(kind, "pod" | "pods" | "po" | "job" | "jobs" | "event" | "events" | "replicaset" | "rs");
    all || file || (!kind.is_empty() && !single)
}

fn container(call: &Call, words: &[&str]) -> bool {
    let has = |word: &str| words.contains(&word);
    if has("compose") || call.program() == "docker-compose" {
        return has("down") && has_flag(call, "v", &["volumes"]) || has("rm") && has_flag(call, "v", &[]);
    }
    if has("prune") {
        return has("volume") || (has("system") && (call.has("--volumes") || has_flag(call, "a", &["all"])));
    }
    // All there are, by whatever listed them.
    let every = |arg: &shell::Arg| arg.text.ends_with('*') && arg.text.starts_with(shell::text::ANY);
    if (has("rm") || has("rmi") || has("kill")) && call.args().iter().any(every) {
        return true;
    }
    if has("rm") && call.program() == "podman" && has_flag(call, "a", &["all"]) {
        return true;
    }
    if has("volume") && has("rm")
        || has("swarm") && has("leave")
        || has("stack") && has("rm")
        || has("service") && has("rm")
        || has("node") && has("rm")
    {
        return true;
    }
    // A container that gets the whole disk, or the keys to the machine, is not contained.
    if has("run") || has("create") {
        let mounts_root = call
            .args()
            .windows(2)
            .any(|pair| matches!(pair[0].text.as_str(), "-v" | "--volume") && host_root(&pair[1].text))
            || call
                .texts()
                .any(|t| t.strip_prefix("-v").or(t.strip_prefix("--volume=")).is_some_and(host_root))
            || call
                .texts()
                .any(|t| t.starts_with("--mount") && t.contains("src=/,") || t.contains("source=/,"));
        let keys = call.has("--privileged") || call.has("--pid=host");
        return mounts_root
            || (keys
                && operands(call.args(), &[])
                    .iter()
                    .any(|a| matches!(a.text.as_str(), "nsenter" | "chroot")));
    }
    false
}

fn host_root(volume: &str) -> bool {
    let host = volume.split(':').next().unwrap_or_default();
    matches!(host, "/" | "/etc" | "/root" | "/home" | "/boot" | "/usr" | "/var" | "/var/lib/docker")
        && volume.contains(':')
        && (host == "/" || !volume.ends_with(":ro"))
}
