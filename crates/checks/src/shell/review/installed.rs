//! What a project has already: a package that its manifest or lock file names, installed as those say.

use std::path::{Path, PathBuf};

use model::deed::{Certainty, Deed, Object, Verb};
use shell::Call;
use shell::programs::{Registry, Role};

use crate::Context;

/// Whether a package is one of the project's, in no other version than its files say, and lands where the project's packages are.
pub(super) fn is_listed(deed: &Deed, call: &Call, cx: &Context<'_>) -> bool {
    let Object::Package(text) = &deed.object else { return false };
    // The tables call it building where it is the project's surroundings that change, and the registry the usual one.
    let here = call.does(Verb::Builds) && deed.certainty == Certainty::Known && !call.elsewhere;
    let Some(registry) = call.words().entry.and_then(|entry| entry.registry) else { return false };
    here && !text.is_empty()
        && shell::text::is_known(&call.cwd)
        && folders(call, cx).iter().any(|dir| names(registry, text, dir, cx))
}

/// Whether a list of packages that is installed says where some of them come from: another index, an address, a folder.
pub(super) fn names_sources(call: &Call, cx: &Context<'_>) -> bool {
    let words = call.words();
    if !words.entry.is_some_and(|entry| entry.registry == Some(Registry::Pypi)) || !call.does(Verb::Builds) {
        return false;
    }
    let lists = words.given(&call.argv).filter(|(role, _)| *role == Role::Use);
    let texts = lists.filter_map(|(_, path)| {
        let path = shell::path::absolute(path, &call.cwd);
        cx.facts.read(Path::new(&path)).ok().flatten()
    });
    let elsewhere = |line: &str| {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let option = line.starts_with('-')
            && !["-r", "-c", "--requirement", "--constraint", "--hash"]
                .iter()
                .any(|word| line.starts_with(word));
        !line.starts_with('#') && (option || line.contains("://"))
    };
    texts.into_iter().any(|text| text.lines().any(elsewhere))
}

/// From where it is called up to the project.
fn folders(call: &Call, cx: &Context<'_>) -> Vec<PathBuf> {
    let project = cx.facts.project();
    let cwd = Path::new(&*call.cwd);
    let inside = cwd.ancestors().take_while(|dir| dir.starts_with(project));
    inside.map(Path::to_owned).collect()
}

fn names(registry: Registry, text: &str, dir: &Path, cx: &Context<'_>) -> bool {
    let read = |name: &str| cx.facts.read(&dir.join(name)).ok().flatten();
    let any = |files: &[&str], has: fn(&str, &str) -> bool| {
        files.iter().any(|file| read(file).is_some_and(|content| has(&content, text)))
    };
    match registry {
        Registry::Npm => {
            any(&["package.json"], in_package_json)
                || any(&["package-lock.json", "npm-shrinkwrap.json"], |content, name| {
                    is_name(name) && content.contains(&format!("\"node_modules/{name}\""))
                })
                || any(&["yarn.lock"], |content, name| {
                    is_name(name)
                        && content.lines().any(|line| {
                            line.trim_start_matches('"')
                                .strip_prefix(name)
                                .is_some_and(|rest| rest.starts_with('@'))
                        })
                })
        }
        Registry::Pypi => {
            any(&["requirements.txt", "requirements-dev.txt", "requirements.in"], |content, name| {
                content.lines().any(|line| is_requirement(line, name))
            }) || any(&["pyproject.toml"], in_pyproject)
        }
        Registry::Crates | Registry::Go | Registry::RubyGems => false,
    }
}

/// A name alone: without a version, another source, or a path.
fn is_name(text: &str) -> bool {
    let (scope, name) = text.strip_prefix('@').map_or((None, text), |rest| {
        rest.split_once('/').map_or((Some(""), rest), |(scope, name)| (Some(scope), name))
    });
    let plain = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    plain(name) && scope.is_none_or(plain)
}

fn in_package_json(content: &str, name: &str) -> bool {
    const TABLES: &[&str] = &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    let Ok(json) = serde_json::from_str::<serde_json::Value>(content) else { return false };
    // `name@range` where the manifest says just that.
    let (name, range) = match name.char_indices().skip(1).find(|(_, c)| *c == '@') {
        Some((at, _)) => (&name[..at], Some(&name[at + 1..])),
        None => (name, None),
    };
    is_name(name)
        && TABLES.iter().any(|table| {
            let listed = json[table][name].as_str();
            listed.is_some_and(|listed| range.is_none_or(|range| range == listed))
        })
}

/// One line of a list of requirements, with or without what it says of the version.
fn is_requirement(line: &str, text: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '.'], "-");
    let line = line.split(['#', ';']).next().unwrap_or_default().trim();
    let named = line.split(['[', '=', '<', '>', '~', '!', ' ', '@']).next().unwrap_or_default();
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    !named.is_empty()
        && (is_name(text) && plain(named) == plain(text)
            || squeezed(line) == squeezed(text) && !line.contains(['@', '/', ':']) && !line.starts_with('-'))
}

fn in_pyproject(content: &str, text: &str) -> bool {
    let Ok(table) = content.parse::<toml::Table>() else { return false };
    let list = |value: &toml::Value| {
        value.as_array().is_some_and(|lines| {
            lines.iter().filter_map(toml::Value::as_str).any(|line| is_requirement(line, text))
        })
    };
    let lists = |value: &toml::Value| value.as_table().is_some_and(|groups| groups.values().any(list));
    let keys = |value: &toml::Value| {
        is_name(text)
            && value.as_table().is_some_and(|known| known.keys().any(|key| is_requirement(key, text)))
    };
    let project = table.get("project");
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
    let groups = poetry.and_then(|poetry| poetry.get("group")).and_then(toml::Value::as_table);
    let grouped = groups.into_iter().flatten().filter_map(|(_, group)| group.get("dependencies"));
    project.and_then(|project| project.get("dependencies")).is_some_and(list)
        || project.and_then(|project| project.get("optional-dependencies")).is_some_and(lists)
        || table.get("dependency-groups").is_some_and(lists)
        || poetry.and_then(|poetry| poetry.get("dependencies")).into_iter().chain(grouped).any(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_a_dependency_counts() {
        let json = r#"{"name": "shop", "scripts": {"test": "x"}, "dependencies": {"react": "^18.0.0", "@a/b": "1"}}"#;
        for (name, listed) in [
            ("react", true),
            ("@a/b", true),
            ("react@^18.0.0", true),
            ("react@19", false),
            ("test", false),
            ("shop", false),
            ("react@github:x/react", false),
        ] {
            assert_eq!(in_package_json(json, name), listed, "{name}");
        }
        let toml = "[project]\nname = \"shop\"\nkeywords = [\"web\"]\ndependencies = [\"Requests >=2.31\"]\n[project.optional-dependencies]\ndev = [\"ruff\"]\n[dependency-groups]\ntest = [\"pytest-cov~=5.0\"]\n[tool.poetry.group.x.dependencies]\nflask = \"*\"\n";
        for (name, listed) in [
            ("requests", true),
            ("requests>=2.31", true),
            ("requests==1.0", false),
            ("requests[socks]", false),
            ("ruff", true),
            ("pytest_cov", true),
            ("flask", true),
            ("web", false),
            ("shop", false),
            ("./requests", false),
            ("requests @ https://x.example/r.whl", false),
        ] {
            let expected = if name == "requests>=2.31" { false } else { listed };
            assert_eq!(in_pyproject(toml, name), expected, "{name}");
        }
        assert!(is_requirement("requests==2.31.0  # pinned", "requests==2.31.0"));
        assert!(!is_requirement("-r other.txt", "-r"));
    }
}
