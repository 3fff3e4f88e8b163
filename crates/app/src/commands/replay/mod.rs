//! `plimsoll replay`: recorded sessions, judged again by the present rules and settings.
//!
//! `source` reads recordings, `judge` asks the pipeline about each call as it was, `then` knows what was decided when it happened,
//! `tally` counts by rule, `suggest` proposes rules. Nothing is run, and nothing is written.

mod again;
mod judge;
mod progress;
mod source;
mod suggest;
mod tally;
mod then;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use model::rule::Rule;
use model::{Decision, time};
use serde_json::{Value as Json, json};
use state::{Machine, Project, files, recordings};

pub(crate) use self::again::Again;
use self::judge::{Judge, Row};
use self::source::{Found, Sources};
use self::suggest::Suggest;
use self::tally::Tally;
use crate::exit;
use crate::ui::{Printer, Tone};

/// Judge recorded sessions again, and show what would be decided differently now.
///
/// Reads transcripts of Claude Code (with their subagents), rollouts of Codex and Plimsoll's own log. Each call is judged by the whole
/// pipeline, with the present rules and settings, as things were when it was made: its folder, branch and mode, and the file before
/// each edit. Nothing is run and nothing is written. What cannot be known any more is in a column of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Recordings, or folders of them; `-` for stdin. Without any: all sessions of this project
    #[arg(value_name = "FILE")]
    recordings: Vec<PathBuf>,
    /// Replay the commands of Plimsoll's own log
    #[arg(long)]
    log: bool,
    /// Sessions of all projects, not only of this one
    #[arg(long)]
    all: bool,
    /// Only calls of this last time, such as `12h` or `30d`
    #[arg(long, value_name = "TIME")]
    last: Option<String>,
    /// Compare with what these settings decide, not with what was decided then
    #[arg(long, value_name = "CONFIG")]
    against: Option<PathBuf>,
    /// Exit code 1 where there is one of these
    #[arg(long, value_name = "WHAT")]
    fail_on: Option<FailOn>,
    /// The shortest commands that are shown for each rule
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Propose rules for what the user has approved by hand again and again, and name rules that were overruled
    #[arg(long)]
    suggest: bool,
    /// Print every call, not the table
    #[arg(long, conflicts_with = "suggest")]
    calls: bool,
    /// Print JSON; with `--calls` a line for each
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A call that was let through, and is refused now
    NewDeny,
    /// The same, or one that is asked about now
    NewAsk,
    /// Any call that is decided otherwise
    Change,
}

impl Args {
    /// The same without a command line, for commands that replay.
    pub(super) fn of(
        recordings: Vec<PathBuf>,
        all: bool,
        last: Option<String>,
        json: bool,
        fails: bool,
    ) -> Self {
        Self {
            recordings,
            log: false,
            all,
            last,
            against: None,
            fail_on: fails.then_some(FailOn::NewDeny),
            examples: 3,
            suggest: false,
            calls: false,
            json,
        }
    }

    pub(super) fn suggesting(self) -> Self {
        Self { suggest: true, ..self }
    }
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    with_rules(machine, printer, Vec::new(), args)
}

/// The same with other rules besides those that are in force.
pub(super) fn with_rules(
    machine: &Machine,
    printer: &Printer,
    more: Vec<Rule>,
    args: &Args,
) -> anyhow::Result<u8> {
    let since = match &args.last {
        Some(span) => {
            let seconds = time::parse_span(span)
                .with_context(|| format!("`{span}` is not a time; write 12h, 30d or a number of seconds"))?;
            machine.now().saturating_sub(seconds)
        }
        None => 0,
    };
    let wanted = wanted(machine, printer, args, since)?;
    let mut judge = Judge::new(machine, args.against.as_deref())?;
    judge.more = more;
    let mut tally = Tally::new(args.examples);
    let mut suggest = Suggest::default();
    let mut sources = Sources::new(machine, wanted);
    let only = (args.recordings.is_empty() && !args.all).then(|| Project::here(machine).root);
    while let Some(found) = sources.next_call() {
        let is_here = only.as_deref().is_none_or(|root| is_of(&found, root));
        if !is_here || found.call.at.is_some_and(|at| at < since) {
            continue;
        }
        let row = judge.judge(&found);
        if args.calls {
            print(printer, &row, args.json);
        }
        if args.suggest {
            suggest.add(&row);
        }
        tally.add(&row);
        if printer.is_cut_off() {
            break;
        }
    }
    sources.progress.end();
    for problem in judge.problems() {
        printer.note(&format!("plimsoll: {problem}"));
    }
    match (args.suggest, args.calls) {
        (true, _) => suggest.print(printer, args.json),
        (_, true) => {}
        _ => tally.print(printer, &sources, args),
    }
    if args.suggest || args.calls {
        sources.say(printer);
    }
    let failed = args.fail_on.is_some_and(|on| match on {
        FailOn::NewDeny => tally.new_denies > 0,
        FailOn::NewAsk => tally.new_denies + tally.new_asks > 0,
        FailOn::Change => tally.changes > 0,
    });
    Ok(if failed { exit::FAILED } else { exit::OK })
}

/// The files to read.
fn wanted(machine: &Machine, printer: &Printer, args: &Args, since: u64) -> anyhow::Result<Vec<PathBuf>> {
    let mut wanted = Vec::new();
    for path in &args.recordings {
        if path == Path::new("-") || files::is_file(path) {
            wanted.push(path.clone());
        } else if files::is_dir(path) {
            wanted.extend(recordings::below(path, since));
        } else {
            bail!("{}: there is no such recording", path.display());
        }
    }
    if args.log {
        wanted.extend(state::log::all(machine).into_iter().filter(|file| files::is_file(file)));
    }
    if args.recordings.is_empty() && !args.log {
        let project = Project::here(machine).root;
        for folder in recordings::folders(machine) {
            let all = recordings::below(&folder, since);
            wanted.extend(all.into_iter().filter(|file| args.all || may_be_of(file, &folder, &project)));
        }
    }
    if wanted.is_empty()
        && args.recordings.is_empty()
        && !args.log
        && log_has_commands(machine, args.all, since)
    {
        // What no agent has recorded, we have: its commands, though not its edits.
        printer.note(
            "plimsoll: there are no recorded sessions of this project; this is from Plimsoll's own log, which has the commands",
        );
        wanted.extend(state::log::all(machine).into_iter().filter(|file| files::is_file(file)));
    }
    if wanted.is_empty() {
        bail!("{}", none(args));
    }
    Ok(wanted)
}

/// Whether our own log has a command of this project (or of any) since then.
fn log_has_commands(machine: &Machine, all: bool, since: u64) -> bool {
    let root = Project::here(machine).root.to_string_lossy().into_owned();
    state::log::read(machine).iter().any(|record| {
        (all || record.project == root)
            && record.event == "PreToolUse"
            && record.tool == "Bash"
            && record.seconds() >= since
    })
}

/// Why there is nothing to judge, and what else there may be.
fn none(args: &Args) -> &'static str {
    match (args.log, args.all) {
        (true, _) => "the log has nothing of that time",
        (false, true) => {
            "there are no sessions of that time on this machine, and no commands in Plimsoll's log; name a file or a folder"
        }
        (false, false) => {
            "there are no sessions of this project, and no commands in Plimsoll's log; --all takes those of all projects, or name a file \
             or a folder"
        }
    }
}

/// Claude Code keeps the sessions of a folder under its name, with `-` for whatever is not a letter or digit. Codex keeps all together.
fn may_be_of(file: &Path, folder: &Path, project: &Path) -> bool {
    if !folder.ends_with("projects") {
        return true;
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = project.to_string_lossy().chars().map(plain).collect();
    let first = file.strip_prefix(folder).ok().and_then(|rest| rest.iter().next());
    first.is_some_and(|first| first.to_string_lossy().starts_with(&name))
}

fn is_of(found: &Found, root: &Path) -> bool {
    let cwd = found.call.event.cwd.as_deref();
    cwd.or(found.call.started.as_deref()).is_some_and(|cwd| files::resolve(cwd).starts_with(root))
}

fn print(printer: &Printer, row: &Row, json: bool) {
    if json {
        return printer.json_line(&row.json());
    }
    let word = |decision: Option<Decision>| decision.map_or("-", Decision::as_str).to_owned();
    let tone = if row.is_changed() { Tone::Warning } else { Tone::Faint };
    let gone = if row.unknown.is_empty() { String::new() } else { " (unknown)".to_owned() };
    let line = format!(
        "{:5} {:5} {:12} {}  {}{gone}",
        word(row.base.as_ref().map(|base| base.decision)),
        word(Some(row.now.decision)),
        row.tool,
        one_line(&row.subject),
        row.now.rules.join(", "),
    );
    printer.toned(tone, line.trim_end());
}

/// A command on one line of a screen.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let text = text.replace('\n', "⏎ ");
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// What was read, and what was not.
fn read_json(sources: &Sources) -> Json {
    json!({
        "files": sources.files,
        "unreadable": sources.unreadable,
        "lines": sources.lines,
        "damaged": sources.damaged,
        "too_long": sources.too_long,
        "unknown_kinds": sources.unknown,
        "not_whole": sources.not_whole,
    })
}
