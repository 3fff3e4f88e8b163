//! The lock files of the tools that we install: every package with the hash of every file that it was published in, so that a
//! registry, or somebody between us and it, cannot hand out anything else.
//!
//! `scripts/lock-tools` makes them. They are for all tools of a folder; who wants one gets that one and what it needs.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

const PYTHON: &str = include_str!("../locks/python.txt");
const SEMGREP: &str = include_str!("../locks/semgrep.txt");
const NODE: &str = include_str!("../locks/package-lock.json");

/// The text of the lock file for a folder of Python tools.
pub(crate) fn python(folder: &str) -> &'static str {
    match folder {
        "semgrep" => SEMGREP,
        _ => PYTHON,
    }
}

/// One package of a requirements file.
struct Requirement<'a> {
    name: &'a str,
    version: &'a str,
    /// Its lines, hashes and all.
    text: &'a str,
    /// The packages that want it.
    via: Vec<&'a str>,
}

fn requirements(lock: &str) -> Vec<Requirement<'_>> {
    let mut starts: Vec<usize> = lock
        .match_indices(|c: char| c.is_ascii_alphanumeric())
        .map(|(at, _)| at)
        .filter(|&at| at == 0 || lock.as_bytes()[at - 1] == b'\n')
        .collect();
    starts.push(lock.len());
    starts.windows(2).filter_map(|range| requirement(&lock[range[0]..range[1]])).collect()
}

fn requirement(text: &str) -> Option<Requirement<'_>> {
    let (name, rest) = text.split_once("==")?;
    let version = rest.split([' ', ';', '\\', '\n']).next()?;
    // `# via a`, or `# via` and a line for each.
    let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
    let via = comments
        .map(|line| line.trim().trim_start_matches("via").trim())
        .filter(|name| !name.is_empty())
        .collect();
    Some(Requirement { name, version, text, via })
}

/// The version of a package that a folder of tools is locked to.
pub(crate) fn version(folder: &str, name: &str) -> Option<String> {
    if folder == "node" {
        let lock: Json = serde_json::from_str(NODE).unwrap_or_default();
        return lock["packages"][format!("node_modules/{name}")]["version"].as_str().map(str::to_owned);
    }
    requirements(python(folder)).iter().find(|one| one.name == name).map(|one| one.version.to_owned())
}

/// What is not in a lock file, or not in the version that is wanted.
#[derive(Debug, thiserror::Error)]
#[error("the lock file has no {0}")]
pub struct NotLocked(String);

/// The part of a requirements file that is about `packages` and whatever they need.
pub(crate) fn subset(lock: &str, packages: &Map<String, Json>) -> Result<String, NotLocked> {
    let all = requirements(lock);
    let mut wanted = BTreeSet::new();
    for (name, version) in packages {
        let known = all.iter().find(|one| one.name == name && Some(one.version) == version.as_str());
        wanted.insert(known.ok_or_else(|| NotLocked(format!("{name} {version}")))?.name);
    }
    loop {
        let more: Vec<&str> = all
            .iter()
            .filter(|one| !wanted.contains(one.name) && one.via.iter().any(|by| wanted.contains(by)))
            .map(|one| one.name)
            .collect();
        if more.is_empty() {
            break;
        }
        wanted.extend(more);
    }
    Ok(all.iter().filter(|one| wanted.contains(one.name)).map(|one| one.text).collect())
}

/// `package.json` and `package-lock.json` for `packages` and whatever they need.
pub(crate) fn node(packages: &Map<String, Json>) -> Result<(Json, Json), NotLocked> {
    node_of(&serde_json::from_str(NODE).unwrap_or_default(), packages)
}

fn node_of(lock: &Json, packages: &Map<String, Json>) -> Result<(Json, Json), NotLocked> {
    let manifest = json!({"name": "plimsoll-tools", "private": true, "dependencies": packages});
    let none = Map::new();
    let all = lock["packages"].as_object().unwrap_or(&none);
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for (name, version) in packages {
        let place = format!("node_modules/{name}");
        if all.get(&place).is_none_or(|entry| entry["version"] != *version) {
            return Err(NotLocked(format!("{name} {version}")));
        }
        open.push(place);
    }
    while let Some(place) = open.pop() {
        for kind in ["dependencies", "optionalDependencies", "peerDependencies"] {
            let needs = all[&place][kind].as_object().unwrap_or(&none);
            open.extend(
                needs.keys().filter_map(|name| found(all, &place, name)).filter(|at| !wanted.contains(at)),
            );
        }
        wanted.insert(place);
    }
    let mut kept = Map::new();
    kept.insert(String::new(), json!({"name": "plimsoll-tools", "dependencies": packages}));
    for (place, entry) in all.iter().filter(|(place, _)| wanted.contains(*place)) {
        let mut entry = entry.clone();
        if !keep_locked_builds(all, place, &mut entry) {
            let name = place.trim_start_matches("node_modules/");
            return Err(NotLocked(format!("{name} for {OS} on {CPU}")));
        }
        kept.insert(place.clone(), entry);
    }
    let lock = json!({
        "name": "plimsoll-tools",
        "lockfileVersion": lock["lockfileVersion"],
        "requires": true,
        "packages": kept,
    });
    Ok((manifest, lock))
}

/// As npm calls them.
const OS: &str = if cfg!(target_os = "macos") {
    "darwin"
} else if cfg!(windows) {
    "win32"
} else {
    "linux"
};
const CPU: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };

/// A package with executables has an optional package for each system. One whose hash nobody has looked up is left out, so that
/// npm does not fetch it unchecked. `false` where that leaves none for this system.
fn keep_locked_builds(all: &Map<String, Json>, place: &str, entry: &mut Json) -> bool {
    let Some(optional) = entry.get_mut("optionalDependencies").and_then(Json::as_object_mut) else {
        return true;
    };
    let before = optional.len();
    optional.retain(|name, _| found(all, place, name).is_some());
    let is_for_here = |name: &String| {
        let build = found(all, place, name).map(|at| &all[&at]);
        let lists = |key: &str, word: &str| {
            build
                .and_then(|build| build[key].as_array())
                .is_none_or(|list| list.iter().any(|one| one == word))
        };
        lists("os", OS) && lists("cpu", CPU)
    };
    optional.len() == before || optional.keys().any(is_for_here)
}

/// Where the package at `place` finds another one: below itself, or in a folder above.
fn found(all: &Map<String, Json>, place: &str, name: &str) -> Option<String> {
    let mut around = Path::new(place);
    loop {
        let at = around.join("node_modules").join(name).to_string_lossy().replace('\\', "/");
        if all.contains_key(&at) {
            return Some(at);
        }
        around = around.parent()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Registry;
    use crate::{LINTERS, install};

    fn pins(pairs: &[(&str, &str)]) -> Map<String, Json> {
        pairs.iter().map(|&(name, version)| (name.to_owned(), version.into())).collect()
    }

    #[test]
    fn every_tool_is_locked_in_the_version_of_its_definition_and_hashed() {
        let wanted: Vec<_> = LINTERS.iter().filter(|linter| linter.install.is_some()).collect();
        for group in install::groups(&wanted) {
            match group.registry {
                Registry::PyPi => {
                    let text = subset(python(group.name()), &group.packages()).unwrap();
                    assert!(requirements(&text).iter().all(|one| one.text.contains("--hash=sha256:")));
                }
                Registry::Npm => {
                    let (_, lock) = match node(&group.packages()) {
                        Ok(made) => made,
                        Err(error) if cfg!(all(target_os = "linux", target_arch = "x86_64")) => {
                            panic!("{error}")
                        }
                        // Not every registry has the builds for every system when the file is made.
                        Err(error) => return eprintln!("not run: {error}"),
                    };
                    let places = lock["packages"].as_object().unwrap();
                    assert!(places.len() > 50, "{}", places.len());
                    for (place, entry) in places.iter().filter(|(place, _)| !place.is_empty()) {
                        assert!(
                            entry["integrity"].as_str().is_some_and(|hash| hash.starts_with("sha512-")),
                            "{place}"
                        );
                        // Such a tool would not work: we run no scripts of packages.
                        assert_eq!(entry.get("hasInstallScript"), None, "{place}");
                    }
                }
            }
        }
    }

    /// An address in a lock file would send everybody there, whatever registry they have set up.
    #[test]
    fn locks_name_no_registry() {
        assert!(!PYTHON.contains("://") && !SEMGREP.contains("://"));
        assert!(!NODE.contains("\"resolved\""));
    }

    #[test]
    fn one_tool_brings_what_it_needs_and_no_other() {
        let lock = "a==1 ; python_version < '4' \\\n    --hash=sha256:00\n    # via Plimsoll\n\
                    b==2 \\\n    --hash=sha256:01\n    # via\n    #   a\n    #   d\n\
                    c==3 \\\n    --hash=sha256:02\n    # via b\n\
                    d==4 \\\n    --hash=sha256:03\n    # via Plimsoll\n";
        let names = |text: &str| requirements(text).iter().map(|one| one.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&subset(lock, &pins(&[("a", "1")])).unwrap()), ["a", "b", "c"]);
        assert_eq!(names(&subset(lock, &pins(&[("d", "4")])).unwrap()), ["b", "c", "d"]);
        assert_eq!(
            subset(lock, &pins(&[("a", "2")])).unwrap_err().to_string(),
            "the lock file has no a \"2\""
        );

        let lock = json!({"lockfileVersion": 3, "packages": {
            "": {"dependencies": {"a": "1", "z": "1"}},
            "node_modules/a": {"version": "1", "dependencies": {"b": "1", "c": "1"}},
            "node_modules/a/node_modules/b": {"version": "1", "dependencies": {"c": "1"}},
            "node_modules/b": {"version": "2"},
            "node_modules/c": {"version": "1", "optionalDependencies": {"n": "1"}, "peerDependencies": {"absent": "1"}},
            "node_modules/n": {"version": "1", "optional": true},
            "node_modules/z": {"version": "1", "dependencies": {"b": "2"}},
        }});
        let places = |pairs| {
            let (_, lock) = node_of(&lock, &pins(pairs)).unwrap();
            lock["packages"].as_object().unwrap().keys().skip(1).cloned().collect::<Vec<_>>()
        };
        let of_a = ["node_modules/a", "node_modules/a/node_modules/b", "node_modules/c", "node_modules/n"];
        assert_eq!(places(&[("a", "1")]), of_a);
        assert_eq!(places(&[("z", "1")]), ["node_modules/b", "node_modules/z"]);
        node_of(&lock, &pins(&[("a", "3")])).unwrap_err();
    }

    #[test]
    fn a_build_without_a_hash_is_not_fetched() {
        let with = |os: &str| {
            let lock = json!({"lockfileVersion": 3, "packages": {
                "node_modules/a": {"version": "1", "optionalDependencies": {"a-here": "1", "a-there": "1"}},
                "node_modules/a-here": {"version": "1", "os": [os], "cpu": [CPU]},
            }});
            node_of(&lock, &pins(&[("a", "1")]))
        };
        let (_, lock) = with(OS).unwrap();
        assert_eq!(lock["packages"]["node_modules/a"]["optionalDependencies"], json!({"a-here": "1"}));
        let refused = with("another").unwrap_err().to_string();
        assert_eq!(refused, format!("the lock file has no a for {OS} on {CPU}"));
    }
}
