//! Commands that run somewhere else: on another machine, in a container, in another terminal.

use super::{option_value, skip_options};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::ANY;

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
}
