//! Files for tests.

#![expect(clippy::disallowed_methods, reason = "tests write what the engines find")]

use std::path::Path;

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
