//! Which team policy is in force, for `status` and `doctor`.

use serde_json::{Value as Json, json};
use state::Machine;
use state::config::{Layer, Loaded};

use crate::ui::Tone;

/// The managed file, where there is one.
fn managed(machine: &Machine) -> Option<std::path::PathBuf> {
    machine.managed_dir().map(|dir| dir.join("config.json")).filter(|file| state::files::is_file(file))
}

pub(crate) fn lines(machine: &Machine, loaded: &Loaded) -> Vec<(Tone, String)> {
    let mut lines = Vec::new();
    if let Some(file) = managed(machine) {
        let count = loaded.sources.iter().filter(|(_, layer)| *layer == Layer::Managed).count();
        let word = if count == 1 { "setting" } else { "settings" };
        lines.push((Tone::Good, format!("{count} managed {word} in {}", file.display())));
        if let Some(doubt) = state::config::doubt(&file) {
            lines.push((
                Tone::Bad,
                format!(
                    "{doubt}; make it root's alone: `sudo chown root: {0} && sudo chmod 644 {0}`",
                    file.display()
                ),
            ));
        }
    }
    if let Some(policy) = &loaded.policy {
        lines.push((Tone::Good, format!("commit {} of {}", policy.short(), policy.checkout.display())));
    }
    lines
}

pub(crate) fn json(machine: &Machine, loaded: &Loaded) -> Json {
    json!({
        "managed": managed(machine),
        "checkout": loaded.policy.as_ref().map(|policy| &policy.checkout),
        "commit": loaded.policy.as_ref().map(|policy| &policy.commit),
    })
}
