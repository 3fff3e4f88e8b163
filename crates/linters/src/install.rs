//! Puts tools into the user's cache folder, in the versions that their definitions were made with, with the ordinary clients of
//! the ordinary registries. Those check what they download against our lock files, which name every file's hash; no script of
//! a package runs, and nothing is built.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use state::process::{Finished, Program};
use state::reach::Fence;
use state::{Lock, LockError, Machine, atomic, files};
use thiserror::Error;

use crate::definition::{Linter, Registry};
use crate::find::tools_dir;
use crate::locked::{self, NotLocked};

/// A slow network, a large package.
const LIMIT: Duration = Duration::from_mins(20);

/// Why a group of tools could not be installed.
#[derive(Debug, Error)]
pub enum NotInstalled {
    #[error("{} cannot be written: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The lock file that this program carries has not what its definitions want.
    #[error(transparent)]
    NotLocked(#[from] NotLocked),
    #[error("neither uv nor python3 is installed")]
    NoPython,
    #[error("npm is not installed")]
    NoNpm,
    #[error("its installer could not be started: {0}")]
    Start(io::Error),
    /// The last lines of what the installer said.
    #[error("{said}")]
    Installer { said: String },
}

/// Tools that share a folder.
#[derive(Debug)]
pub struct Group {
    pub registry: Registry,
    name: &'static str,
    pub linters: Vec<&'static Linter>,
}

impl Group {
    pub fn folder(&self, machine: &Machine) -> PathBuf {
        tools_dir(machine).join(self.name)
    }

    #[cfg(test)]
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Every package with its version, as the record keeps them.
    pub(crate) fn packages(&self) -> Map<String, Json> {
        let mut packages = Map::new();
        for install in self.linters.iter().filter_map(|linter| linter.install) {
            packages.insert(install.package.to_owned(), install.version.into());
            for more in install.with {
                // `name==1.2` on PyPI, `name@1.2` on npm.
                if let Some((name, version)) = more.rsplit_once("==").or_else(|| more.rsplit_once('@')) {
                    packages.insert(name.to_owned(), version.into());
                }
            }
        }
        packages
    }
}

/// By folder. One environment for all Python tools, but for semgrep, which pins what the others want newer.
pub fn groups(wanted: &[&'static Linter]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for linter in wanted {
        let Some(install) = linter.install else { continue };
        let name = match (install.from, linter.name) {
            (Registry::PyPi, "semgrep") => "semgrep",
            (Registry::PyPi, _) => "python",
            (Registry::Npm, _) => "node",
        };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.linters.push(linter),
            None => groups.push(Group { registry: install.from, name, linters: vec![linter] }),
        }
    }
    groups
}

fn record(folder: &Path) -> PathBuf {
    folder.join("plimsoll-tools.json")
}

/// What an earlier run has put there.
fn recorded(folder: &Path) -> Map<String, Json> {
    let text = files::read(&record(folder)).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Whether all of it has been installed already, in these versions.
pub fn is_there(machine: &Machine, group: &Group) -> bool {
    let there = recorded(&group.folder(machine));
    group.packages().iter().all(|(name, version)| there.get(name) == Some(version))
}

/// Installs a group. Tools of an earlier run stay.
pub fn install(machine: &Machine, group: &Group) -> Result<(), NotInstalled> {
    let folder = group.folder(machine);
    files::create_dir(&folder).map_err(|source| NotInstalled::Write { path: folder.clone(), source })?;
    let _lock = Lock::take(&folder.with_extension("lock"), LIMIT)?;
    // Another run may have done it while this one waited.
    if is_there(machine, group) {
        return Ok(());
    }
    // What an older Plimsoll has put there comes along in today's version.
    let earlier = recorded(&folder).into_iter();
    let mut packages: Map<String, Json> = earlier
        .filter_map(|(name, _)| Some((name.clone(), locked::version(group.name, &name)?.into())))
        .collect();
    packages.extend(group.packages());
    match group.registry {
        Registry::PyPi => from_pypi(machine, &folder, group.name, &packages)?,
        Registry::Npm => from_npm(machine, &folder, &packages)?,
    }
    // Last, so that an installation that was interrupted is not taken for one.
    let text = format!("{:#}\n", Json::Object(packages));
    write(&record(&folder), &text)
}

fn write(path: &Path, text: &str) -> Result<(), NotInstalled> {
    atomic::write(path, text.as_bytes())
        .map_err(|source| NotInstalled::Write { path: path.to_owned(), source })
}

/// An installer of the user's own. It works in our folder: in a project it would follow the project's settings, and `python -m pip` would
/// take the project's `pip.py` for the real one.
fn program(machine: &Machine, name: &str) -> Option<PathBuf> {
    Fence::around(machine, &machine.cwd()).program_outside(machine, name)
}

fn from_pypi(
    machine: &Machine,
    folder: &Path,
    lock: &str,
    packages: &Map<String, Json>,
) -> Result<(), NotInstalled> {
    let text = locked::subset(locked::python(lock), packages)?;
    let requirements = folder.join("plimsoll-requirements.txt");
    write(&requirements, &text)?;
    // Wheels only: whatever else a package comes in runs code of its own to be built.
    let checked = ["--require-hashes", "--only-binary", ":all:", "--requirement"];
    let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let of_folder = |name: &str| state::program_files(&bin, name, cfg!(windows)).next().unwrap_or_default();
    let python = of_folder("python");
    if let Some(uv) = program(machine, "uv") {
        if !files::is_file(&python) {
            run(Program::new(&uv).args(["venv", "--quiet", "--allow-existing"]).arg(folder).cwd(folder))?;
        }
        return run(Program::new(&uv)
            .args(["pip", "install", "--quiet", "--python"])
            .arg(&python)
            .args(checked)
            .arg(&requirements)
            .cwd(folder));
    }
    if !files::is_file(&of_folder("pip")) {
        // The installer of Windows calls it `python`.
        let base =
            program(machine, "python3").or_else(|| program(machine, "python").filter(|_| cfg!(windows)));
        let base = base.ok_or(NotInstalled::NoPython)?;
        run(Program::new(base).args(["-m", "venv"]).arg(folder).cwd(folder))?;
    }
    run(Program::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(checked)
        .arg(&requirements)
        .cwd(folder))
}

fn from_npm(machine: &Machine, folder: &Path, packages: &Map<String, Json>) -> Result<(), NotInstalled> {
    let npm = program(machine, "npm").ok_or(NotInstalled::NoNpm)?;
    let (manifest, lock) = locked::node(packages)?;
    for (name, json) in [("package.json", manifest), ("package-lock.json", lock)] {
        write(&folder.join(name), &format!("{json:#}\n"))?;
    }
    run(Program::new(npm)
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--loglevel=error",
        ])
        .cwd(folder))
}

fn run(program: Program) -> Result<(), NotInstalled> {
    let done: Finished = program.within(LIMIT).run().map_err(NotInstalled::Start)?;
    if done.code == Some(0) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    let last: Vec<&str> = text.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
    Err(NotInstalled::Installer { said: last.into_iter().rev().collect::<Vec<_>>().join(" / ") })
}
