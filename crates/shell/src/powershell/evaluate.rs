//! Values of expressions.

use super::syntax::Expr;
use super::{ENTRY, Items, LONGEST_TEXT, bounded, text};
use crate::reader::Reader;
use crate::state::State;
use crate::text::{ANY, holes, is_known};

impl Reader<'_> {
    pub(super) fn evaluate(&mut self, expr: &Expr, state: &mut State) -> Items {
        self.meter.add(50);
        if !self.goes_on() || self.worked > self.most_text {
            self.bound("too much to keep in mind");
            return vec![ANY.to_string()];
        }
        match expr {
            Expr::Literal(text) => {
                self.worked += text.len();
                vec![text.clone()]
            }
            Expr::Text(parts) => {
                let mut whole = String::new();
                for part in parts {
                    let items = self.evaluate(part, state);
                    let more = items.iter().map(|item| plain(item)).collect::<Vec<_>>().join(" ");
                    whole.push_str(&more);
                    if whole.len() > LONGEST_TEXT {
                        return vec![holes(&whole) + &ANY.to_string()];
                    }
                }
                self.worked += whole.len();
                vec![whole]
            }
            // `${C:\path}` is what is in that file.
            Expr::Variable(name) if is_file(name) => {
                let path = name.replace('\\', "/");
                self.record(
                    vec![crate::reading::Arg::new("Get-Content"), crate::reading::Arg::new(&path)],
                    state,
                );
                vec![self.file_text(&path, state).to_string()]
            }
            Expr::Variable(name) => self.variable(name, state),
            Expr::Sub(script) => self
                .deeper(|reader| reader.script_of_powershell(script, state))
                .unwrap_or_else(|| vec![ANY.to_string()]),
            Expr::Block(source) => vec![source.to_string()],
            Expr::Hash(pairs) => {
                let mut items = Items::new();
                for (key, value) in pairs {
                    let key = text(&self.evaluate(key, state)).to_ascii_lowercase();
                    let script = self.value_of(value, state);
                    // A list is as many entries of one name.
                    items.extend(script.iter().map(|value| format!("{key}{ENTRY}{value}")));
                }
                bounded(items)
            }
            Expr::List(parts) => {
                let mut items = Items::new();
                for part in parts {
                    items.extend(self.evaluate(part, state));
                }
                bounded(items)
            }
            Expr::Member { of, name, fixed, args } => {
                let was_profile = matches!(of.as_ref(), Expr::Variable(name) if name == "profile");
                let of = match of.as_ref() {
                    Expr::Type(name) => vec![format!("[{name}]")],
                    other => self.evaluate(other, state),
                };
                let name = text(&self.evaluate(name, state));
                match args {
                    Some(args) => {
                        let args: Vec<Items> = args.iter().map(|arg| self.evaluate(arg, state)).collect();
                        self.method(&of, &name, &args, state)
                    }
                    None if *fixed => self.constant(&of, &name),
                    // `$PROFILE.AllUsersAllHosts` is another of them.
                    None if was_profile => of,
                    None => property(&of, &name),
                }
            }
            Expr::Index(of, index) => {
                // What a function was given is a list, however many.
                let list = matches!(of.as_ref(), Expr::Variable(name) if name == "args");
                let of = self.evaluate(of, state);
                let index = self.evaluate(index, state);
                super::operate::at(&of, &index, list)
            }
            Expr::Type(name) => vec![format!("[{name}]")],
            Expr::Cast(name, of) => {
                let value = self.evaluate(of, state);
                self.cast(name, value)
            }
            Expr::Unary(op, of) => {
                let value = self.evaluate(of, state);
                super::operate::unary(op, value)
            }
            Expr::Binary(op, a, b) => {
                let a = self.evaluate(a, state);
                let b = self.evaluate(b, state);
                self.operate(op, a, b)
            }
        }
    }

    fn value_of(&mut self, statement: &super::syntax::Statement, state: &mut State) -> Items {
        let items = self.statement_value(statement, state);
        if items.is_empty() { vec![String::new()] } else { items }
    }

    fn cast(&mut self, name: &str, value: Items) -> Items {
        match name {
            "char" | "char[]" => value
                .iter()
                .flat_map(|item| item.split_whitespace().map(super::operate::letter).collect::<Items>())
                .collect(),
            "string" => vec![text(&value)],
            "int" | "int32" | "byte" | "long" | "double" => value
                .into_iter()
                .map(|item| {
                    let mut letters = item.chars();
                    match (letters.next(), letters.next()) {
                        (Some(c), None) if !c.is_ascii_digit() && is_known(&item) => u32::from(c).to_string(),
                        _ => item,
                    }
                })
                .collect(),
            _ => value,
        }
    }
}

/// The name of a variable that is a path from a drive.
fn is_file(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'\\' | b'/')
}

/// An entry of a table inside text says nothing that anybody runs.
fn plain(item: &str) -> &str {
    item.split_once(ENTRY).map_or(item, |(_, value)| value)
}

/// `$file.FullName`, `$table.key`
pub(super) fn property(of: &[String], name: &str) -> Items {
    let lower = name.to_ascii_lowercase();
    let prefix = format!("{lower}{ENTRY}");
    let entries: Items = of.iter().filter_map(|item| item.strip_prefix(&prefix)).map(str::to_owned).collect();
    if !entries.is_empty() {
        return entries;
    }
    let each = |of_one: fn(&str) -> String| of.iter().map(|item| of_one(item)).collect::<Items>();
    match lower.as_str() {
        "fullname" | "path" | "pspath" | "source" | "definition" | "content" | "rawcontent" | "value"
        | "line" | "target" | "providerpath" | "headers" | "links" | "result" | "invokecommand"
        | "output" | "root" => of.to_vec(),
        "name" | "pschildname" | "filename" => {
            each(|item| crate::path::name(&item.replace('\\', "/")).to_owned())
        }
        "basename" => each(|item| {
            let path = item.replace('\\', "/");
            let name = crate::path::name(&path);
            name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
        }),
        "directoryname" | "directory" | "parent" | "psparentpath" => each(|item| {
            let path = item.replace('\\', "/");
            path.trim_end_matches('/').rsplit_once('/').map_or(".", |(parent, _)| parent).to_owned()
        }),
        "length" | "count" if of.iter().all(|item| is_known(item)) => {
            vec![
                match of {
                    [one] if lower == "length" => one.chars().count(),
                    _ => of.len(),
                }
                .to_string(),
            ]
        }
        _ => vec![holes(&of.concat()) + &ANY.to_string()],
    }
}
