//! What a path in a command stands for: how bad it would be to lose it.

use model::Facts;
use shell::text::{ANY, NET, UNSET, is_hole};
use shell::{Arg, Call};

/// Ordered by how bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Below the project, or a temporary place: the agent's to use.
    Ordinary,
    /// Not known.
    Unknown,
    /// Somewhere on the system that belongs to somebody: `/opt/app`, `/srv/www`.
    Shared,
    /// The repository's own database.
    GitDir,
    /// The project as a whole, or a directory around it.
    Project,
    /// A user's home, or what matters most in it.
    Home,
    /// What the machine needs to run.
    System,
    Root,
}

/// Directories at the root; losing any of them is the end.
const TOP: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "private",
    "cores",
    "nix",
    "snap",
];

/// Of those, the ones in which every file belongs to the system.
const OWNED: &[&str] = &[
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr", "System", "Library",
    "run", "nix",
];

/// In a home: folders that hold a user's life.
const PRECIOUS: &[&str] = &[
    "Documents",
    "Desktop",
    "Downloads",
    "Pictures",
    "Movies",
    "Music",
    "Videos",
    "Library",
    ".ssh",
    ".gnupg",
    ".config",
    ".local",
    ".aws",
    ".kube",
    ".claude",
    "projects",
    "src",
    "code",
    "work",
    "repos",
    "dev",
    "AppData",
    "OneDrive",
];

/// Folders one below those, in which every program keeps what it has of the user's.
const HOLDING: &[(&str, &str)] = &[
    ("AppData", "Local"),
    ("AppData", "LocalLow"),
    ("AppData", "Roaming"),
    ("Library", "Application Support"),
    ("Library", "Keychains"),
    ("Library", "Mobile Documents"),
    ("Library", "Preferences"),
];

/// A path as the agent's call means it.
pub(crate) fn place(arg: &Arg, call: &Call, facts: &dyn Facts) -> Place {
    if call.elsewhere {
        return place_elsewhere(arg, call, facts);
    }
    let text = &*shell::path::unfolded(&arg.text);
    if text.is_empty() {
        return Place::Ordinary;
    }
    // From wherever that is, so many steps up end at the root.
    if let Some(rest) = text.trim_start_matches(is_hole).strip_prefix("/../../../../")
        && text.starts_with(is_hole)
    {
        let path = format!("/{}", rest.trim_start_matches("../"));
        return known(&path, arg.glob, call, facts);
    }
    // A variable that nobody has set may be empty: then `$X/` is the root.
    if text.contains(UNSET) && !text.chars().all(|c| c == UNSET) {
        let without: String = text.chars().filter(|&c| c != UNSET).collect();
        let empty = known(&without, arg.glob, call, facts);
        // `/$X`, `~/$X/*`: without the name, it is everything there.
        let tail = text.strip_suffix("/*").or(text.strip_suffix('/')).unwrap_or(text);
        if empty >= Place::Home && tail.ends_with(UNSET) && tail.trim_end_matches(UNSET).ends_with('/') {
            return empty;
        }
        let direct = text.starts_with(UNSET) && matches!(without.as_str(), "/" | "/*" | "/." | "/..");
        return if direct || (empty == Place::Root && text.starts_with(UNSET)) {
            Place::Root
        } else if matches!(
            without.as_str(),
            "/boot" | "/etc" | "/home" | "/root" | "/usr" | "/Users" | "/var"
        ) {
            empty
        } else if !text.starts_with(UNSET) && matches!(empty, Place::Root | Place::System | Place::Home) {
            // `/$X`, `~/$X`: what is left without it.
            empty
        } else {
            Place::Unknown
        };
    }
    known(text, arg.glob, call, facts)
}

/// In a container: what is mounted there is ours; the rest is lost with it, unless it stays.
fn place_elsewhere(arg: &Arg, call: &Call, facts: &dyn Facts) -> Place {
    let path = shell::path::absolute(&arg.text, &call.cwd);
    for (inside, here) in &call.mounts {
        if let Some(rest) = path
            .strip_prefix(inside.as_str())
            .filter(|rest| rest.is_empty() || rest.starts_with('/') || inside.ends_with('/'))
        {
            let outside = Call { cwd: call.cwd.clone(), ..Call::default() };
            let mapped = Arg { text: format!("{}/{rest}", here.trim_end_matches('/')), ..arg.clone() };
            return place(&mapped, &outside, facts);
        }
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        _ if !call.kept || !arg.text.starts_with('/') => Place::Ordinary,
        [] => Place::Root,
        ["tmp"] | ["var", "tmp" | "cache", ..] => Place::Ordinary,
        // Whatever lies right below the root is what it is there for.
        [_] | [_, "*"] | ["var", "lib" | "www", ..] | ["etc" | "bin" | "usr" | "lib" | "home", _] => {
            Place::System
        }
        _ => Place::Ordinary,
    }
}

fn known(text: &str, glob: bool, call: &Call, facts: &dyn Facts) -> Place {
    if text.starts_with(is_hole) {
        return Place::Unknown;
    }
    let home = facts
        .home()
        .map(|home| shell::path::unfolded(&home.to_string_lossy()).into_owned())
        .unwrap_or_default();
    let expanded = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => text.to_owned(),
    };
    let path = shell::path::absolute(&expanded, &call.cwd);
    // `!(keep)`, `*(D)`: everything there, or nearly.
    let (path, glob) = match path.rsplit_once('/') {
        Some((folder, last)) if last.ends_with(')') && (last.starts_with("!(") || last.starts_with("*(")) => {
            (format!("{folder}/*"), true)
        }
        _ => (path, glob),
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let wild = |part: &str| part.contains([ANY, NET]) || (glob && part.contains(['*', '?', '[', '{']));
    let Some(first) = parts.first() else { return Place::Root };
    // `/@(etc|usr)`
    if parts.len() == 1 && first.contains('(') && first.contains('|') {
        return Place::Root;
    }
    if parts.len() == 1 && wild(first) {
        // `/*`, `/ho?e`, or something unknown right below the root.
        let matches = first.contains([ANY, NET]) || TOP.iter().any(|top| shell::path::matches(first, top));
        return if matches { Place::Root } else { Place::Shared };
    }
    // Connections of the shell, and sinks: no files.
    if *first == "dev"
        && matches!(
            parts[1..],
            ["null" | "zero" | "full" | "stdin" | "stdout" | "stderr" | "tty" | "ptmx"]
                | ["tcp" | "udp" | "fd" | "pts", _, ..]
        )
    {
        return Place::Ordinary;
    }
    // `/*/x`, `/h[o]me/me`: a pattern for a folder at the root.
    if wild(first) && parts.len() > 1 && !first.contains([ANY, NET]) {
        let rest = parts[1..].join("/");
        let tops = TOP.iter().filter(|top| shell::path::matches(first, top));
        return tops
            .map(|top| known(&format!("/{top}/{rest}"), glob, call, facts))
            .max()
            .unwrap_or(Place::Shared);
    }
    let project = shell::path::unfolded(&facts.project().to_string_lossy()).into_owned();
    // `../*` is everything beside the project, and the project with it.
    let beside = path.strip_suffix("/*").filter(|_| glob).unwrap_or(&path);
    let near_project = shell::path::is_below(&path, &project) || shell::path::is_below(&project, beside);
    let near_home =
        !home.is_empty() && (shell::path::is_below(&path, &home) || shell::path::is_below(&home, beside));
    // What lies in a temporary place is the agent's; even there, a home is a home and the project the project.
    if is_temporary(&path) && !near_home && !near_project {
        return Place::Ordinary;
    }
    if let Some(at) = parts.iter().rposition(|part| *part == ".git") {
        match &parts[at + 1..] {
            []
            | ["objects" | "logs", ..]
            | ["refs" | "worktrees" | "modules"]
            | ["refs", "heads" | "tags", ..] => {
                return Place::GitDir;
            }
            [one] if wild(one) || matches!(*one, "HEAD" | "index" | "config" | "packed-refs") => {
                return Place::GitDir;
            }
            [.., last] if is_of_a_pack(last) => return Place::GitDir,
            _ => {}
        }
    }
    if shell::path::is_below(&path, &project) {
        let rest = path.strip_prefix(project.as_str()).unwrap_or_default().trim_start_matches('/');
        // `rm -rf *` at the top of the project is the project.
        return if rest.is_empty() || (glob && matches!(rest, "*" | ".*" | "{*,.*}")) {
            Place::Project
        } else {
            Place::Ordinary
        };
    }
    if beside != path && shell::path::is_below(&project, beside) && beside != home {
        return if near_home && shell::path::is_below(&home, beside) { Place::Home } else { Place::Project };
    }
    if shell::path::is_below(&project, &path) && path != home && !TOP.contains(first) {
        return Place::Project;
    }
    home_place(&path, &parts, &home, glob)
        .or_else(|| {
            shell::path::is_below(&project, &path).then_some(Place::Project).filter(|_| parts.len() > 2)
        })
        .unwrap_or_else(|| system_place(&parts))
}

/// Whether a name, or what a search finds by a pattern, is one of the files that hold commits.
pub(crate) fn is_of_a_pack(path: &str) -> bool {
    let name = shell::path::name(path).replace(is_hole, "*");
    let says_something = name.bytes().filter(u8::is_ascii_alphabetic).count() > 2;
    says_something
        && ["pack-abcdef0123.pack", "pack-abcdef0123.idx"]
            .iter()
            .any(|file| shell::path::matches(&name, file))
}

fn home_place(path: &str, parts: &[&str], home: &str, glob: bool) -> Option<Place> {
    let inside = if !home.is_empty() && shell::path::is_below(path, home) {
        path[home.len().min(path.len())..].split('/').filter(|p| !p.is_empty()).collect::<Vec<_>>()
    } else if matches!(parts[0], "home" | "Users") && parts.len() >= 2 {
        parts[2..].to_vec()
    } else if parts[0] == "root" {
        parts[1..].to_vec()
    } else if let ["mnt", drive, users, _, inside @ ..] = parts
        && drive.len() == 1
        && users.eq_ignore_ascii_case("users")
    {
        inside.to_vec()
    } else {
        return None;
    };
    Some(match inside.as_slice() {
        [] => Place::Home,
        [only]
            if (glob && only.contains(['*', '?']))
                && matches!(*only, "*" | "*.*" | ".*" | ".[!.]*" | "{*,.*}") =>
        {
            Place::Home
        }
        [only] if only.contains(ANY) && only.chars().all(is_hole) => Place::Home,
        [only] | [only, "*"] if PRECIOUS.contains(only) => Place::Home,
        [outer, inner] | [outer, inner, "*"] if HOLDING.contains(&(*outer, *inner)) => Place::Home,
        _ => Place::Shared,
    })
}

/// On a drive of Windows, whose names are the same in any letters.
fn windows_place(parts: &[&str]) -> Place {
    const TOP: &[&str] = &[
        "*",
        "*.*",
        "users",
        "program files",
        "program files (x86)",
        "programdata",
        "boot",
        "recovery",
        "inetpub",
        "perflogs",
    ];
    let lower: Vec<String> = parts.iter().map(|part| part.to_ascii_lowercase()).collect();
    let is = |at: usize, name: &str| lower.get(at).is_some_and(|part| part == name);
    match lower.as_slice() {
        [] => Place::System,
        [top, ..] if top == "windows" => Place::System,
        [top] if TOP.contains(&top.as_str()) || top.contains(ANY) => Place::System,
        [top, _] if TOP.contains(&top.as_str()) && (is(1, "*") || is(1, "*.*")) => Place::System,
        // What one program brought is its own.
        [top, _, _, ..] if top.starts_with("program files") => Place::Shared,
        [top, name]
            if top.starts_with("program files")
                && matches!(name.as_str(), "windowsapps" | "common files" | "windows defender") =>
        {
            Place::System
        }
        _ => Place::Shared,
    }
}

/// In the registry: the machine's own half, and what every program of a user looks at.
fn registry_place(parts: &[&str]) -> Place {
    match parts {
        ["HKCU" | "HKU", rest @ ..] => {
            let usual = |part: &&str| {
                ["software", "microsoft", "windows", "*", "classes", "policies"]
                    .iter()
                    .any(|known| part.eq_ignore_ascii_case(known))
            };
            if rest.iter().all(usual) { Place::Home } else { Place::Shared }
        }
        _ => Place::System,
    }
}

fn system_place(parts: &[&str]) -> Place {
    let first = parts[0];
    if first == "Registry" {
        return registry_place(&parts[1..]);
    }
    if !TOP.contains(&first) {
        return Place::Shared;
    }
    if parts.len() == 1 || (parts.len() == 2 && parts[1] == "*") {
        return Place::System;
    }
    let local = first == "usr" && parts[1] == "local" && parts.len() > 3;
    if OWNED.contains(&first) && !local {
        return Place::System;
    }
    // A disk that was put in, as a whole.
    if first == "Volumes" && (parts.len() == 2 || parts.len() == 3 && parts[2] == "*") {
        return Place::System;
    }
    if first == "mnt" && parts[1].len() == 1 {
        return windows_place(&parts[2..]);
    }
    // What databases and containers keep, at any depth.
    if parts.len() > 2
        && first == "var"
        && parts[1] == "lib"
        && matches!(
            parts[2],
            "docker"
                | "etcd"
                | "elasticsearch"
                | "kubelet"
                | "mongodb"
                | "mysql"
                | "postgresql"
                | "rabbitmq"
                | "redis"
        )
    {
        return Place::System;
    }
    if first == "var"
        && matches!(parts[1], "lib" | "log" | "spool" | "mail" | "backups" | "cache" | "run" | "db" | "www")
    {
        return if parts.len() <= 3 { Place::System } else { Place::Shared };
    }
    Place::Shared
}

/// Temporary directories: what lies in them is the agent's to throw away. Not the directories themselves.
pub(crate) fn is_temporary(path: &str) -> bool {
    ["/tmp/", "/private/tmp/", "/var/tmp/", "/dev/shm/", "/var/folders/"]
        .iter()
        .any(|root| path.starts_with(root) && path.len() > root.len())
        || path.strip_prefix("/mnt/").is_some_and(|rest| {
            let rest = rest.get(1..).unwrap_or_default().to_ascii_lowercase();
            let below = |root: &str| rest.strip_prefix(root).is_some_and(|below| !below.is_empty());
            ["/windows/temp/", "/temp/", "/tmp/"].iter().any(|root| below(root))
                || rest.contains("/appdata/local/temp/")
        })
}

/// A whole disk or a part of one, by its device file.
pub(crate) fn is_disk(path: &str) -> bool {
    let path = shell::path::unfolded(path);
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    let name = name.strip_prefix("disk/by-").map_or(name, |_| "disk");
    [
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper/", "loop", "nbd",
        "zd", "sr",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || matches!(name, "mem" | "kmem" | "port")
}
