//! Scratch files belong to the project: `shell/temp-write`.

use model::{Effect, Event, Findings, Level, Levels, Meta, Rewrite};
use shell::{Arg, Call, Direction};

use super::words::operands;
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels { standard: Level::Off, strict: Level::On, autonomous: Level::Off },
    ..super::guard(
        "shell/temp-write",
        "a file written to /tmp",
        "\
Files that a command writes to `/tmp` or `/private/tmp` go to the project's own `tmp/` instead, where the person finds them and where
they do not meet those of others. Only the words that name such a file are changed, wherever they stand in the command; the
directory is made. The agent's scratchpad (`/tmp/claude-*`), registered work trees and a project that lies in `/tmp` itself are exempt.
",
        include_str!("temp_write.toml"),
    )
};

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        let project = cx.facts.project().to_string_lossy().into_owned();
        let mut moved: Vec<String> = Vec::new();
        // The folder as a place to put things in, where it is named as that.
        let mut folders: Vec<&Arg> = Vec::new();
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            for arg in written(call) {
                if let Some(path) = temporary(&arg.text).filter(|path| !is_exempt(path, &project, call, cx)) {
                    moved.push(path.to_owned());
                } else if matches!(call.program(), "cp" | "mv" | "rsync") && is_folder(&arg.text) {
                    folders.push(arg);
                    let names =
                        operands(call.args(), &["-e"]).into_iter().map(|arg| shell::path::name(&arg.text));
                    moved.extend(names.map(|name| format!("/tmp/{name}")));
                }
            }
        }
        if moved.is_empty() {
            return;
        }
        let why = format!(
            "Plimsoll moved what this writes to /tmp into {project}/tmp, the project's own scratch folder."
        );
        for arg in reading.calls.iter().flat_map(words) {
            let folder = folders.iter().any(|known| std::ptr::eq(*known, arg)).then_some(arg.text.as_str());
            let (Some(path), Some(span)) = (temporary(&arg.text).or(folder), &arg.span) else { continue };
            // The file itself wherever it is named, and what lies in a directory that was moved.
            if folder.is_none() && !moved.iter().any(|known| shell::path::is_below(path, known)) {
                continue;
            }
            let inside =
                path.trim_start_matches("/private").trim_start_matches("/tmp").trim_start_matches('/');
            let text = arg.text.replace(path, &format!("{project}/tmp/{inside}"));
            let rewrite = Rewrite {
                rule: META.id,
                span: span.clone(),
                text: shell::quote(&text).into_owned(),
                why: why.clone(),
            };
            if !out.rewrites.iter().any(|known| known.span == rewrite.span) {
                out.rewrites.push(rewrite);
            }
        }
        out.effects.push(Effect::MakeDir(cx.facts.project().join("tmp")));
    }
}

fn words(call: &Call) -> impl Iterator<Item = &Arg> {
    call.args().iter().chain(call.redirects.iter().map(|redirect| &redirect.target))
}

/// The words that name what a call writes.
fn written(call: &Call) -> Vec<&Arg> {
    let mut found: Vec<&Arg> = call
        .redirects
        .iter()
        .filter(|r| matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite))
        .map(|r| &r.target)
        .collect();
    let args = call.args();
    match call.program() {
        "tee" | "mkdir" | "touch" => found.extend(operands(args, &["-m", "-d", "-r", "-t"])),
        "cp" | "mv" | "install" | "ln" | "rsync" => {
            found.extend(operands(args, &["-m", "-o", "-g", "-t", "-e"]).into_iter().next_back());
        }
        "dd" => found.extend(args.iter().filter(|arg| arg.text.starts_with("of="))),
        "curl" => found.extend(after(args, &["-o", "--output"])),
        "wget" => found.extend(after(args, &["-O", "--output-document", "-o"])),
        _ => {}
    }
    found
}

fn after<'a>(args: &'a [Arg], options: &[&str]) -> Option<&'a Arg> {
    let at = args.iter().position(|arg| options.contains(&arg.text.as_str()))?;
    args.get(at + 1)
}

/// The temporary path in a word, which may have something before it: `of=/tmp/x`.
fn temporary(text: &str) -> Option<&str> {
    let path = text.strip_prefix("of=").unwrap_or(text);
    let inside = path.strip_prefix("/private").unwrap_or(path).strip_prefix("/tmp/")?;
    (!inside.is_empty() && shell::text::is_known(path)).then_some(path)
}

fn is_folder(text: &str) -> bool {
    matches!(text, "/tmp" | "/tmp/" | "/private/tmp" | "/private/tmp/")
}

fn is_exempt(path: &str, project: &str, call: &Call, cx: &Context<'_>) -> bool {
    let plain = path.strip_prefix("/private").unwrap_or(path);
    if plain.starts_with("/tmp/claude-")
        || shell::path::is_below(path, project)
        || shell::path::is_below(plain, project)
    {
        return true;
    }
    let repository = cx.facts.repository(std::path::Path::new(&call.cwd));
    repository.is_some_and(|r| {
        r.worktrees
            .iter()
            .chain([&r.root, &r.main_root])
            .any(|tree| shell::path::is_below(path, &tree.to_string_lossy()))
    })
}
