//! What runs elsewhere and is paid for: `shell/destroy-cloud`.

use model::deed::{Deed, Object, Place, Verb};
use model::{Event, Findings, Meta};
use shell::Call;
use shell::programs::Role;
use shell::text::show;

use super::words::value;
use crate::{Check, Context};

mod stranger;

static META: Meta = super::guard_on(
    super::BEFORE_ANY,
    "shell/destroy-cloud",
    "a command that destroys servers, clusters, volumes or buckets, or opens them to everybody",
    "\
Refuses deletions through cloud and container tools: `terraform destroy`, `aws … delete-*`, `gcloud … delete`, `az … delete`, `kubectl
delete` of more than single pods, `helm uninstall`, `docker system prune --volumes`, the small platforms
(`heroku apps:destroy`, `fly apps destroy`, `vercel remove`), forges and registries (`gh repo delete`, `npm unpublish`), copies of data
(`restic forget`, `velero delete`), rights given to everybody or to an administrator more, and containers that get the whole disk of this
machine, by an option or by a compose file. What may be wanted and is seen by others (`gh api -X DELETE`, `terraform apply -replace`, a
new key, `rclone sync`), and what is only on this machine (`docker compose down -v`, a cluster of `kind`), is a question to the user where
somebody is there to answer. So is a container that gets the engine's own socket, or rights as good as the machine's. Reading, rehearsing
(`--dry-run`) and asking for help pass, as does what stands in for a cloud on this machine. A server's tool that says by its name that it
deletes such a thing is a question. So is one whose arguments give rights to everybody or all of them to somebody, go round a rule,
switch off what keeps watch, move money, or start a container that gets this machine; and a request that deletes something at another host
(`curl -X DELETE https://…`).
",
    include_str!("destroy_cloud.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::services(META.id, event, cx, out);
    let Some(reading) = cx.reading(event) else { return };
    for call in &reading.calls {
        for deed in &call.deeds {
            judge(call, deed, event, cx, out);
        }
        if !call.only_looks() && changes_forge(call) {
            asks(call, out);
        }
        if stranger::destroys(call) {
            let what =
                format!("`{}` is told to destroy something that Plimsoll does not know.", show(&call.line()));
            out.ask(META.id, what, "It may belong to somebody else, and may not be recoverable.").instead =
                Some("Show what would go first (a list, --dry-run), and let the user decide.".into());
        }
    }
}

fn judge(call: &Call, deed: &Deed, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let line = || show(&call.line());
    match (deed.verb, &deed.object) {
        (Verb::Destroys, Object::Thing(_)) => {
            let what = format!("`{}` destroys what others may be using.", line());
            let why = "It cannot be brought back from here.";
            let asks = deed.place == Place::Here && cx.may_ask(event);
            if asks { out.ask(META.id, what, why) } else { out.deny(META.id, what, why) }.instead =
                Some("Show what would go (a plan, a list, --dry-run) and let the user do it.".into());
        }
        (Verb::Permits, Object::Thing(_)) => {
            let what = format!("`{}` grants rights to everybody, or all rights to one account.", line());
            out.deny(META.id, what, "Whoever finds it first can use it.").instead = Some(
                "Give the one right that is needed to the one who needs it, and let the user do it.".into(),
            );
        }
        (Verb::Alters, Object::Thing(thing))
            if deed.place != Place::Here && speaks(call) || thing == shell::programs::ELSEWHERE =>
        {
            asks(call, out);
        }
        (Verb::Lends, Object::Thing(_)) => {
            let what = format!("`{}` starts a container that can do to this machine what it likes.", line());
            out.ask(META.id, what, "Nothing holds it in.").instead =
                Some("Give it the one right that it needs (`--cap-add`, `--device`).".into());
        }
        (Verb::Lends, Object::Path { text, .. }) => lent(call, text, false, cx, out),
        // A container may read it.
        (Verb::Reads, Object::Path { text, tree: true, .. })
            if deed.place == Place::Container && !call.elsewhere =>
        {
            lent(call, text, true, cx, out);
        }
        _ => {}
    }
}

/// Whether its program speaks to a service that others use.
fn speaks(call: &Call) -> bool {
    call.words().entry.is_some_and(|entry| entry.style.service)
}

fn asks(call: &Call, out: &mut Findings) {
    let what = format!("`{}` changes what others use.", show(&call.line()));
    out.ask(META.id, what, "It is seen outside of this machine at once.").instead =
        Some("Say what would change, and let the user decide.".into());
}

/// A container that gets the whole disk, or the keys to the machine, is not contained.
fn lent(call: &Call, path: &str, read_only: bool, cx: &Context<'_>, out: &mut Findings) {
    let home = cx.facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let path = path.strip_prefix('~').map_or_else(|| path.to_owned(), |rest| format!("{home}{rest}"));
    let path = shell::path::absolute(&path, &call.cwd);
    let system = matches!(
        path.as_str(),
        "/bin"
            | "/boot"
            | "/etc"
            | "/home"
            | "/lib"
            | "/root"
            | "/sbin"
            | "/usr"
            | "/Users"
            | "/var"
            | "/var/lib/docker"
    );
    // Whoever may speak to the engine may start any container.
    let socket = path.starts_with('/')
        && path.ends_with(".sock")
        && ["docker", "podman", "containerd", "crio"].iter().any(|engine| path.contains(engine));
    let what = format!("`{}` gives `{path}` of this machine to a container.", show(&call.line()));
    let instead = Some("Mount the one folder that it needs.".into());
    if path == "/" || system && !read_only {
        out.deny(META.id, what, "Whatever runs in it can change the system.").instead = instead;
    } else if socket || !read_only && (path == home || super::place::is_disk(&path)) {
        out.ask(META.id, what, "With it, a container can do to this machine what it likes.").instead =
            instead;
    }
}

/// A request that deletes something at another machine's interface, or changes who may do what at a forge's.
fn changes_forge(call: &Call) -> bool {
    const FORGES: &[&str] = &["api.github.com/", "gitlab.com/api/", "api.bitbucket.org/"];
    let afar = |deed: &Deed| match &deed.object {
        Object::Address(text) => {
            deed.verb == Verb::Fetches
                && !shell::address::is_here(text)
                && !shell::address::is_for_trial(text)
        }
        _ => false,
    };
    let method = || {
        let first = call.args().first().map(|arg| arg.text.as_str());
        value(call, &["-X", "--request", "--method"]).or(first).unwrap_or_default().to_ascii_uppercase()
    };
    if call.deeds.iter().any(afar)
        && method() == "DELETE"
        && call.words().stake.is_none()
        && !call.words().rehearses
    {
        return true;
    }
    // Most words are too short for it.
    let is_forge = |text: &str| text.len() >= 15 && FORGES.iter().any(|host| text.contains(host));
    // `mutation { deleteRef(…) }`
    let deletes = |text: &str| {
        let mut names = text.split(|c: char| !c.is_alphanumeric());
        text.contains("mutation")
            && names.any(|name| {
                ["delete", "remove", "archive", "transfer"].iter().any(|verb| {
                    name.strip_prefix(verb).is_some_and(|rest| rest.starts_with(char::is_uppercase))
                })
            })
    };
    // A path of its interface, or its address.
    let endpoint = call.words().given(&call.argv).any(|(role, _)| role == Role::Endpoint);
    if !endpoint && !call.texts().any(is_forge) {
        return false;
    }
    let guarded = |text: &str| {
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
        .any(|part| text.contains(part))
    };
    if call.texts().any(deletes) {
        return true;
    }
    match method().as_str() {
        "DELETE" => true,
        "PUT" | "PATCH" | "POST" => call.texts().any(guarded),
        _ => false,
    }
}
