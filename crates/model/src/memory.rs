//! What earlier sessions have learned, as a check sees it.

/// Who asks the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A session that begins.
    Start,
    /// A file that was read, or a search.
    Tool,
    Prompt,
    /// `plimsoll memory search`.
    Person,
}

impl Asked {
    pub fn as_str(self) -> &'static str {
        match self {
            Asked::Start => "start",
            Asked::Tool => "tool",
            Asked::Prompt => "prompt",
            Asked::Person => "person",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Asked::Start, Asked::Tool, Asked::Prompt, Asked::Person]
            .into_iter()
            .find(|asked| asked.as_str() == text)
    }

    /// Below this score a memory is not worth the interruption.
    pub fn floor(self) -> f64 {
        match self {
            Asked::Start => 0.12,
            Asked::Tool | Asked::Prompt => 0.25,
            Asked::Person => 0.0,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub id: String,
    pub content: String,
    pub entities: Vec<String>,
    pub category: String,
    pub problem: String,
    /// In seconds.
    pub age: u64,
    pub score: f64,
}

/// One that this session has been shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownMemory {
    pub id: String,
    /// What it was called there: `m1`.
    pub reference: String,
    pub by: Asked,
    /// Seconds since 1970.
    pub at: u64,
}
