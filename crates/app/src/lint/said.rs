//! What an answer says besides its findings: who has formatted the file, and, after each line that the document has, what to do about it.
//! The script's own answers are without: other programs read those.

use std::path::Path;

use model::Linted;

/// A part of a line, and what follows from it.
const NEXT: &[(&str, &str)] = &[
    ("(some features may not work)", ". `plimsoll tools install` gets the one that Plimsoll was made with."),
    ("biome project rules may not apply", ". Run biome in the project that the file belongs to."),
    ("[hook:advisory] Biome nursery:", ". `biome lint` shows them; fix what is right."),
    ("claude binary not found", ". Install the client, or set `phases.subprocess_delegation` to false."),
    ("[hook:warning] subprocess ", ". Fix what is left yourself."),
    ("[hook:warning] no model was started", ". Fix what was found yourself."),
    ("unmatched pattern", ". Name the rule in `subprocess.tiers` to have another model for it."),
    ("all tools allowed for tier", ". Name the tools in `subprocess.tiers`."),
];

/// Completes the lines of an edit's answer. Where something is left to be fixed, whoever reads that is told there of the formatting.
pub(super) fn complete(linted: &mut Linted, file: &Path, project: &Path, something_left: bool) {
    for line in &mut linted.said {
        if let Some((_, next)) = NEXT.iter().find(|(part, _)| line.contains(part)) {
            line.push_str(next);
        }
    }
    if linted.rewritten && !something_left {
        let name = file.strip_prefix(project).unwrap_or(file).display();
        linted.said.push(format!(
            "[hook:formatted] {name} was rewritten by {}. Read it again before you edit it.",
            who(linted)
        ));
    }
}

/// Each once, in the order of their work.
fn who(linted: &Linted) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in &linted.rewriters {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if names.is_empty() { "a tool".to_owned() } else { names.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_formatted_is_named() {
        let mut linted = Linted {
            rewritten: true,
            rewriters: vec!["one".into(), "two".into(), "one".into()],
            ..Linted::default()
        };
        complete(&mut linted, Path::new("/p/a.py"), Path::new("/p"), false);
        assert_eq!(
            linted.said,
            ["[hook:formatted] a.py was rewritten by one and two. Read it again before you edit it."]
        );
        let mut linted = Linted { rewritten: true, ..Linted::default() };
        complete(&mut linted, Path::new("/p/a.py"), Path::new("/p"), true);
        assert!(linted.said.is_empty(), "the finding says it");
    }

    #[test]
    fn a_line_says_what_to_do() {
        let mut linted =
            Linted { said: vec!["[hook:warning] subprocess failed (exit 3)".into()], ..Linted::default() };
        complete(&mut linted, Path::new("/p/a.py"), Path::new("/p"), true);
        assert_eq!(linted.said, ["[hook:warning] subprocess failed (exit 3). Fix what is left yourself."]);
    }
}
