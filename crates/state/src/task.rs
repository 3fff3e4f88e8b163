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
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}
