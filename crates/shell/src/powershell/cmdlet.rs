//! Commands of PowerShell: those that the language itself is made of are walked here, all others are calls that the tables describe.

use model::deed::Verb;

use super::printed::narrowed;
use super::{Items, lines, text};
use crate::programs::decode::decode;
use crate::programs::{self, Role};
use crate::reader::Reader;
use crate::reading::{Arg, Call};
use crate::state::{State, Variable};
use crate::text::{ANY, NET};

impl Reader<'_> {
    /// One command with its words, `&` or `.` before them perhaps.
    pub(super) fn command_of_powershell(
        &mut self,
        mut argv: Vec<Arg>,
        input: Option<Items>,
        state: &mut State,
    ) -> Items {
        if !self.steps_on() || argv.is_empty() {
            return Items::new();
        }
        let sourced = argv[0].text == ".";
        if argv.len() > 1 && matches!(argv[0].text.as_str(), "&" | ".") {
            argv.remove(0);
        }
        let name = unescaped(argv[0].text.trim());
        if name.starts_with('{') {
            if sourced {
                return self.block_of_powershell(&name, &argv[1..], state);
            }
            let mut inner = state.clone();
            let output = self.block_of_powershell(&name, &argv[1..], &mut inner);
            state.left_by(inner);
            return output;
        }
        argv[0].text = name.replace('\\', "/");
        // `Microsoft.PowerShell.Management\Remove-Item`
        let bare = name
            .rsplit_once('\\')
            .map(|(_, bare)| bare)
            .filter(|bare| bare.contains('-') && !bare.contains('.'));
        let lower = bare.unwrap_or(&name).to_ascii_lowercase();
        if let Some(body) = value_of(&format!("function:{lower}"), state) {
            return self.called(&lower, &body, &argv[1..], state);
        }
        if let Some(other) = value_of(&format!("alias:{lower}"), state).filter(|other| *other != lower) {
            argv[0].text = other;
            return self
                .deeper(|reader| reader.command_of_powershell(argv, input, state))
                .unwrap_or_default();
        }
        if super::is_script(&argv[0].text) {
            self.record(argv.clone(), state);
            return lines(&self.powershell_file(&argv, state));
        }
        let Some(cmdlet) = programs::cmdlet(&lower).filter(|cmdlet| !is_program(cmdlet, &argv)) else {
            return self.program_of_powershell(argv, state);
        };
        if lower != cmdlet && !cmdlet.contains('*') {
            argv[0].text = titled(cmdlet);
        }
        self.cmdlet(cmdlet, argv, input, state)
    }

    /// A function that this script has made; one that starts itself is walked once.
    fn called(&mut self, name: &str, body: &str, given: &[Arg], state: &mut State) -> Items {
        let running = format!("function:{name}");
        if self.running.contains(&running) {
            // One that starts others of its kind, and then itself.
            let lower = body.to_ascii_lowercase();
            self.reading.fork_bomb |=
                ["start-process", "start-job", "start-threadjob"].iter().any(|name| lower.contains(name));
            return Items::new();
        }
        self.running.push(running);
        let mut inner = state.clone();
        let output =
            self.deeper(|reader| reader.block_of_powershell(body, given, &mut inner)).unwrap_or_default();
        state.left_by(inner);
        self.running.pop();
        output
    }

    /// A program that is none of PowerShell's own.
    fn program_of_powershell(&mut self, mut argv: Vec<Arg>, state: &mut State) -> Items {
        programs::drop_ending(&mut argv[0].text);
        // Names of programs are the same in any letters there.
        let lower = argv[0].text.to_ascii_lowercase();
        if programs::find(&argv[0].text).is_none() && !lower.contains('/') {
            argv[0].text = lower;
        }
        let begin = self.reading.calls.len();
        let output = self.dispatch_program(argv, state);
        // What was fetched lies where it was put.
        for call in self.reading.calls[begin..].iter().filter(|call| call.does(Verb::Fetches)) {
            for path in call.written() {
                let path = crate::path::absolute(path, &call.cwd);
                state.write(path, NET.to_string());
            }
        }
        lines(&output)
    }

    fn cmdlet(&mut self, name: &str, mut argv: Vec<Arg>, input: Option<Items>, state: &mut State) -> Items {
        // What comes in takes the place of operands, where it may.
        let words = decode(&argv, &[]);
        // `@{ Authorization = "…" }` is a line of the request's head.
        for chosen in &words.options {
            let head = chosen.option.is_some_and(|option| option.role == Role::Header);
            if let Some(value) = chosen.value.filter(|_| head) {
                let text = &mut argv[value.word].text;
                *text = text.replace(super::ENTRY, ": ");
                // No file of such lines, as others have it.
                if !text.contains(':') {
                    text.push(':');
                }
            }
        }
        let takes = words.entry.is_some_and(|entry| entry.rules.iter().any(|rule| rule.input.is_some()));
        let named =
            words.given(&argv).any(|(role, _)| !matches!(role, Role::Text | Role::Target | Role::Into));
        if let Some(items) = input.as_ref().filter(|_| takes && !named) {
            argv.extend(items.iter().map(|item| Arg { glob: item.contains(['*', '?']), ..Arg::new(item) }));
        }
        let call = self.call(argv, state);
        let items = input.unwrap_or_default();
        match name {
            "invoke-expression"
            | "foreach-object"
            | "where-object"
            | "invoke-command"
            | "start-job"
            | "start-threadjob"
            | "measure-command"
            | "trace-command"
            | "register-objectevent"
            | "register-engineevent" => self.running_blocks(name, call, items, state),
            "start-process" => self.starting(call, state),
            "invoke-wmimethod" | "invoke-cimmethod"
                if call.value("name").is_some_and(|name| name.eq_ignore_ascii_case("create")) =>
            {
                let line = call
                    .value("argumentlist")
                    .map(|text| text.rsplit(super::ENTRY).next().unwrap_or(text).to_owned());
                self.push_made(call, state);
                self.command_of_powershell(super::split(&line.unwrap_or_default()), None, state)
            }
            "set-location" | "push-location" | "pop-location" => {
                self.going(name, &call, state);
                self.push_made(call, state);
                Items::new()
            }
            "set-variable" | "new-variable" | "get-variable" | "remove-variable" | "set-alias"
            | "new-alias" => {
                let output = self.naming(name, &call, items, state);
                self.push_made(call, state);
                output
            }
            _ => {
                self.left_behind(name, &call, &items, state);
                let output = self.printed_by(name, &call, items, state);
                self.push_made(call, state);
                output
            }
        }
    }

    /// Commands that run the code that they are given.
    fn running_blocks(&mut self, name: &str, call: Call, items: Items, state: &mut State) -> Items {
        let blocks: Items = call.with_role(Role::Code).map(str::to_owned).collect();
        let files: Items = call.with_role(Role::Script).map(str::to_owned).collect();
        let away = ["computername", "hostname", "session", "vmname"].iter().any(|option| call.chose(option));
        let given: Vec<Arg> = call.words().values("argumentlist", &call.argv).map(Arg::new).collect();
        self.push_made(call, state);
        match name {
            "invoke-expression" => {
                let mut output = Items::new();
                for code in blocks {
                    output.extend(self.run_powershell(&code, "powershell", state));
                }
                output
            }
            "foreach-object" => {
                // `% Name`: a property of each.
                if let [only] = blocks.as_slice()
                    && !only.starts_with('{')
                {
                    if matches!(only.to_ascii_lowercase().as_str(), "delete" | "kill" | "stop" | "invoke") {
                        return self.each_of("_", items, state, |reader, state| {
                            let item = reader.variable("_", state);
                            reader.method(&item, only, &[], state)
                        });
                    }
                    return super::evaluate::property(&items, only);
                }
                let all = if items.is_empty() { vec![ANY.to_string()] } else { items };
                self.each_of("_", all, state, |reader, state| {
                    let mut output = Items::new();
                    for block in &blocks {
                        output.extend(reader.block_of_powershell(block, &[], state));
                    }
                    output
                })
            }
            "where-object" => {
                for block in blocks.iter().filter(|block| block.starts_with('{')) {
                    let one = items.first().cloned().unwrap_or_else(|| ANY.to_string());
                    self.each_of("_", vec![one], state, |reader, state| {
                        reader.block_of_powershell(block, &[], state)
                    });
                }
                // Some are left out, so it is no longer all that was there.
                narrowed(items)
            }
            _ => {
                let mut inner = state.clone();
                let mut output = Items::new();
                for block in &blocks {
                    output.extend(if away {
                        self.wrapped("ssh", |reader| reader.block_of_powershell(block, &given, &mut inner))
                            .unwrap_or_default()
                    } else {
                        self.block_of_powershell(block, &given, &mut inner)
                    });
                }
                for file in files {
                    output.extend(lines(&self.powershell_file(&[Arg::new(file)], &mut inner)));
                }
                if name == "measure-command" { vec![ANY.to_string()] } else { output }
            }
        }
    }

    /// `Start-Process prog -ArgumentList a, b`
    fn starting(&mut self, call: Call, state: &mut State) -> Items {
        let value = |option: &str| call.value(option).map(str::to_owned);
        let mut operands = call.operands().map(|arg| arg.text.clone()).collect::<Items>().into_iter();
        let Some(program) = value("filepath").or_else(|| operands.next()) else { return Items::new() };
        let given: Items =
            call.words().values("argumentlist", &call.argv).map(str::to_owned).chain(operands).collect();
        // Blanks separate words here, whoever joins them.
        let given = given.iter().flat_map(|text| super::split(text));
        // It looks for the program where it is, too.
        let here = state.files.contains_key(&state.absolute(&program)) && !program.contains(['/', '\\']);
        let program = if here { format!("./{program}") } else { program };
        let argv: Vec<Arg> = std::iter::once(Arg::new(program)).chain(given).collect();
        let label = if value("verb").is_some_and(|verb| verb.eq_ignore_ascii_case("runas")) {
            "sudo"
        } else {
            "start-process"
        };
        let saved = state.cwds.clone();
        if let Some(dir) = value("workingdirectory") {
            let there = state.absolute(&dir);
            state.cwds.set(vec![there.into()]);
        }
        self.push_made(call, state);
        let output =
            self.wrapped(label, |reader| reader.command_of_powershell(argv, None, state)).unwrap_or_default();
        state.cwds = saved;
        output
    }

    fn going(&mut self, name: &str, call: &Call, state: &mut State) {
        let home = self.home().unwrap_or_else(|| "~".into());
        let dir = call.operands().next().map_or_else(|| home.clone(), |arg| arg.text.clone());
        let there = match dir.as_str() {
            _ if name == "pop-location" => state.previous.clone(),
            "-" => state.previous.clone(),
            dir => dir
                .strip_prefix('~')
                .map_or_else(|| state.absolute(dir), |rest| home + &rest.replace('\\', "/")),
        };
        if !there.is_empty() {
            state.enter(there);
        }
    }

    /// Variables and other names, by commands.
    fn naming(&mut self, name: &str, call: &Call, items: Items, state: &mut State) -> Items {
        let mut operands = call.operands().map(|arg| arg.text.clone()).collect::<Items>().into_iter();
        let key = call
            .value("name")
            .map(str::to_owned)
            .or_else(|| operands.next())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let given: Items = call.value("value").map(str::to_owned).into_iter().chain(operands).collect();
        match name {
            "get-variable" => return self.variable(&key, state),
            "remove-variable" => drop(state.variables.remove(&format!("${key}"))),
            "set-alias" | "new-alias" => {
                drop(state.variables.insert(format!("alias:{key}"), Variable::text(text(&given))));
            }
            _ => self.set(&key, if given.is_empty() { items } else { given }, state),
        }
        Items::new()
    }

    /// Files that a call writes, with what is in them then.
    fn left_behind(&mut self, name: &str, call: &Call, items: &[String], state: &mut State) {
        let value = |option: &str| call.value(option).map(str::to_owned);
        let fetched = call.does(Verb::Fetches);
        let content = if fetched {
            NET.to_string()
        } else {
            let given = value("value").or_else(|| call.operands().nth(1).map(|arg| arg.text.clone()));
            if matches!(name, "set-content" | "add-content" | "new-item") {
                given.unwrap_or_else(|| items.join("\n"))
            } else {
                items.join("\n")
            }
        };
        if call.words().rehearses {
            return;
        }
        for landing in programs::landings(call) {
            let from = state.absolute(&landing.from);
            if let Some(text) = state.files.get(&from).cloned() {
                let to = state.absolute(&landing.to);
                state.write(to, text);
            }
        }
        for deed in &call.deeds {
            let model::deed::Object::Path { text: path, tree: false, .. } = &deed.object else { continue };
            if !matches!(deed.verb, Verb::Writes | Verb::Appends) || !programs::landings(call).is_empty() {
                continue;
            }
            let path = state.absolute(path);
            let old = state
                .files
                .get(&path)
                .filter(|_| deed.verb == Verb::Appends)
                .map(ToString::to_string)
                .unwrap_or_default();
            state.write(path, old + &content);
        }
        if matches!(name, "expand-archive") {
            let from = call.operands().next().map(|arg| arg.text.clone());
            self.from_network |= from.is_some_and(|from| {
                state.files.get(&state.absolute(&from)).is_some_and(|text| text.contains(NET))
            });
        }
    }
}

fn value_of(key: &str, state: &State) -> Option<String> {
    state.variables.get(key).and_then(|variable| variable.values.last()).map(|items| text(items))
}

/// Whether a word that is a cmdlet's on Windows is meant as the program that it is elsewhere: the cmdlet would not take these words, and
/// the program does.
fn is_program(cmdlet: &str, argv: &[Arg]) -> bool {
    let name = crate::path::name(&argv[0].text);
    if name.eq_ignore_ascii_case(cmdlet) || programs::find(name).is_none_or(|entry| entry.style.cmdlet) {
        return false;
    }
    let with = |first: &str| {
        let mut words = argv.to_vec();
        first.clone_into(&mut words[0].text);
        decode(&words, &[])
    };
    let known = |first: &str| with(first).options.iter().all(|chosen| chosen.option.is_some());
    !known(cmdlet) && known(name)
}

/// `remove-item` as people write it.
fn titled(name: &str) -> String {
    let capital = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
    name.split('-').filter(|part| !part.is_empty()).map(capital).collect::<Vec<_>>().join("-")
}

/// A name some of whose letters were escaped though they need not be. What such an escape stands for is in no name.
fn unescaped(name: &str) -> String {
    let letter = |c: char| match c {
        '\t' => 't',
        '\u{b}' => 'v',
        '\u{1b}' => 'e',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        c => c,
    };
    name.chars().filter(|c| *c != '`').map(letter).collect()
}
