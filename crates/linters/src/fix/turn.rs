//! Whose turn it is to fix. A model that was started to fix something must not lead to another: its own hooks are off, but what it runs may
//! call us again, with whatever environment it likes.

use std::io;
use std::path::PathBuf;

use model::environment;
use state::ancestry::{self, Live, Processes};
use state::{Machine, atomic, files};
use thiserror::Error;

/// More models at once are nobody's wish.
const MOST: usize = 4;

/// While it is held, nothing below this process starts a model.
#[derive(Debug)]
pub(super) struct Turn {
    mark: PathBuf,
}

/// Why no model is started.
#[derive(Debug, Error)]
pub(super) enum NoTurn {
    #[error("a model that fixes starts no other")]
    Nested,
    #[error("{0} models are fixing something already")]
    Busy(usize),
    #[error("the processes of this machine cannot be seen")]
    Blind,
    #[error(transparent)]
    Unwritable(#[from] io::Error),
}

impl Turn {
    pub(super) fn take(machine: &Machine) -> Result<Self, NoTurn> {
        if machine.var(&environment::PLIMSOLL_FIXER).is_some() {
            return Err(NoTurn::Nested);
        }
        let folder = machine.state_dir().join("fixer/turns");
        let processes = Live::default();
        let own = processes.get(std::process::id());
        let above = ancestry::above(&processes, std::process::id());
        let mut running = 0;
        for mark in files::list(&folder) {
            let pid = mark.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
            let began = files::read(&mark).ok().flatten().and_then(|text| text.trim().parse::<u64>().ok());
            let alive = pid.and_then(|pid| processes.get(pid)).filter(|process| Some(process.began) == began);
            let Some(alive) = alive else {
                // Whoever it was has ended.
                let _ = files::remove(&mark);
                continue;
            };
            if above.iter().any(|process| process.pid == alive.pid) {
                return Err(NoTurn::Nested);
            }
            running += 1;
        }
        if running >= MOST {
            return Err(NoTurn::Busy(running));
        }
        let own = own.ok_or(NoTurn::Blind)?;
        let mark = folder.join(own.pid.to_string());
        files::create_dir(&folder)?;
        atomic::write(&mark, own.began.to_string().as_bytes())?;
        Ok(Self { mark })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Left behind, it counts for nobody: this process is gone.
        let _ = files::remove(&self.mark);
    }
}
