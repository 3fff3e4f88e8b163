//! Programs that nobody knows: where the words after them are a command, they are judged by it.

use crate::programs::is_striking;
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;

/// Words after which a program starts what it is given.
const STARTS: &[&str] = &[
    "--",
    "console",
    "eval",
    "exec",
    "exec-env",
    "exec-file",
    "run",
    "shell",
    "spawn",
    "ssh",
    "start",
    "type",
];

impl Reader<'_> {
    /// An unknown program whose last words are a command by themselves is judged by them: it may be a wrapper.
    pub(crate) fn tail(&mut self, name: &str, argv: &[Arg], state: &mut State) {
        if name.is_empty() {
            return;
        }
        for (index, arg) in argv.iter().enumerate().skip(1).take(12) {
            let base = crate::path::name(&arg.text);
            let started = STARTS.contains(&argv[index - 1].text.as_str());
            if is_striking(base) && (index + 1 < argv.len() || started) {
                let inner = argv[index..].to_vec();
                self.wrapped("unknown", |reader| reader.dispatch_program(inner, &mut state.clone()));
                return;
            }
            // A whole command line in one word, where something says that it is one.
            let (option, code) = match arg.text.split_once('=') {
                Some((option, code)) if option.starts_with("--") => (option, code),
                _ => (argv[index - 1].text.as_str(), arg.text.as_str()),
            };
            let first = code.split_whitespace().next().map(crate::path::name).unwrap_or_default();
            if code.contains(' ')
                && is_striking(first)
                && (is_code_option(option) || argv[..index].iter().any(|a| STARTS.contains(&a.text.as_str())))
            {
                let code = code.to_owned();
                self.run_slot("unknown", &code, state);
                return;
            }
        }
    }
}

/// Options by whose name the value is a command.
fn is_code_option(option: &str) -> bool {
    matches!(option, "-c" | "-C" | "-e" | "-x")
        || (option.starts_with("--")
            && ["cmd", "command", "eval", "exec", "hook", "prepare", "run", "script", "shell"]
                .iter()
                .any(|word| option.contains(word)))
}
