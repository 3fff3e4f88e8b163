//! The command line of a tool.

use std::path::Path;

use state::files;
use state::process::{Finished, Program};

use super::{MOST, Run, now};
use crate::plan::{Plan, Task};
use crate::version::version_within;

impl Run<'_> {
    /// Of a tool that failed, for the line that says so. A tool that hangs may hang here too.
    pub(super) fn version(&self, task: &Task) -> String {
        let left = self.deadline.saturating_duration_since(now());
        version_within(self.machine, task.linter, &task.place, left).unwrap_or_default()
    }

    pub(super) fn start(
        &self,
        task: &Task,
        args: &[&str],
        stdin: &[u8],
        plan: &Plan,
    ) -> std::io::Result<Finished> {
        let args = args.iter().filter_map(|arg| self.argument(arg, task, plan)).collect();
        self.alone(task, args, stdin).run()
    }

    /// For one file.
    pub(super) fn alone(&self, task: &Task, args: Vec<String>, stdin: &[u8]) -> Program {
        let program = self.program(task, args, stdin);
        task.linter.env_of_one.iter().fold(program, |program, (name, value)| program.env(name, value))
    }

    pub(super) fn program(&self, task: &Task, args: Vec<String>, stdin: &[u8]) -> Program {
        let mut program = task
            .place
            .start(self.machine)
            .args(args)
            .cwd(&task.cwd)
            .stdin(stdin)
            .within(self.deadline.saturating_duration_since(now()))
            .keeping(MOST)
            // Nothing may be written into the project but the file itself.
            .env("RUFF_NO_CACHE", "true")
            .env("UV_NO_SYNC", "1")
            .env("UV_FROZEN", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        for (name, value) in task.linter.env {
            program = program.env(name, value);
        }
        program
    }

    /// One word of a definition's command line; `None` when it is not for this run.
    pub(super) fn argument(&self, arg: &str, task: &Task, plan: &Plan) -> Option<String> {
        let arg = match arg.strip_prefix('?') {
            Some(rest) => {
                let (flag, word) = rest.split_once(' ')?;
                if !plan.flags.has(flag) {
                    return None;
                }
                word
            }
            None => arg,
        };
        let codes =
            || self.defer.iter().filter(|code| !code.contains('/')).cloned().collect::<Vec<_>>().join(",");
        let edition = || edition(&task.cwd).unwrap_or_else(|| "2021".to_owned());
        Some(match arg {
            "{defer}" => codes(),
            "{edition}" => edition(),
            _ => arg
                .replace("{file}", &self.file.to_string_lossy())
                .replace("{project}", &task.cwd.to_string_lossy()),
        })
    }
}

/// The edition of the crate that the file belongs to; rustfmt alone does not look for it.
fn edition(dir: &Path) -> Option<String> {
    let text = files::read(&dir.join("Cargo.toml")).ok().flatten()?;
    let line = text.lines().find(|line| line.trim_start().starts_with("edition"))?;
    Some(line.split('"').nth(1)?.to_owned())
}
