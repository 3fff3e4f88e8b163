//! Source distributions, from the registries that pip, cargo and npm are set up with, into the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::projects::{Project, Registry};

/// Finds a distribution in the index and writes it: pip itself would build it first.
const PIP: &str = r##"
import html, os, re, subprocess, sys, urllib.parse, urllib.request
name, version, place = sys.argv[1:]
asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
index = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip() or "https://pypi.org/simple"
page = index.rstrip("/") + "/" + re.sub(r"[-_.]+", "-", name).lower() + "/"
with urllib.request.urlopen(page, timeout=120) as answer:
    text = answer.read().decode()
wanted = re.sub(r"[-_.]+", "-", name).lower() + "-" + version + ".tar.gz"
for link in re.findall(r'href="([^"]+)"', text):
    link = urllib.parse.urljoin(page, html.unescape(link)).split("#")[0]
    file = urllib.parse.unquote(link.rsplit("/", 1)[-1])
    if re.sub(r"[-_.]+", "-", file[: -len("-" + version + ".tar.gz")]).lower() + "-" + version + ".tar.gz" == wanted and file.endswith(version + ".tar.gz"):
        with urllib.request.urlopen(link, timeout=300) as answer, open(place, "wb") as out:
            out.write(answer.read())
        break
else:
    sys.exit("there is no source distribution of " + name + " " + version)
"##;

/// The archive, or for a crate the folder that cargo has unpacked.
pub(crate) fn fetch(project: &Project) -> anyhow::Result<PathBuf> {
    match project.from {
        Registry::Pip => pip(project),
        Registry::Crate => cargo(project),
        Registry::Npm => npm(project),
        Registry::Git => git(project),
    }
}

fn cache() -> anyhow::Result<PathBuf> {
    let home = std::env::var_os("HOME").context("there is no home")?;
    let folder = Path::new(&home).join(".cache/plimsoll/real-projects");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn pip(project: &Project) -> anyhow::Result<PathBuf> {
    let place = cache()?.join(format!("{}-{}.tar.gz", project.name, project.version));
    if place.is_file() {
        return Ok(place);
    }
    let partial = place.with_extension("part");
    let done = Command::new("python3")
        .args(["-c", PIP, &project.name, &project.version])
        .arg(&partial)
        .output()
        .context("python3 cannot be started")?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr).lines().last().unwrap_or_default());
    }
    std::fs::rename(&partial, &place)?;
    Ok(place)
}

/// npm names what it has written.
fn npm(project: &Project) -> anyhow::Result<PathBuf> {
    let folder = cache()?;
    let place = folder.join(format!("npm-{}-{}.tgz", project.name.replace('/', "-"), project.version));
    if place.is_file() {
        return Ok(place);
    }
    let scratch = tempfile::tempdir_in(&folder)?;
    let done = Command::new("npm")
        .args(["pack", "--silent", "--ignore-scripts", &format!("{}@{}", project.name, project.version)])
        .current_dir(scratch.path())
        .output()
        .context("npm cannot be started")?;
    if !done.status.success() {
        bail!("npm pack: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    let written = std::fs::read_dir(scratch.path())?.flatten().next().context("npm has written nothing")?;
    std::fs::rename(written.path(), &place)?;
    Ok(place)
}

/// The last commit of a repository on this machine.
fn git(project: &Project) -> anyhow::Result<PathBuf> {
    let place = cache()?.join(format!("git-{}.tar.gz", project.name.replace('/', "-")));
    let done = Command::new("git")
        .args(["archive", "--format=tar.gz", "--prefix=project/", "-o"])
        .arg(&place)
        .arg("HEAD")
        .current_dir(&project.version)
        .output()?;
    if !done.status.success() {
        bail!("git archive: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(place)
}

fn cargo(project: &Project) -> anyhow::Result<PathBuf> {
    if let Some(folder) = unpacked(project) {
        return Ok(folder);
    }
    let scratch = tempfile::tempdir()?;
    let manifest = format!(
        "[package]\nname = \"taker\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\n{} = \"={}\"\n",
        project.name, project.version
    );
    std::fs::write(scratch.path().join("Cargo.toml"), manifest)?;
    std::fs::write(scratch.path().join("lib.rs"), "")?;
    let done = Command::new("cargo").arg("fetch").current_dir(scratch.path()).output()?;
    if !done.status.success() {
        bail!("cargo fetch: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    unpacked(project).context("cargo has not unpacked it")
}

fn unpacked(project: &Project) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?.flatten();
    let name = format!("{}-{}", project.name, project.version);
    registries.map(|registry| registry.path().join(&name)).find(|folder| folder.is_dir())
}

/// A copy to work on: the folder with the project's files.
pub(crate) fn unpack(source: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let (program, words): (&str, Vec<&std::ffi::OsStr>) = if source.is_dir() {
        ("cp", vec!["-r".as_ref(), source.as_os_str(), folder.as_os_str()])
    } else {
        (
            "tar",
            vec![
                "--no-same-owner".as_ref(),
                "-xzf".as_ref(),
                source.as_os_str(),
                "-C".as_ref(),
                folder.as_os_str(),
            ],
        )
    };
    let done = Command::new(program).args(words).output()?;
    if !done.status.success() {
        bail!("{} cannot be unpacked: {}", source.display(), String::from_utf8_lossy(&done.stderr).trim());
    }
    let root = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).find(|path| path.is_dir());
    root.context("there is no folder in it")
}
