//! One project on one road: what is done to it, and what Plimsoll does then.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use linters::Language;
use serde_json::{Value as Json, json};

use super::seeds::{SEEDS, is_stub};

/// How the hooks came to this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Road {
    /// `plimsoll init --yes` in the project.
    Init,
    /// At user level or by the plugin, with no config anywhere.
    User,
}

impl Road {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Road::Init => "init",
            Road::User => "user",
        }
    }
}

pub(crate) struct Visit<'a> {
    pub(crate) program: &'a Path,
    pub(crate) root: PathBuf,
    pub(crate) base: PathBuf,
    pub(crate) road: Road,
    pub(crate) files: usize,
    pub(crate) names: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    projects: usize,
    edits: usize,
    rewritten: usize,
    blocked: usize,
    held: usize,
    untracked: usize,
    seeded: usize,
    found: usize,
    /// Files that no fault was put into, because only declarations stand in them.
    stubs: usize,
    /// The same, because the project's own settings leave them out.
    excluded: usize,
    kinds: BTreeSet<&'static str>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.projects += other.projects;
        self.edits += other.edits;
        self.rewritten += other.rewritten;
        self.blocked += other.blocked;
        self.held += other.held;
        self.untracked += other.untracked;
        self.seeded += other.seeded;
        self.found += other.found;
        self.stubs += other.stubs;
        self.excluded += other.excluded;
        self.kinds.extend(&other.kinds);
    }

    /// What no fault was put into.
    pub(crate) fn left_out(&self) -> String {
        format!(
            "{} stubs, {} files that the project's settings leave out, files that are templates or not right before",
            self.stubs, self.excluded
        )
    }

    pub(crate) fn row(&self) -> String {
        let share = if self.seeded == 0 { 100.0 } else { percent(self.found, self.seeded) };
        format!(
            "{} | {} | {} | {} | {} | {} | {} of {} ({share:.1} %)",
            self.projects,
            self.edits,
            self.rewritten,
            self.blocked,
            self.held,
            self.untracked,
            self.found,
            self.seeded
        )
    }

    pub(crate) fn kinds(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn is_quiet(&self) -> bool {
        let disturbed = self.rewritten + self.blocked + self.held + self.untracked;
        disturbed == 0 && (self.seeded == 0 || percent(self.found, self.seeded) >= 97.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of a few thousand")]
fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all as f64
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { edits, rewritten, blocked, held, untracked, seeded, found, .. } = self;
        write!(
            out,
            "{edits:3} edits, {rewritten} rewritten, {blocked} blocked, {held} held, {untracked} untracked, {found} of {seeded} faults"
        )
    }
}

/// What the hook answered.
pub(crate) struct Answer {
    pub(crate) blocks: bool,
    pub(crate) text: String,
}

impl Visit<'_> {
    pub(crate) fn run(&self) -> anyhow::Result<Tally> {
        self.prepare()?;
        let mut tally = Tally { projects: 1, ..Tally::default() };
        let files = self.sample();
        self.begin("quiet")?;
        for (number, file) in files.iter().enumerate() {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            // The client tells the text before; others do not, and then git has it.
            let told = number % 2 == 0;
            self.leaves_alone("an edit of nothing", file, &text, &text, told, &mut tally)?;
            if let Some(commented) = with_comment(file, &text, number % 4 < 2) {
                self.leaves_alone("a comment", file, &text, &commented, told, &mut tally)?;
            }
        }
        let stop = self.stop("quiet")?;
        tally.held += usize::from(stop.blocks);
        if stop.blocks {
            self.say("stop held", &self.root, &stop.text);
        }
        tally.untracked = self.untracked()?;
        self.seed(&files, &mut tally)?;
        Ok(tally)
    }

    pub(crate) fn begin(&self, session: &str) -> anyhow::Result<Answer> {
        self.hook("SessionStart", session, &json!({"source": "startup"}))
    }

    pub(crate) fn stop(&self, session: &str) -> anyhow::Result<Answer> {
        self.hook("Stop", session, &json!({"stop_hook_active": false}))
    }

    /// A home and a place for what is for a moment, outside of the project.
    pub(crate) fn make_world(&self) -> anyhow::Result<()> {
        for folder in ["home", "tmp"] {
            std::fs::create_dir_all(self.base.join("world").join(folder))?;
        }
        Ok(())
    }

    fn prepare(&self) -> anyhow::Result<()> {
        let _ = std::fs::remove_dir_all(self.root.join(".git"));
        self.make_world()?;
        for words in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A", "-f"],
            &["commit", "-q", "-m", "start", "--no-verify"],
        ] {
            let done = self.command("git").args(words).output()?;
            anyhow::ensure!(
                done.status.success(),
                "git {words:?}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
        }
        if self.road == Road::Init {
            let done = self.command(self.program).args(["init", "--yes"]).output()?;
            anyhow::ensure!(done.status.success(), "init: {}", String::from_utf8_lossy(&done.stderr));
            // What it announces is for committing.
            for words in [&["add", "-A"][..], &["commit", "-q", "-m", "set up", "--no-verify"]] {
                self.command("git").args(words).output()?;
            }
        }
        Ok(())
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let world = self.base.join("world");
        command.current_dir(&self.root).env("HOME", world.join("home")).env("TMPDIR", world.join("tmp"));
        command.env(
            "XDG_CACHE_HOME",
            std::env::var_os("XDG_CACHE_HOME").unwrap_or_else(|| world.join("home/.cache").into()),
        );
        for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_PROJECT_DIR", "PLIMSOLL_STATE_DIR"] {
            command.env_remove(name);
        }
        for (name, value) in [("NAME", "someone"), ("EMAIL", "someone@example.invalid")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        command
    }

    fn hook(&self, event: &str, session: &str, more: &Json) -> anyhow::Result<Answer> {
        let mut payload = json!({"hook_event_name": event, "session_id": session, "cwd": self.root, "transcript_path": "/dev/null"});
        for (key, value) in more.as_object().into_iter().flatten() {
            payload[key] = value.clone();
        }
        let mut command = self.command(self.program);
        command.arg("hook").env("CLAUDE_PROJECT_DIR", &self.root);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().context("stdin is piped")?.write_all(payload.to_string().as_bytes())?;
        let done = child.wait_with_output()?;
        let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        let blocks = done.status.code() == Some(2) || stdout.contains("\"decision\":\"block\"");
        Ok(Answer { blocks, text: format!("{stdout}{stderr}") })
    }

    /// An edit as the client makes and tells it.
    pub(crate) fn edit(
        &self,
        session: &str,
        file: &Path,
        before: &str,
        after: &str,
        told: bool,
    ) -> anyhow::Result<Answer> {
        std::fs::write(file, after)?;
        let (old, new) = replaced(before, after);
        let mut more = json!({
            "tool_name": "Edit", "tool_use_id": format!("toolu_{}", after.len()),
            "tool_input": {"file_path": file, "old_string": old, "new_string": new},
        });
        if told {
            more["tool_response"] = json!({"filePath": file, "originalFile": before});
        }
        self.hook("PostToolUse", session, &more)
    }

    fn leaves_alone(
        &self,
        what: &str,
        file: &Path,
        before: &str,
        after: &str,
        told: bool,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let answer = self.edit("quiet", file, before, after, told)?;
        tally.edits += 1;
        let now = std::fs::read_to_string(file).unwrap_or_default();
        if now != after {
            tally.rewritten += 1;
            self.say(&format!("{what}: rewritten"), file, &answer.text);
        }
        if answer.blocks {
            tally.blocked += 1;
            self.say(&format!("{what}: blocked"), file, &answer.text);
        }
        std::fs::write(file, before)?;
        Ok(())
    }

    /// Puts each kind of fault into a file that is right, and takes it out again.
    fn seed(&self, files: &[PathBuf], tally: &mut Tally) -> anyhow::Result<()> {
        let (stubs, files): (Vec<&PathBuf>, Vec<&PathBuf>) = files.iter().partition(|file| is_stub(file));
        let (excluded, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            files.into_iter().partition(|file| self.leaves_out(file));
        (tally.stubs, tally.excluded) = (stubs.len(), excluded.len());
        for (number, seed) in SEEDS.iter().enumerate() {
            if seed.chosen.is_some_and(|linter| !self.has_chosen(linter)) {
                continue;
            }
            let fits =
                |file: &&PathBuf| Language::of(file).is_some_and(|language| seed.is_for(language, file));
            // Not always the same file, and only one that is right before.
            let mut candidates: Vec<&PathBuf> = files.iter().copied().filter(fits).collect();
            if candidates.is_empty() {
                continue;
            }
            let turn = number % candidates.len();
            candidates.rotate_left(turn);
            let planted = candidates.into_iter().find_map(|file| {
                let text = std::fs::read_to_string(file).ok()?;
                let whole = self.is_right(file, &text, number);
                whole.then(|| Some((file, seed.plant(&text)?, text))).flatten()
            });
            let Some((file, planted, text)) = planted else { continue };
            let answer = self.edit(&format!("seed-{number}"), file, &text, &planted, number % 2 == 0)?;
            std::fs::write(file, &text)?;
            tally.seeded += 1;
            tally.kinds.insert(seed.kind);
            if answer.blocks {
                tally.found += 1;
            } else {
                self.say(&format!("not found: {}", seed.kind), file, &answer.text);
            }
        }
        Ok(())
    }

    /// Whether nothing is wrong with a file as it is: written as a new one, nobody complains. Fixtures are often broken on purpose.
    fn is_right(&self, file: &Path, text: &str, number: usize) -> bool {
        let more = json!({
            "tool_name": "Write", "tool_use_id": format!("toolu_right_{number}"),
            "tool_input": {"file_path": file, "content": text},
            "tool_response": {"type": "create", "filePath": file, "originalFile": null},
        });
        let answer = self.hook("PostToolUse", &format!("right-{number}"), &more);
        let _ = std::fs::write(file, text);
        // What no linter can look at is not right either.
        let said_nothing = |answer: Answer| !answer.blocks && !answer.text.contains("could not read");
        answer.is_ok_and(said_nothing) && !text.contains("{%") && !text.contains("{{")
    }

    /// Whether the project lints with this tool by the rules that it has unless told otherwise.
    fn has_chosen(&self, linter: &str) -> bool {
        let read = |name: &str| std::fs::read_to_string(self.root.join(name)).unwrap_or_default();
        let (own, shared) = (read("ruff.toml") + &read(".ruff.toml"), read("pyproject.toml"));
        let table = shared.contains(&format!("[tool.{linter}"));
        let settings = if table { shared } else { own };
        let told_otherwise =
            settings.contains("\nselect") || settings.contains("ignore") || settings.contains("exclude");
        !settings.is_empty() && linter == "ruff" && (table || !settings.is_empty()) && !told_otherwise
    }

    /// Whether the project's own linter settings leave a file out: then nobody wants to hear of it.
    fn leaves_out(&self, file: &Path) -> bool {
        let read = |name: &str| std::fs::read_to_string(self.root.join(name)).unwrap_or_default();
        let text = read("ruff.toml") + &read(".ruff.toml") + &read("pyproject.toml") + &read(".yamllint");
        let name = file.strip_prefix(&self.root).unwrap_or(file).to_string_lossy().into_owned();
        let after = text.split("exclude").skip(1).filter_map(|rest| rest.split(']').next());
        after.flat_map(|list| list.split(['"', '\'']).skip(1).step_by(2)).any(|entry| {
            let entry = entry.trim_end_matches(['*', '/']).trim_start_matches("./");
            !entry.is_empty() && name.starts_with(entry)
        })
    }

    /// Files of ours that git would offer to add.
    fn untracked(&self) -> anyhow::Result<usize> {
        let done = self.command("git").args(["status", "--porcelain", "--untracked-files=all"]).output()?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        if !text.is_empty() {
            self.say("git status", &self.root, &text);
        }
        Ok(text.lines().count())
    }

    /// Files of as many kinds as there are, the same ones each time.
    fn sample(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = state::files::walk(&self.root, 50_000);
        all.retain(|file| {
            Language::of(file).is_some()
                && file.metadata().is_ok_and(|meta| (1..200_000).contains(&meta.len()))
        });
        all.sort_by_key(|file| {
            state::sha256(file.strip_prefix(&self.root).unwrap_or(file).to_string_lossy().as_bytes())
        });
        // One of each kind in turn.
        let mut kinds: std::collections::BTreeMap<Option<Language>, Vec<PathBuf>> =
            std::collections::BTreeMap::new();
        for file in all.into_iter().rev() {
            kinds.entry(Language::of(&file)).or_default().push(file);
        }
        let mut chosen = Vec::new();
        while chosen.len() < self.files && kinds.values().any(|files| !files.is_empty()) {
            chosen.extend(kinds.values_mut().filter_map(Vec::pop));
        }
        chosen.truncate(self.files);
        chosen
    }

    fn say(&self, what: &str, file: &Path, text: &str) {
        if self.names {
            let name = file.strip_prefix(&self.base).unwrap_or(file).display();
            println!("  {what}: {name}\n    {}", text.trim().replace('\n', "\n    "));
        }
    }
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// The smallest run of lines that differs, with a line around it, as an agent would name it.
fn replaced(before: &str, after: &str) -> (String, String) {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let from = head.saturating_sub(1);
    let (old_to, new_to) = ((old.len() - tail + 1).min(old.len()), (new.len() - tail + 1).min(new.len()));
    (old[from.min(old_to)..old_to].concat(), new[from.min(new_to)..new_to].concat())
}

/// The text with one more line that says nothing: at the end, or at the beginning where that is allowed.
fn with_comment(file: &Path, text: &str, end: bool) -> Option<String> {
    let comment = match (Language::of(file)?, extension(file)) {
        (Language::Json, _) | (_, "vue" | "svelte" | "astro") => return None,
        (Language::Markdown, _) => "<!-- looked at -->",
        (_, "css" | "scss") => "/* looked at */",
        (Language::TypeScript | Language::Rust | Language::Go, _) => "// looked at",
        _ => "# looked at",
    };
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    // What goes on over the line's end would swallow it.
    if end && !last.ends_with('\\') {
        let gap = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        return Some(format!("{text}{gap}{comment}\n"));
    }
    let first = text.lines().next().unwrap_or_default();
    let special = first.starts_with("#!")
        || first.starts_with("---")
        || first.starts_with('#')
        || first.starts_with('%');
    let at = if special { text.find('\n').map_or(text.len(), |at| at + 1) } else { 0 };
    Some(format!("{}{comment}\n{}", &text[..at], &text[at..]))
}
