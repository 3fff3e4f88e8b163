//! The linter system's `multi_linter`: everything in the edit's own hook, nothing put off, the answer in stderr and exit code.

use agents::Reply;
use model::config::Pace;
use state::config::{Loaded, Trust};
use state::{Machine, Project};

use crate::hook;

/// As registered by the original: the largest model has ten minutes.
const SECONDS: u64 = 660;

pub(super) fn multi_linter(machine: &Machine, _: &[String]) -> Reply {
    let args = hook::Args {
        only: Some(vec!["edit/lint".to_owned()]),
        dialect: hook::Dialect::Legacy,
        event: Some("PostToolUse"),
        // The original had no other name for a session.
        session: Some(format!("pid-{}", machine.session_pid())),
        trust: Trust::Everything,
        deadline: SECONDS,
        adjust: as_the_original,
        ..hook::Args::default()
    };
    let input = state::files::read_stdin(agents::LARGEST).map_err(|error| error.to_string());
    match input.and_then(|bytes| agents::read(&bytes).map(|_| bytes).map_err(|bad| bad.to_string())) {
        Ok(bytes) => {
            let mut reply = hook::answer(machine, &args, &bytes);
            reply.stderr.insert_str(0, &retired(machine));
            reply
        }
        // There is no file that could be looked at.
        Err(why) => Reply {
            stderr: format!("[hook:warning] the hook's input could not be read: {why}\n"),
            ..Reply::default()
        },
    }
}

fn as_the_original(loaded: &mut Loaded) {
    loaded.config.pace = Pace::Thorough;
    loaded.config.defer.clear();
}

/// Keys of the first config format: their meaning moved, and the person has to move them.
fn retired(machine: &Machine) -> String {
    let project = Project::find(machine, &machine.cwd());
    let loaded = state::config::load(machine, &project, checks::is_guard, Trust::Everything);
    let problems = loaded.problems.iter().filter(|problem| problem.text.contains("is no longer supported"));
    problems.map(|problem| format!("[hook:error] {}\n", problem.text)).collect()
}
