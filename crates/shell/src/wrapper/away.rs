//! Commands that run somewhere else: on another machine, in a container, in another terminal.

use super::{option_value, skip_options};
use crate::reader::Reader;
use crate::reading::{Arg, Place};
use crate::state::State;
use crate::text::{ANY, is_known};

impl Reader<'_> {
    pub(super) fn ssh(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
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
    pub(super) fn container(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
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

    pub(super) fn multiplexer(
        &mut self,
        label: &'static str,
        argv: &[Arg],
        state: &mut State,
    ) -> Option<String> {
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
