//! What people get: each package is made, installed offline into an empty home, used as a newcomer would, and taken away again
//! without a trace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::needs::missing;
use crate::world::{PROGRAM, Ran, files_below, text};

/// The release executable where there is one: that is what is packed.
fn program() -> String {
    std::env::var("PLIMSOLL_RELEASE_BINARY").unwrap_or_else(|_| PROGRAM.to_owned())
}

/// An empty home, a project, and the packages.
struct Machine {
    _dir: tempfile::TempDir,
    base: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["home", "project", "tmp"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        let machine = Self { _dir: dir, base };
        machine.run("git", &["init", "-q"]).succeeds();
        machine
    }

    fn at(&self, name: &str) -> String {
        text(&self.base.join(name))
    }

    /// A command in the project; of the machine it sees where programs are, and nothing of the network.
    fn run(&self, program: &str, words: &[&str]) -> Ran {
        self.run_with(program, words, b"")
    }

    fn run_with(&self, program: &str, words: &[&str], stdin: &[u8]) -> Ran {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(words).current_dir(self.base.join("project")).env_clear();
        command.envs([("HOME", self.at("home")), ("TMPDIR", self.at("tmp")), ("PATH", path)]);
        command.envs([("npm_config_cache", self.at("npm-cache")), ("PIP_NO_CACHE_DIR", "1".into())]);
        command.envs([("http_proxy", "http://127.0.0.1:9"), ("https_proxy", "http://127.0.0.1:9")]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Ran::of(command, stdin)
    }

    /// The packages that a script makes.
    fn packed(&self, script: &str) -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/packages").join(script);
        let ran =
            self.run(&text(&path), &["--bin", &program(), "--target", TARGET, "--to", &self.at("dist")]);
        let files: Vec<String> = ran.succeeds().stdout.lines().map(str::to_owned).collect();
        for file in &files {
            assert!(Path::new(&format!("{file}.sha256")).is_file(), "{file} has no checksum beside it");
        }
        files
    }

    fn present(&self) -> BTreeMap<PathBuf, u64> {
        let below =
            ["home", "project", "tmp"].into_iter().flat_map(|name| files_below(&self.base.join(name)));
        below.map(|file| (file.clone(), file.symlink_metadata().map_or(0, |data| data.len()))).collect()
    }

    /// What a newcomer does with an installed program. `native` is what the hooks must start.
    fn is_used(&self, installed: &str, native: &str) {
        let before = self.present();
        let version = self.run(installed, &["--version"]).succeeds().stdout;
        assert!(version.starts_with(&format!("plimsoll {} (", env!("CARGO_PKG_VERSION"))), "{version}");
        if std::env::var_os("PLIMSOLL_RELEASE_BINARY").is_some() {
            let commit = version.trim().rsplit('(').next().unwrap().trim_end_matches(')');
            assert!(commit.len() == 12 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{version}");
        }
        self.run(installed, &["try"]).succeeds().says(&["deny", "That is all."]);
        self.run(installed, &["init", "--yes"]).succeeds();
        let settings = std::fs::read_to_string(self.base.join("project/.claude/settings.json")).unwrap();
        let settings: Json = serde_json::from_str(&settings).unwrap();
        let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
        let line = handler["command"].as_str().unwrap();
        let line = if line == "plimsoll" { installed } else { line };
        assert_eq!(Path::new(line).canonicalize().unwrap(), Path::new(native).canonicalize().unwrap());
        let words: Vec<&str> = handler["args"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": self.at("project"),
            "tool_name": "Bash", "tool_input": {"command": "rm -rf /"},
        });
        let answer = self.run_with(line, &words, payload.to_string().as_bytes()).succeeds().json();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
        self.run(installed, &["uninstall", "--yes", "--all"]).succeeds();
        assert_eq!(self.present(), before, "what was not there before is not there after");
    }
}

const TARGET: &str =
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };

fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success())
}

#[cfg(target_os = "linux")]
#[test]
fn from_npm() {
    if !has("npm") {
        return missing("npm", "npm is not installed");
    }
    let machine = Machine::new();
    let packages = machine.packed("npm");
    let before = machine.present();
    let prefix = machine.at("npm");
    let mut words = vec!["install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix", &prefix];
    words.extend(packages.iter().map(String::as_str));
    machine.run("npm", &words).succeeds();
    let cpu = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let native = machine.at(&format!("npm/lib/node_modules/@plimsoll/linux-{cpu}/bin/plimsoll"));
    machine.is_used(&machine.at("npm/bin/plimsoll"), &native);
    machine
        .run(
            "npm",
            &["uninstall", "--global", "--prefix", &prefix, "plimsoll", &format!("@plimsoll/linux-{cpu}")],
        )
        .succeeds();
    assert!(!Path::new(&machine.at("npm/bin/plimsoll")).exists());
    assert_eq!(machine.present(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn from_a_wheel() {
    if !has("python3") {
        return missing("python", "python3 is not installed");
    }
    let machine = Machine::new();
    let [wheel] = machine.packed("wheel").try_into().unwrap();
    let venv = machine.at("venv");
    if machine.run("python3", &["-m", "venv", &venv]).code != Some(0) {
        return missing("python", "python3 has no venv");
    }
    let pip = machine.at("venv/bin/pip");
    let before = machine.present();
    machine
        .run(&pip, &["install", "--quiet", "--no-index", "--disable-pip-version-check", &wheel])
        .succeeds();
    let program = machine.at("venv/bin/plimsoll");
    machine.is_used(&program, &program);
    machine
        .run(&pip, &["uninstall", "--quiet", "--yes", "--disable-pip-version-check", "plimsoll-hooks"])
        .succeeds();
    assert!(!Path::new(&program).exists());
    assert_eq!(machine.present(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn from_a_debian_package() {
    if !has("dpkg-deb") {
        return missing("dpkg", "dpkg is not installed");
    }
    let machine = Machine::new();
    let [package] = machine.packed("deb").try_into().unwrap();
    // A system of its own, with a database of its own: nothing of this machine is touched.
    let root = machine.at("system");
    for dir in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        std::fs::create_dir_all(Path::new(&root).join(dir)).unwrap();
    }
    std::fs::write(Path::new(&root).join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |words: &[&str]| {
        let root = format!("--root={root}");
        let ran = machine.run(
            "dpkg",
            &[&["--force-not-root", "--force-script-chrootless", "--log=/dev/null", &root], words].concat(),
        );
        ran.succeeds();
    };
    dpkg(&["--install", &package]);
    for file in [
        "share/man/man1/plimsoll-init.1.gz",
        "share/bash-completion/completions/plimsoll",
        "share/doc/plimsoll/copyright",
    ] {
        assert!(Path::new(&root).join("usr").join(file).is_file(), "{file}");
    }
    let program = machine.at("system/usr/bin/plimsoll");
    machine.is_used(&program, &program);
    dpkg(&["--purge", "plimsoll"]);
    assert_eq!(files_below(&Path::new(&root).join("usr")), Vec::<PathBuf>::new());
}

/// Those that cannot be built here are at least complete.
#[test]
fn the_formula_names_every_archive_with_its_checksum() {
    let machine = Machine::new();
    std::fs::create_dir(machine.base.join("dist")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    for target in [
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
    ] {
        std::fs::write(machine.base.join(format!("dist/plimsoll-{version}-{target}.tar.gz")), target)
            .unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/packages/homebrew");
    let words =
        ["--repository", "https://github.com/me/plimsoll", "--target", TARGET, "--to", &machine.at("dist")];
    machine.run(&text(&path), &words).succeeds();
    let formula = std::fs::read_to_string(machine.base.join("dist/plimsoll.rb")).unwrap();
    assert_eq!(
        (formula.matches("url \"").count(), formula.matches("sha256 \"").count()),
        (4, 4),
        "{formula}"
    );
    assert!(
        formula.contains(&format!(
            "releases/download/v{version}/plimsoll-{version}-aarch64-apple-darwin.tar.gz"
        )),
        "{formula}"
    );
}
