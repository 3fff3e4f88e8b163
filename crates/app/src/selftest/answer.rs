//! What a hook before or after the agent's doing has answered, in the specification's words: `block` or `approve`.

use serde_json::Value as Json;
use state::process::Finished;

use super::Observed;

pub(super) fn observed(done: &Finished) -> Observed {
    let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    let json: Json = serde_json::from_str(&stdout).unwrap_or_default();
    let specific = &json["hookSpecificOutput"];
    let decision = match (json["decision"].as_str(), specific["permissionDecision"].as_str()) {
        (Some(word), _) => word.to_owned(),
        (None, Some("deny")) => "block".into(),
        // Anything else lets the call go on to the user's own rules.
        (None, _) => "approve".into(),
    };
    // The client's own form carries advice in the answer.
    if let Some(context) = specific["additionalContext"].as_str() {
        stderr.push_str(context);
    }
    Observed { decision, exit: done.code, stdout, stderr, ..Observed::default() }
}
