//! A file's lines as code: comments, documentation and imports taken out, so that words in them are not taken for deeds.

/// Languages with the same look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    /// JavaScript, TypeScript and what is written in them.
    Script,
    /// `//` and `/* */`.
    Braces,
    /// `#`.
    Hash,
    Sql,
}

pub(super) fn family(path: &str) -> Option<Family> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    Some(match extension {
        "py" | "pyi" => Family::Python,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "astro" => {
            Family::Script
        }
        "rs" | "go" | "java" | "kt" | "swift" | "c" | "h" | "cc" | "cpp" | "hpp" | "cs" | "php" | "scala"
        | "dart" | "prisma" => Family::Braces,
        "rb" | "sh" | "bash" | "zsh" | "yaml" | "yml" | "toml" | "tf" | "conf" | "ini" | "ex" | "exs" => {
            Family::Hash
        }
        "sql" => Family::Sql,
        _ if matches!(name, "Dockerfile" | "Makefile") => Family::Hash,
        _ => return None,
    })
}

pub(super) fn is_code(path: &str) -> bool {
    family(path).is_some()
}

/// What is left of each line. A file that is not code has only empty ones.
pub(super) fn lines(path: &str, text: &str) -> Vec<String> {
    let Some(family) = family(path) else { return text.lines().map(|_| String::new()).collect() };
    let mut stripper = Stripper { family, within: Within::Code, import: false };
    text.lines().map(|line| stripper.line(line)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    /// `/* */`.
    Comment,
    /// A string over several lines, by its quote; kept where it is a value, dropped where it stands by itself.
    Text {
        quote: &'static str,
        kept: bool,
    },
}

struct Stripper {
    family: Family,
    within: Within,
    /// An import that goes on over several lines.
    import: bool,
}

impl Stripper {
    fn line(&mut self, line: &str) -> String {
        let code = self.strip(line);
        if self.is_import(&code) { String::new() } else { code }
    }

    fn strip(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(next) = rest.chars().next() {
            match self.within {
                Within::Comment => match rest.find("*/") {
                    Some(at) => {
                        self.within = Within::Code;
                        rest = &rest[at + 2..];
                    }
                    None => return out,
                },
                Within::Text { quote, kept } => {
                    let end = rest.find(quote).map(|at| at + quote.len());
                    let part = &rest[..end.unwrap_or(rest.len())];
                    if kept {
                        out.push_str(part);
                    }
                    if end.is_some() {
                        self.within = Within::Code;
                    }
                    rest = &rest[part.len()..];
                }
                Within::Code => {
                    if self.begins_comment(rest) {
                        return out;
                    }
                    if let Some(quote) = self.long_quote(rest) {
                        let kept = !out.trim().is_empty() || quote == "`";
                        self.within = Within::Text { quote, kept };
                        rest = &rest[quote.len()..];
                    } else if rest.starts_with("/*")
                        && matches!(self.family, Family::Script | Family::Braces | Family::Sql)
                    {
                        self.within = Within::Comment;
                        rest = &rest[2..];
                    } else if matches!(next, '"' | '\'') {
                        let end = string_end(rest, next);
                        out.push_str(&rest[..end]);
                        rest = &rest[end..];
                    } else {
                        out.push(next);
                        rest = &rest[next.len_utf8()..];
                    }
                }
            }
        }
        out
    }

    fn begins_comment(&self, rest: &str) -> bool {
        match self.family {
            Family::Python | Family::Hash => rest.starts_with('#'),
            Family::Script | Family::Braces => rest.starts_with("//"),
            Family::Sql => rest.starts_with("--"),
        }
    }

    fn long_quote(&self, rest: &str) -> Option<&'static str> {
        let quotes: &[&'static str] = match self.family {
            Family::Python => &["\"\"\"", "'''"],
            Family::Script => &["`"],
            _ => &[],
        };
        quotes.iter().copied().find(|quote| rest.starts_with(quote))
    }

    /// Naming something is not using it.
    fn is_import(&mut self, code: &str) -> bool {
        let text = code.trim();
        if self.family == Family::Python && tells_by_itself(text) {
            return false;
        }
        if self.import {
            self.import = match self.family {
                Family::Python => !text.contains(')'),
                Family::Braces => !text.contains(')') && !text.ends_with(';'),
                _ => !(text.contains(" from ") || text.starts_with("from ") || text.contains("} from")),
            };
            return true;
        }
        let (is, open) = match self.family {
            Family::Python => {
                let is = text.starts_with("import ") || text.starts_with("from ") && text.contains(" import");
                (is, text.ends_with('('))
            }
            Family::Script => {
                let import = text.starts_with("import ") || text.starts_with("import{");
                let from = text.starts_with("export ") && text.contains(" from ");
                let required = text.contains("= require(");
                let open = import && text.contains('{') && !text.contains('}');
                (import || from || required, open)
            }
            Family::Braces => {
                let is = ["use ", "pub use ", "import ", "#include ", "using "]
                    .iter()
                    .any(|start| text.starts_with(start));
                (is, is && (text.ends_with('(') || text.ends_with('{')))
            }
            Family::Hash => (text.starts_with("require ") || text.starts_with("require_relative "), false),
            Family::Sql => (false, false),
        };
        self.import = is && open;
        is
    }
}

/// Whether an import is a change of its kind by itself: whoever imports one of these does nothing else with it.
fn tells_by_itself(text: &str) -> bool {
    const MODULES: &[&str] = &["alembic", "openpyxl", "xlsxwriter"];
    let named = text.strip_prefix("import ").or_else(|| text.strip_prefix("from "));
    let name = named.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
    name.is_some_and(|name| MODULES.contains(&name))
}

/// The end of a string in quotes; the end of the line where it is not closed, as in prose with an apostrophe.
fn string_end(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    // An apostrophe in markup: only the sign itself is passed.
    quote.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn signs_in_strings_begin_no_comment() {
        assert_eq!(lines("a.ts", "f('http://x'); // y"), ["f('http://x'); "]);
        assert_eq!(lines("a.py", "f('#1') # y"), ["f('#1') "]);
        assert_eq!(lines("a.py", "q = '''CREATE\nTABLE'''\nx"), ["q = CREATE", "TABLE'''", "x"]);
        assert_eq!(lines("a.tsx", "<p>it's // here</p>"), ["<p>it's "]);
        assert_eq!(lines("a.sql", "select 1; -- drop table"), ["select 1; "]);
    }

    #[test]
    fn imports_say_nothing_unless_they_have_one_use() {
        assert_eq!(lines("a.py", "import datetime\nfrom fastapi import FastAPI"), ["", ""]);
        assert_eq!(lines("a.py", "from alembic import op"), ["from alembic import op"]);
        assert_eq!(lines("a.py", "import openpyxl as x"), ["import openpyxl as x"]);
    }

    #[test]
    fn hostile_text_ends() {
        for text in ["\"", "'\\", "/*", "\"\"\"", "`", "\u{feff}# x", "é'ü", "/* é */ \"é"] {
            for path in ["a.py", "a.ts", "a.rs", "a.sh", "a.sql"] {
                assert_eq!(lines(path, text).len(), 1, "{path} {text}");
            }
        }
    }
}
