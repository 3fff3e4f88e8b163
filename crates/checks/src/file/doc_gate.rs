//! Files that do not say what they are for: `file/doc-gate`.

use std::path::Path;

use model::{Change, Event, EventName, Findings, Levels, Meta, On, Role, source};

use crate::file::Target;
use crate::plan::has_decision;
use crate::work::Code;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/doc-gate",
    summary: "a source file without a header, or a large one without a decision",
    docs: "\
Every source file begins with a comment that says what it is for, and one of fifty lines or more says somewhere which decision it stands for
(`@decision DEC-COMPONENT-NNN`, or `# DECISION: … Rationale: … Status: …`). A whole file that does not is refused, with a template to fill in;
an edit of such a file is only advised about. A new Markdown file in the project's root is advised against: notes belong into the ones
that are there, or into an issue.
",
    cases: include_str!("doc_gate.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

/// A file of this many lines has decided something.
const LARGE: usize = 50;

/// Markdown files that have their place in a root.
const ROOT_FILES: &[&str] = &[
    "CLAUDE.md",
    "README.md",
    "MASTER_PLAN.md",
    "AGENTS.md",
    "CHANGELOG.md",
    "LICENSE.md",
    "CONTRIBUTING.md",
];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(edit) = event.edit() else { return };
    if source::extension(&edit.path) == "md" {
        return root_markdown(event, cx, out);
    }
    let Some(code) = Code::of(event, cx) else { return };
    let (text, whole) = match &edit.change {
        Change::Write { content } => (content.clone(), true),
        Change::Replace(_) => {
            let Ok(Some(before)) = cx.facts.read(&code.target.real) else { return };
            (edit.change.apply(&before).unwrap_or(before), false)
        }
        Change::Cell { .. } | Change::Unknown | Change::Removed => return,
    };
    if text.trim().is_empty() {
        return;
    }
    let lines = text.lines().count();
    let style = Style::of(&code.path);
    let (header, decision) = (style.has_header(&text), lines < LARGE || has_decision(&text));
    let what = match (header, decision) {
        (true, true) => return,
        (false, true) => format!("{} has no header that says what it is for.", code.name()),
        (true, false) => format!("{} has {lines} lines and no @decision.", code.name()),
        (false, false) => format!(
            "{} has {lines} lines, no header that says what it is for, and no @decision.",
            code.name()
        ),
    };
    if whole {
        out.deny(META.id, what, "Code is read more often than written.").instead =
            Some(format!("Begin the file like this:\n{}", style.template(!decision)));
    } else {
        out.context.push(format!("{what} Add it while you are there:\n{}", style.template(!decision)));
    }
}

fn root_markdown(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(target) = Target::of(event, cx) else { return };
    let whole = matches!(target.edit.change, Change::Write { .. });
    let name = target.name();
    let in_root = target.written.parent() == Some(cx.facts.project());
    if whole
        && in_root
        && !ROOT_FILES.contains(&name.as_str())
        && cx.facts.modified(&target.written).is_none()
    {
        out.context.push(format!(
            "{name} is a new Markdown file in the project's root. Put plans into MASTER_PLAN.md, notes for people into README.md or docs/, and work for later into an issue."
        ));
    }
}

/// How comments are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Python,
    Hash,
    Rust,
    Slashes,
    Php,
}

impl Style {
    fn of(path: &Path) -> Self {
        match source::extension(path) {
            "py" => Style::Python,
            "sh" | "bash" | "zsh" | "rb" => Style::Hash,
            "rs" => Style::Rust,
            "php" => Style::Php,
            _ => Style::Slashes,
        }
    }

    /// The first line that says something is a comment with words in it.
    fn has_header(self, text: &str) -> bool {
        let mut lines = text
            .trim_start_matches('\u{feff}')
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with("#!"));
        let first = lines.find(|line| match self {
            Style::Php => !line.starts_with("<?") && !line.starts_with("declare("),
            // Directives have to stand before everything else.
            Style::Slashes => !line.starts_with("'use ") && !line.starts_with("\"use "),
            _ => true,
        });
        let Some(first) = first else { return false };
        let words =
            |mark: &str| first.strip_prefix(mark).is_some_and(|rest| rest.contains(char::is_alphanumeric));
        let opens = |marks: &[&str]| marks.iter().any(|mark| first.starts_with(mark));
        match self {
            Style::Python => opens(&["\"\"\"", "'''", "r\"\"\""]) || words("#"),
            Style::Hash => words("#") || first.starts_with("=begin"),
            Style::Rust => opens(&["//!", "///", "/*"]) || words("//"),
            Style::Slashes => opens(&["/*"]) || words("//"),
            Style::Php => opens(&["/*"]) || words("//") || words("#"),
        }
    }

    fn template(self, decision: bool) -> String {
        let mut lines = vec!["What this file is for, in one sentence."];
        if decision {
            lines.extend([
                "",
                "@decision DEC-COMPONENT-001",
                "@title What was decided",
                "@status accepted",
                "@rationale Why this and not something else.",
            ]);
        }
        let (open, mark, close) = match self {
            Style::Python => ("\"\"\"\n", "", "\"\"\""),
            Style::Hash => ("", "# ", ""),
            Style::Rust => ("", "//! ", ""),
            Style::Slashes => ("/**\n", " * ", " */"),
            Style::Php => ("<?php\n/**\n", " * ", " */"),
        };
        let body: String =
            lines.iter().map(|line| format!("{}\n", format!("{mark}{line}").trim_end())).collect();
        format!("{open}{body}{close}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_by_language() {
        let has = |name: &str, text: &str| Style::of(Path::new(name)).has_header(text);
        for (name, text) in [
            ("a.py", "\"\"\"What.\"\"\"\n"),
            ("a.py", "#!/usr/bin/env python3\n\n# What\n"),
            ("a.ts", "/** What */\n"),
            ("a.ts", "/* What */\n"),
            ("a.tsx", "'use client'\n// What\n"),
            ("a.go", "// What\npackage a\n"),
            ("a.rs", "//! What\n"),
            ("a.rs", "\u{feff}// What\n"),
            ("a.sh", "#!/bin/sh\n# What\n"),
            ("a.php", "<?php\n// What\n"),
            ("a.c", "\r\n// What\r\n"),
        ] {
            assert!(has(name, text), "{name}: {text}");
        }
        for (name, text) in [
            ("a.py", "import os\n"),
            ("a.py", "#\nimport os\n"),
            ("a.ts", "'use strict'\nx()\n"),
            ("a.go", "package a\n"),
            ("a.sh", "#!/bin/sh\nls\n"),
            ("a.php", "<?php\n$x = 1;\n"),
        ] {
            assert!(!has(name, text), "{name}: {text}");
        }
    }

    #[test]
    fn a_template_passes_its_own_gate() {
        for name in ["a.py", "a.sh", "a.rs", "a.ts", "a.php"] {
            let style = Style::of(Path::new(name));
            let text = style.template(true);
            assert!(style.has_header(&text) && has_decision(&text), "{name}: {text}");
            assert!(crate::plan::annotations(&text)[0].has_rationale, "{name}");
        }
    }
}
