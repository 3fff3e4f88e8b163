//! Work that outlives the hook that asked for it: `plimsoll task <name> <project> <session> <args…>`.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use model::{SessionId, Task};

use crate::{Machine, Project};

/// Starts it, away from our pipes: a client waits until the last of those who hold them has gone.
pub fn start(machine: &Machine, project: &Project, session: &SessionId, task: &Task) -> io::Result<()> {
    let executable =
        machine.executable().ok_or_else(|| io::Error::other("our own program cannot be found"))?;
    let mut command = Command::new(executable);
    command.arg("task").arg(task.name).arg(&project.root).arg(session.as_str()).args(&task.args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The folder may be gone before the work is done.
    command.current_dir(if project.root.is_dir() { project.root.clone() } else { PathBuf::from("/") });
    in_a_session_of_its_own(&mut command);
    command.spawn().map(drop)
}

/// Clients end what their hooks have started, the whole session of it. A process that opened its own goes on.
#[cfg(unix)]
#[expect(unsafe_code, reason = "between fork and exec; the one call made there is safe at that point")]
fn in_a_session_of_its_own(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    unsafe {
        command.pre_exec(|| nix::unistd::setsid().map(drop).map_err(io::Error::from));
    }
}

#[cfg(not(unix))]
fn in_a_session_of_its_own(_: &mut Command) {}
