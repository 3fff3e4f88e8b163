//! Other programs: started with a time limit, in a process group of their own, ended as a whole.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Finished {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs a program to its end, or ends it. A missing program and a time-out are errors that name the program.
pub fn run(program: &str, args: &[&str], cwd: &Path, limit: Duration) -> io::Result<Finished> {
    run_with(program, args, cwd, &[], b"", limit)
}

/// The same with more variables and something to read.
pub fn run_with(
    program: &str,
    args: &[&str],
    cwd: &Path,
    variables: &[(&str, &str)],
    stdin: &[u8],
    limit: Duration,
) -> io::Result<Finished> {
    let mut command = Command::new(program);
    command.args(args).current_dir(cwd).envs(variables.iter().copied());
    finish(command, stdin, limit)
}

/// Starts a command that is ready but for its pipes, and waits for its end.
pub(crate) fn finish(mut command: Command, stdin: &[u8], limit: Duration) -> io::Result<Finished> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(if stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if command.get_current_dir().is_none_or(Path::is_dir) => {
            io::Error::new(error.kind(), format!("{program} is not installed"))
        }
        _ => io::Error::new(error.kind(), format!("cannot start {program}: {error}")),
    })?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that ends without reading closes the pipe; its exit code says more than that.
        let _ = io::Write::write_all(&mut pipe, stdin);
    }
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let status = wait(&mut child, limit)?;
    let Some(status) = status else {
        return Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("{program} did not end within {} s", limit.as_secs_f32()),
        ));
    };
    Ok(Finished { code: status.code(), stdout: join(stdout), stderr: join(stderr) })
}

type Reader = Option<std::thread::JoinHandle<Vec<u8>>>;

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> Reader {
    pipe.map(|mut pipe| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            bytes
        })
    })
}

fn join(reader: Reader) -> Vec<u8> {
    reader.and_then(|thread| thread.join().ok()).unwrap_or_default()
}

/// `None` when the time was up and the process was ended.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<std::process::ExitStatus>> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            end_group(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Ends the whole group, so that nothing that the program started outlives it. Through `kill`, which every Unix has: a
/// signal to a group is the one thing that the standard library cannot send.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args(["-9", "--", &group])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    let _ = child.kill();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn output_and_code_come_back() {
        let done =
            run_with("sh", &["-c", "cat; echo no >&2; exit 3"], Path::new("/"), &[], b"yes", LONG).unwrap();
        assert_eq!((done.code, done.stdout, done.stderr), (Some(3), b"yes".to_vec(), b"no\n".to_vec()));
    }

    #[test]
    fn a_missing_program_and_a_slow_one_are_named() {
        let missing = run("no-such-program", &[], Path::new("/"), LONG).unwrap_err();
        assert_eq!(missing.to_string(), "no-such-program is not installed");
        let slow =
            run("sh", &["-c", "sleep 60 & sleep 60"], Path::new("/"), Duration::from_millis(20)).unwrap_err();
        assert_eq!(slow.kind(), io::ErrorKind::TimedOut);
    }
}
