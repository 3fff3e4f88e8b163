//! `cargo dev latency --instructions`: how many instructions a hook call executes, as valgrind's callgrind counts them.
//!
//! Time is noisy on a shared machine; a count is the same on every run but for a few hundred (hash seeds, the digits of a
//! process id). So it can be compared with a kept one, and a change that costs three percent is seen. It counts the hook's own
//! instructions in user space: neither the kernel's nor those of programs that the hook starts. What the surroundings add is
//! held still: the environment is empty but for four names, all paths have one length, and every case has run twice before.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::json;

use super::cases::compound;
use super::stage::{edit, shell, stop};
use super::{Args, Case, Stage, floor};

#[cfg(test)]
#[path = "../../../app/tests/cli/needs.rs"]
pub(crate) mod needs;

/// The kept counts that a change is compared with.
pub(super) const KEPT: &str = "crates/dev/instructions.tsv";

const SUBJECT: &str = "instructions";

/// One thing to count.
struct Standing {
    case: Case,
    /// The length of the command, where it is long enough that the start is the smaller part.
    bytes: Option<usize>,
    /// An agent waits for these at every step, so they are held to `--within`; the others are only shown.
    hot: bool,
    /// The most that it may take, whatever the kept count is.
    limit: Option<u64>,
    /// A call as another agent sends it, held to the same one from Claude Code.
    from_peer: bool,
    /// The same call in a project without rules, which it is held to.
    like: Option<String>,
}

/// What every agent's call is compared with: the same command in what Claude Code was recorded to send. From others it may take this
/// many percent more.
const COMMON: &str = "ls -la, Claude Code";
const PEERS_MORE: f64 = 5.0;

/// Percent that rules of the user's own may add to a call: with 500 of them `ls -la` takes 3.4 more, a compound command with dozens of paths 4.4.
const RULES_MORE: f64 = 5.0;

/// They send every field twice, in two spellings or two shapes, and reading that is the difference: some three microseconds.
const SENT_TWICE: &[&str] = &["ls -la, Grok Build", "ls -la, Cline (hook file)"];
const TWICE_MORE: f64 = 12.0;

/// What we hold ourselves to.
const LIMITS: &[(&str, u64)] = &[
    ("ls -la", 250_000),
    ("before a read", 200_000),
    ("2.2 KB compound", 2_500_000),
    ("8.8 KB compound", 10_000_000),
];

impl Standing {
    fn new(case: Case, bytes: Option<usize>, hot: bool) -> Self {
        let limit = LIMITS.iter().find(|(name, _)| *name == case.name).map(|(_, limit)| *limit);
        Self { case, bytes, hot, limit, from_peer: false, like: None }
    }

    fn is_dearer_than(&self, own: Option<&u64>, count: u64) -> bool {
        let more = if SENT_TWICE.contains(&self.case.name.as_str()) { TWICE_MORE } else { PEERS_MORE };
        self.from_peer && own.is_some_and(|own| percent(count, *own) > more)
    }

    /// Rules of the user's own may cost this call so much and no more.
    fn is_ruled_by_too_much(&self, counts: &BTreeMap<String, u64>, count: u64) -> bool {
        let plain = self.like.as_ref().and_then(|like| counts.get(like));
        plain.is_some_and(|plain| percent(count, *plain) > RULES_MORE)
    }

    fn is_over(&self, count: u64) -> bool {
        self.limit.is_some_and(|limit| count > limit)
    }
}

pub(super) fn run(args: &Args, program: &Path) -> anyhow::Result<()> {
    let kept = args.against.as_deref().map(|path| read(&place(path))).transpose()?;
    let stage = Stage::within(stage_folder()?, program)?;
    let mut counts = BTreeMap::new();
    let (mut dearer, mut over) = (Vec::new(), Vec::new());
    let mut floor = None;
    println!(
        "{:36} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "instructions", "million", "\u{d7}static", "per byte", "limit", "kept", "change"
    );
    for standing in standing(&stage)? {
        let name = standing.case.name.clone();
        let wanted = args.only.is_empty() || args.only.iter().any(|only| name.contains(only.as_str()));
        if !wanted && !standing.case.is_floor() {
            continue;
        }
        let count = counted(&stage, &standing.case)?;
        let before = kept.as_ref().and_then(|kept| kept.get(&name)).copied();
        let change = before.map(|before| percent(count, before));
        if standing.case.is_floor() {
            floor = Some(count);
        }
        if standing.hot && change.is_some_and(|change| change > args.within) {
            dearer.push(name.clone());
        }
        if standing.is_over(count)
            || standing.is_dearer_than(counts.get(COMMON), count)
            || standing.is_ruled_by_too_much(&counts, count)
        {
            over.push(name.clone());
        }
        let bad = over.contains(&name) || dearer.contains(&name);
        println!("{}", line(&standing, count, before, floor, bad));
        counts.insert(name, count);
    }
    if let Some(path) = &args.save {
        save(&place(path), &counts)?;
    }
    if !dearer.is_empty() {
        bail!("more than {} % above the kept counts: {}", args.within, dearer.join(", "));
    }
    if !over.is_empty() {
        bail!("above the limit: {}", over.join(", "));
    }
    Ok(())
}

/// Not where TMPDIR says: the length of a path is a part of the count. Nor called after us: such files are looked at closer.
fn stage_folder() -> std::io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("measured-").tempdir_in("/tmp")
}

/// Where a file is that was named on the command line: the kept one lies in the repository, whatever the working directory.
fn place(named: &Path) -> PathBuf {
    if named == Path::new(KEPT) { crate::workspace::root().join(KEPT) } else { named.to_owned() }
}

fn standing(stage: &Stage) -> anyhow::Result<Vec<Standing>> {
    let project = stage.small()?;
    let hook = |name: &str, event, body| stage.hook(SUBJECT, name, &project, event, &body);
    let file = project.join("src/app.py");
    let write = json!({"tool_name": "Write", "tool_input": {"file_path": project.join("src/new.py"), "content": "y = 1\n"}});
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": file}});
    let mut ran = shell("ls -la");
    ran["tool_response"] = json!({"stdout": "a\n", "stderr": "", "interrupted": false});
    let mut all = Vec::new();
    if let Some(noop) = floor::static_noop(stage)? {
        all.push(Standing::new(noop, None, false));
    }
    for command in ["ls -la", "git status", "rm -rf /", "git push --force origin main"] {
        all.push(Standing::new(hook(command, "PreToolUse", shell(command))?, None, true));
    }
    all.push(Standing::new(stage.hook_recorded(SUBJECT, COMMON, &project, "ls -la")?, None, false));
    for dialect in agents::DIALECTS {
        let name = format!("ls -la, {}", dialect.name);
        let case = stage.hook_of(SUBJECT, &name, &project, dialect, "ls -la")?;
        all.push(Standing { from_peer: true, ..Standing::new(case, None, false) });
    }
    for (name, times) in [("2.2 KB compound", 21), ("8.8 KB compound", 84)] {
        let command = compound(times);
        let case = hook(name, "PreToolUse", shell(&command))?;
        all.push(Standing::new(case, Some(command.len()), true));
    }
    for (name, event, body, hot) in [
        ("before an edit", "PreToolUse", edit(&project, "src/app.py"), true),
        ("before a write", "PreToolUse", write, true),
        ("before a read", "PreToolUse", read, true),
        ("after a command", "PostToolUse", ran, false),
        ("the start of a session", "SessionStart", json!({"source": "startup"}), false),
        ("a stop", "Stop", stop(), false),
    ] {
        all.push(Standing::new(hook(name, event, body)?, None, hot));
    }
    all.extend(ruled(stage)?);
    Ok(all)
}

/// The same two calls with no rules, with some and with many.
fn ruled(stage: &Stage) -> anyhow::Result<Vec<Standing>> {
    let mut all = Vec::new();
    for count in [0, 50, 500] {
        // All paths have one length.
        let project = stage.with_rules(&format!("rules-{count:03}"), count)?;
        for (name, command) in [("ls -la", "ls -la".to_owned()), ("2.2 KB compound", compound(21))] {
            let named = |count: usize| format!("{name}, {count} rules");
            let case = stage.hook(SUBJECT, &named(count), &project, "PreToolUse", &shell(&command))?;
            let like = (count > 0).then(|| named(0));
            all.push(Standing { like, ..Standing::new(case, None, false) });
        }
    }
    Ok(all)
}

fn counted(stage: &Stage, case: &Case) -> anyhow::Result<u64> {
    let said = watched(stage, case, &["--callgrind-out-file=/dev/null"])?;
    // "==123== Collected : 456789"
    said.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .with_context(|| format!("valgrind counted nothing for {}:\n{said}", case.name))
}

/// Runs it under callgrind, and gives what that prints.
fn watched(stage: &Stage, case: &Case, options: &[&str]) -> anyhow::Result<String> {
    let plain = || {
        let mut command = Command::new(&case.program);
        command.args(&case.args);
        command
    };
    // The first call makes files that the second finds.
    for _ in 0..2 {
        surround(&mut plain(), stage, case)?.status()?;
    }
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--trace-children=no"]).args(options);
    command.arg(&case.program).args(&case.args);
    let output = surround(&mut command, stage, case)?
        .stderr(Stdio::piped())
        .output()
        .context("valgrind does not start; install it")?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The functions that each standing case runs, as the linker calls them. For `cargo dev link-order`.
pub(crate) fn executed(program: &Path) -> anyhow::Result<Vec<Vec<String>>> {
    let stage = Stage::within(stage_folder()?, program)?;
    let cases = standing(&stage)?.into_iter().map(|standing| standing.case).filter(|case| !case.is_floor());
    cases.map(|case| functions(&stage, &case)).collect()
}

fn functions(stage: &Stage, case: &Case) -> anyhow::Result<Vec<String>> {
    let profile = stage.file("callgrind.out");
    let to = format!("--callgrind-out-file={}", profile.display());
    watched(stage, case, &["--demangle=no", "--compress-strings=no", &to])?;
    // "fn=_ZN…", with "'2" behind it where a function calls itself.
    let text = std::fs::read_to_string(&profile)?;
    let names = text.lines().filter_map(|line| line.strip_prefix("fn="));
    Ok(names.map(|name| name.split('\'').next().unwrap_or(name).to_owned()).collect())
}

/// The pages of the executable that `ls -la` runs code of.
#[cfg(test)]
pub(crate) fn pages(program: &Path) -> anyhow::Result<std::collections::BTreeSet<u64>> {
    let stage = Stage::within(stage_folder()?, program)?;
    let project = stage.small()?;
    let case = stage.hook(SUBJECT, "ls -la", &project, "PreToolUse", &shell("ls -la"))?;
    let profile = stage.file("callgrind.out");
    let to = format!("--callgrind-out-file={}", profile.display());
    watched(&stage, &case, &["--dump-instr=yes", "--compress-pos=no", &to])?;
    // "0x7cda00 0 1"
    let text = std::fs::read_to_string(&profile)?;
    let addresses = text.lines().filter_map(|line| line.strip_prefix("0x")?.split(' ').next());
    Ok(addresses
        .filter_map(|address| u64::from_str_radix(address, 16).ok())
        .map(|address| address >> 12)
        .collect())
}

fn surround<'a>(command: &'a mut Command, stage: &Stage, case: &Case) -> anyhow::Result<&'a mut Command> {
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", stage.home()).env("LANG", "C");
    command.env("CLAUDE_PROJECT_DIR", &case.project).current_dir(&case.project);
    Ok(command.stdin(File::open(&case.stdin)?).stdout(Stdio::null()).stderr(Stdio::null()))
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn percent(count: u64, before: u64) -> f64 {
    100.0 * (count as f64 - before as f64) / before.max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn line(standing: &Standing, count: u64, before: Option<u64>, floor: Option<u64>, bad: bool) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let million = |count: u64| format!("{:.3}", count as f64 / 1e6);
    let times = or_dash(floor.map(|floor| format!("{:.1}", count as f64 / floor.max(1) as f64)));
    let per_byte = or_dash(standing.bytes.map(|bytes| (count / bytes as u64).to_string()));
    let (limit, kept) = (or_dash(standing.limit.map(million)), or_dash(before.map(million)));
    let change = or_dash(before.map(|before| format!("{:+.2} %", percent(count, before))));
    let over = if bad { "  OVER" } else { "" };
    format!(
        "{:36} {:>9} {times:>9} {per_byte:>9} {limit:>9} {kept:>9} {change:>9}{over}",
        standing.case.name,
        million(count)
    )
}

fn read(path: &Path) -> anyhow::Result<BTreeMap<String, u64>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, count) =
            line.split_once('\t').with_context(|| format!("«{line}» is not a name, a tab and a count"))?;
        Ok((name.to_owned(), count.parse()?))
    });
    rows.collect()
}

fn save(path: &Path, counts: &BTreeMap<String, u64>) -> anyhow::Result<()> {
    let mut text =
        "# Instructions per hook call of a release build without engines, on x86-64 Linux. Written by\n\
                    # `cargo dev latency --instructions --save`; each line is a name, a tab and a count.\n"
            .to_owned();
    for (name, count) in counts {
        let _ = writeln!(text, "{name}\t{count}");
    }
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// The release executable, because only that is what people run; none where it or valgrind is missing.
#[cfg(test)]
pub(crate) fn release() -> Option<PathBuf> {
    let Some(program) = std::env::var_os("PLIMSOLL_RELEASE_BINARY").map(PathBuf::from) else {
        needs::missing("release", "PLIMSOLL_RELEASE_BINARY is not set; scripts/test sets it");
        return None;
    };
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|done| done.status.success()) {
        needs::missing("valgrind", "valgrind is not installed");
        return None;
    }
    Some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let counts = BTreeMap::from([("ls -la".to_owned(), 123), ("a stop".to_owned(), 4_567_890)]);
        save(&dir.path().join("x.tsv"), &counts).unwrap();
        assert_eq!(read(&dir.path().join("x.tsv")).unwrap(), counts);
    }

    #[test]
    fn the_kept_file_has_the_hot_cases() {
        let kept = read(&place(Path::new(KEPT))).unwrap();
        for name in ["ls -la", "before an edit", "before a write", "2.2 KB compound"] {
            assert!(kept.contains_key(name), "{name}");
        }
    }

    #[test]
    fn no_call_takes_more_than_its_limit() {
        let Some(program) = release() else { return };
        let stage = Stage::within(stage_folder().unwrap(), &program).unwrap();
        let mut counts = BTreeMap::new();
        for standing in standing(&stage).unwrap().into_iter().filter(|standing| standing.limit.is_some()) {
            let count = counted(&stage, &standing.case).unwrap();
            assert!(!standing.is_over(count), "{}: {count} instructions", standing.case.name);
            counts.insert(standing.case.name, count);
        }
        assert_eq!(counts.len(), LIMITS.len());
        let of_agents = |standing: &Standing| standing.from_peer || standing.case.name == COMMON;
        for standing in standing(&stage).unwrap().into_iter().filter(of_agents) {
            let count = counted(&stage, &standing.case).unwrap();
            let own = counts.get(COMMON);
            assert!(!standing.is_dearer_than(own, count), "{}: {count}, not {own:?}", standing.case.name);
            counts.insert(standing.case.name, count);
        }
        assert!(counts.len() > LIMITS.len() + agents::DIALECTS.len());
        let mut dear = Vec::new();
        for standing in ruled(&stage).unwrap() {
            let count = counted(&stage, &standing.case).unwrap();
            dear.extend(standing.is_ruled_by_too_much(&counts, count).then(|| standing.case.name.clone()));
            counts.insert(standing.case.name, count);
        }
        assert!(dear.is_empty(), "rules cost too much: {dear:?} of {counts:?}");
        // Four times the text: the same for each byte of it.
        assert!(counts["8.8 KB compound"] <= counts["2.2 KB compound"] * 22 / 5, "not linear: {counts:?}");
    }

    #[test]
    fn three_percent_more_is_seen() {
        assert!((percent(1030, 1000) - 3.0).abs() < 1e-9);
        assert!(percent(990, 1000) < 0.0);
    }
}
