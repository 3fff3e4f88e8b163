//! What a cell of a notebook runs: Python, and lines that are for a shell or a database.

/// A cell, taken apart by its magic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// For a shell, one after the other.
    pub commands: Vec<String>,
    pub statements: Vec<String>,
    /// The rest, as Python reads it.
    pub code: String,
}

impl Cell {
    /// `!rm x`, `out = %sx rm x`, `get_ipython().system('rm x')`, `%%bash`, `%%sql`; all else is Python.
    pub fn read(source: &str) -> Self {
        const SHELLS: &[&str] = &["%%bash", "%%sh", "%%shell", "%%script", "%%system", "%%sx", "%%!"];
        let (first, rest) = source.trim_start().split_once('\n').unwrap_or((source.trim_start(), ""));
        let magic = first.split_whitespace().next().unwrap_or_default();
        if SHELLS.contains(&magic) {
            return Self { commands: vec![rest.to_owned()], ..Self::default() };
        }
        if magic == "%%sql" {
            return Self { statements: vec![rest.to_owned()], ..Self::default() };
        }
        let mut cell = Self::default();
        let mut python: Vec<&str> = Vec::new();
        for line in source.lines() {
            match line_magic(line) {
                Some(Magic::Shell(command)) => cell.commands.push(command.to_owned()),
                Some(Magic::Sql(statement)) => cell.statements.push(statement.to_owned()),
                None => python.push(line),
            }
            cell.commands.extend(called(line).map(str::to_owned));
        }
        // Other magic of the whole cell only says how it is run: `%%time`.
        python.retain(|line| !line.trim_start().starts_with("%%"));
        cell.code = python.join("\n");
        cell
    }
}

enum Magic<'a> {
    Shell(&'a str),
    Sql(&'a str),
}

/// One line with magic of its own, also behind a name that gets what it prints.
fn line_magic(line: &str) -> Option<Magic<'_>> {
    const SHELL: &[&str] = &["!!", "!", "%sx ", "%system ", "%bash ", "%sh "];
    let line = line.trim_start();
    let named = line.split_once('=').filter(|(name, _)| {
        let name = name.trim();
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ',' | ' '))
    });
    let text = named.map_or(line, |(_, rest)| rest.trim_start());
    if let Some(command) = SHELL.iter().find_map(|mark| text.strip_prefix(mark)) {
        // `x != y`
        return (!command.starts_with('=')).then_some(Magic::Shell(command));
    }
    text.strip_prefix("%sql ").map(Magic::Sql)
}

/// The text that a notebook's own object is told to run.
fn called(line: &str) -> Option<&str> {
    let at = line.find("get_ipython()")?;
    let rest = &line[at..];
    let open = [".system(", ".getoutput(", ".system_raw(", ".system_piped("]
        .iter()
        .find_map(|call| rest.find(call).map(|at| at + call.len()))?;
    let argument = rest[open..].trim_start_matches(['r', 'f', 'b']);
    let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    argument[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_a_shell_are_told_from_python() {
        for (source, commands, code) in [
            ("!ls -la", &["ls -la"][..], ""),
            ("x = 1\n!make\nprint(x)", &["make"], "x = 1\nprint(x)"),
            ("out = %sx ls\nprint(out)", &["ls"], "print(out)"),
            ("files = !ls", &["ls"], ""),
            ("%%bash\nset -e\nls", &["set -e\nls"], ""),
            ("%%time\nrun()", &[], "run()"),
            ("if a != b:\n    pass", &[], "if a != b:\n    pass"),
        ] {
            let cell = Cell::read(source);
            assert_eq!(cell.commands, commands, "{source}");
            assert_eq!(cell.code, code, "{source}");
        }
        assert_eq!(Cell::read("get_ipython().system('ls -l')").commands, ["ls -l"]);
        assert_eq!(Cell::read("%%sql postgresql://h/d\nSELECT 1").statements, ["SELECT 1"]);
        assert_eq!(Cell::read("rows = %sql SELECT 1").statements, ["SELECT 1"]);
    }
}
