//! What a hook of another make pays before it has read its first byte. The systems that Plimsoll takes the place of start bash,
//! jq and Python several times per call; these are the single starts, as a stand-in for them.

use std::path::Path;

use crate::latency::{Case, Stage};

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let programs: [(&str, &str, &[&str]); 4] = [
        ("sh, doing nothing", "sh", &["-c", ":"]),
        ("bash, doing nothing", "bash", &["-c", ":"]),
        ("jq, reading nothing", "jq", &["-n", "1"]),
        ("python3, doing nothing", "python3", &["-c", ""]),
    ];
    let there = programs.into_iter().filter_map(|(name, program, args)| {
        let dirs = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
        let path = dirs.iter().map(|dir| Path::new(dir).join(program)).find(|path| path.is_file())?;
        Some(stage.program("other programs' start", name, &path.to_string_lossy(), args))
    });
    Ok(there.collect())
}
