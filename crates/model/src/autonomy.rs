//! Autonomous work: an agent that goes on without asking, as far as the person's plan allows.

/// What the state of autonomous work says, while there is any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Autonomy {
    /// `false` for an agent that works for another one, which alone deploys.
    pub coordinator: bool,
    /// What the plan allows: a tool, and what for.
    pub allowed_prompts: Vec<(String, String)>,
}

impl Default for Autonomy {
    fn default() -> Self {
        Self { coordinator: true, allowed_prompts: Vec::new() }
    }
}
