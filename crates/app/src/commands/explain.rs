//! `plimsoll explain`: how something would be answered, check by check. Decides with everything as it is, changes nothing.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use agents::Defaults;
use anyhow::{Context, bail};
use checks::{Ran, Trace};
use model::deed::{Certainty, Deed, Object};
use model::{Decision, Event, EventName, redact_all};
use serde_json::{Value as Json, json};
use shell::{Direction, Reading};
use state::{Approvals, DiskFacts, Machine, files};

use crate::fault::Fault;
use crate::hook::{self, Judged};
use crate::ui::{Printer, Tone, human};
use crate::{exit, lint};

/// Show how a command, an edit or a payload would be answered, check by check.
///
/// `plimsoll explain 'rm -rf build'` judges a shell command: its structure where it has one, the programs that it comes down to,
/// what they do, and what the checks say to it, `plimsoll explain payload.json` a recorded payload (`-` for
/// stdin), `plimsoll explain --edit FILE` a file as if the agent had just written it, `plimsoll explain --tool mcp__fs__write_file
/// --input '{"path": "a.py", "content": "x"}'` a call of any other tool, and `plimsoll explain file/own-state` prints what a check
/// is for. Nothing is run or recorded.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A shell command, a payload file, `-`, or the id of a check
    #[arg(required_unless_present_any = ["edit", "corpus", "tool"])]
    what: Option<String>,
    /// Judge this file as the agent's Write of its present content
    #[arg(long, value_name = "FILE", conflicts_with = "what")]
    edit: Option<PathBuf>,
    /// Judge a call of this tool
    #[arg(long, value_name = "NAME", conflicts_with_all = ["what", "edit", "corpus"])]
    tool: Option<String>,
    /// What the tool is given: a JSON object, or `-` for stdin
    #[arg(long, value_name = "JSON", requires = "tool", default_value = "{}", hide_default_value = true)]
    input: String,
    /// Score a corpus file: one JSON object a line with `expected` and `command`, or `tool` and `input`; exit code 1 on a miss
    #[arg(long, value_name = "FILE", conflicts_with_all = ["what", "edit"])]
    corpus: Option<PathBuf>,
    /// Name also the checks that have nothing to say
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    if let Some(check) = args.what.as_deref().and_then(checks::find) {
        let meta = check.meta;
        if args.json {
            printer.json(&json!({"check": meta.id, "summary": meta.summary, "docs": meta.docs}));
            return Ok(exit::OK);
        }
        printer.toned(Tone::Title, &format!("{}: {}", meta.id, meta.summary));
        printer.line(&format!("\n{}", human::unbroken(meta.docs.trim_end())));
        return Ok(exit::OK);
    }
    if let Some(near) = args.what.as_deref().and_then(near_check) {
        let what = args.what.as_deref().unwrap_or_default();
        bail!(Fault::Usage(format!("unknown check {what}; did you mean {near}?")));
    }
    if let Some(file) = &args.corpus {
        return super::corpus::run(printer, file, args.json);
    }
    let (event, damaged) = match (&args.edit, args.what.as_deref()) {
        _ if let Some(tool) = &args.tool => {
            (tool_event(&machine.cwd(), tool, &tool_input(&args.input)?), false)
        }
        (Some(file), _) => (edit_event(machine, file)?, false),
        (None, Some("-")) => {
            payload_event(&files::read_stdin(agents::LARGEST).context("stdin could not be read")?)?
        }
        (None, Some(file)) if names_payload(file) => payload_event(
            &files::read_bytes(Path::new(file)).with_context(|| format!("{file} could not be read"))?,
        )?,
        (None, Some(command)) => (tool_event(&machine.cwd(), "Bash", &json!({"command": command})), false),
        (None, None) => bail!("say what to explain"),
    };
    let judged = hook::judge(machine, &hook::Terms::default(), &event, hook::Look { damaged, explain: true });
    for command in event.commands() {
        printer.mask_secrets_of(&command.text);
    }
    if args.json {
        printer.json(&as_json(machine, &event, &judged));
    } else {
        show(machine, printer, &event, &judged, args.all);
        if let Some(edit) = event.edit() {
            let file = files::resolve(&edit.path);
            // What is refused is not linted.
            if judged.report.verdict.decision != Decision::Deny {
                printer.toned(Tone::Title, "linters");
                for line in lint::explained(machine, &judged.project, &judged.loaded, &file) {
                    printer.line(&format!("  {line}"));
                }
            }
            let waiting = lint::waiting_for(machine, &judged.project, &judged.loaded, &file);
            if !waiting.is_empty() {
                printer.toned(Tone::Warning, &lint::waiting::sentence(&judged.project.root, &waiting));
            }
        }
    }
    Ok(exit::OK)
}

/// The check that was meant by what looks like the id of one: one word in a group that there is, and no file.
fn near_check(text: &str) -> Option<&'static str> {
    let (group, name) = text.split_once('/')?;
    let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let ids = || checks::all().map(|check| check.meta.id);
    let grouped = ids().any(|id| id.split('/').next() == Some(group));
    if !grouped || !is_word(name) || files::exists(Path::new(text)) {
        return None;
    }
    let beginning = ids().find(|id| id.starts_with(text));
    beginning.or_else(|| crate::ui::nearest(text, ids()))
}

/// A JSON file, or one word that could only be meant as the name of one: nobody runs `payload.json`.
fn names_payload(text: &str) -> bool {
    let is_json = Path::new(text).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    is_json && (!text.contains(char::is_whitespace) || files::is_file(Path::new(text)))
}

fn payload_event(bytes: &[u8]) -> anyhow::Result<(Event, bool)> {
    let input = agents::read(bytes).map_err(|bad| anyhow::anyhow!("{bad}"))?;
    let event = agents::detect(&input.payload).parse(input.payload, Defaults::default());
    Ok((event, input.damaged))
}

fn edit_event(machine: &Machine, file: &Path) -> anyhow::Result<Event> {
    let path = model::path::absolute(file, &machine.cwd(), machine.home().as_deref());
    let content = files::read(&path).with_context(|| format!("{} could not be read", path.display()))?;
    let input = json!({"file_path": path.to_string_lossy(), "content": content.unwrap_or_default()});
    Ok(tool_event(&machine.cwd(), "Write", &input))
}

fn tool_input(text: &str) -> anyhow::Result<Json> {
    let text = if text == "-" {
        String::from_utf8(files::read_stdin(agents::LARGEST).context("stdin could not be read")?)
            .context("stdin is not UTF-8")?
    } else {
        text.to_owned()
    };
    let input: Json = serde_json::from_str(&text).context("--input is not JSON")?;
    if !input.is_object() {
        bail!("--input must be a JSON object, such as '{{\"path\": \"a.py\"}}'");
    }
    Ok(input)
}

pub(super) fn tool_event(cwd: &Path, tool: &str, input: &Json) -> Event {
    let payload = json!({
        "hook_event_name": EventName::PreToolUse.as_str(),
        "cwd": cwd.to_string_lossy(),
        "tool_name": tool,
        "tool_input": input,
    });
    let Json::Object(payload) = payload else { unreachable!("it is an object above") };
    agents::detect(&payload).parse(payload, Defaults::default())
}

fn tone(decision: Decision) -> Tone {
    match decision {
        Decision::Deny => Tone::Bad,
        Decision::Ask => Tone::Warning,
        Decision::Allow => Tone::Good,
        Decision::None => Tone::Faint,
    }
}

fn ran(trace: &Trace) -> (&'static str, Tone) {
    match &trace.ran {
        Ran::Answered(decision) => (decision.as_str(), tone(*decision)),
        Ran::Off => ("off", Tone::Faint),
        Ran::Spared => ("spared", Tone::Faint),
        Ran::Failed(_) => ("failed", Tone::Bad),
    }
}

fn show(machine: &Machine, printer: &Printer, event: &Event, judged: &Judged, all: bool) {
    let verdict = &judged.report.verdict;
    printer.toned(Tone::Title, &format!("{} {}", event.name, event.subject()));
    if let Some(command) = event.command() {
        underline(printer, command, judged);
        let lines = shell::outline(command);
        if lines.len() > 1 {
            printer.toned(Tone::Title, "structure");
            for line in lines {
                printer.toned(Tone::Faint, &format!("  {}{}", "  ".repeat(line.depth), line.text));
            }
        }
    }
    let read = reading_of(machine, event, judged);
    if let Some(read) = &read {
        printer.toned(Tone::Title, "programs");
        reading(printer, read);
    }
    let deeds = deeds_of(event, read.as_ref());
    if !deeds.is_empty() {
        printer.toned(Tone::Title, "effects");
        for deed in &deeds {
            printer.line(&format!("  {:12} {}", deed.verb.as_str(), said(deed)));
        }
    }
    if read.is_some() || !deeds.is_empty() {
        printer.toned(Tone::Title, "checks");
    }
    if !judged.loaded.config.hook_enabled {
        printer.toned(Tone::Warning, "hook_enabled is false: the hook itself would say nothing");
    }
    // A call meets two dozen checks; of most of them there is nothing to tell.
    let quiet = |trace: &&Trace| {
        !all && trace.text.is_empty()
            && !matches!(trace.ran, Ran::Failed(_))
            && matches!(trace.ran, Ran::Answered(Decision::None) | Ran::Off | Ran::Spared)
    };
    let silent: Vec<&Trace> = judged.report.trace.iter().filter(quiet).collect();
    for trace in judged.report.trace.iter().filter(|trace| !quiet(trace)) {
        let (word, tone) = ran(trace);
        let head = format!("{:22} {:6}", trace.check.id, word);
        let took = human::duration(trace.micros);
        printer.line(&format!("  {} {took:>8}", printer.paint(tone, &head)));
        for line in trace.text.lines() {
            printer.line(&format!("      {line}"));
        }
    }
    if !silent.is_empty() {
        let took = human::duration(silent.iter().map(|trace| trace.micros).sum());
        let count = human::plural(silent.len() as u64, "check");
        let line = format!("{count} with nothing to say ({took}; --all names them)");
        printer.toned(Tone::Faint, &format!("  {line}"));
    }
    if judged.report.trace.is_empty() {
        printer.line("  no check looks at this");
    }
    let word = match (verdict.decision, verdict.is_silent()) {
        (Decision::None, true) => {
            "none: the hook says nothing, the agent's own permissions decide".to_owned()
        }
        (decision, _) => decision.to_string(),
    };
    printer.line(&format!("verdict: {}", printer.paint(tone(verdict.decision), &word)));
    if let Some(command) = &verdict.command {
        printer.line(&format!("runs instead: {command}"));
    }
}

/// What the tool itself does and what its commands do.
fn deeds_of(event: &Event, reading: Option<&Reading>) -> Vec<Deed> {
    let of_commands = reading.map(Reading::deeds).unwrap_or_default();
    checks::tool_deeds(event).into_iter().chain(of_commands).collect()
}

/// What a deed is done to: a folder with all that is in it ends like a pattern for that.
fn said(deed: &Deed) -> String {
    let text = model::redact(&shell::text::show(deed.object.text()));
    let tree = if matches!(deed.object, Object::Path { tree: true, .. }) { "/**" } else { "" };
    let unseen = if deed.certainty == Certainty::Unseen { " (perhaps)" } else { "" };
    format!("{}{tree}{unseen}", if tree.is_empty() { &text } else { text.trim_end_matches('/') })
}

fn reading_of(machine: &Machine, event: &Event, judged: &Judged) -> Option<Reading> {
    let cwd = event.cwd.clone().unwrap_or_else(|| machine.cwd());
    let facts =
        DiskFacts::new(machine, &judged.project, &judged.loaded, &event.session, cwd, Approvals::Session);
    checks::read(event, &facts)
}

/// The words that the findings are about, marked under the command.
fn underline(printer: &Printer, command: &str, judged: &Judged) {
    let spans: Vec<_> =
        judged.report.verdict.findings.iter().filter_map(|finding| finding.at.clone()).collect();
    // Where something is masked, the marks would stand under other words.
    if spans.is_empty() || command.contains('\n') || redact_all(command) != command {
        return;
    }
    let mark = |(at, _): (usize, char)| if spans.iter().any(|span| span.contains(&at)) { '^' } else { ' ' };
    let marks: String = command.char_indices().map(mark).collect();
    printer.line(&format!("  {command}"));
    printer.toned(Tone::Bad, &format!("  {}", marks.trim_end()));
}

/// What the command comes down to: the programs, where they run, through what, and what they write.
fn reading(printer: &Printer, reading: &Reading) {
    for call in &reading.calls {
        let mut line = format!(
            "  runs  {}",
            if call.argv.is_empty() { "(a redirection)".to_owned() } else { call.line() }
        );
        for redirect in &call.redirects {
            let arrow = match redirect.direction {
                Direction::Read => "<",
                Direction::Append => ">>",
                Direction::Write | Direction::ReadWrite => ">",
                Direction::Duplicate | Direction::Text => continue,
            };
            let _ = write!(line, " {arrow} {}", shell::text::show(&redirect.target.text));
        }
        if !call.wrappers.is_empty() {
            let _ = write!(line, "   through {}", call.wrappers.join(", "));
        }
        if let Some(script) = &call.script {
            let _ = write!(line, "   from {script}");
        }
        printer.toned(Tone::Faint, &line);
    }
    for unseen in &reading.unseen {
        printer.toned(Tone::Warning, &format!("  runs  code that cannot be seen, by {}", unseen.by));
    }
    for doubt in &reading.doubts {
        printer.toned(Tone::Warning, &format!("  not read to the end: {}", doubted(doubt)));
    }
}

/// Why a command was not read to its end.
fn doubted(doubt: &shell::Doubt) -> String {
    match doubt {
        shell::Doubt::Syntax { what, at } => format!("{what}, at byte {at}"),
        shell::Doubt::Bound(what) => format!("too much of it ({what})"),
    }
}

fn as_json(machine: &Machine, event: &Event, judged: &Judged) -> Json {
    let checks: Vec<Json> = judged
        .report
        .trace
        .iter()
        .map(|trace| {
            json!({
                "check": trace.check.id,
                "level": trace.level.as_str(),
                "answer": ran(trace).0,
                "micros": trace.micros,
                "text": trace.text,
            })
        })
        .collect();
    let verdict = &judged.report.verdict;
    let read = reading_of(machine, event, judged);
    let deeds = deeds_of(event, read.as_ref());
    let effects = (read.is_some() || !deeds.is_empty()).then(|| {
        let deed = |deed: &Deed| json!({"kind": deed.verb.as_str(), "what": said(deed)});
        deeds.iter().map(deed).collect::<Vec<_>>()
    });
    let structure = event.command().map(|command| {
        let line = |line: shell::Line| json!({"depth": line.depth, "text": line.text});
        shell::outline(command).into_iter().map(line).collect::<Vec<_>>()
    });
    let spans: Vec<Json> = verdict
        .findings
        .iter()
        .filter_map(|finding| finding.at.as_ref())
        .map(|span| json!([span.start, span.end]))
        .collect();
    json!({
        "event": event.name.as_str(),
        "subject": event.subject(),
        "verdict": verdict.decision.as_str(),
        "rules": verdict.rules(),
        "reason": verdict.reason(),
        "command": verdict.command,
        "context": verdict.context.iter().chain(&verdict.background).collect::<Vec<_>>(),
        "checks": checks,
        "spans": spans,
        "structure": structure,
        "calls": read.as_ref().map(calls_json),
        "effects": effects,
    })
}

fn calls_json(reading: &Reading) -> Json {
    let calls = reading.calls.iter().map(|call| {
        let argv: Vec<String> = call.argv.iter().map(|arg| shell::text::show(&arg.text)).collect();
        json!({"argv": argv, "cwd": &*call.cwd, "wrappers": call.wrappers, "script": call.script})
    });
    Json::Array(calls.collect())
}
