//! Where a tool's executable is: the project's own first, then PATH, then what `plimsoll tools install` has put into the
//! user's cache, then a runner that the project uses.

use std::path::{Path, PathBuf};

use model::config::JsRuntime;
use state::{Machine, files};

use crate::definition::{Home, Linter};
use crate::folders::upwards;

/// An executable, and what has to be said before the tool's own arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub program: PathBuf,
    pub before: Vec<String>,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The project's environment or `node_modules`.
    Project,
    Path,
    /// `plimsoll tools install`.
    Cache,
    /// `uv run`, `npx` and the like, which look for it themselves.
    Runner,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Project => "project",
            Origin::Path => "PATH",
            Origin::Cache => "plimsoll's cache",
            Origin::Runner => "runner",
        }
    }
}

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    pub machine: &'a Machine,
    pub project: &'a Path,
    pub runtime: JsRuntime,
}

/// The folder that `plimsoll tools install` fills.
pub fn tools_dir(machine: &Machine) -> PathBuf {
    machine.cache_dir().join("tools")
}

impl Places<'_> {
    /// The executable for a file in `near`.
    pub fn find(&self, linter: &Linter, near: &Path) -> Option<Place> {
        self.in_project(linter, near)
            .or_else(|| self.on_path(linter))
            .or_else(|| self.in_cache(linter))
            .or_else(|| self.by_runner(linter, near))
    }

    fn in_project(&self, linter: &Linter, near: &Path) -> Option<Place> {
        let of_project = |program| Place { program, before: Vec::new(), origin: Origin::Project };
        let folders = upwards(near, self.project).into_iter().chain([self.project]);
        match linter.home {
            Home::Native => None,
            Home::Python => {
                let active = self.machine.var(&model::environment::VIRTUAL_ENV).map(PathBuf::from);
                let environments =
                    folders.flat_map(|dir| [dir.join(".venv"), dir.join("venv")]).chain(active);
                environments
                    .map(|dir| dir.join("bin").join(linter.program))
                    .find(|file| files::is_file(file))
                    .map(of_project)
            }
            Home::Node => {
                let mut modules = folders.map(|dir| dir.join("node_modules"));
                modules.find_map(|dir| in_modules(linter, &dir)).map(of_project)
            }
        }
    }

    fn on_path(&self, linter: &Linter) -> Option<Place> {
        let program = self.machine.find_program(linter.program)?;
        let program = behind_script(linter, &program).unwrap_or(program);
        Some(Place { program, before: Vec::new(), origin: Origin::Path })
    }

    fn in_cache(&self, linter: &Linter) -> Option<Place> {
        linter.install?;
        let tools = tools_dir(self.machine);
        let program = match linter.home {
            Home::Node => in_modules(linter, &tools.join("node/node_modules")),
            Home::Python | Home::Native => ["python", linter.name]
                .map(|folder| tools.join(folder).join("bin").join(linter.program))
                .into_iter()
                .find(|file| files::is_file(file)),
        }?;
        Some(Place { program, before: Vec::new(), origin: Origin::Cache })
    }

    /// Only where the project says that it has the tool: a runner that has to find out takes longer than most linters.
    fn by_runner(&self, linter: &Linter, near: &Path) -> Option<Place> {
        let runners: &[(&str, &[&str])] = match (linter.home, self.runtime) {
            (Home::Native, _) => return None,
            (Home::Python, _) => &[("uv", &["run"])],
            (Home::Node, JsRuntime::Auto) => {
                &[("npx", &["--no-install"]), ("pnpm", &["exec"]), ("bunx", &["--no-install"])]
            }
            (Home::Node, JsRuntime::Node | JsRuntime::Npm) => &[("npx", &["--no-install"])],
            (Home::Node, JsRuntime::Pnpm) => &[("pnpm", &["exec"])],
            (Home::Node, JsRuntime::Bun) => &[("bunx", &["--no-install"])],
        };
        let (manifest, package) = match linter.home {
            Home::Node => (
                "package.json",
                format!("\"{}\"", linter.install.map_or(linter.name, |install| install.package)),
            ),
            _ => ("uv.lock", format!("name = \"{}\"", linter.name)),
        };
        let names = |dir: &Path| {
            files::read(&dir.join(manifest)).ok().flatten().is_some_and(|text| text.contains(&package))
        };
        upwards(near, self.project).into_iter().find(|dir| names(dir))?;
        runners.iter().find_map(|(runner, words)| {
            let program = self.machine.find_program(runner)?;
            let before = words.iter().copied().chain([linter.program]).map(str::to_owned).collect();
            Some(Place { program, before, origin: Origin::Runner })
        })
    }
}

fn in_modules(linter: &Linter, modules: &Path) -> Option<PathBuf> {
    if !files::is_dir(modules) {
        return None;
    }
    let native = linter.native.iter().map(|path| modules.join(path)).find(|file| files::is_file(file));
    native.or_else(|| Some(modules.join(".bin").join(linter.program)).filter(|file| files::is_file(file)))
}

/// The native executable behind a node script that was installed for the whole machine.
fn behind_script(linter: &Linter, program: &Path) -> Option<PathBuf> {
    if linter.native.is_empty() {
        return None;
    }
    let real = files::resolve(program);
    let modules = real.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == "node_modules"))?;
    linter.native.iter().map(|path| modules.join(path)).find(|file| files::is_file(file))
}
