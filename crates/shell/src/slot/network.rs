//! Programs of the network by their names, until a table describes them.

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;

/// Their words are no commands.
pub(super) const PLAIN: &[&str] = &["dig", "http", "mail", "nc", "ncat"];

impl Reader<'_> {
    pub(super) fn network_slots(&mut self, name: &str, args: &[Arg], state: &mut State) {
        match name {
            "scp" => self.ssh_settings(args, state),
            "sftp" => {
                self.ssh_settings(args, state);
                self.bang_lines(&state.piped(), state);
            }
            "ftp" | "lftp" | "mail" => self.bang_lines(&state.piped(), state),
            "wget" => {
                for code in option_values(args, &["--use-askpass"]) {
                    self.run_slot("option", &code, state);
                }
            }
            "pssh" | "parallel-ssh" | "prun" => {
                let words: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
                let values = &["-h", "-H", "-l", "-p", "-t", "-o", "-e", "-O", "-x"];
                let code = crate::builtin::operands(&words, values).join(" ");
                self.run_slot("remote", &code, state);
            }
            _ => {}
        }
    }

    /// What ssh and its relatives start on this side.
    pub(crate) fn ssh_settings(&mut self, args: &[Arg], state: &mut State) {
        for setting in option_values(args, &["-o"]) {
            let Some((key, code)) = setting.split_once(['=', ' ']) else { continue };
            if matches!(
                key.to_ascii_lowercase().as_str(),
                "proxycommand" | "localcommand" | "knownhostscommand"
            ) {
                self.run_slot("ssh", code, state);
            }
        }
    }
}

/// The values of `options`, wherever they stand: the next word, after `=`, or right behind a short one.
fn option_values(args: &[Arg], options: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        for option in options {
            if arg.text == *option {
                found.extend(args.get(index + 1).map(|a| a.text.clone()));
            } else if let Some(rest) = arg.text.strip_prefix(option) {
                match rest.strip_prefix('=') {
                    Some(value) => found.push(value.to_owned()),
                    None if option.len() == 2 => found.push(rest.to_owned()),
                    None => {}
                }
            }
        }
    }
    found
}
