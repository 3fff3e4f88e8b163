//! Which files are source code, and which of those a gate has nothing to say about. By name alone: nothing is read.

use std::path::Path;

/// The one list of what counts as source.
pub const EXTENSIONS: &[&str] = &[
    "ts", "tsx", "js", "jsx", "py", "rs", "go", "java", "kt", "swift", "c", "cpp", "h", "hpp", "cs", "rb",
    "php", "sh", "bash", "zsh",
];

/// Folders whose files were made by a tool or by somebody else.
const FOREIGN: &[&str] = &["node_modules", "vendor", "dist", "build", ".next", "__pycache__", ".git"];

/// Folders of tests.
const TEST_DIRS: &[&str] = &["tests", "test", "__tests__"];

pub fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

pub fn is_source(path: &Path) -> bool {
    EXTENSIONS.contains(&extension(path))
}

/// Configuration, generated, minified and other people's files, and tests by their name. `path` is relative to the project, so
/// that a project that lies in a folder called `build` is not skipped as a whole.
pub fn is_skippable(path: &Path) -> bool {
    let name = name(path);
    let marked =
        [".config.", ".test.", ".spec.", ".generated.", ".min."].iter().any(|mark| name.contains(mark));
    marked || is_foreign(path) || has_dir(path, &["__tests__"])
}

/// Made by a tool or by somebody else.
pub fn is_foreign(path: &Path) -> bool {
    has_dir(path, FOREIGN)
}

/// Files of packages that were installed from a registry or came with the system, where everybody can read them. What tools keep for
/// themselves beside them (`node_modules/.cache`) does not count.
pub fn is_published(path: &Path) -> bool {
    const FOLDERS: &[&str] = &["node_modules", "site-packages", "dist-packages"];
    let mut parts = path.iter().map(|part| part.to_str().unwrap_or_default());
    let mut before = "";
    let mut inside = path.starts_with("/usr/lib") || path.starts_with("/usr/share");
    let is_hidden = |part: &str| part.starts_with('.') && part != ".pnpm";
    while let Some(part) = parts.next() {
        inside |= FOLDERS.contains(&part)
            || before == "lib"
                && part.strip_prefix("python3.").is_some_and(|rest| rest.parse::<u8>().is_ok())
            || before == ".cargo" && part == "registry"
            || before == "pkg" && part == "mod";
        if inside {
            return parts.all(|part| !is_hidden(part));
        }
        before = part;
    }
    false
}

/// Tests, by the conventions of their languages. `path` is relative to the project.
pub fn is_test(path: &Path) -> bool {
    let name = name(path);
    let stem = name.split('.').next().unwrap_or_default();
    let by_name = match extension(path) {
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest",
        "go" | "rs" => stem.ends_with("_test"),
        "rb" => stem.ends_with("_spec") || stem.ends_with("_test"),
        "java" | "kt" | "cs" => stem.ends_with("Test") || stem.ends_with("Tests"),
        _ => false,
    };
    by_name || name.contains(".test.") || name.contains(".spec.") || has_dir(path, TEST_DIRS)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn has_dir(path: &Path, names: &[&str]) -> bool {
    path.parent().is_some_and(|dir| dir.iter().any(|part| names.iter().any(|name| part == *name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_published_and_what_lies_beside_them_is_not() {
        for (path, expected) in [
            ("node_modules/a/test/key.pem", true),
            ("/p/node_modules/.pnpm/a@1/node_modules/a/key.pem", true),
            ("/p/.venv/lib/python3.12/site-packages/a.py", true),
            ("/opt/python/lib/python3.12/test/certdata/keycert.pem", true),
            ("/home/me/.cargo/registry/src/a-1.0.0/tests/key.rs", true),
            ("node_modules/.cache/a/token.json", false),
            ("node_modules/a/.env", false),
            ("/p/tests/key.pem", false),
            ("lib/python3/key.pem", false),
        ] {
            assert_eq!(is_published(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn names_tell_source_tests_and_the_rest() {
        let kind = |text: &str| {
            let path = Path::new(text);
            (is_source(path), is_skippable(path), is_test(path))
        };
        for (name, expected) in [
            ("src/app.py", (true, false, false)),
            ("src/distance.ts", (true, false, false)),
            ("rebuild/x.ts", (true, false, false)),
            ("README.md", (false, false, false)),
            ("Makefile", (false, false, false)),
            ("node_modules/a/b.js", (true, true, false)),
            ("vite.config.ts", (true, true, false)),
            ("a.min.js", (true, true, false)),
            ("src/a.test.ts", (true, true, true)),
            ("src/__tests__/a.ts", (true, true, true)),
            ("tests/x.ts", (true, false, true)),
            ("test_app.py", (true, false, true)),
            ("pkg/app_test.go", (true, false, true)),
            ("spec/user_spec.rb", (true, false, true)),
            ("src/UserTest.java", (true, false, true)),
            ("src/latest.py", (true, false, false)),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn names_that_are_no_text_are_told_by_what_is() {
        use std::os::unix::ffi::OsStrExt;
        let odd = |bytes: &[u8]| Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned();
        assert!(is_source(&odd(b"src/\xff\xfe.py")));
        assert!(!is_source(&odd(b"src/a.\xff")));
        assert!(is_skippable(&odd(b"\xff/node_modules/a.js")));
    }
}
