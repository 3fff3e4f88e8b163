//! The five profiles: how much of Plimsoll is on.

/// A named selection of checks. Single checks are set on top of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Decides and logs, never blocks.
    Observe,
    /// Guards, protection and the life of a session; no linters, no gates.
    Guards,
    #[default]
    Standard,
    Strict,
    Autonomous,
}

impl Profile {
    pub const NAMES: &'static [&'static str] = &["observe", "guards", "standard", "strict", "autonomous"];
    pub const ALL: [Profile; 5] =
        [Profile::Observe, Profile::Guards, Profile::Standard, Profile::Strict, Profile::Autonomous];

    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Observe => "observe",
            Profile::Guards => "guards",
            Profile::Standard => "standard",
            Profile::Strict => "strict",
            Profile::Autonomous => "autonomous",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == text)
    }
}
