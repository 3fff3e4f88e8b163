//! Commands that passed on exactly this code: they need not run again.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use model::GateCommand;
use serde_json::{Map, Value as Json, json};

use crate::{Lock, Machine, Project, atomic, files, git, session, sha256};

const MOST: usize = 50;

fn file(project: &Project) -> PathBuf {
    project.records.join("quality.json")
}

/// The command, where it runs, and the code: the last commit and everything that differs from it. `None` outside a repository,
/// where nothing tells that the code is the same.
pub fn key(machine: &Machine, project: &Project, command: GateCommand<'_>) -> Option<String> {
    let repository = git::Repository::find(&project.root)?;
    let mut text =
        format!("{}\0{}\0{}\0", command.text, command.dir.display(), git::head_commit(&repository)?);
    for (path, _) in git::status(machine, &repository.root).ok()?.iter() {
        // Our own records change with every call.
        if !path.split('/').any(|part| part == ".claude") {
            text.push_str(path);
            text.push_str(session::content_hash(&repository.root.join(path)).as_str());
        }
    }
    Some(sha256(text.as_bytes()).to_string())
}

fn read(project: &Project) -> Map<String, Json> {
    files::read_object(&file(project))
}

/// What it printed when it passed.
pub fn passed(project: &Project, key: &str) -> Option<String> {
    read(project).get(key)?["output"].as_str().map(str::to_owned)
}

pub fn keep(machine: &Machine, project: &Project, key: &str, output: &str) -> io::Result<()> {
    let file = file(project);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(2))?;
    let mut all = read(project);
    all.insert(key.to_owned(), json!({"at": machine.now(), "output": output}));
    while all.len() > MOST {
        let Some(oldest) =
            all.iter().min_by_key(|(_, entry)| entry["at"].as_u64()).map(|(key, _)| key.clone())
        else {
            break;
        };
        all.shift_remove(&oldest);
    }
    atomic::write(&file, format!("{}\n", Json::Object(all)).as_bytes())
}
