//! Programs that start a command for each of many things: `xargs`, `parallel`, `find -exec`.

use super::{option_value, skip_options};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, is_known};

impl Reader<'_> {
    pub(super) fn xargs(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let values = &[
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "-J",
            "-R",
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--max-chars",
        ];
        let at = skip_options(args, values);
        let options = &args[..at];
        let place = options.iter().enumerate().find_map(|(i, arg)| match arg.text.as_str() {
            "-I" | "-J" => args.get(i + 1).map(|a| a.text.clone()),
            text if text.starts_with("-I") && text.len() > 2 => Some(text[2..].to_owned()),
            "-i" | "--replace" => Some("{}".to_owned()),
            text => text.strip_prefix("--replace=").map(str::to_owned),
        });
        let mut inner = args.get(at..).unwrap_or_default().to_vec();
        if inner.is_empty() {
            inner.push(Arg::new("echo"));
        }
        let input = match option_value(options, &["-a", "--arg-file"]) {
            Some(file) => self.file_text(&file, state),
            None => state.input(),
        };
        let null = options.iter().any(|a| {
            a.text == "--null"
                || (a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains('0'))
        });
        let delimiter = option_value(options, &["-d", "--delimiter"])
            .map(|d| crate::simulate::unescape(&d).chars().next().unwrap_or('\n'));
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
        self.record(argv.to_vec(), state);
        let saved = state.stdin.take();
        let output = self.wrapped("xargs", |reader| match &place {
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

    pub(super) fn parallel(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let at =
            skip_options(args, &["-j", "-a", "-S", "--jobs", "-N", "-I", "--colsep", "--delay", "--timeout"]);
        let rest = &args[at.min(args.len())..];
        let split = rest
            .iter()
            .position(|a| matches!(a.text.as_str(), ":::" | "::::" | ":::+"))
            .unwrap_or(rest.len());
        let template: Vec<String> = rest[..split].iter().map(|a| a.text.clone()).collect();
        let mut inputs: Vec<String> =
            rest.get(split + 1..).unwrap_or_default().iter().map(|a| a.text.clone()).collect();
        if inputs.is_empty() {
            let stdin = state.input();
            inputs = stdin.lines().take(16).map(str::to_owned).collect();
        }
        if inputs.is_empty() {
            inputs.push(ANY.to_string());
        }
        self.record(argv.to_vec(), state);
        // `--pipe`: the input is not for the command line but for the command.
        if args[..at].iter().any(|a| matches!(a.text.as_str(), "--pipe" | "--pipepart" | "--spreadstdin")) {
            return self
                .wrapped("parallel", |reader| reader.run_text(&template.join(" "), "parallel", state));
        }
        self.wrapped("parallel", |reader| {
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
                reader.run_text(&line, "parallel", state);
            }
            ANY.to_string()
        })
    }

    /// `find … -exec cmd {} ;`: the command with what `find` would put in. Its output is that, too.
    pub(super) fn find(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        self.record(argv.to_vec(), state);
        self.file_slots(name, args, state);
        let by_pattern = name == "fd" || name == "fdfind";
        let operands: Vec<&str> = args
            .iter()
            .take_while(|a| by_pattern || !matches!(a.text.as_str(), "(" | "!"))
            .map(|a| a.text.as_str())
            .take_while(|t| by_pattern || !t.starts_with('-') || matches!(*t, "-L" | "-H" | "-P"))
            .filter(|t| !t.starts_with('-'))
            .collect();
        let runs = |text: &str| {
            matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir")
                || (by_pattern && matches!(text, "-x" | "-X" | "--exec" | "--exec-batch"))
        };
        let root = if by_pattern { operands.get(1) } else { operands.first() }.copied().unwrap_or(".");
        // A name that is looked for is in what will be found.
        let named = args
            .windows(2)
            .find(|pair| matches!(pair[0].text.as_str(), "-name" | "-iname"))
            .map(|pair| pair[1].text.replace(['*', '?'], &ANY.to_string()));
        let any = format!("{}/{ANY}", root.trim_end_matches('/'));
        let itself = args.windows(2).any(|pair| pair[0].text == "-maxdepth" && pair[1].text == "0");
        let found = match &named {
            _ if itself => root.to_owned(),
            Some(name) if is_known(name) => format!("{any}/{name}"),
            _ => any.clone(),
        };
        let mut at = 0;
        while at < args.len() {
            if runs(&args[at].text) {
                let end = args[at + 1..]
                    .iter()
                    .position(|a| a.text == ";" || a.text == "+")
                    .map_or(args.len(), |i| at + 1 + i);
                let template = &args[at + 1..end];
                let fill = |found: &str| -> Vec<Arg> {
                    let mut inner: Vec<Arg> = template
                        .iter()
                        .map(|arg| Arg { text: arg.text.replace("{}", found), span: None, glob: arg.glob })
                        .collect();
                    if by_pattern && !template.iter().any(|a| a.text.contains("{}")) {
                        inner.push(Arg::new(found));
                    }
                    inner
                };
                self.wrapped("find", |reader| reader.dispatch_program(fill(&found), state));
                // By its ending it may be a key.
                if let Some(name) = named.as_deref().filter(|name| !is_known(name)) {
                    self.wrapped("find", |reader| {
                        reader.dispatch_program(fill(&format!("{any}/{name}")), state)
                    });
                }
                at = end;
            }
            at += 1;
        }
        let end = if args.iter().any(|a| a.text == "-print0") { '\0' } else { '\n' };
        let mut output = named.map_or_else(|| format!("{found}{end}"), |name| format!("{any}/{name}{end}"));
        // From such a root, what is found by a name is not narrowed by it.
        let from = state.absolute(root);
        if !itself && (from == "/" || self.home_ref() == Some(from.as_str())) {
            output = format!("{any}{end}{output}");
        }
        Some(output)
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
