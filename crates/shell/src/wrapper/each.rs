//! Programs that start a command for each of many things: `xargs`, `parallel`, `find -exec`.

use crate::programs::{Role, Search};
use crate::reader::Reader;
use crate::reader::follow::Starter;
use crate::reading::{Arg, Call};
use crate::state::State;
use crate::text::{ANY, EACH, is_known};

/// A longer list is not one that somebody wrote for a command.
const LONGEST_LIST: usize = 16 * 1024;

impl Reader<'_> {
    /// A command for what comes in: all of it at once, or a place filled with each.
    pub(crate) fn each(&mut self, by: Starter<'_>, mut inner: Vec<Arg>, state: &mut State) -> Option<String> {
        let value = |name: &str| by.values(name).last().map(str::to_owned);
        let place = value("I")
            .or_else(|| value("J"))
            .or_else(|| value("replace"))
            .or_else(|| by.words.has("replace").then(|| "{}".to_owned()));
        if inner.is_empty() {
            inner.extend(by.entry.usual.iter().map(|program| Arg::new(*program)));
        }
        let input = match value("arg-file") {
            Some(file) => self.file_text(&file, state),
            None => state.input(),
        };
        // A list that lies in a file of this machine is read there.
        let mut listed = || match value("arg-file") {
            Some(file) => self.script_text(&file, state),
            None => self.text_of_input(&input, state),
        };
        let unread = !input.is_empty() && crate::reader::is_only_holes(input.trim());
        let listed = if unread { listed().filter(|text| text.len() <= LONGEST_LIST) } else { None };
        let input = listed.unwrap_or(input);
        let null = by.words.has("null");
        let delimiter =
            value("delimiter").map(|d| crate::simulate::unescape(&d).chars().next().unwrap_or('\n'));
        let delimiter = if null { Some('\0') } else { delimiter };
        // Each becomes one argument: what is between delimiters, a line, or a word.
        let mut items: Vec<String> = match (delimiter, &place) {
            (Some(c), _) => input.split(c).map(str::to_owned).filter(|item| !item.is_empty()).collect(),
            (None, place) => xargs_items(&input, place.is_some()),
        };
        if let Some(last) = items.last_mut().filter(|_| null) {
            // A text without a delimiter is one argument; its newline counts, but not for us.
            *last = last.trim_end_matches('\n').to_owned();
        }
        if items.is_empty() && (!is_known(&input) || state.stdin.is_none()) {
            items.push(ANY.to_string());
        }
        let found = |text: &str| Arg { glob: text.contains(['*', '?', '[']), ..Arg::new(text) };
        let saved = state.stdin.take();
        let output = self.wrapped(by.label, |reader| match &place {
            Some(place) => {
                let mut output = String::new();
                for item in items.iter().take(24) {
                    let fill = |arg: &Arg| {
                        if arg.text.contains(place.as_str()) {
                            found(&arg.text.replace(place.as_str(), item))
                        } else {
                            arg.clone()
                        }
                    };
                    output.push_str(&reader.dispatch_program(inner.iter().map(fill).collect(), state));
                }
                if items.len() > 24 {
                    reader.bound("too many arguments for xargs");
                }
                output
            }
            None => {
                inner.extend(items.iter().take(256).map(|item| found(item)));
                if items.len() > 256 {
                    reader.bound("too many arguments for xargs");
                }
                reader.dispatch_program(inner, state)
            }
        });
        state.stdin = saved;
        output
    }

    /// A command line with places to fill in, for each thing that comes in or stands behind `:::`.
    pub(crate) fn template(&mut self, by: Starter<'_>, rest: &[Arg], state: &mut State) -> Option<String> {
        let split = rest
            .iter()
            .position(|a| matches!(a.text.as_str(), ":::" | "::::" | ":::+"))
            .unwrap_or(rest.len());
        let template: Vec<String> = rest[..split].iter().map(|a| a.text.clone()).collect();
        let mut inputs: Vec<String> =
            rest.get(split + 1..).unwrap_or_default().iter().map(|a| a.text.clone()).collect();
        if inputs.is_empty() {
            let input = match by.values("arg-file").last() {
                Some(file) => self.file_text(file, state),
                None => state.input(),
            };
            inputs = input.lines().take(16).map(str::to_owned).collect();
        }
        if inputs.is_empty() {
            inputs.push(ANY.to_string());
        }
        // The input is not for the command line but for the command.
        if ["pipe", "pipepart", "spreadstdin"].iter().any(|option| by.words.has(option)) {
            return self.wrapped(by.label, |reader| reader.run_text(&template.join(" "), by.label, state));
        }
        self.wrapped(by.label, |reader| {
            for input in inputs.iter().take(16) {
                // Without a template each input is a command by itself.
                let line = if template.is_empty() {
                    input.clone()
                } else {
                    let joined = template.join(" ");
                    if joined.contains("{}") {
                        joined.replace("{}", input)
                    } else {
                        format!("{joined} {input}")
                    }
                };
                reader.run_text(&line, by.label, state);
                // In its place each is one word: `bash -c {}`.
                let joined = template.join(" ");
                if !joined.is_empty() && input.contains(char::is_whitespace) {
                    let quoted = format!("'{}'", input.replace('\'', "'\\''"));
                    let line = if joined.contains("{}") {
                        joined.replace("{}", &quoted)
                    } else {
                        format!("{joined} {quoted}")
                    };
                    reader.run_text(&line, by.label, state);
                }
            }
            ANY.to_string()
        })
    }

    /// `find … -exec cmd {} ;`: the command with what `find` would put in. Its output is that, too.
    pub(super) fn find(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        self.record(argv.to_vec(), state);
        let call = Call { argv: argv.to_vec().into(), ..Call::default() };
        let search = Search::of(&call).unwrap_or_default();
        // From such a root, what is found by a name is not narrowed by it.
        let home = self.home();
        let wide = |root: &str| {
            let from = state.absolute(root);
            (from == "/" || home.as_ref() == Some(&from))
                .then(|| format!("{}/{EACH}", root.trim_end_matches('/')))
        };
        let found: Vec<String> = search
            .roots
            .iter()
            .take(4)
            .flat_map(|root| {
                // What it begins with is found, too, where that is a file.
                let file = crate::secret::is_secret_path(&state.absolute(root), home.as_deref());
                wide(root).into_iter().chain(search.found(root)).chain(file.then(|| root.clone()))
            })
            .collect();
        let printed: Vec<String> = search
            .roots
            .iter()
            .flat_map(|root| wide(root).into_iter().chain(search.found(root).pop()))
            .collect();
        let words = call.words();
        let label = words.path.first().copied().unwrap_or_default();
        let commands =
            words.options.iter().filter(|chosen| chosen.option.is_some_and(|o| o.role == Role::Exec));
        for value in commands.filter_map(|chosen| chosen.value) {
            let template = &argv[value.word..value.end];
            let named = template.iter().any(|arg| arg.text.contains("{}"));
            for found in &found {
                let fill =
                    |arg: &Arg| Arg { text: arg.text.replace("{}", found), span: None, glob: arg.glob };
                // Where its place is not said, it is the last word; `find` itself insists on that.
                let last =
                    (!named && !words.entry.is_some_and(|entry| entry.style.find)).then(|| Arg::new(found));
                let inner = template.iter().map(fill).chain(last).collect();
                self.wrapped(label, |reader| reader.dispatch_program(inner, state));
            }
        }
        let end = if words.has("print0") { '\0' } else { '\n' };
        Some(printed.iter().map(|path| format!("{path}{end}")).collect())
    }
}

/// Arguments as `xargs` reads them: at blanks, or only at the ends of lines. A quote must end on its line, or all ends there.
fn xargs_items(text: &str, whole_lines: bool) -> Vec<String> {
    let mut items = Vec::new();
    let mut item: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\n', Some(_)) => return items,
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => item.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                item.get_or_insert_default();
            }
            ('\\', None) => item.get_or_insert_default().extend(chars.next()),
            ('\n', None) => items.extend(item.take()),
            (' ' | '\t', None) if item.is_none() => {}
            (' ' | '\t', None) if !whole_lines => items.extend(item.take()),
            (c, None) => item.get_or_insert_default().push(c),
        }
    }
    items.extend(item.filter(|_| quote.is_none()));
    items
}
