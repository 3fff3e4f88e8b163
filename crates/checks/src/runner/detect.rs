//! Which runner a changed file is tested by.

use std::path::{Path, PathBuf};

use model::source;

use super::Runner;

/// What detection asks about the disk.
pub trait Looks {
    /// A file's text; `None` when there is no such file.
    fn text(&self, path: &Path) -> Option<String>;
    fn exists(&self, path: &Path) -> bool;
    /// The folders in a folder, without hidden ones.
    fn folders(&self, dir: &Path) -> Vec<PathBuf>;
    /// The files in a folder.
    fn files(&self, dir: &Path) -> Vec<PathBuf>;
    /// Whether a program of this name is on PATH.
    fn has_program(&self, name: &str) -> bool;
}

/// What is to be run, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub runner: Runner,
    pub dir: PathBuf,
    pub program: String,
    pub args: Vec<String>,
}

/// The runner of the nearest folder from the file up to `root` that has one for its language.
pub fn detect(root: &Path, file: &Path, looks: &dyn Looks) -> Option<Plan> {
    let find: fn(&Path, &Path, &dyn Looks) -> Option<Plan> = match source::extension(file) {
        "py" => python,
        "ts" | "tsx" | "js" | "jsx" => javascript,
        "rs" => rust,
        "go" => go,
        _ => return None,
    };
    let start = file.parent().filter(|dir| dir.starts_with(root)).unwrap_or(root);
    start.ancestors().take_while(|dir| dir.starts_with(root)).find_map(|dir| find(root, dir, looks))
}

/// How deep below its root the parts of a project lie: `packages/web`, `services/billing/api`.
const DEPTH: usize = 3;
/// Folders that are looked into, so that a large project stays cheap.
const FOLDERS: usize = 300;

/// The runners of a whole project: of its root, one for each language; where the root has none, of the nearest folders below it that have.
pub fn plans(root: &Path, looks: &dyn Looks) -> Vec<Plan> {
    let of = |dir: &Path| -> Vec<Plan> {
        [python, javascript, rust, go].iter().filter_map(|find| find(root, dir, looks)).collect()
    };
    let mut found = of(root);
    if !found.is_empty() {
        return found;
    }
    let (mut level, mut looked) = (vec![root.to_owned()], 0);
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for dir in level.iter().flat_map(|dir| looks.folders(dir)) {
            if looked == FOLDERS || source::is_foreign(dir.strip_prefix(root).unwrap_or(&dir)) {
                continue;
            }
            looked += 1;
            let here = of(&dir);
            if here.is_empty() {
                below.push(dir);
            } else {
                found.extend(here);
            }
        }
        level = below;
    }
    found
}

/// What each of these runners covers, in words for the records: its folder below the root, and itself where the folder has several.
pub fn places(plans: &[Plan], root: &Path) -> Vec<String> {
    let place = |plan: &Plan| {
        let folder = plan.dir.strip_prefix(root).unwrap_or(&plan.dir).to_string_lossy().into_owned();
        let alone = plans.iter().filter(|other| other.dir == plan.dir).count() < 2;
        if alone { folder } else { format!("{folder}:{}", plan.runner.as_str()) }
    };
    plans.iter().map(place).collect()
}

impl Plan {
    /// Whether a program of this name is what the plan starts, or starts by another.
    pub(crate) fn starts(&self, program: &str) -> bool {
        let own = Path::new(&self.program).file_name().is_some_and(|name| name.to_str() == Some(program));
        own || self.args.iter().any(|arg| arg == program)
    }
}

/// Whether the root of a project has tests to run.
pub fn has_tests(root: &Path, looks: &dyn Looks) -> bool {
    [python, javascript, rust, go].iter().any(|find| find(root, root, looks).is_some())
}

fn plan(runner: Runner, dir: &Path, program: impl Into<String>, args: &[&str]) -> Option<Plan> {
    let args = args.iter().map(|&arg| arg.to_owned()).collect();
    Some(Plan { runner, dir: dir.to_owned(), program: program.into(), args })
}

/// A program of the project's own environment, in this folder or one above it.
fn local(root: &Path, dir: &Path, places: &[&str], name: &str, looks: &dyn Looks) -> Option<String> {
    let dirs = dir.ancestors().take_while(|dir| dir.starts_with(root));
    let mut files = dirs.flat_map(|dir| places.iter().map(move |place| dir.join(place).join(name)));
    files.find(|file| looks.exists(file)).map(|file| file.to_string_lossy().into_owned())
}

/// Short, and without a folder of its own in the project.
const PYTEST: &[&str] = &["-q", "--no-header", "-p", "no:cacheprovider"];

fn python(root: &Path, dir: &Path, looks: &dyn Looks) -> Option<Plan> {
    let says = |name: &str, mark: &str| looks.text(&dir.join(name)).is_some_and(|text| text.contains(mark));
    let configured = says("pyproject.toml", "[tool.pytest")
        || says("setup.cfg", "[tool:pytest]")
        || says("tox.ini", "[pytest]")
        || ["pytest.ini", "conftest.py"].iter().any(|name| looks.exists(&dir.join(name)));
    let folder = ["tests", "test"].into_iter().find(|name| has_python(&dir.join(name), looks));
    // Above the file, only the root may have tests without saying so.
    if !configured && (folder.is_none() || dir != root && !looks.exists(&dir.join("pyproject.toml"))) {
        return None;
    }
    if let Some(own) =
        local(root, dir, &[".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts"], "pytest", looks)
    {
        return plan(Runner::Pytest, dir, own, PYTEST);
    }
    if looks.exists(&dir.join("uv.lock")) && looks.has_program("uv") {
        return plan(Runner::Pytest, dir, "uv", &[&["run", "pytest"], PYTEST].concat());
    }
    if looks.has_program("pytest") {
        return plan(Runner::Pytest, dir, "pytest", PYTEST);
    }
    let interpreter = ["python3", "python"].into_iter().find(|name| looks.has_program(name))?;
    let interpreter =
        local(root, dir, &[".venv/bin", "venv/bin"], "python", looks).unwrap_or_else(|| interpreter.into());
    let mut args = vec!["-m", "unittest", "discover"];
    if let Some(folder) = folder {
        args.extend(["-s", folder]);
        // Tests that are a package import the code from above it.
        if looks.exists(&dir.join(folder).join("__init__.py")) {
            args.extend(["-t", "."]);
        }
    }
    plan(Runner::Unittest, dir, interpreter, &args)
}

/// Whether a folder of tests has any of this language in it. Those of others are often called the same.
fn has_python(dir: &Path, looks: &dyn Looks) -> bool {
    let here = |dir: &Path| looks.files(dir).iter().any(|file| source::extension(file) == "py");
    looks.exists(dir) && (here(dir) || looks.folders(dir).iter().any(|dir| here(dir)))
}

fn javascript(root: &Path, dir: &Path, looks: &dyn Looks) -> Option<Plan> {
    let package = looks.text(&dir.join("package.json"));
    let has = |stem: &str| {
        ["ts", "js", "mts", "mjs", "cts", "cjs", "json"]
            .iter()
            .any(|ending| looks.exists(&dir.join(format!("{stem}.{ending}"))))
    };
    let tool = |name: &str| local(root, dir, &["node_modules/.bin"], name, looks);
    let either = |name: &str, args: &[&str], runner| match tool(name) {
        Some(own) => plan(runner, dir, own, args),
        None if looks.has_program("npx") => {
            plan(runner, dir, "npx", &[&["--no-install", name], args].concat())
        }
        None => None,
    };
    if has("vitest.config") {
        return either("vitest", &["run"], Runner::Vitest);
    }
    if has("jest.config") || package.as_deref().is_some_and(|text| text.contains("\"jest\": {")) {
        return either("jest", &[], Runner::Jest);
    }
    let package = package?;
    let bun = ["bun.lock", "bun.lockb"].iter().any(|name| looks.exists(&dir.join(name)))
        && looks.has_program("bun");
    let script = test_script(&package);
    match script.as_deref() {
        Some(script) if bun && script.starts_with("bun test") => plan(Runner::Bun, dir, "bun", &["test"]),
        Some(_) => {
            let manager = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")];
            let manager = manager
                .into_iter()
                .find(|(lock, name)| looks.exists(&dir.join(lock)) && looks.has_program(name));
            let manager = manager.map_or(if bun { "bun" } else { "npm" }, |(_, name)| name);
            plan(Runner::Script, dir, manager, if manager == "bun" { &["run", "test"] } else { &["test"] })
        }
        None if bun => plan(Runner::Bun, dir, "bun", &["test"]),
        None if looks.has_program("node") && has_node_tests(dir, looks) => {
            plan(Runner::Script, dir, "node", &["--test"])
        }
        None => None,
    }
}

/// Whether there are tests for the runner that comes with Node, which needs no word about it in `package.json`.
fn has_node_tests(dir: &Path, looks: &dyn Looks) -> bool {
    let places = ["", "test", "tests", "src"].map(|name| dir.join(name));
    let mut files = places.iter().filter(|dir| looks.exists(dir)).flat_map(|dir| looks.files(dir));
    files.any(|file| {
        matches!(source::extension(&file), "js" | "mjs" | "cjs")
            && source::is_test(file.strip_prefix(dir).unwrap_or(&file))
            && looks.text(&file).is_some_and(|text| text.contains("node:test"))
    })
}

/// `scripts.test` of a `package.json`, unless it is the one that `npm init` writes.
fn test_script(package: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(package).ok()?;
    let script = json["scripts"]["test"].as_str()?;
    (!script.contains("no test specified")).then(|| script.to_owned())
}

fn rust(root: &Path, dir: &Path, looks: &dyn Looks) -> Option<Plan> {
    looks.text(&dir.join("Cargo.toml"))?;
    let workspace = dir.ancestors().take_while(|dir| dir.starts_with(root));
    let mut nextest = workspace.map(|dir| dir.join(".config/nextest.toml"));
    if nextest.any(|file| looks.exists(&file)) && looks.has_program("cargo-nextest") {
        return plan(Runner::Nextest, dir, "cargo", &["nextest", "run", "--no-fail-fast"]);
    }
    plan(Runner::Cargo, dir, "cargo", &["test", "--no-fail-fast"])
}

fn go(_: &Path, dir: &Path, looks: &dyn Looks) -> Option<Plan> {
    looks.text(&dir.join("go.mod"))?;
    plan(Runner::Go, dir, "go", &["test", "./..."])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    struct Disk(BTreeMap<PathBuf, &'static str>, Vec<&'static str>);

    impl Looks for Disk {
        fn text(&self, path: &Path) -> Option<String> {
            self.0.get(path).map(|text| (*text).to_owned())
        }

        fn exists(&self, path: &Path) -> bool {
            self.0.keys().any(|file| file.starts_with(path))
        }

        fn folders(&self, dir: &Path) -> Vec<PathBuf> {
            let below = self.0.keys().filter_map(|file| file.strip_prefix(dir).ok());
            let names =
                below.filter(|path| path.components().count() > 1).filter_map(|path| path.iter().next());
            let mut found: Vec<PathBuf> = names.map(|name| dir.join(name)).collect();
            found.dedup();
            found
        }

        fn files(&self, dir: &Path) -> Vec<PathBuf> {
            self.0.keys().filter(|file| file.parent() == Some(dir)).cloned().collect()
        }

        fn has_program(&self, name: &str) -> bool {
            self.1.contains(&name)
        }
    }

    #[test]
    fn each_kind_of_project_has_its_runner() {
        for (files, programs, file, expected) in [
            (
                &[("pyproject.toml", "[tool.pytest.ini_options]")][..],
                &["pytest"][..],
                "src/a.py",
                "pytest -q --no-header -p no:cacheprovider",
            ),
            (
                &[("tests/test_a.py", ""), (".venv/bin/pytest", "")],
                &[],
                "a.py",
                "/p/.venv/bin/pytest -q --no-header -p no:cacheprovider",
            ),
            (
                &[("pytest.ini", ""), ("uv.lock", "")],
                &["uv"],
                "a.py",
                "uv run pytest -q --no-header -p no:cacheprovider",
            ),
            (&[("tests/test_a.py", "")], &["python3"], "a.py", "python3 -m unittest discover -s tests"),
            (
                &[("tests/__init__.py", "")],
                &["python3"],
                "a.py",
                "python3 -m unittest discover -s tests -t .",
            ),
            (
                &[("vitest.config.ts", ""), ("node_modules/.bin/vitest", "")],
                &[],
                "src/a.ts",
                "/p/node_modules/.bin/vitest run",
            ),
            (&[("jest.config.js", "")], &["npx"], "src/a.tsx", "npx --no-install jest"),
            (&[("package.json", r#"{"scripts": {"test": "node --test"}}"#)], &["npm"], "a.js", "npm test"),
            (
                &[("package.json", r#"{"scripts": {"test": "x"}}"#), ("pnpm-lock.yaml", "")],
                &["pnpm"],
                "a.js",
                "pnpm test",
            ),
            (&[("package.json", "{}"), ("bun.lock", "")], &["bun"], "a.ts", "bun test"),
            (
                &[("package.json", "{}"), ("test/a.test.js", "import test from 'node:test'")],
                &["node", "python3"],
                "a.js",
                "node --test",
            ),
            (&[("Cargo.toml", "")], &[], "src/a.rs", "cargo test --no-fail-fast"),
            (
                &[("Cargo.toml", ""), (".config/nextest.toml", "")],
                &["cargo-nextest"],
                "src/a.rs",
                "cargo nextest run --no-fail-fast",
            ),
            (&[("go.mod", "")], &[], "pkg/a.go", "go test ./..."),
        ] {
            let disk = Disk(
                files.iter().map(|(name, text)| (Path::new("/p").join(name), *text)).collect(),
                programs.to_vec(),
            );
            let found = detect(Path::new("/p"), &Path::new("/p").join(file), &disk);
            let said = found.map(|plan| [&[plan.program][..], &plan.args].concat().join(" "));
            assert_eq!(said.as_deref(), Some(expected));
        }
    }

    #[test]
    fn without_tests_there_is_no_runner() {
        for (files, file) in [
            (&[("pyproject.toml", "[project]")][..], "a.py"),
            (
                &[(
                    "package.json",
                    r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
                )],
                "a.js",
            ),
            (&[("Makefile", "")], "a.c"),
            (&[("test/a.test.js", "")], "a.py"),
            (&[("package.json", "{}"), ("test/a.test.js", "import { it } from 'mocha'")], "a.js"),
            (&[], "a.rs"),
        ] {
            let disk = Disk(
                files.iter().map(|(name, text)| (Path::new("/p").join(name), *text)).collect(),
                vec!["npm", "node", "pytest"],
            );
            assert_eq!(detect(Path::new("/p"), &Path::new("/p").join(file), &disk), None, "{file}");
        }
    }

    #[test]
    fn a_project_has_the_runners_of_its_root_else_of_its_folders() {
        let shown = |files: &[(&'static str, &'static str)]| -> Vec<String> {
            let disk = Disk(
                files.iter().map(|(name, text)| (Path::new("/p").join(name), *text)).collect(),
                vec!["pytest", "npm"],
            );
            plans(Path::new("/p"), &disk)
                .iter()
                .map(|plan| format!("{} in {}", plan.program, plan.dir.display()))
                .collect()
        };
        let script = r#"{"scripts": {"test": "node --test"}}"#;
        assert_eq!(
            shown(&[("Cargo.toml", ""), ("package.json", script), ("web/package.json", script)]),
            ["npm in /p", "cargo in /p"]
        );
        assert_eq!(
            shown(&[
                ("api/pytest.ini", ""),
                ("web/package.json", script),
                ("node_modules/x/package.json", script)
            ]),
            ["pytest in /p/api", "npm in /p/web"]
        );
        assert_eq!(
            shown(&[("packages/api/pytest.ini", ""), ("packages/web/package.json", script), ("go.work", "")]),
            ["pytest in /p/packages/api", "npm in /p/packages/web"]
        );
        assert!(shown(&[("README.md", "")]).is_empty());
    }

    #[test]
    fn the_nearest_project_counts() {
        let disk = Disk(
            [("/p/Cargo.toml", ""), ("/p/crates/a/Cargo.toml", "")].map(|(k, v)| (k.into(), v)).into(),
            vec![],
        );
        let found = detect(Path::new("/p"), Path::new("/p/crates/a/src/x.rs"), &disk).unwrap();
        assert_eq!(found.dir, Path::new("/p/crates/a"));
    }
}
