//! Opens an address in the user's browser.

use std::io;
use std::process::{Command, Stdio};

use crate::Machine;
use crate::reach::Fence;

/// By what the system has for it. Nobody waits for the browser.
pub fn open(machine: &Machine, address: &str) -> io::Result<()> {
    const WAYS: &[(&str, &[&str])] = &[
        ("xdg-open", &[]),
        ("open", &[]),
        ("wslview", &[]),
        ("rundll32.exe", &["url.dll,FileProtocolHandler"]),
    ];
    // The user's own, not one that a project has put where PATH leads.
    let fence = Fence::around(machine, &machine.cwd());
    let found = WAYS.iter().find_map(|(name, args)| Some((fence.program_outside(machine, name)?, args)));
    let Some((program, args)) = found else { return Err(io::Error::other("there is no program for it")) };
    let mut command = Command::new(program);
    command.args(*args).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}
