//! Programs that start another one: what comes after their own options is the command that counts.

mod away;
mod each;
mod table;

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::ANY;

use table::{PLAIN, Plain, RUNNERS};

impl Reader<'_> {
    /// The output of what is wrapped; `None` when `name` wraps nothing.
    pub(crate) fn wrapper(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        if let Some(wrapper) = PLAIN.iter().find(|wrapper| wrapper.name == name) {
            return self.plain_wrapper(wrapper, argv, state);
        }
        if let Some((runner, verbs)) = RUNNERS.iter().find(|(runner, _)| *runner == name)
            && let Some(at) = argv.iter().position(|arg| verbs.contains(&arg.text.as_str()))
        {
            self.record(argv.to_vec(), state);
            self.option_slots(name, &argv[1..], state);
            let begin = skip_options(
                &argv[at + 1..],
                &["-p", "--python", "--with", "--project", "--directory", "-n"],
            );
            let mut inner = argv[at + 1 + begin..].to_vec();
            // `uv run x.py` is `uv run python x.py`.
            if inner.first().is_some_and(|arg| arg.text.ends_with(".py")) {
                inner.insert(0, Arg::new("python3"));
            }
            return self.wrapped(runner, |reader| reader.dispatch_program(inner, state));
        }
        match name {
            "env" => self.env(argv, state),
            "su" | "runuser" => self.su(name, argv, state),
            "xargs" => self.xargs(argv, state),
            "parallel" | "rush" => self.parallel(argv, state),
            "find" | "gfind" | "fd" | "fdfind" => self.find(name, argv, state),
            "watch" | "hyperfine" => {
                self.texts_as_code(if name == "watch" { "watch" } else { "hyperfine" }, argv, state)
            }
            // `sg GROUP [-c] 'cmd'`
            "sg" => {
                let code = argv.iter().skip(2).find(|arg| arg.text != "-c").map(|arg| arg.text.clone())?;
                self.record(argv.to_vec(), state);
                self.wrapped("su", |reader| reader.run_text(&code, "sg", state))
            }
            "script" => self.script_command(argv, state),
            "flock" => self.flock(argv, state),
            "ssh" | "mosh" => self.ssh(argv, state),
            "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "docker-compose" => {
                self.container(argv, state)
            }
            "npx" | "npm" | "pnpm" | "yarn" | "bun" => self.package_runner(name, argv, state),
            "tmux" | "byobu" | "screen" => {
                self.multiplexer(if name == "screen" { "screen" } else { "tmux" }, argv, state)
            }
            // A shell with another group: it reads what is on stdin.
            "newgrp" => {
                self.record(argv.to_vec(), state);
                let code = state.stdin.clone()?;
                self.wrapped("su", |reader| reader.run_text(&code, "newgrp", state))
            }
            "start-stop-daemon" => {
                let program = option_value(&argv[1..], &["-x", "--exec", "-a", "--startas"])?;
                let at = argv.iter().position(|arg| arg.text == "--").map_or(argv.len(), |at| at + 1);
                let inner = std::iter::once(Arg::new(program)).chain(argv[at..].iter().cloned()).collect();
                self.record(argv.to_vec(), state);
                self.wrapped("start-stop-daemon", |reader| reader.dispatch_program(inner, state))
            }
            "at" | "batch" => {
                let code = match option_value(&argv[1..], &["-f"]) {
                    Some(file) => self.script_text(&file, state).unwrap_or_default(),
                    None => state.piped(),
                };
                self.record(argv.to_vec(), state);
                self.wrapped("at", |reader| reader.run_text(&code, "at", state))
            }
            "nix-shell" => self.option_code("nix-shell", argv, &["--run", "--command"], state),
            _ => None,
        }
    }

    fn plain_wrapper(&mut self, wrapper: &'static Plain, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        // `command -v x` only asks; `sudo -l` lists.
        let asks = match wrapper.name {
            "command" => args.first().is_some_and(|a| matches!(a.text.as_str(), "-v" | "-V")),
            "sudo" => {
                args.first().is_some_and(|a| matches!(a.text.as_str(), "-l" | "-v" | "-k" | "-K" | "--list"))
            }
            "busybox" | "toybox" => args.first().is_some_and(|a| a.text.starts_with('-')),
            "direnv" => args.first().is_none_or(|a| a.text != "exec"),
            _ => false,
        };
        if asks {
            self.record(argv.to_vec(), state);
            return Some(self.simulate(wrapper.name, argv, state));
        }
        if wrapper.name == "entr"
            && args.iter().any(|arg| arg.text.starts_with('-') && arg.text.ends_with('s'))
        {
            return self.option_code("entr", argv, &["-s"], state);
        }
        if wrapper.name == "systemd-run" {
            self.record(argv.to_vec(), state);
        }
        let mut at = skip_options(args, wrapper.values) + wrapper.operands;
        let vars = self.vars.len();
        while wrapper.assigns
            && let Some((name, value)) = args.get(at).and_then(|arg| arg.text.split_once('='))
            && is_name(name)
        {
            let (name, value) = (name.to_owned(), value.to_owned());
            self.code_variable(&name, &value, state);
            self.vars.push((name, value));
            at += 1;
        }
        if args.get(at).is_some_and(|arg| arg.text == "--") {
            at += 1;
        }
        let inner = args.get(at..).unwrap_or_default().to_vec();
        let output = if inner.is_empty() {
            self.record(argv.to_vec(), state);
            // `sudo -s` and friends read what is on stdin.
            match (wrapper.name, state.stdin.clone()) {
                ("sudo" | "doas" | "chroot" | "unshare" | "nsenter", Some(code)) => {
                    self.wrapped(wrapper.name, |reader| reader.run_text(&code, wrapper.name, state))
                }
                _ => Some(String::new()),
            }
        } else {
            self.wrapped(wrapper.name, |reader| reader.dispatch_program(inner, state))
        };
        self.vars.truncate(vars);
        Some(output.unwrap_or_default())
    }

    fn env(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        let mut args: Vec<Arg> = argv[1..].to_vec();
        let vars = self.vars.len();
        let saved = state.cwds.clone();
        let mut at = 0;
        while let Some(text) = args.get(at).map(|arg| arg.text.clone()) {
            let next = args.get(at + 1).map(|arg| arg.text.clone()).unwrap_or_default();
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            let cluster = text.starts_with('-') && !text.starts_with("--");
            if text == "--" {
                at += 1;
                break;
            } else if name == "--chdir" || text.starts_with("-C") {
                let dir = if name == "--chdir" && text.len() > 7 {
                    value
                } else if text.len() > 2 && cluster {
                    &text[2..]
                } else {
                    &next
                };
                state.cwds.set(vec![state.absolute(dir)]);
                at += if dir == next { 2 } else { 1 };
            } else if name == "--split-string" && text.len() > 14 {
                args.splice(at..=at, split_string(value));
            } else if name == "--split-string" || (cluster && text.ends_with('S')) {
                // Its words take the place of the option and may be options themselves.
                args.splice(at..(at + 2).min(args.len()), split_string(&next));
            } else if cluster && text.starts_with("-S") {
                args.splice(at..=at, split_string(&text[2..]));
            } else if matches!(text.as_str(), "-u" | "--unset" | "-a" | "--argv0") {
                at += 2;
            } else if text.starts_with('-') {
                at += 1;
            } else if is_name(name) && text.contains('=') {
                self.code_variable(name, value, state);
                self.vars.push((name.to_owned(), value.to_owned()));
                at += 1;
            } else {
                break;
            }
        }
        let words = args.get(at..).unwrap_or_default().to_vec();
        let output = if words.is_empty() {
            self.record(argv.to_vec(), state);
            Some(self.simulate("env", argv, state))
        } else {
            self.wrapped("env", |reader| reader.dispatch_program(words, state))
        };
        self.vars.truncate(vars);
        state.cwds = saved;
        Some(output.unwrap_or_default())
    }

    fn su(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let label = if name == "su" { "su" } else { "runuser" };
        self.record(argv.to_vec(), state);
        if let Some(code) = option_value(args, &["-c", "--command", "--session-command"]) {
            return self.wrapped(label, |reader| reader.run_text(&code, label, state));
        }
        if let Some(at) = args.iter().position(|arg| arg.text == "-u" || arg.text == "--user") {
            let mut rest = args.get(at + 2..).unwrap_or_default().to_vec();
            if rest.first().is_some_and(|arg| arg.text == "--") {
                rest.remove(0);
            }
            return self.wrapped(label, |reader| reader.dispatch_program(rest, state));
        }
        let code = state.stdin.clone()?;
        self.wrapped(label, |reader| reader.run_text(&code, label, state))
    }

    /// Every operand is a command line of its own, or all of them together are one.
    fn texts_as_code(&mut self, label: &'static str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let at = skip_options(
            args,
            &[
                "-n",
                "--interval",
                "-w",
                "--warmup",
                "-r",
                "--runs",
                "-p",
                "--prepare",
                "-m",
                "-M",
                "-s",
                "--setup",
                "-c",
                "--cleanup",
                "-N",
                "-L",
            ],
        );
        let words: Vec<String> = args.get(at..).unwrap_or_default().iter().map(|a| a.text.clone()).collect();
        self.record(argv.to_vec(), state);
        self.wrapped(label, |reader| {
            if label == "hyperfine" {
                for option in [["-p", "--prepare"], ["-s", "--setup"], ["-c", "--cleanup"]] {
                    let code = option_value(args, &option).unwrap_or_default();
                    reader.run_text(&code, label, state);
                }
            }
            if label == "watch" {
                // With `-x` the words themselves.
                if args[..at].iter().any(|a| matches!(a.text.as_str(), "-x" | "--exec")) {
                    reader.dispatch_program(args[at..].to_vec(), state);
                } else {
                    reader.run_text(&words.join(" "), label, state);
                }
            } else {
                for word in &words {
                    reader.run_text(word, label, state);
                }
            }
            ANY.to_string()
        })
    }

    fn option_code(
        &mut self,
        label: &'static str,
        argv: &[Arg],
        options: &[&str],
        state: &mut State,
    ) -> Option<String> {
        let code = option_value(&argv[1..], options);
        self.record(argv.to_vec(), state);
        match code {
            Some(code) => self.wrapped(label, |reader| reader.run_text(&code, label, state)),
            None => Some(String::new()),
        }
    }

    /// `script -c 'cmd' file`; elsewhere `script file cmd …`.
    fn script_command(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        if option_value(&argv[1..], &["-c", "--command"]).is_some() {
            return self.option_code("script", argv, &["-c", "--command"], state);
        }
        self.record(argv.to_vec(), state);
        let at = 1 + skip_options(&argv[1..], &["-t", "-T", "-I", "-O", "-B", "-E", "-m", "-o"]);
        match argv.get(at + 1..) {
            Some(inner) if !inner.is_empty() => {
                self.wrapped("script", |reader| reader.dispatch_program(inner.to_vec(), state))
            }
            _ => Some(String::new()),
        }
    }

    fn flock(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let at = skip_options(args, &["-w", "--timeout", "-E", "--wait", "--conflict-exit-code"]) + 1;
        // The command may come before the file, as any option does.
        if let Some(code) = option_value(args.get(..at - 1).unwrap_or_default(), &["-c", "--command"])
            .or_else(|| args.first().filter(|a| a.text == "-c").and(args.get(1)).map(|a| a.text.clone()))
        {
            return self.wrapped("flock", |reader| reader.run_text(&code, "flock", state));
        }
        if let Some([option, code]) = args.get(at..(at + 2).min(args.len()))
            && matches!(option.text.as_str(), "-c" | "--command")
        {
            let code = code.text.clone();
            return self.wrapped("flock", |reader| reader.run_text(&code, "flock", state));
        }
        let inner = args.get(at..).unwrap_or_default().to_vec();
        if inner.is_empty() {
            self.record(argv.to_vec(), state);
            return Some(String::new());
        }
        self.wrapped("flock", |reader| reader.dispatch_program(inner, state))
    }

    fn package_runner(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let reads = args.first().is_some_and(|a| a.text == "-" || crate::code::is_javascript(&a.text))
            || args.iter().any(|a| a.text == "-");
        if name == "bun" && (reads || option_value(args, &["-e", "--eval", "-p", "--print"]).is_some()) {
            return None;
        }
        self.record(argv.to_vec(), state);
        let verb = args.iter().position(|a| !a.text.starts_with('-')).unwrap_or(0);
        let runs =
            name == "npx" || args.get(verb).is_some_and(|a| matches!(a.text.as_str(), "exec" | "x" | "dlx"));
        if runs {
            if let Some(code) = option_value(args, &["-c", "--call"]) {
                self.wrapped("npx", |reader| reader.run_text(&code, "npx", state));
                return Some(ANY.to_string());
            }
            let begin = if name == "npx" { 0 } else { verb + 1 };
            let at = begin + skip_options(&args[begin..], &["-p", "--package", "--registry", "--loglevel"]);
            let mut inner = args.get(at..).unwrap_or_default().to_vec();
            if inner.first().is_some_and(|a| a.text == "--") {
                inner.remove(0);
            }
            if !inner.is_empty() {
                // A package may be named with its version.
                let program = inner[0].text.clone();
                let base = program.trim_start_matches('@');
                let plain = base.split('@').next().unwrap_or(base).to_owned();
                inner[0].text = if program.starts_with('@') { format!("@{plain}") } else { plain };
                self.wrapped("npx", |reader| reader.dispatch_program(inner, state));
            }
            return Some(ANY.to_string());
        }
        // `npm explore PACKAGE -- cmd`
        if let Some(at) = args
            .iter()
            .position(|a| a.text == "--")
            .filter(|_| args.first().is_some_and(|a| a.text == "explore"))
        {
            let inner = args[at + 1..].to_vec();
            self.wrapped("npx", |reader| reader.dispatch_program(inner, state));
            return Some(ANY.to_string());
        }
        if let Some(code) = option_value(args, &["--script-shell"]) {
            self.wrapped("npx", |reader| reader.run_text(&code, "npx", state));
        }
        self.package_script(name, argv, state);
        Some(ANY.to_string())
    }
}

/// Words of a text as `env -S` reads them: at blanks, with quotes and backslashes.
pub(crate) fn split_string(text: &str) -> Vec<Arg> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() || c == '\0' => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.into_iter().map(Arg::new).collect()
}

pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// How many words are options and their values. A `--` is among them.
pub(crate) fn skip_options(args: &[Arg], values: &[&str]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if text == "--" {
            return at + 1;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        if values.contains(&text) {
            at += 1;
        } else if !text.starts_with("--") {
            // A cluster: its last letter may want a value.
            let last = text.chars().last().map(|c| format!("-{c}")).unwrap_or_default();
            if text.len() > 2
                && values.contains(&last.as_str())
                && !values.iter().any(|v| v.len() == 2 && text.starts_with(v))
            {
                at += 1;
            }
        }
        at += 1;
    }
    at.min(args.len())
}

/// The value of the first of `options`: the next word, or what follows in the same one.
pub(crate) fn option_value(args: &[Arg], options: &[&str]) -> Option<String> {
    for (index, arg) in args.iter().enumerate() {
        for option in options {
            if arg.text == *option {
                return args.get(index + 1).map(|a| a.text.clone());
            }
            if let Some(rest) = arg.text.strip_prefix(option) {
                if option.starts_with("--") {
                    if let Some(value) = rest.strip_prefix('=') {
                        return Some(value.to_owned());
                    }
                } else if !rest.is_empty() && option.len() == 2 {
                    return Some(rest.to_owned());
                }
            }
            // A cluster such as `-lc`.
            let is_cluster = arg.text.strip_prefix('-').is_some_and(|rest| {
                (2..6).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_alphabetic())
            });
            if option.len() == 2 && is_cluster && arg.text.ends_with(&option[1..]) {
                return args.get(index + 1).map(|a| a.text.clone());
            }
        }
    }
    None
}
