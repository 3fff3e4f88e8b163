//! What a hook process leaves behind: a value until `app` writes it, once.

use serde_json::{Map, Value};

/// Longer texts are put into a file by the client, and the model sees only their beginning.
pub const CONTEXT_LIMIT: usize = 10_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Empty, or one JSON object.
    pub stdout: String,
    pub stderr: String,
    /// 0, or 2 where the event reads stderr.
    pub exit: u8,
    /// The reason of a refusal or question on stdout. Where stdout cannot be written, it leaves by stderr and exit code 2.
    pub otherwise: Option<String>,
}

/// A reply, with what it could not carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub reply: Reply,
    /// For the model, with the next event that can carry it. Empty for most.
    pub later: String,
    /// The reason by which a stop was held.
    pub held: Option<String>,
}

impl From<Reply> for Said {
    fn from(reply: Reply) -> Self {
        Self { reply, ..Self::default() }
    }
}

impl Reply {
    /// An empty object is silence: `{}` would be read as an answer by some agents.
    pub(crate) fn json(object: Map<String, Value>) -> Self {
        if object.is_empty() {
            return Self::default();
        }
        // Straight to text: `to_string` of a value goes through a formatter, at three times the cost.
        let value = Value::Object(object);
        let stdout = serde_json::to_string(&value).unwrap_or_else(|_| value.to_string());
        Self { stdout, ..Self::default() }
    }

    /// With a reason that must not get lost.
    pub(crate) fn or_else(self, reason: String) -> Self {
        Self { otherwise: Some(reason), ..self }
    }
}

/// `text` within the limit, with a visible end where something was left out.
pub(crate) fn bounded(text: &str) -> String {
    const NOTE: &str = "\n[cut: `plimsoll log` has the whole text]";
    if text.chars().count() <= CONTEXT_LIMIT {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(CONTEXT_LIMIT - NOTE.len()).collect();
    short.push_str(NOTE);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_visibly_within_the_limit() {
        let long = bounded(&"é".repeat(20_000));
        assert!(long.chars().count() <= CONTEXT_LIMIT && long.ends_with("whole text]"));
        assert_eq!(bounded("short"), "short");
    }
}
