//! Where a tool's executable is: the project's own first, then PATH, then what `plimsoll tools install` has put into the
//! user's cache, then a runner that the project uses.
//!
//! Of a project that is not trusted nothing is run: not what lies in it or is reached through it, and nothing that would run its code.
//! Everything that starts a tool gets it from here, so that this is the one place where that is decided.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use model::config::JsRuntime;
use state::config::Trust;
use state::git::Repository;
use state::process::Program;
use state::reach::Fence;
use state::{Machine, files, program_files, trust};

use crate::definition::{Home, Linter, ProjectCode};
use crate::folders::upwards;

/// An executable, and what has to be said before the tool's own arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub program: PathBuf,
    pub before: Vec<String>,
    pub origin: Origin,
    /// The folder of a project that is not trusted, which the tool is kept apart from.
    apart_from: Option<PathBuf>,
}

impl Place {
    fn new(program: PathBuf, origin: Origin) -> Self {
        Self { program, before: Vec::new(), origin, apart_from: None }
    }

    /// The executable, ready for its arguments.
    pub fn start(&self, machine: &Machine) -> Program {
        let program = Program::new(&self.program).args(&self.before);
        match &self.apart_from {
            Some(folder) => program.apart_from(&Fence::around(machine, folder)),
            None => program,
        }
    }
}

/// Where a tool is, and whether it may be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    Ready(Place),
    Waits(Waiting),
}

/// A tool that is there, and is not run before the user trusts the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub linter: &'static Linter,
    place: Place,
    pub why: Reason,
}

impl Waiting {
    /// What would be run: below the project as the user sees it there, elsewhere with its whole path.
    pub fn shown(&self, project: &Path) -> String {
        let program = self.place.program.strip_prefix(project).unwrap_or(&self.place.program);
        let words = [program.display().to_string()].into_iter().chain(self.place.before.iter().cloned());
        plain(&words.collect::<Vec<_>>().join(" "))
    }
}

/// Without what a terminal would act upon, or show in another order than it is read: the text is the project's.
pub fn plain(text: &str) -> String {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if acts(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Why it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It lies in the project, or is reached through it.
    InProject,
    /// It runs code of the project.
    RunsCode(ProjectCode),
    /// A runner starts whatever the project has installed.
    Runner,
    /// The stand-in of a version manager, which lets the project choose what is run.
    StandIn,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::InProject => "is part of the project",
            Reason::RunsCode(how) => how.why(),
            Reason::Runner => "starts what the project has installed",
            Reason::StandIn => "lets the project choose which program runs",
        }
    }
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
    /// Whether the project's own tools need the user's trust.
    pub trust: Trust,
}

/// The folder that `plimsoll tools install` fills.
pub fn tools_dir(machine: &Machine) -> PathBuf {
    machine.cache_dir().join("tools")
}

impl<'a> Places<'a> {
    /// The executable for a file in `near`, where it may be started.
    pub fn find(&self, linter: &'static Linter, near: &'a Path) -> Option<Place> {
        match self.near(near).locate(linter)? {
            Located::Ready(place) => Some(place),
            Located::Waits(_) => None,
        }
    }

    /// For looking after several tools of the files in one folder.
    pub fn near(&self, near: &'a Path) -> Search<'a> {
        Search { places: *self, near, gate: OnceCell::new() }
    }

    fn in_project(&self, linter: &Linter, near: &Path) -> Option<Place> {
        let of_project = |program| Place::new(program, Origin::Project);
        let folders = upwards(near, self.project).into_iter().chain([self.project]);
        match linter.home {
            Home::Native => None,
            Home::Python => {
                let active = self.machine.var(&model::environment::VIRTUAL_ENV).map(PathBuf::from);
                let environments =
                    folders.flat_map(|dir| [dir.join(".venv"), dir.join("venv")]).chain(active);
                environments
                    .flat_map(|dir| in_environment(&dir, linter.program, cfg!(windows)))
                    .find(|file| files::is_file(file))
                    .map(of_project)
            }
            Home::Node => {
                let mut modules = folders.map(|dir| dir.join("node_modules"));
                modules.find_map(|dir| in_modules(linter, &dir)).map(of_project)
            }
        }
    }

    fn on_path(&self, linter: &'static Linter) -> impl Iterator<Item = Place> {
        self.machine.find_programs(linter.program).map(|program| {
            let program = behind_script(linter, &program).unwrap_or(program);
            Place::new(program, Origin::Path)
        })
    }

    fn in_cache(&self, linter: &Linter) -> Option<Place> {
        linter.install?;
        let tools = tools_dir(self.machine);
        let program = match linter.home {
            Home::Node => in_modules(linter, &tools.join("node/node_modules")),
            Home::Python | Home::Native => ["python", linter.name]
                .into_iter()
                .flat_map(|folder| in_environment(&tools.join(folder), linter.program, cfg!(windows)))
                .find(|file| files::is_file(file)),
        }?;
        Some(Place::new(program, Origin::Cache))
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
            Some(Place { before, ..Place::new(program, Origin::Runner) })
        })
    }
}

/// The tools for the files in one folder.
#[derive(Debug)]
pub struct Search<'a> {
    places: Places<'a>,
    near: &'a Path,
    /// What a tool may not come from; nothing where the project is trusted. Found out once, and only where there is a tool.
    gate: OnceCell<Option<Gate>>,
}

#[derive(Debug)]
struct Gate {
    folder: PathBuf,
    fence: Fence,
    /// The environment that the user has activated, which may lie anywhere.
    active: Option<PathBuf>,
}

impl Search<'_> {
    /// Where a tool is. One that may be started is preferred to one that waits for trust.
    pub fn locate(&self, linter: &'static Linter) -> Option<Located> {
        let mut waiting = None;
        for place in self.candidates(linter) {
            let gate = self.gate.get_or_init(|| self.gate()).as_ref();
            match gate.and_then(|gate| gate.holds(linter, &place)) {
                None => {
                    let apart_from = gate.map(|gate| gate.folder.clone());
                    return Some(Located::Ready(Place { apart_from, ..place }));
                }
                Some(why) => {
                    let found = Waiting { linter, place, why };
                    waiting.get_or_insert(Located::Waits(found));
                }
            }
        }
        waiting
    }

    fn candidates(&self, linter: &'static Linter) -> impl Iterator<Item = Place> {
        let Self { places, near, .. } = self;
        let own = places.in_project(linter, near).into_iter();
        let cache = || places.in_cache(linter);
        let runner = || places.by_runner(linter, near);
        let rest = std::iter::once_with(cache).flatten().chain(std::iter::once_with(runner).flatten());
        own.chain(places.on_path(linter)).chain(rest)
    }

    fn gate(&self) -> Option<Gate> {
        let Places { machine, trust, .. } = self.places;
        let folder = self.folder().to_owned();
        if trust == Trust::Everything || trust::tools_may_run(machine, &folder) {
            return None;
        }
        let fence = Fence::around(machine, &folder);
        let active = machine.var(&model::environment::VIRTUAL_ENV).map(PathBuf::from);
        Some(Gate { folder, fence, active })
    }

    /// The folder that trust is about: the project. For a file outside of it, or in a repository within it, the file's own; and a
    /// home is not a project, but has many.
    fn folder(&self) -> &Path {
        let (project, near) = (self.places.project, self.near);
        let home = self.places.machine.home().is_some_and(|home| home.starts_with(project));
        let own = Repository::find(near).is_some_and(|own| !project.starts_with(&own.root));
        if near.starts_with(project) && !own && !home { project } else { near }
    }
}

impl Gate {
    /// Why a tool may not be started before the user trusts the project.
    fn holds(&self, linter: &Linter, place: &Place) -> Option<Reason> {
        let active = || self.active.as_ref().is_some_and(|active| place.program.starts_with(active));
        match (place.origin, linter.project_code) {
            (Origin::Runner, _) => Some(Reason::Runner),
            // Found beside the file, it is the project's, wherever a link leads.
            (Origin::Project, _) if !active() => Some(Reason::InProject),
            _ if self.fence.holds(&place.program) => Some(Reason::InProject),
            _ if is_stand_in(&place.program) => Some(Reason::StandIn),
            (_, ProjectCode::No) => None,
            (_, how) => Some(Reason::RunsCode(how)),
        }
    }
}

/// Whether a version manager (asdf, mise, volta, pyenv, …) has put this there in a tool's place. Which program it starts is in a file of the project,
/// and may be one of its own: `.tool-versions` takes a path, and volta prefers what `node_modules` has.
fn is_stand_in(program: &Path) -> bool {
    const FOLDERS: &[&str] = &["shims", ".volta"];
    const MANAGERS: &[&str] =
        &["volta-shim", "mise", "rtx", "asdf", "proto-shim", "rustup", "aqua-proxy", "hermit"];
    let real = files::resolve(program);
    let in_folder = program.components().any(|part| FOLDERS.iter().any(|name| part.as_os_str() == *name));
    in_folder || real.file_stem().is_some_and(|name| MANAGERS.iter().any(|manager| name == *manager))
}

fn in_modules(linter: &Linter, modules: &Path) -> Option<PathBuf> {
    if !files::is_dir(modules) {
        return None;
    }
    let native = linter.native.iter().map(|path| modules.join(path)).find(|file| files::is_file(file));
    native.or_else(|| {
        program_files(&modules.join(".bin"), linter.program, cfg!(windows)).find(|file| files::is_file(file))
    })
}

/// Where an environment of Python has a program.
fn in_environment(dir: &Path, program: &str, windows: bool) -> impl Iterator<Item = PathBuf> + use<> {
    program_files(&dir.join(if windows { "Scripts" } else { "bin" }), program, windows)
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

#[cfg(unix)]
#[cfg(test)]
mod tests;
