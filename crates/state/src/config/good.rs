//! The last form of a config file that had no mistake in it. A mistake in a file must not loosen what its last good form had tightened,
//! so that form stays in force until the file can be read again.

use std::io;
use std::path::PathBuf;

use model::{Config, Level, SessionId};
use serde_json::Value as Json;

use super::{Layer, Loaded, file, files};
use crate::{Machine, Project, atomic, session};

/// Where the copy of a layer's file is.
fn copy(machine: &Machine, project: &Project, layer: Layer) -> PathBuf {
    let dir = match layer {
        // The user's own is the same in every project, and so is what stands above it.
        Layer::User | Layer::Default | Layer::Policy | Layer::Managed => machine.state_dir(),
        Layer::Project | Layer::Local => project.records.clone(),
    };
    dir.join(format!("last-good-{}.json", layer.as_str()))
}

/// Copies every file that can be read and is new. At the start of a session, so that no other hook pays for it.
pub fn keep(machine: &Machine, project: &Project) -> io::Result<()> {
    for (layer, path) in files(machine, project) {
        let copy = copy(machine, project, layer);
        match crate::files::read(&path) {
            Ok(Some(text)) if is_good(&text) => {
                if crate::files::read(&copy).ok().flatten().as_deref() != Some(text.as_str()) {
                    atomic::write(&copy, text.as_bytes())?;
                }
            }
            // Who takes the file away wants none.
            Ok(None) => crate::files::remove(&copy)?,
            Ok(Some(_)) | Err(_) => {}
        }
    }
    Ok(())
}

/// Whether a text has settings, and no mistake in them. One that is empty says nothing that could be kept.
fn is_good(text: &str) -> bool {
    let Ok(object) = file::parse(text) else { return false };
    let mut values = Vec::new();
    file::walk(&object, "", &mut values, &mut |_| {});
    let mut config = Config::default();
    let holds = |(key, value): &(&'static str, Json)| match *key {
        "checks" => value.as_object().is_some_and(|entries| {
            let mut levels = entries.iter().filter(|(id, _)| !id.starts_with('_'));
            levels.all(|(_, level)| level.as_str().and_then(Level::parse).is_some())
        }),
        key => config.set(key, value),
    };
    !text.trim().is_empty() && values.iter().all(holds)
}

/// What a file said when it was last without a mistake.
pub(super) fn last(
    machine: &Machine,
    project: &Project,
    layer: Layer,
) -> Option<serde_json::Map<String, serde_json::Value>> {
    file::parse(&crate::files::read(&copy(machine, project, layer)).ok()??).ok()
}

/// What to tell the user about files that cannot be read, unless this session has been told.
pub fn news(machine: &Machine, project: &Project, session: &SessionId, loaded: &Loaded) -> Option<String> {
    if loaded.stale.is_empty() {
        return None;
    }
    let said = session::said_file(machine, project, session, "broken-config");
    if said.exists() {
        return None;
    }
    // Where that cannot be written, it is said every time.
    let _ = atomic::write(&said, b"");
    let lines: Vec<String> = loaded.stale.iter().map(|text| format!("[hook:warning] {text}")).collect();
    Some(lines.join("\n"))
}
