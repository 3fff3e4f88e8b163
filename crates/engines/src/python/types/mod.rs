//! Types: the core of ty's checker, in a database of our own.

mod database;
mod disk;
mod environment;
mod names;
mod settings;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ruff_db::diagnostic::{Diagnostic, DiagnosticId};
use ruff_db::files::{File, system_path_to_file};
use ruff_db::source::source_text;
use ruff_db::system::SystemPath;
use salsa::Database as _;
use ty_python_semantic::Db as _;

use self::database::Database;
use self::disk::{Disk, Newer};
use self::environment::{Environment, system_path};
use self::settings::Settings;
use crate::discover::{Cache, Place};
use crate::guarded;
use crate::lines::Lines;
use crate::problem::{Input, Outcome, Problem, Trouble};

const TY: &str = "ty";
/// Of one file. Ordinary ones take a twentieth of a second; a few kinds of code are known to take minutes.
const PATIENCE: Duration = Duration::from_secs(20);
/// The checker calls itself as deeply as the code is nested.
const STACK: usize = 64 << 20;

/// One for a whole run: what was worked out about the standard library and about imports holds for the next file.
#[derive(Default)]
pub(crate) struct Types {
    /// By folder.
    settings: Cache<PathBuf, Settings>,
    /// By root.
    projects: Mutex<HashMap<PathBuf, Project>>,
}

#[derive(Clone)]
struct Project {
    environment: Arc<Environment>,
    database: Database,
}

impl Types {
    pub(crate) fn lint(&self, input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        let settings =
            self.settings.get(&input.folder().to_path_buf(), || Settings::find(input.folder(), place))?;
        if settings.excludes(input.path) {
            return Ok(Vec::new());
        }
        let project = self.project(&settings, place)?;
        let text = names::with_known_comments(input.text).into_owned();
        let asked = Asked::new(project, &system_path(input.path)?, text)?;
        let cancel = asked.database.cancellation_token();
        let (sender, receiver) = mpsc::channel();
        let check = move || {
            // Nobody listens any more when it took too long.
            let _ = sender.send(guarded(|| Ok(asked.check())));
        };
        let thread = thread::Builder::new().name("types".into()).stack_size(STACK);
        thread.spawn(check).map_err(|error| Trouble::new(format_args!("no thread for ty: {error}")))?;
        let found = match receiver.recv_timeout(PATIENCE) {
            Ok(found) => found.map_err(|Trouble(why)| Trouble(format!("ty: {why}"))),
            Err(RecvTimeoutError::Timeout) => {
                // It ends at the next question that it asks itself, and is not waited for.
                cancel.cancel();
                Err(Trouble::new(format_args!("ty: it took longer than {} s", PATIENCE.as_secs())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(Trouble::new("ty: it ended without an answer")),
        };
        if found.is_err() {
            // What it had half worked out is not built upon.
            self.projects.lock().unwrap_or_else(PoisonError::into_inner).remove(&settings.root);
        }
        found
    }

    fn project(&self, settings: &Settings, place: &Place) -> Outcome<Project> {
        let projects = || self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = projects().get(&settings.root) {
            return Ok(project.clone());
        }
        let disk = Disk::new(system_path(&settings.root)?);
        let environment = Arc::new(Environment::find(settings, place, &disk)?);
        let database = Database::new(disk, environment.known.clone());
        let project = Project { environment, database };
        projects().insert(settings.root.clone(), project.clone());
        Ok(project)
    }
}

/// One file, in the database that has its text.
struct Asked {
    environment: Arc<Environment>,
    database: Database,
    file: File,
    text: String,
}

impl Asked {
    fn new(project: Project, path: &SystemPath, text: String) -> Outcome<Self> {
        let Project { environment, database } = project;
        let known = system_path_to_file(&database, path).ok();
        let same = known.filter(|file| source_text(&database, *file).as_str() == text);
        if let Some(file) = same {
            return Ok(Asked { environment, database, file, text });
        }
        // Newer than what is known: nothing that was worked out with the older text may be used.
        let database = database.anew(Newer { path: path.to_path_buf(), text: text.clone() });
        let file = system_path_to_file(&database, path)
            .map_err(|error| Trouble::new(format_args!("ty: {path}: {error}")))?;
        Ok(Asked { environment, database, file, text })
    }

    fn check(&self) -> Vec<Problem> {
        let Asked { environment, database, file, text } = self;
        let lines = Lines::new(text);
        let here = |found: &Diagnostic| {
            let span = found.primary_span()?;
            (span.expect_ty_file() == *file).then(|| span.range().map_or(0, |range| range.start().to_usize()))
        };
        let problem = |found: &Diagnostic| {
            let at = here(found)?;
            let (line, column) = lines.position(at);
            let message = found.concise_message().to_string();
            let code = match found.id() {
                DiagnosticId::Lint(name) => {
                    names::today(name.as_str(), &message, text.get(..at).unwrap_or_default())
                }
                other => other.as_str(),
            };
            Some(Problem { line, column, code: code.into(), message, linter: TY })
        };
        database
            .check_file(*file)
            .iter()
            .filter(|found| environment.has_packages || !lacks_packages(found))
            .filter(|found| !belongs_to_newer(found))
            .filter_map(problem)
            .collect()
    }
}

/// Whether it may be said only because the project's packages are not on this machine. Then an import that is not found says
/// nothing about the code, and a comment that leaves out what such an import would have shown is not unused. A relative import
/// is never a package's, and a name that a module does not have was looked for in a module that was found.
fn lacks_packages(found: &Diagnostic) -> bool {
    match found.id().as_str() {
        "unresolved-import" => {
            let message = found.headline_message();
            message.starts_with("Cannot resolve imported module") && !message.contains("`.")
        }
        "unused-ignore-comment" | "unused-type-ignore-comment" => true,
        _ => false,
    }
}

/// A comment may name a rule that only newer versions have.
fn belongs_to_newer(found: &Diagnostic) -> bool {
    found.id().as_str() == "ignore-comment-unknown-rule"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::write;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn with(files: &[(&str, &str)]) -> Self {
            let root = tempfile::tempdir().unwrap();
            files.iter().for_each(|(name, text)| write(&root.path().join(name), text));
            Folder(root)
        }

        fn place(&self) -> Place {
            Place { project: Some(self.0.path().to_path_buf()), ..Place::default() }
        }

        fn lint(&self, types: &Types, name: &str, text: &str) -> Outcome<Vec<(u32, String)>> {
            let found = types.lint(&Input::new(&self.0.path().join(name), text), &self.place())?;
            Ok(found.into_iter().map(|problem| (problem.line, problem.code.into_owned())).collect())
        }
    }

    fn lint(files: &[(&str, &str)], text: &str) -> Vec<(u32, String)> {
        Folder::with(files).lint(&Types::default(), "a.py", text).unwrap()
    }

    /// An environment as `python3 -m venv` leaves it, with one package.
    fn environment() -> Vec<(&'static str, &'static str)> {
        vec![
            (".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.1\n"),
            (".venv/bin/python", ""),
            (".venv/lib/python3.12/site-packages/there/__init__.py", "def size() -> int:\n    return 1\n"),
            (".venv/lib/python3.12/site-packages/there/py.typed", ""),
        ]
    }

    const WRONG: &str = "def f(x: int) -> str:\n    return x\n";

    fn one(line: u32, code: &str) -> Vec<(u32, String)> {
        vec![(line, code.to_owned())]
    }

    #[test]
    fn a_wrong_return_has_its_place_and_words() {
        let folder = Folder::with(&[]);
        let path = folder.0.path().join("a.py");
        let found = Types::default().lint(&Input::new(&path, WRONG), &folder.place()).unwrap();
        let [problem] = &found[..] else { panic!("{found:?}") };
        assert_eq!(
            (problem.line, problem.column, &*problem.code, problem.linter),
            (2, 12, "invalid-return-type", "ty")
        );
        assert!(problem.message.contains("expected `str`, found `int`"), "{}", problem.message);
        assert!(!problem.message.contains('\n'));
    }

    #[test]
    fn rules_have_the_names_that_the_tool_gives_them_today() {
        assert_eq!(lint(&[], "\"x\".nothing\n"), one(1, "missing-attribute"));
        for name in ["missing-attribute", "unresolved-attribute"] {
            let config = format!("rules.{name} = \"ignore\"\n");
            assert_eq!(lint(&[("ty.toml", &config)], "\"x\".nothing\n"), []);
            let text = format!("\"x\".nothing  # ty: ignore[{name}]\n");
            assert_eq!(lint(&[], &text), []);
        }
    }

    #[test]
    fn comments_hold() {
        assert_eq!(lint(&[], &WRONG.replace("return x", "return x  # type: ignore")), []);
        assert_eq!(lint(&[], &WRONG.replace("return x", "return x  # ty: ignore")), []);
        let other = WRONG.replace("return x", "return x  # ty: ignore[invalid-key]");
        assert_eq!(lint(&[], &other), one(2, "invalid-return-type"));
        // A rule that only newer versions have.
        assert_eq!(lint(&[], "x = 1  # ty: ignore[redundant-condition]\n"), []);
        let config = [("pyproject.toml", "[tool.ty.analysis]\nrespect-type-ignore-comments = false\n")];
        let ignored = WRONG.replace("return x", "return x  # type: ignore");
        assert_eq!(lint(&config, &ignored), one(2, "invalid-return-type"));
    }

    #[test]
    fn what_cannot_be_found_is_said_only_where_packages_are_known() {
        let text = "import elsewhere\nfrom there import size\n\nelsewhere.run(size() + 1)\n";
        assert_eq!(lint(&[], text), []);
        assert_eq!(lint(&environment(), text), one(1, "import-not-found"));
        // Not a package's: the standard library's and the project's own modules are there.
        assert_eq!(lint(&[], "from os import nothing_of_the_kind\n"), one(1, "import-not-found"));
        assert_eq!(
            lint(&[("own.py", "")], "from own import nothing_of_the_kind\n"),
            one(1, "import-not-found")
        );
        let comment = "import elsewhere  # ty: ignore[unresolved-import]\nx = elsewhere.y  # type: ignore\n";
        assert_eq!(lint(&[], comment), []);
    }

    #[test]
    fn types_come_from_packages_and_own_modules() {
        let wrong = "from there import size\n\nx: str = size()\n";
        assert_eq!(lint(&environment(), wrong), one(3, "invalid-assignment"));
        let own = [("src/own.py", "def size() -> int:\n    return 1\n")];
        assert_eq!(lint(&own, "from own import size\n\nx: str = size()\n"), one(3, "invalid-assignment"));
        let mut named = environment();
        named.push(("ty.toml", "environment.python = \"there-is-none\"\n"));
        assert_eq!(lint(&named, wrong), one(3, "invalid-assignment"));
    }

    #[test]
    fn the_version_decides() {
        let text = "from typing import Self\n";
        assert_eq!(lint(&[], text), []);
        let old = [("pyproject.toml", "[project]\nname = \"x\"\nrequires-python = \">=3.10\"\n")];
        assert_eq!(lint(&old, text), one(1, "import-not-found"));
    }

    #[test]
    fn one_checker_for_many_files_sees_the_text_that_it_is_given() {
        let importing = "import a\n\nx: int = a.f(1)\n";
        let folder = Folder::with(&[("a.py", WRONG), ("b.py", importing)]);
        let types = Types::default();
        assert_eq!(folder.lint(&types, "a.py", WRONG).unwrap(), one(2, "invalid-return-type"));
        assert_eq!(folder.lint(&types, "b.py", importing).unwrap(), one(3, "invalid-assignment"));
        // Newer than the disk, then older again, and one that is not on disk at all.
        assert_eq!(folder.lint(&types, "a.py", &WRONG.replace("str", "int")).unwrap(), []);
        assert_eq!(folder.lint(&types, "a.py", WRONG).unwrap(), one(2, "invalid-return-type"));
        assert_eq!(folder.lint(&types, "c.py", WRONG).unwrap(), one(2, "invalid-return-type"));
    }

    #[test]
    fn what_is_excluded_is_left_out() {
        let folder = Folder::with(&[("ty.toml", "src.exclude = [\"made\"]\n"), ("made/a.py", WRONG)]);
        let types = Types::default();
        assert_eq!(folder.lint(&types, "made/a.py", WRONG).unwrap(), []);
        assert_eq!(folder.lint(&types, "a.py", WRONG).unwrap(), one(2, "invalid-return-type"));
    }

    #[test]
    fn odd_text_does_not_end_the_program() {
        let deep = format!("x = {}1{}\n", "(".repeat(150), ")".repeat(150));
        let long = format!("x = 1{}\n", " + 1".repeat(3000));
        for text in
            ["", "\0", "def f(:\n", "class A(A): pass\n", "x = x\n", "\u{feff}x: int = ''\n", &deep, &long]
        {
            let _ = Folder::with(&[]).lint(&Types::default(), "a.py", text);
        }
        assert!(lint(&[], "def f(:\n").iter().all(|(_, code)| code == "invalid-syntax"));
    }

    #[test]
    fn settings_that_cannot_be_read_are_named() {
        let folder = Folder::with(&[("ty.toml", "rules = [")]);
        let trouble = folder.lint(&Types::default(), "a.py", "").unwrap_err();
        assert!(trouble.0.contains("ty.toml"), "{trouble}");
    }
}
