//! Small projects in several languages, each with the runner that its tests are run by.

use std::path::{Path, PathBuf};

use crate::needs::missing;
use crate::world::World;

/// A project in one language: code with a test, broken and fixed.
pub(super) struct Language {
    pub(super) runner: &'static str,
    /// How an agent would run all of its tests.
    pub(super) suite: &'static str,
    /// Its last lines sum up all of them, so that they tell where the exit status is hidden.
    pub(super) sums_up: bool,
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) source: &'static str,
    pub(super) test: &'static str,
    pub(super) broken: &'static str,
    pub(super) fixed: &'static str,
    /// A line that changes nothing.
    pub(super) comment: &'static str,
    /// The PATH in front, where the runner is not on it.
    pub(super) path: Option<PathBuf>,
    /// A folder that is lent to the project under this name.
    pub(super) lent: Option<(&'static str, PathBuf)>,
}

pub(super) const PLAN: &str = "# Plan\n\n## Original Intent\nTwice a number.\n\n## Goals & Non-Goals\n### Non-Goals\n\n## Requirements\n- REQ-P0-001: doubles\n\n\
                    ## Success Metrics\n\n## Phase 1: Double\n**Status:** in-progress\n- [ ] DEC-CORE-001: addition, because it is enough — Addresses: REQ-P0-001\n";

/// Where `scripts/test` has put something.
fn installed(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|file| file.exists())
}

fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).any(|dir| dir.join(name).exists())
}

fn python(runner: &'static str, suite: &'static str, path: Option<PathBuf>) -> Language {
    Language {
        runner,
        suite,
        sums_up: true,
        files: &[
            (
                "tests/test_double.py",
                "\"\"\"Tests of double.\"\"\"\nimport sys, unittest\nsys.path.insert(0, '.')\nfrom src.double import double\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n",
            ),
            ("src/__init__.py", ""),
        ],
        source: "src/double.py",
        test: "tests/test_double.py",
        broken: "\"\"\"Doubles.\n\n@decision DEC-CORE-001\n@rationale Enough.\n\"\"\"\n\n\ndef double(x):\n    return x + 1\n",
        fixed: "\"\"\"Doubles.\n\n@decision DEC-CORE-001\n@rationale Enough.\n\"\"\"\n\n\ndef double(x):\n    return x + x\n",
        comment: "# more\n",
        path,
        lent: None,
    }
}

pub(super) fn pytest() -> Option<Language> {
    let program = installed("PLIMSOLL_TEST_PYTEST");
    if program.is_none() {
        missing("pytest", "PLIMSOLL_TEST_PYTEST names no pytest; scripts/test installs it");
    }
    Some(python("pytest", "pytest -q", program?.parent().map(Into::into)))
}

pub(super) fn unittest() -> Option<Language> {
    if on_path("pytest") {
        missing("no-pytest", "pytest is on PATH and would be taken");
        return None;
    }
    Some(python("unittest", "python3 -m unittest discover -s tests", None))
}

pub(super) fn cargo() -> Language {
    Language {
        runner: "cargo test",
        suite: "cargo test",
        sums_up: false,
        files: &[
            (
                "Cargo.toml",
                "[package]\nname = \"double\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
            ),
            (".gitignore", "target\n"),
            (
                "tests/double.rs",
                "//! Tests of double.\n#[test]\nfn doubles() {\n    assert_eq!(double::double(2), 4);\n}\n",
            ),
        ],
        source: "src/lib.rs",
        test: "tests/double.rs",
        broken: "//! Doubles.\n//!\n//! @decision DEC-CORE-001\n//! @rationale Enough.\n\npub fn double(x: u8) -> u8 {\n    x + 1\n}\n",
        fixed: "//! Doubles.\n//!\n//! @decision DEC-CORE-001\n//! @rationale Enough.\n\npub fn double(x: u8) -> u8 {\n    x + x\n}\n",
        comment: "// more\n",
        path: None,
        lent: None,
    }
}

pub(super) fn vitest() -> Option<Language> {
    let Some(modules) = installed("PLIMSOLL_TEST_VITEST") else {
        missing("vitest", "PLIMSOLL_TEST_VITEST names no folder of modules; scripts/test installs it");
        return None;
    };
    Some(Language {
        runner: "vitest",
        suite: "npx vitest run",
        sums_up: true,
        files: &[
            ("package.json", "{\"name\": \"double\", \"private\": true, \"type\": \"module\"}\n"),
            ("vitest.config.js", "export default { test: { include: ['tests/**'] } }\n"),
            (".gitignore", "node_modules\n"),
            (
                "tests/double.test.js",
                "/** Tests of double. */\nimport { expect, test } from 'vitest'\nimport { double } from '../src/double.js'\n\ntest('doubles', () => {\n  expect(double(2)).toBe(4)\n})\n",
            ),
        ],
        source: "src/double.js",
        test: "tests/double.test.js",
        broken: "/**\n * Doubles.\n * @decision DEC-CORE-001\n * @rationale Enough.\n */\n\nexport function double(x) {\n  return x + 1\n}\n",
        fixed: "/**\n * Doubles.\n * @decision DEC-CORE-001\n * @rationale Enough.\n */\n\nexport function double(x) {\n  return x + x\n}\n",
        comment: "// more\n",
        path: None,
        lent: Some(("node_modules", modules)),
    })
}

pub(super) fn go() -> Option<Language> {
    let program = installed("PLIMSOLL_TEST_GO");
    if program.is_none() && !on_path("go") {
        missing("go", "PLIMSOLL_TEST_GO names no go, and none is on PATH; scripts/test installs it");
        return None;
    }
    Some(Language {
        runner: "go test",
        suite: "go test ./...",
        sums_up: false,
        files: &[
            ("go.mod", "module double\n\ngo 1.21\n"),
            (
                "double_test.go",
                "// Package double: its tests.\npackage double\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal(\"not twice\")\n\t}\n}\n",
            ),
        ],
        source: "double.go",
        test: "double_test.go",
        broken: "// Package double doubles.\n//\n// @decision DEC-CORE-001\n// @rationale Enough.\npackage double\n\n// Double of a number.\nfunc Double(x int) int {\n\treturn x + 1\n}\n",
        fixed: "// Package double doubles.\n//\n// @decision DEC-CORE-001\n// @rationale Enough.\npackage double\n\n// Double of a number.\nfunc Double(x int) int {\n\treturn x + x\n}\n",
        comment: "// More.\n",
        path: program.and_then(|program| program.parent().map(Into::into)),
        lent: None,
    })
}

impl Language {
    /// Puts the project there, on main, and whatever its runner needs from outside.
    pub(super) fn in_world(&self, mut world: World) -> World {
        for (name, text) in self.files {
            world.write(name, text);
        }
        world.write("MASTER_PLAN.md", PLAN);
        world.commit("plan");
        if let Some((name, folder)) = &self.lent {
            std::os::unix::fs::symlink(folder, world.path(name)).unwrap();
            // A link is not a folder, which is what the list of ignored files says.
            world.write(".git/info/exclude", &format!("{name}\n"));
        }
        if let Some(dir) = &self.path {
            let path = world.variable("PATH").unwrap_or_else(|| std::env::var("PATH").unwrap());
            world = world.with_variable("PATH", format!("{}:{path}", dir.display()));
        }
        let home = std::env::var("HOME").unwrap();
        // Where cargo is a proxy it looks for its toolchain by these; go compiles its library once for all.
        for (name, folder) in
            [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("GOCACHE", ".cache/go-build")]
        {
            let place =
                std::env::var(name).unwrap_or_else(|_| Path::new(&home).join(folder).display().to_string());
            world = world.with_variable(name, place);
        }
        world.with_variable("GOTOOLCHAIN", "local").with_variable("GOFLAGS", "-mod=mod")
    }
}

/// A test for each language, so that each has its name and runs beside the others.
macro_rules! in_each_language {
    ($live:ident) => {
        #[test]
        fn with_pytest() {
            $crate::work::languages::pytest().iter().for_each($live);
        }

        #[test]
        fn with_unittest() {
            $crate::work::languages::unittest().iter().for_each($live);
        }

        #[test]
        fn with_cargo_test() {
            $live(&$crate::work::languages::cargo());
        }

        #[test]
        fn with_vitest() {
            $crate::work::languages::vitest().iter().for_each($live);
        }

        #[test]
        fn with_go_test() {
            $crate::work::languages::go().iter().for_each($live);
        }
    };
}

pub(super) use in_each_language;
