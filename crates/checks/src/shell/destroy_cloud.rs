//! What runs elsewhere and is paid for: `shell/destroy-cloud`.

use model::{Event, Findings, Meta};
use shell::Call;

use super::words::{has_flag, only_looks, operands, subcommands, value};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/destroy-cloud",
    "a command that destroys servers, clusters, volumes or buckets, or opens them to everybody",
    "\
Refuses deletions through cloud and container tools: `terraform destroy`, `aws … delete-*`, `gcloud … delete`, `az … delete`, `kubectl
delete` of more than single pods, `helm uninstall`, `docker system prune --volumes`, `docker compose down -v`, the small platforms
(`heroku apps:destroy`, `fly apps destroy`, `vercel remove`), forges and registries (`gh repo delete`, `npm unpublish`), rights given to
everybody or to an administrator more, and containers that get the whole disk of this machine. What may be wanted and is
seen by others (`gh api -X DELETE`, `terraform apply -replace`, a new key, `rclone sync`) is a question to the person. Reading, rehearsing
(`--dry-run`) and asking for help pass.
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
    ("helm", &["un"]),
    ("helm", &["del"]),
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
    ("amplify", &["delete"]),
    ("consul", &["snapshot", "restore"]),
    ("duplicity", &["remove-all-but-n-full"]),
    ("proxmox-backup-client", &["snapshot", "forget"]),
    ("crictl", &["rmi", "--prune"]),
    ("crictl", &["rm", "--all"]),
    ("crictl", &["rmp", "--all"]),
    ("kubeadm", &["reset"]),
    ("k3s-killall.sh", &[]),
    ("k3s-uninstall.sh", &[]),
    ("k3s-agent-uninstall.sh", &[]),
    ("rke2-uninstall.sh", &[]),
    ("microk8s", &["reset"]),
    ("nomad", &["stop"]),
    ("scw", &["terminate"]),
    ("tofu", &["state", "rm"]),
    ("tofu", &["workspace", "delete"]),
    ("terragrunt", &["state", "rm"]),
    ("vault", &["snapshot", "restore"]),
    ("vault", &["lease", "revoke", "-prefix"]),
    ("vault", &["secrets", "move"]),
    // Forges and registries: what others build upon.
    ("gh", &["repo", "archive"]),
    ("gh", &["release", "delete"]),
    ("gh", &["release", "delete-asset"]),
    ("gh", &["secret", "delete"]),
    ("gh", &["secret", "remove"]),
    ("gh", &["ruleset", "delete"]),
    ("glab", &["release", "delete"]),
    ("glab", &["variable", "delete"]),
    ("npm", &["unpublish"]),
    ("npm", &["deprecate"]),
    ("npm", &["owner", "rm"]),
    ("npm", &["owner", "add"]),
    ("npm", &["access", "public"]),
    ("npm", &["access", "set"]),
    ("npm", &["access", "grant"]),
    ("npm", &["access", "revoke"]),
    ("npm", &["team", "destroy"]),
    ("npm", &["dist-tag", "rm"]),
    ("pnpm", &["unpublish"]),
    ("pnpm", &["deprecate"]),
    ("yarn", &["npm", "tag", "remove"]),
    ("gcloud", &["delete"]),
    ("gcloud", &["destroy"]),
    ("az", &["delete"]),
    ("az", &["purge"]),
];

/// What others notice, or pay for, and a person may well want: a program, words that must be among its own, and options
/// that must be there too, by their beginnings.
const QUESTIONS: &[(&str, &[&str], &[&str])] = &[
    ("aws", &["iam", "create-access-key"], &[]),
    ("aws", &["iam", "create-login-profile"], &[]),
    ("aws", &["iam", "update-assume-role-policy"], &[]),
    ("aws", &["iam", "put-user-policy"], &[]),
    ("aws", &["iam", "attach-user-policy"], &[]),
    ("aws", &["iam", "add-user-to-group"], &[]),
    ("aws", &["ec2", "authorize-security-group-ingress"], &[]),
    ("aws", &["s3api", "put-bucket-policy"], &[]),
    ("aws", &["route53", "change-resource-record-sets"], &[]),
    ("gcloud", &["add-iam-policy-binding"], &[]),
    ("gcloud", &["set-iam-policy"], &[]),
    ("gcloud", &["service-accounts", "keys", "create"], &[]),
    ("az", &["role", "assignment", "create"], &[]),
    ("az", &["ad", "sp", "create-for-rbac"], &[]),
    ("gh", &["repo", "delete"], &[]),
    ("glab", &["repo", "delete"], &[]),
    ("glab", &["project", "delete"], &[]),
    ("gh", &["issue", "delete"], &[]),
    ("gh", &["workflow", "disable"], &[]),
    ("gh", &["variable", "delete"], &[]),
    ("gh", &["repo", "rename"], &[]),
    ("gh", &["repo", "sync"], &["--force"]),
    ("gh", &["repo", "deploy-key", "add"], &[]),
    ("gh", &["ssh-key", "add"], &[]),
    ("gh", &["pr", "merge"], &["--admin"]),
    ("gh", &["run", "delete"], &[]),
    ("kubectl", &["create", "clusterrolebinding"], &[]),
    ("kubectl", &["scale"], &["--replicas=0"]),
    ("pulumi", &["up"], &["--replace"]),
    ("pulumi", &["up"], &["--target-replace"]),
    ("pulumi", &["cancel"], &[]),
    ("rclone", &["sync"], &[]),
    ("terraform", &["apply"], &["-replace"]),
    ("terraform", &["force-unlock"], &[]),
    ("terraform", &["state", "push"], &[]),
    ("terragrunt", &["apply"], &["-replace"]),
    ("tofu", &["apply"], &["-replace"]),
    ("tofu", &["force-unlock"], &[]),
    ("tofu", &["state", "push"], &[]),
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
            if only_looks(call) {
                continue;
            }
            if gives_away(call) {
                let what = format!(
                    "`{}` gives rights to everybody, or all rights to somebody.",
                    shell::text::show(&call.line())
                );
                out.deny(META.id, what, "Whoever finds it first can use it.").instead = Some(
                    "Give the one right that is needed to the one who needs it, and let the person do it."
                        .into(),
                );
                return;
            }
            if is_question(call) {
                let what = format!("`{}` changes what others use.", shell::text::show(&call.line()));
                out.ask(META.id, what, "It is seen outside of this machine at once.").instead =
                    Some("Say what would change, and let the person decide.".into());
            }
        }
    }
}

/// Whether a row's words are the command. Where titles and names are words as well, they are only at its beginning.
fn says(call: &Call, words: &[&str], verbs: &[&str]) -> bool {
    if matches!(call.program(), "gh" | "glab" | "tea" | "npm" | "pnpm" | "yarn") {
        return words.starts_with(verbs);
    }
    verbs.iter().all(|verb| words.contains(verb) || verb.starts_with('-') && call.has(verb))
}

/// Everybody may read or write, or somebody everything.
fn gives_away(call: &Call) -> bool {
    const TOOLS: &[&str] = &["aws", "gcloud", "gsutil", "az", "kubectl", "oc", "mc", "s3cmd", "gh"];
    if !TOOLS.contains(&call.program()) {
        return false;
    }
    let texts: Vec<String> = call.texts().map(str::to_ascii_lowercase).collect();
    let says = |word: &str| texts.iter().any(|t| t == word);
    let has = |word: &str| texts.iter().any(|t| t.contains(word));
    let everybody = has("allusers") || has("allauthenticatedusers");
    match call.program() {
        "aws" => {
            let verb =
                texts.iter().find(|t| t.contains('-') && !t.starts_with('-')).map_or("", String::as_str);
            let public = has("public-read") || has("authenticated-read");
            verb.starts_with("put-") && verb.ends_with("-acl") && (public || everybody)
                || verb == "put-bucket-policy" && has("\"principal\":\"*\"")
                || verb == "put-public-access-block" && has("=false")
                || verb.starts_with("attach-") && (has("administratoraccess") || has("iamfullaccess"))
                || verb.starts_with("authorize-") && (has("0.0.0.0/0") || has("::/0"))
                    // The web is for everybody.
                    && !(says("443") || says("80"))
                || verb.starts_with("modify-")
                    && verb.ends_with("-attribute")
                    && (has("group=all") || says("all"))
                || verb == "add-permission" && says("*")
        }
        "gcloud" => {
            has("iam-policy-binding") && (everybody || has("roles/owner") || has("roles/editor"))
                || says("firewall-rules")
                    && has("0.0.0.0/0")
                    && (has("tcp:22") || has("--allow=all") || says("all"))
        }
        "gsutil" => everybody || has("public-read"),
        "az" => {
            says("assignment") && says("create") && (says("owner") || says("user access administrator"))
                || has("public-access")
                    && (says("container") || says("blob"))
                    && !texts.iter().any(|t| matches!(t.as_str(), "off" | "false"))
                    && (says("set-permission") || says("create") || says("update"))
        }
        "kubectl" | "oc" => {
            says("create") && has("clusterrolebinding") && has("cluster-admin")
                || says("add-cluster-role-to-user") && says("cluster-admin")
        }
        "mc" => says("anonymous") && says("set") && (says("public") || says("upload")),
        "s3cmd" => says("--acl-public"),
        "gh" => says("repo") && says("edit") && (says("public") || says("--visibility=public")),
        _ => false,
    }
}

fn is_question(call: &Call) -> bool {
    let program = call.program();
    if !matches!(program, "glab" | "curl" | "http" | "xh")
        && !QUESTIONS.iter().any(|(name, ..)| *name == program)
    {
        return false;
    }
    let words = subcommands(call, VALUES);
    let listed = QUESTIONS.iter().any(|(name, verbs, options)| {
        program == *name
            && says(call, &words, verbs)
            && options.iter().all(|option| {
                // One dash or two.
                let plain = option.trim_start_matches('-');
                call.texts().any(|t| t.starts_with('-') && t.trim_start_matches('-').starts_with(plain))
            })
    });
    listed
        || match program {
            "gh" | "glab" => {
                words.first() == Some(&"api") && api_changes(value(call, &["-X", "--method"]), call.texts())
            }
            // The forge by its address.
            "curl" | "http" | "xh" => {
                let method = value(call, &["-X", "--request"]).or_else(|| {
                    call.args().first().map(|arg| arg.text.as_str()).filter(|_| program != "curl")
                });
                call.texts().any(|t| {
                    ["api.github.com/", "gitlab.com/api/", "api.bitbucket.org/"]
                        .iter()
                        .any(|host| t.contains(host))
                }) && api_changes(method, call.texts())
            }
            _ => false,
        }
}

/// A call of a forge's interface that deletes something, or changes who may do what.
fn api_changes<'a>(method: Option<&str>, mut texts: impl Iterator<Item = &'a str>) -> bool {
    let Some(method) = method.map(str::to_ascii_uppercase) else { return false };
    let guarded = |t: &str| {
        [
            "/protection",
            "/rulesets",
            "/collaborators",
            "/keys",
            "/hooks",
            "/git/refs/",
            "visibility=",
            "private=",
        ]
        .iter()
        .any(|part| t.contains(part))
    };
    method == "DELETE" || matches!(method.as_str(), "PUT" | "PATCH" | "POST") && texts.any(guarded)
}

/// Options that take the next word with them.
const VALUES: &[&str] = &[
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
    "-X",
    "--method",
    "-R",
    "--repo",
];

/// Programs that reach clouds, clusters and containers.
pub(super) fn is_cloud(program: &str) -> bool {
    matches!(
        program,
        "aws" | "docker" | "podman" | "nerdctl" | "docker-compose" | "kubectl" | "oc" | "gsutil" | "ansible"
    ) || (!matches!(program, "npm" | "pnpm" | "yarn" | "cargo" | "gem" | "gh" | "glab")
        && ROWS.iter().any(|(name, _)| *name == program))
}

/// A stand-in for a cloud, on this machine.
fn is_emulator(call: &Call) -> bool {
    value(call, &["--endpoint-url", "--endpoint", "--api-endpoint"])
        .or_else(|| call.var("AWS_ENDPOINT_URL"))
        .is_some_and(|address| {
            ["://localhost", "://127.0.0.1", "://localstack"].iter().any(|host| address.contains(host))
        })
}

fn destroys(call: &Call) -> bool {
    let program = call.program();
    // A cluster on this machine that is there to be tried out.
    let trial = matches!(program, "kind" | "k3d" | "minikube")
        && !call.has("--all")
        && call
            .texts()
            .any(|t| t.split(['-', '=', '_']).any(|part| matches!(part, "test" | "tests" | "ci" | "tmp")));
    if is_emulator(call) || trial {
        return false;
    }
    let words = subcommands(call, VALUES);
    // Where the verb is a common word, it must be the command's own, not one of its arguments: `gcloud logging read delete`.
    let first = words.iter().find(|word| VERBS.contains(word));
    let own = |verbs: &[&str]| match verbs {
        [only] => !VERBS.contains(only) || first == Some(only),
        _ => true,
    };
    if ROWS.iter().any(|(name, verbs)| program == *name && says(call, &words, verbs) && own(verbs)) {
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
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => container(call, &words),
        // Every image that is there.
        "ctr" => {
            words.iter().any(|w| matches!(*w, "images" | "image" | "i" | "containers" | "snapshots"))
                && words.iter().any(|w| matches!(*w, "rm" | "remove" | "delete" | "prune"))
                && call.args().iter().any(|arg| arg.text.starts_with(shell::text::ANY) || arg.text == "--all")
        }
        "crictl" => words.iter().any(|w| matches!(*w, "rm" | "rmi" | "rmp")) && has_flag(call, "a", &["all"]),
        "s5cmd" => words.contains(&"rm") && call.texts().any(|t| t.contains('*') || t.ends_with('/')),
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
        "terraform" | "tofu" | "terragrunt" => {
            words.iter().any(|w| matches!(*w, "apply" | "run-all"))
                && call.texts().any(|t| matches!(t, "-destroy" | "--destroy" | "-destroy=true"))
        }
        "ansible" => {
            call.texts().any(|t| t.contains("state=absent") && t.contains("path=/"))
                || value(call, &["-m", "--module-name"])
                    .is_some_and(|module| matches!(module.rsplit('.').next(), Some("reboot" | "shutdown")))
        }
        // Unless told not to, it asks a person by itself.
        "gh" | "glab" | "tea" => {
            words.get(1) == Some(&"delete")
                && matches!(words.first(), Some(&("repo" | "project" | "repos")))
                && call.texts().any(|t| matches!(t, "--yes" | "-y" | "--confirm" | "--force" | "-f"))
        }
        "cargo" | "gem" => {
            words.first() == Some(&"yank") && !call.has("--undo")
                || words.first() == Some(&"owner")
                    && call.texts().any(|t| matches!(t, "--remove" | "-r" | "--add" | "-a"))
        }
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
        return true;
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
    if has("compose") || call.program().ends_with("-compose") {
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
