//! What the checker works in: files, settings and everything that it has worked out about them. The tool's own is not published.

use std::sync::Arc;

use ruff_db::diagnostic::Diagnostic;
use ruff_db::files::{File, FilePath, Files};
use ruff_db::system::{System, SystemPathBuf};
use ruff_db::vendored::VendoredFileSystem;
use ty_python_core::ProgramFile;
use ty_python_core::program::{Program, ProgramSettings};
use ty_python_semantic::lint::{LintRegistry, RuleSelection};
use ty_python_semantic::{
    AnalysisSettings, PythonVersionWithSource, check_file_unwrap, default_lint_registry,
};

use super::disk::{Disk, Newer};

/// A clone is another handle to the same knowledge, for another thread.
#[salsa::db]
#[derive(Clone)]
pub(super) struct Database {
    storage: salsa::Storage<Self>,
    files: Files,
    disk: Disk,
    known: Arc<Known>,
}

/// What does not change while files are checked.
pub(super) struct Known {
    pub(super) program: ProgramSettings,
    pub(super) rules: RuleSelection,
    pub(super) analysis: AnalysisSettings,
    pub(super) site_packages: Vec<SystemPathBuf>,
}

impl Database {
    pub(super) fn new(disk: Disk, known: Arc<Known>) -> Self {
        let database = Database { storage: salsa::Storage::new(None), files: Files::default(), disk, known };
        database.known.program.search_paths.try_register_static_roots(&database);
        database
    }

    /// One of the same project that knows nothing yet, where this file's text is not the one on disk.
    pub(super) fn anew(&self, newer: Newer) -> Self {
        Database::new(self.disk.with(newer), self.known.clone())
    }
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl ruff_db::Db for Database {
    fn vendored(&self) -> &VendoredFileSystem {
        ty_vendored::file_system()
    }

    fn system(&self) -> &dyn System {
        &self.disk
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

#[salsa::db]
impl ty_module_resolver::Db for Database {}

#[salsa::db]
impl ty_python_core::Db for Database {
    fn should_check_file(&self, file: File) -> bool {
        match file.path(self) {
            FilePath::System(path) => !self.known.site_packages.iter().any(|folder| path.starts_with(folder)),
            FilePath::SystemVirtual(_) | FilePath::Vendored(_) => false,
        }
    }
}

#[salsa::db]
impl ty_python_semantic::Db for Database {
    fn check_file(&self, file: File) -> Vec<Diagnostic> {
        check_file_unwrap(self, self.program_file(file))
    }

    fn program_file(&self, file: File) -> ProgramFile<'_> {
        program(self).program_file(self, file)
    }

    fn python_version_with_source(&self, _: File) -> &PythonVersionWithSource {
        &self.known.program.python_version
    }

    fn rule_selection(&self, _: File) -> &RuleSelection {
        &self.known.rules
    }

    fn lint_registry(&self) -> &LintRegistry {
        default_lint_registry()
    }

    fn analysis_settings(&self, _: File) -> &AnalysisSettings {
        &self.known.analysis
    }

    fn verbose(&self) -> bool {
        false
    }

    fn is_open_file(&self, _: File) -> bool {
        false
    }

    fn dyn_clone(&self) -> Box<dyn ty_python_semantic::Db> {
        Box::new(self.clone())
    }
}

/// Lets a query, which sees the database through a trait, find what is known.
#[salsa::db]
trait Knows: ty_python_core::Db {
    fn known(&self) -> &Known;
}

#[salsa::db]
impl Knows for Database {
    fn known(&self) -> &Known {
        &self.known
    }
}

/// Worked out once: to recognise a program, all of its search paths are compared, and every file asks.
#[salsa::tracked(returns(copy))]
fn program(db: &dyn Knows) -> Program<'_> {
    Program::from_settings(db, &db.known().program)
}
