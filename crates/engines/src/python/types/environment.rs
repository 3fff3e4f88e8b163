//! Where modules are found: the project's own folders, and the packages of its virtual environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ruff_db::system::{SystemPath, SystemPathBuf};
use ruff_python_ast::PythonVersion;
use ty_module_resolver::{FallibleStrategy, SearchPathSettings};
use ty_python_core::program::ProgramSettings;
use ty_python_semantic::{
    PythonEnvironment, PythonVersionSource, PythonVersionWithSource, SysPrefixPathOrigin,
};

use super::database::Known;
use super::disk::{self, Disk};
use super::settings::Settings;
use crate::discover::Place;
use crate::problem::{Outcome, Trouble};

/// What is known of a project, and whether its packages are.
pub(super) struct Environment {
    pub(super) known: Arc<Known>,
    pub(super) has_packages: bool,
}

impl Environment {
    pub(super) fn find(settings: &Settings, place: &Place, disk: &Disk) -> Outcome<Self> {
        let python = python(settings, place, disk);
        let packages = python.as_ref().and_then(|python| python.site_packages_paths(disk).ok());
        let version = settings
            .version
            .map(|version| PythonVersionWithSource { version, source: PythonVersionSource::Default })
            .or_else(|| python.as_ref()?.python_version_from_metadata().cloned())
            .or_else(|| packages.as_ref()?.python_version_from_layout())
            .unwrap_or_else(|| PythonVersionWithSource {
                version: PythonVersion::latest_ty(),
                source: PythonVersionSource::Default,
            });
        let has_packages = packages.is_some();
        let site_packages = packages.map(ty_python_semantic::SitePackagesPaths::into_vec).unwrap_or_default();
        let search_paths = SearchPathSettings {
            extra_paths: system_paths(&settings.extra_paths)?,
            src_roots: system_paths(&roots(settings))?,
            custom_typeshed: settings.typeshed.as_deref().map(system_path).transpose()?,
            site_packages_paths: site_packages.clone(),
            real_stdlib_path: None,
        };
        let search_paths = search_paths
            .to_search_paths(disk, ty_vendored::file_system(), &FallibleStrategy)
            .map_err(Trouble::new)?;
        let program = ProgramSettings {
            python_version: version,
            python_platform: settings.platform.clone().unwrap_or_default(),
            search_paths,
        };
        let known =
            Known { program, rules: settings.rules(), analysis: settings.analysis.clone(), site_packages };
        Ok(Environment { known: Arc::new(known), has_packages })
    }
}

/// The environment that holds the project's packages: the one that the settings name, the one in use, the one beside the code.
///
/// The tool goes on to whichever interpreter is on PATH. That one is the machine's and not the project's: its packages may be of
/// other versions, or not there at all, and either way what would be said of them is not the code's fault.
fn python(settings: &Settings, place: &Place, disk: &Disk) -> Option<PythonEnvironment> {
    let named = settings.python.iter().map(|path| {
        let origin = SysPrefixPathOrigin::ConfigFileSetting(
            Arc::new(SystemPathBuf::from(settings.root.to_string_lossy().as_ref())),
            None,
        );
        (path.clone(), origin)
    });
    let in_use = place.virtual_env.iter().map(|path| (path.clone(), SysPrefixPathOrigin::VirtualEnvVar));
    let beside = [Some(&settings.root), place.project.as_ref()];
    let beside =
        beside.into_iter().flatten().map(|root| (root.join(".venv"), SysPrefixPathOrigin::LocalVenv));
    named
        .chain(in_use)
        .chain(beside)
        .filter_map(|(path, origin)| Some((SystemPathBuf::from_path_buf(path).ok()?, origin)))
        .find_map(|(path, origin)| PythonEnvironment::new(path, origin, disk).ok())
}

/// As the tool does: the project itself, and in it `src`, `python` and the folder of its name, where modules lie in them.
fn roots(settings: &Settings) -> Vec<PathBuf> {
    if let Some(roots) = &settings.roots {
        return roots.iter().filter(|root| disk::is_folder(root)).cloned().collect();
    }
    let root = &settings.root;
    let nested = settings.name.iter().filter(|name| disk::is_folder(&root.join(name).join(name)));
    let usual = ["src", "python"].into_iter().map(|name| root.join(name));
    let inner = usual.chain(nested.map(|name| root.join(name))).filter(|folder| disk::holds_modules(folder));
    inner.chain([root.clone()]).collect()
}

fn system_paths(paths: &[PathBuf]) -> Outcome<Vec<SystemPathBuf>> {
    paths.iter().map(|path| system_path(path)).collect()
}

pub(super) fn system_path(path: &Path) -> Outcome<SystemPathBuf> {
    SystemPath::from_std_path(path)
        .map(SystemPath::to_path_buf)
        .ok_or_else(|| Trouble::new(format_args!("{} is not UTF-8", path.display())))
}
