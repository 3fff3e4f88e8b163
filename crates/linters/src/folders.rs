//! The folders that a file belongs to, nearest first.

use std::path::Path;

use state::files;

/// From the file's folder up to the project's root; for a file outside of it, up to its own repository's.
pub(crate) fn upwards<'a>(near: &'a Path, project: &Path) -> Vec<&'a Path> {
    let inside = near.starts_with(project);
    let mut folders = Vec::new();
    for dir in near.ancestors() {
        folders.push(dir);
        if if inside { dir == project } else { files::exists(&dir.join(".git")) } {
            break;
        }
    }
    folders
}
