//! Secrets on their way into files that others get: `file/secret`.

use std::path::Path;

use model::{
    Change, Event, EventName, Findings, Levels, MARK, Meta, On, OwnValues, Role, Secret, find_secrets,
};

use crate::result::{kinds, own_values};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/secret",
    summary: "a key that would be written into a file of the repository, or committed",
    docs: "\
Asks before a key is written into a file that the repository has or will have, and before a commit of files that hold one: what is in the
history of a repository is known to all who have it. Keys count by their shape, private keys, and values of the project's own `.env`; a name
like `password` alone does not. Files that hold secrets by their purpose (`.env` and its kin) and files that are ignored are left alone.

A text with a mark of a masked secret in it (`‹masked: …›`) is not written: the mark would take the secret's place.
",
    cases: include_str!("secret.toml"),
    on: &[On::edits(EventName::PreToolUse), On::shell(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// Files of a commit that are looked at, and how much of each.
const MOST: usize = 200;
const LARGEST: usize = 1 << 20;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    match event.edit() {
        Some(edit) => written(&edit.path, &edit.change, cx, out),
        None => committed(event, cx, out),
    }
}

fn certain(text: &str, own: &OwnValues) -> Vec<Secret> {
    let mut found = find_secrets(text, own);
    found.retain(|secret| secret.certain);
    found
}

fn written(path: &Path, change: &Change, cx: &Context<'_>, out: &mut Findings) {
    let added: Vec<&str> = match change {
        Change::Write { content } => vec![content],
        Change::Replace(parts) => parts.iter().map(|part| part.new.as_str()).collect(),
        Change::Cell { source } => vec![source],
        Change::Unknown | Change::Removed => return,
    };
    let place = cx.facts.resolve(path);
    // Only in the place of a secret is a mark lost; our own sources may well have one.
    let before = || cx.facts.read(&place).ok().flatten().unwrap_or_default();
    if added.iter().any(|text| text.contains(MARK)) && !before().contains(MARK) {
        out.deny(
            META.id,
            "This would write the mark of a masked secret into a file.".into(),
            "The mark would replace the secret.",
        )
        .instead = Some("Edit only the lines around it, and leave the secret as it is.".into());
        return;
    }
    if !is_shared(&place, cx) {
        return;
    }
    let own =
        if added.iter().any(|text| text.len() >= 8) { own_values(cx.facts) } else { OwnValues::default() };
    let mut found: Vec<(Secret, &str)> = Vec::new();
    for text in added {
        found.extend(certain(text, &own).into_iter().map(|secret| (secret, text)));
    }
    if found.is_empty() {
        return;
    }
    // What is there already is nobody's news.
    let before = before();
    found.retain(|(secret, text)| !before.contains(&text[secret.range.clone()]));
    if !found.is_empty() {
        let named = kinds(found.iter().map(|(secret, _)| secret.kind.as_str()));
        let what = format!("This would write a secret ({named}) into {}.", path.display());
        out.ask(
            META.id,
            what,
            "The file belongs to the repository, so everybody who has the repository would have the secret.",
        )
        .instead = Some("Put it into `.env`, which is ignored, and read it from the environment.".into());
    }
}

/// Whether a file goes to others with the repository, as far as its name and the ignore files of the project say.
fn is_shared(place: &Path, cx: &Context<'_>) -> bool {
    let Some(repository) = place.parent().and_then(|dir| cx.facts.repository(dir)) else { return false };
    let home = cx.home();
    if shell::is_secret_path(&place.to_string_lossy(), home) {
        return false;
    }
    let Ok(inside) = place.strip_prefix(&repository.root) else { return false };
    let ignored = cx.facts.read(&repository.root.join(".gitignore")).ok().flatten().unwrap_or_default();
    !ignored.lines().any(|line| ignores(line, inside))
}

/// The plain forms of a line in `.gitignore`: a name, a folder, an ending. Others ignore nothing here, and the question is asked.
fn ignores(line: &str, path: &Path) -> bool {
    let line = line.trim().trim_start_matches("**/");
    if line.is_empty() || line.starts_with(['#', '!']) {
        return false;
    }
    let pattern = line.trim_end_matches('/');
    if let Some(anchored) = pattern.strip_prefix('/') {
        return path.starts_with(anchored);
    }
    path.iter().any(|part| {
        let part = part.to_string_lossy();
        match pattern.split_once('*') {
            Some((start, end)) => {
                !pattern.contains('/')
                    && part.len() >= start.len() + end.len()
                    && part.starts_with(start)
                    && part.ends_with(end)
            }
            None => part == pattern,
        }
    }) || pattern.contains('/') && !pattern.contains('*') && path.starts_with(pattern)
}

fn committed(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    use model::deed::Verb;
    let Some(reading) = cx.reading(event) else { return };
    let Some(call) = reading.calls.iter().find(|call| call.does(Verb::Commits)) else { return };
    let dir = Path::new(&*call.cwd);
    let Ok(staged) = cx.facts.staged(dir) else { return };
    let root = cx.facts.repository(dir).map_or_else(|| dir.to_path_buf(), |repository| repository.root);
    let own = own_values(cx.facts);
    let mut found = Vec::new();
    for name in staged.iter().take(MOST) {
        let text = cx
            .facts
            .read(&root.join(name))
            .ok()
            .flatten()
            .filter(|text| text.len() <= LARGEST)
            .unwrap_or_default();
        found.extend(certain(&text, &own).into_iter().map(|secret| (secret.kind, name)));
    }
    if let Some((_, name)) = found.first() {
        let named = kinds(found.iter().map(|(kind, _)| kind.as_str()));
        let what = format!("This would commit a secret ({named}) in {name}.");
        out.ask(META.id, what, "Everybody who has the repository can read its history.").instead =
            Some(format!("Take it out (`git restore --staged {name}`), and read it from the environment."));
    }
}
