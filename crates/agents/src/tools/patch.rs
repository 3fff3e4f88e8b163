//! Patches: the files that one would write, remove or rename, with the lines that it brings, as edits.
//!
//! Two forms are in use: unified differences, and the one that begins with `*** Begin Patch`.

use model::{Change, FileEdit, Replacement};

/// More files than this are not one change.
const MOST: usize = 1024;

/// Whether a text is a patch.
pub(super) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
        || text.contains("*** Update File: ")
        || text.contains("*** Add File: ")
        || text.contains("*** Delete File: ")
        || text.starts_with("diff --git ")
        || text.contains("\ndiff --git ")
        || (text.starts_with("--- ") || text.contains("\n--- ")) && text.contains("\n+++ ")
}

/// What the patch does, file by file.
pub(crate) fn edits(text: &str) -> Vec<FileEdit> {
    let mut reader = Reader::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if reader.done.len() >= MOST {
            break;
        }
        // Alone it is a line that is removed, and was a comment of SQL.
        let heads = line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        reader.line(line, heads);
    }
    reader.close();
    reader.done
}

#[derive(Default)]
enum Form {
    #[default]
    Changed,
    Added,
    Removed,
}

#[derive(Default)]
struct Reader {
    done: Vec<FileEdit>,
    path: Option<String>,
    /// Where a rename ends.
    to: Option<String>,
    form: Form,
    parts: Vec<Replacement>,
    old: String,
    new: String,
    /// The file named after `---`, for what is removed.
    before: Option<String>,
    inside: bool,
}

impl Reader {
    fn line(&mut self, line: &str, heads: bool) {
        let name = |text: &str| text.trim().trim_matches('"').to_owned();
        for (mark, form) in [
            ("*** Add File: ", Form::Added),
            ("*** Update File: ", Form::Changed),
            ("*** Delete File: ", Form::Removed),
        ] {
            if let Some(path) = line.strip_prefix(mark) {
                self.open(Some(name(path)), form);
                self.inside = true;
                return;
            }
        }
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            self.to = Some(name(path));
        } else if line.starts_with("*** ") {
            self.inside = !line.starts_with("*** End Patch") && self.inside;
        } else if let Some(paths) = line.strip_prefix("diff --git ") {
            // Without a content (a mode, a rename) this line alone names the file.
            let to = paths.rsplit_once(" b/").map(|(_, to)| name(to));
            self.open(to, Form::Changed);
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.path = Some(name(path));
        } else if let Some(path) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            self.to = Some(name(path));
        } else if line.starts_with("deleted file mode") {
            self.form = Form::Removed;
        } else if line.starts_with("new file mode") {
            self.form = Form::Added;
        } else if let Some(path) = line.strip_prefix("--- ").filter(|_| heads) {
            self.before = Some(stripped(path));
        } else if let Some(path) = line.strip_prefix("+++ ").filter(|_| self.before.is_some()) {
            self.named(&stripped(path));
        } else if line.starts_with("@@") {
            self.part();
            self.inside = true;
        } else if self.inside {
            self.content(line);
        }
    }

    fn named(&mut self, after: &str) {
        let before = self.before.take().unwrap_or_default();
        let (path, form) = match (before.as_str(), after) {
            ("/dev/null", path) => (path, Form::Added),
            (path, "/dev/null") => (path, Form::Removed),
            (_, path) => (path, Form::Changed),
        };
        if self.path.as_deref() == Some(path) && self.parts.is_empty() && !self.inside {
            if !matches!(form, Form::Changed) {
                self.form = form;
            }
        } else {
            self.open(Some(path.to_owned()), form);
        }
        self.inside = false;
    }

    fn content(&mut self, line: &str) {
        let (old, new) = match line.as_bytes().first() {
            Some(b'+') => (None, Some(&line[1..])),
            Some(b'-') => (Some(&line[1..]), None),
            Some(b' ') => (Some(&line[1..]), Some(&line[1..])),
            None => (Some(""), Some("")),
            _ => return,
        };
        for (text, side) in [(old, &mut self.old), (new, &mut self.new)] {
            if let Some(text) = text {
                side.push_str(text);
                side.push('\n');
            }
        }
    }

    fn part(&mut self) {
        let (old, new) = (std::mem::take(&mut self.old), std::mem::take(&mut self.new));
        if old != new {
            self.parts.push(Replacement { old, new, all: false });
        }
    }

    fn open(&mut self, path: Option<String>, form: Form) {
        self.close();
        self.path = path;
        self.form = form;
    }

    fn close(&mut self) {
        self.part();
        let parts = std::mem::take(&mut self.parts);
        let (path, to) = (self.path.take(), self.to.take());
        self.inside = false;
        let change = match self.form {
            Form::Removed => Change::Removed,
            Form::Added => Change::Write { content: parts.into_iter().map(|part| part.new).collect() },
            Form::Changed if parts.is_empty() => Change::Unknown,
            Form::Changed => Change::Replace(parts),
        };
        let Some(path) = path.filter(|path| !path.is_empty()) else { return };
        let mut add = |path: String, change: Change| self.done.push(FileEdit { path: path.into(), change });
        match to {
            Some(to) => {
                add(path, Change::Removed);
                add(to, Change::Unknown);
            }
            None => add(path, change),
        }
    }
}

/// The name in a head line: without a date, and without the `a/` or `b/` that git puts before it.
fn stripped(text: &str) -> String {
    let name = text.split('\t').next().unwrap_or(text).trim().trim_matches('"');
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        assert!(is_patch(text), "{text}");
        let kind = |change: &Change| match change {
            Change::Write { content } => format!("+{content:?}"),
            Change::Replace(parts) => parts
                .iter()
                .map(|part| format!("{:?}>{:?}", part.old, part.new))
                .collect::<Vec<_>>()
                .join(","),
            Change::Removed => "gone".into(),
            _ => "?".into(),
        };
        edits(text).iter().map(|edit| format!("{} {}", edit.path.display(), kind(&edit.change))).collect()
    }

    #[test]
    fn the_form_with_stars() {
        let patch = "*** Begin Patch\n*** Add File: a b.txt\n+one\n+two\n*** Update File: src/x.py\n*** Move to: src/y.py\n@@ def f\n keep\n-old\n+new\n*** Delete File: .ruff.toml\n*** End Patch\n";
        assert_eq!(
            shown(patch),
            ["a b.txt +\"one\\ntwo\\n\"", "src/x.py gone", "src/y.py ?", ".ruff.toml gone"]
        );
        assert_eq!(
            shown("*** Update File: p\n@@\n-a\n+b\n@@\n-c\n+d\n"),
            ["p \"a\\n\">\"b\\n\",\"c\\n\">\"d\\n\""]
        );
    }

    #[test]
    fn unified_differences() {
        let plain = "--- a/x.py\t2026-01-01\n+++ b/x.py\t2026-01-02\n@@ -1,2 +1,2 @@\n keep\n-old\n+new\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        assert_eq!(shown(plain), ["x.py \"keep\\nold\\n\">\"keep\\nnew\\n\"", "gone gone"]);
        let git = "diff --git a/n b/n\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\ndiff --git a/o b/p\nsimilarity index 100%\nrename from o\nrename to p\ndiff --git a/m b/m\nold mode 100644\nnew mode 100755\n";
        assert_eq!(shown(git), ["n +\"x\\n\"", "o gone", "p ?", "m ?"]);
    }

    #[test]
    fn a_removed_line_of_dashes_is_a_line() {
        let patch = "--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,2 @@\n a\n--- a comment\n b\n";
        let names: Vec<String> = edits(patch).iter().map(|edit| edit.path.display().to_string()).collect();
        assert_eq!(names, ["x.sql"]);
    }
}
