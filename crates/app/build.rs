//! What `--version` says: the version, and for a release build the commit. Builds for development do not say it: they would be
//! compiled anew after every commit. And the order in which the linker puts what hooks run.

#![expect(clippy::disallowed_methods, reason = "a build script reads the environment and git's files")]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PLIMSOLL_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let told = env::var("PLIMSOLL_COMMIT").ok().filter(|commit| !commit.is_empty());
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = told.or_else(|| if release { commit() } else { None });
    let built_from = match commit {
        Some(commit) => commit.chars().take(12).collect(),
        None if release => "unknown commit".to_owned(),
        None => "development build".to_owned(),
    };
    println!("cargo::rustc-env=PLIMSOLL_VERSION={version} ({built_from})");
    if release {
        order();
    }
}

/// `link-order.ld`, where it is known to be understood: by the linker that rustc brings for this target, and by GNU's. Another one may
/// know no such scripts, so none is handed to a linker that somebody has chosen. `PLIMSOLL_LINK_ORDER=off` leaves it out.
fn order() {
    println!("cargo::rerun-if-env-changed=PLIMSOLL_LINK_ORDER");
    println!("cargo::rerun-if-changed=link-order.ld");
    let said = |name| env::var(name).unwrap_or_default();
    let target = [said("CARGO_CFG_TARGET_ARCH"), said("CARGO_CFG_TARGET_OS"), said("CARGO_CFG_TARGET_ENV")];
    let flags = said("CARGO_ENCODED_RUSTFLAGS");
    let chosen = env::var_os("RUSTC_LINKER").is_some()
        || ["fuse-ld", "linker"].iter().any(|word| flags.contains(word));
    if target != ["x86_64", "linux", "gnu"] || chosen || said("PLIMSOLL_LINK_ORDER") == "off" {
        return;
    }
    let script = PathBuf::from(said("CARGO_MANIFEST_DIR")).join("link-order.ld");
    println!("cargo::rustc-link-arg-bins=-Wl,-T,{}", script.display());
}

/// The commit of the repository that this is built in, or of the package from a registry.
fn commit() -> Option<String> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    packed(&here).or_else(|| here.ancestors().find_map(|dir| of_repository(&dir.join(".git"))))
}

/// What `cargo package` notes beside the manifest.
fn packed(package: &Path) -> Option<String> {
    let text = fs::read_to_string(package.join(".cargo_vcs_info.json")).ok()?;
    let sum = text.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    is_sum(sum).then(|| sum.to_owned())
}

/// Read from git's own files, so that no program has to be there. In a work tree `.git` is a file that names the folder.
fn of_repository(git: &Path) -> Option<String> {
    let folder = match fs::read_to_string(git) {
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir: ")?.trim()),
        Err(_) => git.to_owned(),
    };
    let head = watched(&folder.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return is_sum(head.trim()).then(|| head.trim().to_owned());
    };
    let common = fs::read_to_string(folder.join("commondir")).ok();
    let common = common.map_or_else(|| folder.clone(), |text| folder.join(text.trim()));
    if let Some(sum) = watched(&common.join(name)) {
        return is_sum(sum.trim()).then(|| sum.trim().to_owned());
    }
    let packed = watched(&common.join("packed-refs"))?;
    let line = packed.lines().find(|line| line.ends_with(&format!(" {name}")))?;
    line.split(' ').next().map(str::to_owned)
}

fn watched(file: &Path) -> Option<String> {
    println!("cargo::rerun-if-changed={}", file.display());
    fs::read_to_string(file).ok()
}

fn is_sum(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
