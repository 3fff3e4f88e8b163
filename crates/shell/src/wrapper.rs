//! Programs that start another one: what comes after their own options is the command that counts.

use crate::reader::Reader;
use crate::reading::{Arg, Place};
use crate::state::State;
use crate::text::{ANY, is_known};

/// A wrapper that is followed by its command.
struct Plain {
    name: &'static str,
    /// Options whose value is the next word.
    values: &'static [&'static str],
    /// Words before the command.
    operands: usize,
    /// `NAME=value` words may come before the command.
    assigns: bool,
}

const fn plain(name: &'static str, values: &'static [&'static str], operands: usize) -> Plain {
    Plain { name, values, operands, assigns: false }
}

const fn assigning(name: &'static str, values: &'static [&'static str]) -> Plain {
    Plain { name, values, operands: 0, assigns: true }
}

/// Sorted by name.
static PLAIN: &[Plain] = &[
    plain("arch", &[], 0),
    plain("bunx", &[], 0),
    plain("caffeinate", &["-t", "-w"], 0),
    plain("catchsegv", &[], 0),
    plain("cgexec", &["-g"], 0),
    plain("chroot", &["--userspec", "--groups"], 1),
    plain("chrt", &["-T", "-P", "-D"], 1),
    plain("command", &[], 0),
    plain("dbus-run-session", &[], 0),
    plain("direnv", &[], 2),
    assigning("doas", &["-u", "-C"]),
    assigning("dzdo", &["-u", "-g"]),
    plain("eatmydata", &[], 0),
    plain("entr", &[], 0),
    plain("exec", &["-a"], 0),
    plain("fakeroot", &["-l", "-s", "-i", "-b"], 0),
    plain("faketime", &["-f"], 1),
    plain("firejail", &[], 0),
    plain("gosu", &[], 1),
    plain("i386", &[], 0),
    plain("ionice", &["-c", "-n", "-p", "-P", "-u"], 0),
    plain("linux32", &[], 0),
    plain("linux64", &[], 0),
    plain("ltrace", &["-e", "-o", "-p", "-s", "-u", "-n", "-a", "-l", "-x"], 0),
    plain("nice", &["-n", "--adjustment"], 0),
    plain("nocorrect", &[], 0),
    plain("noglob", &[], 0),
    plain("nohup", &[], 0),
    plain("nsenter", &["-t", "-S", "-G"], 0),
    plain("numactl", &["-C", "-N", "-m", "-p", "-i"], 0),
    plain("pfexec", &[], 0),
    plain("pkexec", &["--user"], 0),
    plain("prlimit", &["-p"], 0),
    plain("proot", &["-r", "-b", "-w"], 0),
    plain("proxychains", &["-f"], 0),
    plain("proxychains4", &["-f"], 0),
    plain("rlwrap", &[], 0),
    assigning(
        "run0",
        &["-u", "-g", "-D", "--user", "--group", "--unit", "--property", "--setenv", "--chdir"],
    ),
    plain("setarch", &[], 1),
    plain("setpriv", &["--reuid", "--regid", "--groups"], 0),
    plain("setsid", &[], 0),
    plain("softlimit", &["-m", "-d"], 0),
    plain("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    plain("strace", &["-e", "-o", "-p", "-s", "-u", "-E", "-P", "-O", "-S", "-a", "-b", "-I", "-X"], 0),
    assigning(
        "sudo",
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-T",
            "-r",
            "-t",
            "-D",
            "-R",
            "-U",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--chroot",
            "--role",
            "--type",
            "--other-user",
        ],
    ),
    plain("systemd-inhibit", &["--what", "--who", "--why", "--mode"], 0),
    assigning(
        "systemd-run",
        &[
            "-p",
            "-u",
            "-E",
            "-M",
            "-H",
            "--unit",
            "--property",
            "--setenv",
            "--description",
            "--slice",
            "--uid",
            "--gid",
        ],
    ),
    plain("taskset", &["-p"], 1),
    assigning("time", &["-f", "-o", "--format", "--output"]),
    plain("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    plain("torsocks", &[], 0),
    plain("toybox", &[], 0),
    plain("busybox", &[], 0),
    plain("unbuffer", &[], 0),
    plain("unshare", &["-S", "-G", "--setuid", "--setgid", "--root", "--wd"], 0),
    plain("valgrind", &[], 0),
    plain("xvfb-run", &["-n", "-s", "-w", "-e", "-f"], 0),
    plain("builtin", &[], 0),
];

/// Tools whose subcommand starts a program: `uv run x`, `bundle exec x`.
static RUNNERS: &[(&str, &[&str])] = &[
    ("asdf", &["exec"]),
    ("bundle", &["exec"]),
    ("conda", &["run"]),
    ("doppler", &["run"]),
    ("dotenv", &["run"]),
    ("hatch", &["run"]),
    ("mise", &["exec", "x"]),
    ("op", &["run"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("poetry", &["run"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
];

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

    fn xargs(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
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

    fn parallel(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
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
    fn find(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
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

    fn ssh(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let values = &[
            "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
            "-R", "-S", "-W", "-w",
        ];
        let at = skip_options(args, values);
        self.record(argv.to_vec(), state);
        self.ssh_settings(args.get(..at).unwrap_or_default(), state);
        if let Some(code) = option_value(&args[..at], &["--ssh", "--server"]) {
            self.run_slot("ssh", &code, state);
        }
        // Options may come after the host as well.
        let after = args.get(at + 1..).unwrap_or_default();
        let words: Vec<String> =
            after[skip_options(after, values)..].iter().map(|a| a.text.clone()).collect();
        // Without a command the other side's shell reads what is sent to it.
        let code = if words.is_empty() { state.piped() } else { words.join(" ").into() };
        if code.is_empty() || crate::reader::is_only_holes(&code) {
            return Some(ANY.to_string());
        }
        self.wrapped("ssh", |reader| reader.run_text(&code, "ssh", &mut state.clone()))?;
        // Whatever it is, another machine says it.
        Some(crate::text::NET.to_string())
    }

    /// `docker run IMAGE cmd`, `kubectl exec POD -- cmd`: paths in there are not this machine's, except those that are mounted.
    fn container(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        self.record(argv.to_vec(), state);
        let args = &argv[1..];
        let Some(verb) = args.iter().position(|a| matches!(a.text.as_str(), "run" | "exec" | "create"))
        else {
            return Some(self.simulate(crate::path::name(&argv[0].text), argv, state));
        };
        let values = &[
            "-v",
            "--volume",
            "-e",
            "--env",
            "--name",
            "-w",
            "--workdir",
            "-u",
            "--user",
            "-p",
            "--publish",
            "--network",
            "--mount",
            "--entrypoint",
            "-c",
            "--container",
            "-n",
            "--namespace",
            "--platform",
            "--label",
            "-l",
            "--cpus",
            "-m",
            "--memory",
            "--env-file",
            "-h",
            "--hostname",
            "--add-host",
            "--image",
            "--gpus",
            "--ulimit",
            "--device",
            "--cap-add",
            "--security-opt",
            "--context",
            "--index",
            "--tmpfs",
            "--pid",
            "--ipc",
            "--restart",
        ];
        let rest = &args[verb + 1..];
        let dashes = rest.iter().position(|a| a.text == "--");
        let options = skip_options(rest, values);
        let at = dashes.map_or(options + 1, |at| at + 1);
        let mut inner = rest.get(at..).unwrap_or_default().to_vec();
        let before = rest.get(..dashes.unwrap_or(options)).unwrap_or_default();
        if let Some(program) = option_value(before, &["--entrypoint"]) {
            inner.insert(0, Arg::new(program));
        }
        if !inner.is_empty() {
            let place = if args[verb].text == "exec" { Place::Kept } else { Place::Elsewhere };
            let saved = (
                std::mem::replace(&mut self.place, place),
                std::mem::replace(&mut self.mounts, mounts(before, state)),
            );
            // Without `-i` nothing reaches it, with `-i` what is on stdin does.
            self.wrapped("container", |reader| reader.dispatch_program(inner, &mut state.clone()));
            (self.place, self.mounts) = saved;
        }
        Some(ANY.to_string())
    }

    fn package_runner(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        let reads = args.iter().any(|a| a.text == "-");
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

    fn multiplexer(&mut self, label: &'static str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args = &argv[1..];
        self.record(argv.to_vec(), state);
        let rest: Vec<Arg> = if label == "tmux" {
            let verb = args.iter().position(|a| !a.text.starts_with('-'))?;
            match args[verb].text.as_str() {
                "send-keys" | "send" => {
                    // Typed into a shell: one line of words.
                    let keys: Vec<&str> = args[verb + 1..]
                        .iter()
                        .map(|a| a.text.as_str())
                        .filter(|t| !matches!(*t, "Enter" | "C-m" | "-l"))
                        .collect();
                    let at = keys.iter().position(|k| *k == "-t").map_or(0, |i| i + 2);
                    let line = keys.get(at..).unwrap_or_default().join(" ");
                    return self.wrapped("tmux", |reader| reader.run_text(&line, "tmux", state));
                }
                "new-session" | "new" | "new-window" | "neww" | "split-window" | "splitw"
                | "respawn-pane" | "run-shell" | "run" | "if-shell" => {
                    let tail = &args[verb + 1..];
                    let at =
                        skip_options(tail, &["-s", "-n", "-c", "-t", "-x", "-y", "-F", "-e", "-l", "-p"]);
                    tail.get(at..).unwrap_or_default().to_vec()
                }
                _ => return Some(String::new()),
            }
        } else {
            if let Some(at) = args.iter().position(|a| a.text == "stuff") {
                let line = args.get(at + 1).map(|a| crate::simulate::unescape(&a.text)).unwrap_or_default();
                return self.wrapped("screen", |reader| reader.run_text(&line, "screen", state));
            }
            let at = skip_options(args, &["-S", "-c", "-h", "-p", "-s", "-t", "-T", "-dmS"]);
            args.get(at..).unwrap_or_default().to_vec()
        };
        match rest.as_slice() {
            [] => Some(String::new()),
            [only] => {
                let code = only.text.clone();
                self.wrapped(label, |reader| reader.run_text(&code, label, state))
            }
            _ => self.wrapped(label, |reader| reader.dispatch_program(rest, state)),
        }
    }
}

/// What a container sees of this machine: its path inside, and the path here.
fn mounts(options: &[Arg], state: &State) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (index, arg) in options.iter().enumerate() {
        let next = options.get(index + 1).map_or("", |a| a.text.as_str());
        let volume = match arg.text.as_str() {
            "-v" | "--volume" => Some(next),
            text => text.strip_prefix("--volume=").or(text.strip_prefix("-v")),
        };
        if let Some((host, inside)) = volume.and_then(|volume| volume.split_once(':')) {
            let inside = inside.split(':').next().unwrap_or(inside);
            // A name without a slash is a volume of the container tool's own.
            if host.contains(['/', '~', '.']) || !is_known(host) {
                found.push((inside.to_owned(), state.absolute(host)));
            }
        }
        let mount = if arg.text == "--mount" { Some(next) } else { arg.text.strip_prefix("--mount=") };
        if let Some(mount) = mount {
            let field = |names: [&str; 3]| {
                mount.split(',').find_map(|part| {
                    part.split_once('=').filter(|(key, _)| names.contains(key)).map(|(_, value)| value)
                })
            };
            if let (Some(host), Some(inside)) =
                (field(["source", "src", "src"]), field(["target", "dst", "destination"]))
            {
                found.push((inside.to_owned(), state.absolute(host)));
            }
        }
    }
    found
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
