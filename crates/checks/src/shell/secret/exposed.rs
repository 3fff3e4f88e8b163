//! Secrets that are put where others see them: folders served to the network, repositories, containers.

use model::Facts;
use model::deed::{Object, Verb};
use shell::text::show;
use shell::{Arg, Call, is_secret_path};

use super::home;
use crate::shell::place::{Place, place};
use crate::shell::words::{only_looks, operands, program, value};

/// Programs that show a folder to whoever asks, and the option that names it, if not a plain word.
const SERVERS: &[(&str, &[&str])] = &[
    ("browser-sync", &["-s", "--server", "--serveStatic"]),
    ("caddy", &["--root", "-r"]),
    ("darkhttpd", &[]),
    ("filebrowser", &["-r", "--root"]),
    ("http-server", &[]),
    ("httpd", &["-h"]),
    ("live-server", &[]),
    ("lighttpd", &[]),
    ("miniserve", &[]),
    ("php", &["-t"]),
    ("python", &["-d", "--directory"]),
    ("python2", &[]),
    ("python3", &["-d", "--directory"]),
    ("serve", &[]),
    ("simple-http-server", &[]),
    ("twistd", &["--path"]),
    ("webfsd", &["-r"]),
];

/// A secret that a call puts where others see it: in words, and whether that is beyond question.
pub(super) fn exposed(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    served(call, facts).or_else(|| published(call, facts)).or_else(|| handed_over(call, facts))
}

fn is_secret(path: &str, call: &Call, facts: &dyn Facts) -> bool {
    is_secret_path(&shell::path::absolute(path, &call.cwd), home(facts).as_deref())
}

/// A home or a folder of keys, for whoever asks.
fn served(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let name = program(call);
    let (_, options) = SERVERS.iter().find(|(server, _)| *server == name)?;
    let module =
        |module: &str| matches!(module, "http.server" | "SimpleHTTPServer" | "uploadserver" | "pyftpdlib");
    let serves = match name {
        "php" => call.texts().any(|t| t.starts_with("-S")),
        "caddy" => call.has("file-server"),
        "python" | "python2" | "python3" => {
            call.args().windows(2).any(|pair| pair[0].text == "-m" && module(&pair[1].text))
        }
        _ => true,
    };
    if !serves || call.elsewhere || only_looks(call) {
        return None;
    }
    // A port is no folder.
    let plain = operands(call.args(), &["-p", "--port", "-l", "-m", "-S", "-b", "--bind", "-a"])
        .into_iter()
        .find(|arg| arg.text.contains(['/', '.', '~']))
        .filter(|_| options.is_empty())
        .cloned();
    let folder = value(call, options).map(Arg::new).or(plain).unwrap_or_else(|| Arg::new(call.cwd.clone()));
    let path = shell::path::absolute(&folder.text, &call.cwd);
    let private = match place(&folder, call, facts) {
        Place::Home | Place::Root => true,
        Place::System => !path.starts_with("/usr/share/"),
        _ => is_secret(&folder.text, call, facts),
    };
    private.then(|| (format!("This would show {} to the network.", show(&path)), true))
}

/// Into a repository, or with one to somewhere else.
fn published(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    // Ignored for a reason.
    if call.concerns("what is ignored")
        && let Some((path, _)) = call.paths(&[Verb::Uses]).find(|(path, _)| is_secret(path, call, facts))
    {
        return Some((
            format!("This would put {}, which holds secrets, into the repository.", show(path)),
            true,
        ));
    }
    call.deeds.iter().filter(|deed| call.keeps_versions() && deed.verb == Verb::Publishes).find_map(|deed| {
        let Object::Address(to) = &deed.object else { return None };
        let here = ["file://", "://localhost", "://127.0.0.1"].iter().any(|part| to.contains(part));
        let what =
            format!("This would send the repository to {}, an address and none of its remotes.", show(to));
        (!here).then_some((what, false))
    })
}

/// Folders of keys, to whatever an image holds. What is read there by a program that is known is judged by that.
fn handed_over(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    const KEYS: &[&str] =
        &[".ssh", ".gnupg", ".aws", ".kube", ".config/gcloud", ".password-store", ".azure", ".config"];
    if !matches!(call.program(), "docker" | "podman" | "nerdctl") || !(call.has("run") || call.has("create"))
    {
        return None;
    }
    let home = home(facts)?;
    let args = call.args();
    args.iter().enumerate().find_map(|(at, arg)| {
        let text = arg.text.as_str();
        let volume = match text {
            "-v" | "--volume" => args.get(at + 1)?.text.as_str(),
            _ => text.strip_prefix("--volume=").or(text.strip_prefix("-v"))?,
        };
        let (here, there) = volume.split_once(':')?;
        // Where the program inside looks for it, it is used for what it is.
        if shell::path::name(here) == shell::path::name(there.split(':').next()?) {
            return None;
        }
        let absolute = shell::path::absolute(here, &call.cwd);
        let inside = absolute.strip_prefix(home.as_str())?.trim_matches('/');
        // Named once more after it, the key itself is what is wanted.
        let there = there.split(':').next()?;
        let read = |arg: &Arg| {
            let rest = arg.text.strip_prefix(there)?;
            (rest.starts_with('/') && is_secret(&format!("{absolute}{rest}"), call, facts)).then_some(())
        };
        let hard = args.iter().skip(at + 2).any(|arg| read(arg).is_some());
        (inside.is_empty() || KEYS.contains(&inside))
            .then(|| (format!("This would give {} to a container.", show(here)), hard))
    })
}
