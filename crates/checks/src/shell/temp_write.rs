//! Scratch files belong to the project: `shell/temp-write`.

use model::deed::{Object, Verb};
use model::{Effect, Event, Findings, Levels, Meta, Rewrite};
use shell::{Arg, Call};

use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels::STRICT,
    ..super::guard(
        "shell/temp-write",
        "a file written to /tmp",
        "\
Files that a command writes to `/tmp` or `/private/tmp` go to the project's own `tmp/` instead, where the user finds them and where
they do not meet those of others. Only the words that name such a file are changed, wherever they stand in the command; the
directory is made. The agent's scratchpad (`/tmp/claude-*`), registered work trees and a project that lies in `/tmp` itself are exempt.
",
        include_str!("temp_write.toml"),
    )
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    let project = cx.facts.project().to_string_lossy().into_owned();
    let mut moved: Vec<String> = Vec::new();
    // The folder as a place to put things in, where it is named as that.
    let mut folders: Vec<&Arg> = Vec::new();
    for call in reading.calls.iter().filter(|call| !call.elsewhere) {
        for deed in &call.deeds {
            let (Object::Path { text, .. }, Verb::Writes | Verb::Appends | Verb::Empties) =
                (&deed.object, deed.verb)
            else {
                continue;
            };
            let Some(path) = temporary(text).filter(|path| !is_exempt(path, &project, call, cx)) else {
                continue;
            };
            moved.push(path.to_owned());
            // `cp x /tmp`: what is written is not what the word says.
            folders.extend(words(call).filter(|arg| arg.span == deed.span && is_folder(&arg.text)));
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
        let (Some(path), Some(span)) = (temporary(value(&arg.text)).or(folder), &arg.span) else {
            continue;
        };
        // A word that is only known in part stays as it is.
        if !shell::text::is_known(&arg.text) {
            continue;
        }
        // The file itself wherever it is named, and what lies in a directory that was moved.
        if folder.is_none() && !moved.iter().any(|known| shell::path::is_below(path, known)) {
            continue;
        }
        let inside = path.trim_start_matches("/private").trim_start_matches("/tmp").trim_start_matches('/');
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

fn words(call: &Call) -> impl Iterator<Item = &Arg> {
    call.args().iter().chain(call.redirects.iter().map(|redirect| &redirect.target))
}

/// What stands in a word behind the name of an option: `of=/tmp/x`, `-o/tmp/x`.
fn value(text: &str) -> &str {
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    if value.starts_with('-') && value.len() > 2 { value.get(2..).unwrap_or(value) } else { value }
}

/// A path in a temporary folder that everybody has.
fn temporary(path: &str) -> Option<&str> {
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
    let repository = cx.facts.repository(std::path::Path::new(&*call.cwd));
    repository.is_some_and(|r| {
        r.worktrees
            .iter()
            .chain([&r.root, &r.main_root])
            .any(|tree| shell::path::is_below(path, &tree.to_string_lossy()))
    })
}
