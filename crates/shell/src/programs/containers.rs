//! What of this machine a container gets: by an option of the call, or by the file that describes containers.

/// A file or folder of this machine, and where a container sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    pub here: String,
    pub inside: String,
    pub read_only: bool,
}

/// `/here:/there:ro`, or `type=bind,src=/here,dst=/there,readonly` in any order. `None` for a volume that has only a name.
pub fn mount(text: &str) -> Option<Mount> {
    let is_pairs = text.contains('=')
        && text.split(',').any(|part| {
            part.split_once('=').is_some_and(|(key, _)| {
                matches!(key.trim(), "type" | "source" | "src" | "target" | "dst" | "destination")
            })
        });
    if is_pairs {
        let field = |names: &[&str]| {
            let mut pairs = text.split(',').filter_map(|part| part.split_once('='));
            pairs.find(|(key, _)| names.contains(&key.trim())).map(|(_, value)| value.trim())
        };
        let flag = |names: &[&str]| {
            let named = |part: &str| names.contains(&part.split('=').next().unwrap_or(part).trim());
            text.split(',').any(|part| named(part) && !part.ends_with("=false") && !part.ends_with("=0"))
        };
        let here = field(&["source", "src"])?;
        let inside = field(&["target", "dst", "destination"]).unwrap_or_default();
        return of(here, inside, flag(&["readonly", "ro"]), field(&["type"]) == Some("bind"));
    }
    let mut parts = text.split(':');
    let here = parts.next()?;
    let inside = parts.next().unwrap_or(here);
    let read_only = parts.next().is_some_and(|options| options.split(',').any(|option| option == "ro"));
    of(here, inside, read_only, false)
}

fn of(here: &str, inside: &str, read_only: bool, bind: bool) -> Option<Mount> {
    let is_path =
        here.starts_with(['/', '~', '.', '$']) || here.contains('/') || !crate::text::is_known(here);
    let is_path = is_path || here.len() > 1 && here.as_bytes()[1] == b':';
    (bind || is_path).then(|| Mount { here: here.to_owned(), inside: inside.to_owned(), read_only })
}

/// What the containers of a compose file get.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) mounts: Vec<Mount>,
    /// The machine itself: by `privileged`, its processes, or a capability that is as good.
    pub(crate) machine: bool,
}

/// Names that a compose file has where none is given.
pub(crate) const NAMES: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
];

/// Reads a compose file: keys by their lines, lists in either style. Where a key stands matters less than that it is there.
pub(crate) fn compose(text: &str) -> Given {
    let mut given = Given::default();
    // The key that list items belong to, and the parts of a volume that is written as several lines.
    let (mut key, mut source, mut bind) = (String::new(), String::new(), false);
    for line in text.lines().take(10_000) {
        let line = line.split(" #").next().unwrap_or(line);
        let bare = line.trim().trim_start_matches("- ").trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let item = line.trim_start().starts_with('-');
        let pair = bare.split_once(':').filter(|(name, value)| {
            name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
                && (value.is_empty() || value.starts_with(' '))
        });
        if let Some((name, value)) = pair {
            let value = value.trim();
            match name {
                "type" => bind = plain(value) == "bind",
                "source" | "src" => plain(value).clone_into(&mut source),
                "target" | "dst" if matches!(key.as_str(), "volumes") && !source.is_empty() => {
                    given.mounts.extend(of(&source, plain(value), false, bind));
                }
                "read_only" if plain(value) == "true" => {
                    if let Some(last) = given.mounts.last_mut().filter(|last| last.here == source) {
                        last.read_only = true;
                    }
                }
                _ if !(item && key == "volumes" && value.is_empty()) => name.clone_into(&mut key),
                _ => {}
            }
            given.machine |= name == "privileged" && plain(value) == "true"
                || matches!(name, "pid" | "userns_mode") && plain(value) == "host";
            for part in listed(value) {
                given.entry(&key, part);
            }
        } else {
            given.entry(&key, plain(bare.trim_end_matches(',')));
        }
        if item {
            bind = bind && pair.is_some();
        }
    }
    given
}

impl Given {
    fn entry(&mut self, key: &str, value: &str) {
        match key {
            "volumes" | "devices" if value.contains(':') => self.mounts.extend(mount(value)),
            "cap_add" => self.machine |= matches!(value, "ALL" | "SYS_ADMIN" | "CAP_SYS_ADMIN"),
            "security_opt" => self.machine |= value.ends_with("unconfined"),
            _ => {}
        }
    }
}

/// `[a, "b"]`
fn listed(value: &str) -> impl Iterator<Item = &str> {
    let inner = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
    inner.split(',').map(plain).filter(|part| !part.is_empty())
}

fn plain(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(text: &str, here: &str, inside: &str, read_only: bool) {
        let expected = Mount { here: here.into(), inside: inside.into(), read_only };
        assert_eq!(mount(text), Some(expected), "{text}");
    }

    #[test]
    fn mounts_in_every_spelling() {
        is("/:/host", "/", "/host", false);
        is(".:/app:ro,z", ".", "/app", true);
        is("type=bind,src=/,dst=/host", "/", "/host", false);
        is("dst=/host,readonly,source=/etc,type=bind", "/etc", "/host", true);
        is("target=/x,type=bind,source=work", "work", "/x", false);
        assert_eq!(mount("data:/var/lib"), None);
        assert_eq!(mount("type=volume,src=data,dst=/x"), None);
    }

    #[test]
    fn what_a_compose_file_gives() {
        let file = "services:\n  a:\n    image: x\n    privileged: true\n    volumes:\n      - /:/host # all\n      - \"./src:/app\"\n      - data:/x\n";
        let given = compose(file);
        assert!(given.machine);
        assert_eq!(given.mounts.iter().map(|m| m.here.as_str()).collect::<Vec<_>>(), ["/", "./src"]);
        let long = "services:\n  a:\n    volumes:\n      - type: bind\n        source: /etc\n        target: /e\n        read_only: true\n      - type: volume\n        source: db\n        target: /d\nvolumes:\n  db:\n";
        let given = compose(long);
        assert_eq!(given.mounts, [Mount { here: "/etc".into(), inside: "/e".into(), read_only: true }]);
        assert!(!given.machine);
        let flow = "services: \n  a:\n    volumes: [\"/var/run/docker.sock:/var/run/docker.sock\"]\n    cap_add: [SYS_ADMIN]\n";
        let given = compose(flow);
        assert!(given.machine && given.mounts.len() == 1);
        let plain = compose(
            "services:\n  web:\n    build: .\n    ports:\n      - \"80:80\"\n    environment:\n      - A=/x:/y\n    command: cat /a:/b\n",
        );
        assert_eq!(plain, Given::default());
    }
}
