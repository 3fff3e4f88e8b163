//! PowerShell: a grammar of its own (`parse`), walked to the same calls as a shell's script.
//!
//! Values are lists of texts with holes, as in the rest of the crate. A script block is its own text in braces, a table is a list of
//! keys with values. What is not known is a hole; a method or a command that nobody has described is a call that is not understood.

mod cmdlet;
mod evaluate;
mod method;
mod operate;
mod parse;
mod printed;
mod several;
mod syntax;
mod variable;
mod walk;

use std::rc::Rc;

use crate::reader::{Reader, is_only_holes};
use crate::reading::{Arg, Doubt, Reading};
use crate::state::State;
use crate::text::{ANY, DECODED, is_known};

/// What a part of a script gives.
type Items = Vec<String>;

/// Items that are kept apart.
const MOST_ITEMS: usize = 256;
/// Longer texts are not built.
const LONGEST_TEXT: usize = 64 * 1024;
/// Between the key and the value of a table's entry.
const ENTRY: char = '\u{2}';

/// The whole text of a value.
fn text(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        _ => items.join(" "),
    }
}

/// The words of a command line of Windows, in which a backslash is one.
fn split(line: &str) -> Vec<Arg> {
    crate::wrapper::split_string(&line.replace('\\', "\\\\"))
}

/// Lines of a program's output.
fn lines(output: &str) -> Items {
    output.lines().take(MOST_ITEMS).map(str::to_owned).collect()
}

impl Reader<'_> {
    pub(crate) fn read_powershell(mut self, command: &str) -> Reading {
        if !self.begin(command) {
            return self.reading;
        }
        let mut state = State::new(self.world.cwd(), &self.meter);
        let (script, stopped) = parse::parse(command);
        self.script_of_powershell(&script, &mut state);
        self.shown_by(&script, &mut state);
        if let Some(stopped) = stopped {
            self.reading.doubts.push(Doubt::Syntax { what: stopped.what, at: stopped.at });
        }
        self.finish(&state)
    }

    /// Code in a string.
    fn run_powershell(&mut self, code: &str, by: &str, state: &mut State) -> Items {
        if code.trim().is_empty() {
            return Items::new();
        }
        if is_only_holes(code) || !is_known(code) && !code.contains(|c: char| c.is_ascii_alphanumeric()) {
            self.unseen(by, code);
            return vec![ANY.to_string()];
        }
        // Parts of it came from elsewhere: whatever they say is run with the rest.
        if code.contains([crate::text::NET, DECODED]) {
            self.unseen(by, code);
        }
        let saved = self.leave();
        self.meter.add(20 * code.len());
        let (script, stopped) = parse::parse(code);
        let output = self.deeper(|reader| reader.script_of_powershell(&script, state)).unwrap_or_default();
        self.come_back(saved);
        if let Some(stopped) = stopped {
            self.reading.doubts.push(Doubt::Syntax { what: stopped.what, at: 0 });
        }
        output
    }

    /// A block by its text, with what it is given.
    fn block_of_powershell(&mut self, block: &str, given: &[Arg], state: &mut State) -> Items {
        let code = block.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(block);
        let names = ["$args", "$unbound"];
        let saved: Vec<_> = names.iter().map(|name| state.variables.remove(*name)).collect();
        let words: Items = given.iter().map(|arg| arg.text.clone()).collect();
        state.variables.insert("$args".into(), crate::state::Variable::list(words.clone()));
        state.variables.insert("$unbound".into(), crate::state::Variable::list(words));
        let output = self.run_powershell(code, "powershell", state);
        for (name, old) in names.iter().zip(saved) {
            match old {
                Some(old) => state.variables.insert((*name).into(), old),
                None => state.variables.remove(*name),
            };
        }
        output
    }

    /// `powershell`, `pwsh`: its own options, and then code, a script, or what comes in.
    pub(crate) fn powershell(&mut self, argv: &[Arg], state: &mut State) -> String {
        const VALUED: &[&str] = &[
            "configurationfile",
            "configurationname",
            "custompipename",
            "ep",
            "executionpolicy",
            "if",
            "inputformat",
            "of",
            "outputformat",
            "psconsolefile",
            "settingsfile",
            "version",
            "wd",
            "windowstyle",
            "workingdirectory",
        ];
        self.record(argv.to_vec(), state);
        let mut at = 1;
        let mut inner = state.clone();
        while let Some(arg) = argv.get(at) {
            at += 1;
            let dashed = arg
                .text
                .strip_prefix(['-', '/', '–', '—'])
                .filter(|name| !name.is_empty() && !name.contains('/'));
            let Some(name) = dashed.map(|name| name.trim_start_matches('-').to_ascii_lowercase()) else {
                at -= 1;
                break;
            };
            let is = |long: &str| long.starts_with(&name);
            if is("command") || name == "commandwithargs" || name == "cwa" {
                break;
            } else if is("encodedcommand") || name == "ec" {
                let code = argv.get(at).map_or("", |arg| arg.text.as_str());
                return self.started(&decoded(code), state);
            } else if is("file") {
                return self.powershell_file(&argv[at..], &mut inner);
            } else if VALUED.iter().any(|long| is(long)) {
                at += 1;
            }
        }
        match argv.get(at..).unwrap_or_default() {
            [] => self.powershell_input(state),
            [only] if only.text == "-" => self.powershell_input(state),
            // The newer one takes its first word for a script.
            words if is_script(&words[0].text) => self.powershell_file(words, &mut inner),
            words => {
                let code = words.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                let code = code.trim();
                let code = code.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(code);
                self.started(code, state)
            }
        }
    }

    /// Code in a process of its own.
    fn started(&mut self, code: &str, state: &mut State) -> String {
        let mut inner = state.clone();
        let output =
            self.wrapped("powershell", |reader| reader.run_powershell(code, "powershell", &mut inner));
        state.left_by(inner);
        output.unwrap_or_default().join("\n")
    }

    fn powershell_input(&mut self, state: &mut State) -> String {
        let Some(code) = state.stdin.clone() else { return crate::text::SHELL.to_string() };
        self.started(&code, state)
    }

    /// A script by its file; one that cannot be read is not known.
    fn powershell_file(&mut self, words: &[Arg], state: &mut State) -> String {
        let Some(file) = words.first() else { return String::new() };
        let file = Arg { text: file.text.replace('\\', "/"), ..file.clone() };
        let text = self.script_text(&file.text, state);
        let path = state.absolute(&file.text);
        if self.running.contains(&path) {
            return String::new();
        }
        let Some(text) = text else {
            if !is_known(&file.text) || crate::code::is_address(&file.text) {
                self.unseen("powershell", &file.text);
            } else if self.from_network {
                self.unseen("powershell", &crate::text::NET.to_string());
            } else {
                self.not_read();
            }
            return ANY.to_string();
        };
        self.running.push(path);
        let name = self.script_name(&file.text, state);
        let code = format!("{{{text}}}");
        let output = self.in_script(name, |reader| reader.block_of_powershell(&code, &words[1..], state));
        self.running.pop();
        output.unwrap_or_default().join("\n")
    }
}

fn is_script(text: &str) -> bool {
    text.len() > 4 && text.get(text.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(".ps1"))
}

/// What an encoded command says: UTF-16, the low byte first.
fn decoded(code: &str) -> String {
    let unknown = || format!("{}{DECODED}", crate::text::holes(code));
    if !is_known(code) {
        return unknown();
    }
    let Some(bytes) = crate::simulate::decode::base64(code) else { return unknown() };
    wide(&bytes)
}

fn wide(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// A list that is not longer than what is kept apart.
fn bounded(mut items: Items) -> Items {
    if items.len() > MOST_ITEMS {
        items.truncate(MOST_ITEMS);
        items.push(ANY.to_string());
    }
    items
}

type Block = Rc<syntax::Script>;

#[cfg(test)]
mod tests;
