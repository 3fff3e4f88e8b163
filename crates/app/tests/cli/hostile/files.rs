//! Files that are not what they seem: devices, FIFOs, folders, sockets, and such as are too large or too deep to be read.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::net::UnixListener;

use super::checkout::Checkout;
use super::links::RECORDS;

/// What we, or the tools that we start, read in a project by name.
pub(super) const READ: &[&str] = &[
    ".claude/hooks/config.json",
    ".claude/hooks/rules.toml",
    ".claude/hooks/rules.d/a.toml",
    ".claude/hooks/config.local.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/quality-checks.json",
    ".claude/hooks/quality-checks.json",
    ".claude/gates.json",
    ".claude/subprocess-settings.json",
    ".claude/hooks/subprocess-settings.json",
    ".claude/.env",
    ".claude/scripts/todo.sh",
    ".mcp.json",
    "CLAUDE.md",
    "MASTER_PLAN.md",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "pytest.ini",
    "uv.lock",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "tsconfig.json",
    "Cargo.toml",
    "go.mod",
    "Makefile",
    "justfile",
    ".editorconfig",
    ".ruff.toml",
    "ruff.toml",
    "ty.toml",
    ".flake8",
    ".bandit",
    "biome.json",
    ".eslintrc.json",
    "eslint.config.js",
    ".prettierrc",
    ".prettierignore",
    ".yamllint",
    ".markdownlint.jsonc",
    ".markdownlint-cli2.jsonc",
    ".shellcheckrc",
    ".hadolint.yaml",
    "taplo.toml",
    ".taplo.toml",
    ".semgrep.yml",
    ".jscpd.json",
    "knip.json",
    ".oxlintrc.json",
    ".pre-commit-config.yaml",
    "vitest.config.ts",
    "jest.config.js",
];

fn all() -> impl Iterator<Item = &'static str> {
    READ.iter().chain(RECORDS).copied()
}

pub(super) fn all_lead_to(clone: &mut Checkout, target: &str) {
    let target = if target.starts_with("/dev/") { clone.device(target) } else { target.into() };
    all().for_each(|name| clone.link(name, &target));
}

pub(super) fn all_are_fifos(clone: &mut Checkout) {
    all().for_each(|name| clone.fifo(name));
}

pub(super) fn all_are_folders(clone: &mut Checkout) {
    all().for_each(|name| fs::create_dir(clone.clear(name)).unwrap());
}

pub(super) fn all_are_sockets(clone: &mut Checkout) {
    for name in all() {
        let path = clone.clear(name);
        // A socket's own name may be at most 108 bytes long, so it is made elsewhere.
        let short = std::path::Path::new("/tmp").join(format!("plimsoll-{}.sock", std::process::id()));
        let _ = fs::remove_file(&short);
        drop(UnixListener::bind(&short).unwrap());
        if fs::rename(&short, &path).is_err() {
            // Another file system: then the link has to do.
            std::os::unix::fs::symlink(&short, &path).unwrap();
        }
    }
}

/// Sparse: they have the size without the bytes.
pub(super) fn all_are_huge(clone: &mut Checkout) {
    for name in all() {
        fs::File::create(clone.clear(name)).unwrap().set_len(8 << 30).unwrap();
    }
}

const LEVELS: usize = 100_000;

pub(super) fn all_are_deep(clone: &mut Checkout) {
    for name in all() {
        clone.file(name, &deep(name));
    }
}

/// A text of this file's kind that is nested as far as none is.
fn deep(name: &str) -> String {
    let within = |open: &str, close: &str| open.repeat(LEVELS) + "1" + &close.repeat(LEVELS);
    match name.rsplit('.').next().unwrap_or_default() {
        "json" | "jsonc" if name.contains("config") => within("{\"a\":", "}"),
        "toml" | "cfg" | "ini" | "lock" => format!("a = {}\n", within("[", "]")),
        "yaml" | "yml" => within("[", "]") + "\n",
        "md" => "> ".repeat(LEVELS) + "deep\n",
        "sh" => "(".repeat(LEVELS) + "true" + &")".repeat(LEVELS) + "\n",
        "py" | "ts" | "js" => format!("x = {}\n", within("(", ")")),
        _ => within("[", "]"),
    }
}

pub(super) fn edited_files_are_deep(clone: &mut Checkout) {
    let names = ["deep.py", "deep.ts", "deep.json", "deep.yaml", "deep.toml", "deep.md", "deep.sh"];
    clone.edited = names.map(str::to_owned).to_vec();
    for name in names {
        clone.file(name, &deep(name));
    }
}

pub(super) fn edited_files_are_none(clone: &mut Checkout) {
    clone.fifo("fifo.py");
    clone.link("zero.py", "/dev/zero");
    clone.link("waits.md", "/dev/ptmx");
    clone.link("loop.sh", "loop.sh");
    fs::create_dir(clone.clear("folder.yaml")).unwrap();
    fs::File::create(clone.clear("huge.json")).unwrap().set_len(8 << 30).unwrap();
    let names = ["fifo.py", "zero.py", "waits.md", "loop.sh", "folder.yaml", "huge.json"];
    clone.edited = names.map(str::to_owned).to_vec();
}

pub(super) fn all_are_loops(clone: &mut Checkout) {
    for name in all() {
        clone.link(name, name.rsplit('/').next().unwrap());
    }
}

/// A thousand folders in each other, and in the deepest what we look for on the way up.
pub(super) fn deep_folders(clone: &mut Checkout) {
    let mut name = String::new();
    for _ in 0..1000 {
        let _ = write!(name, "d/");
    }
    fs::create_dir_all(clone.project.join(&name)).unwrap();
    clone.file(&format!("{name}app.py"), "x = 1\n");
    clone.link(&format!("{name}up"), &clone.project);
    clone.cwd = clone.project.join(&name);
    clone.edited = vec![format!("{name}app.py")];
}
