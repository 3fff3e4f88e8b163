//! The little of Starlark that rules are written in: calls by name, with named arguments that are texts, lists of them, or a word.

/// `name(key = value, …)`
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) line: usize,
    arguments: Vec<(String, Value)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    List(Vec<Value>),
    /// A number, a truth value, a name.
    Other(String),
}

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Value]> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }
}

impl Call {
    pub(super) fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Lists in lists that are followed.
const DEEPEST: usize = 8;

/// All calls at the top.
pub(super) fn calls(text: &str) -> Result<Vec<Call>, String> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut found = Vec::new();
    loop {
        reader.space();
        if reader.rest.is_empty() {
            return Ok(found);
        }
        found.push(reader.call()?);
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> String {
        format!("line {}: {what}", self.line)
    }

    /// Spaces, ends of lines and comments.
    fn space(&mut self) {
        loop {
            let trimmed = self.rest.trim_start();
            self.line += self.rest[..self.rest.len() - trimmed.len()].matches('\n').count();
            self.rest = trimmed;
            if !trimmed.starts_with('#') {
                return;
            }
            let end = trimmed.find('\n').unwrap_or(trimmed.len());
            self.rest = &trimmed[end..];
        }
    }

    fn take(&mut self, mark: char) -> bool {
        self.space();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Result<String, String> {
        self.space();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.wrong("only calls such as prefix_rule(…) are read"));
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn call(&mut self) -> Result<Call, String> {
        let name = self.name()?;
        let line = self.line;
        if !self.take('(') {
            return Err(self.wrong("only calls such as prefix_rule(…) are read"));
        }
        let mut arguments = Vec::new();
        while !self.take(')') {
            let key = self.name()?;
            if !self.take('=') {
                return Err(self.wrong("an argument has no name"));
            }
            arguments.push((key, self.value(0)?));
            if !self.take(',') && !self.rest.starts_with(')') {
                return Err(self.wrong("a comma is missing"));
            }
        }
        Ok(Call { name, line, arguments })
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        self.space();
        match self.rest.chars().next() {
            Some('[') if depth < DEEPEST => {
                self.take('[');
                let mut list = Vec::new();
                while !self.take(']') {
                    list.push(self.value(depth + 1)?);
                    if !self.take(',') && !self.rest.starts_with(']') {
                        return Err(self.wrong("a comma is missing"));
                    }
                }
                Ok(Value::List(list))
            }
            Some('"' | '\'') => self.text().map(Value::Text),
            Some(c) if c.is_alphanumeric() => self.name().map(Value::Other),
            _ => Err(self.wrong("a value is a text or a list of texts")),
        }
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = if self.rest.starts_with('"') { '"' } else { '\'' };
        let mut made = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, 'n')) => made.push('\n'),
                    Some((_, 't')) => made.push('\t'),
                    Some((_, other)) => made.push(other),
                    None => break,
                },
                '\n' => break,
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(made);
                }
                c => made.push(c),
            }
        }
        Err(self.wrong("a text does not end"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        let text = "# rules\nprefix_rule(\n  pattern = [\"git\", ['push', \"fetch\"]], # both\n  decision = \"prompt\",\n)\nother(x = True)\n";
        let found = calls(text).unwrap();
        assert_eq!((found.len(), found[0].line, found[1].line), (2, 2, 6));
        let text = |text: &str| Value::Text(text.into());
        let pattern = Value::List(vec![text("git"), Value::List(vec![text("push"), text("fetch")])]);
        assert_eq!(found[0].argument("pattern"), Some(&pattern));
        assert_eq!(found[1].argument("x"), Some(&Value::Other("True".into())));
        for wrong in ["x", "x(", "x(1)", "x(a = \"b)", "x(a = [\"b\" \"c\"])", "x(a = {})"] {
            assert!(calls(wrong).is_err(), "{wrong}");
        }
    }
}
