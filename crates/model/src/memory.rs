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
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    pub id: String,
    pub content: String,
    pub entities: Vec<String>,
    pub category: String,
    pub problem: String,
    /// In seconds.
    pub age: u64,
    pub used: Utility,
}

/// How often a memory was shown to a session, and how often a report said that it helped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Utility {
    pub shown: u64,
    pub helped: u64,
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

/// What is to be remembered of a session, and what its report says besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    /// What it came from, in the words of the store: `session_end`, `precompact_capture`.
    pub kind: &'static str,
    pub source: &'static str,
    pub content: String,
    pub entities: Vec<String>,
    pub category: String,
    pub problem: Option<String>,
    pub files: Vec<String>,
    /// What every later session is to know: topic and assertion.
    pub assertions: Vec<(String, String)>,
    /// Memories that helped, as the session was shown them.
    pub helped: Vec<String>,
}

/// How names are written in the index of a store, and compared.
pub mod names {
    /// The last part of a path, in small letters.
    pub fn basename(path: &str) -> String {
        path.rsplit('/').next().unwrap_or(path).to_lowercase()
    }

    /// A file's name without its ending.
    pub fn stem(name: &str) -> &str {
        match name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => name,
        }
    }

    /// Whether an entity is a file's name rather than a word.
    pub fn is_file(entity: &str) -> bool {
        entity.contains('/')
            || entity
                .rsplit_once('.')
                .is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty() && end.len() <= 5)
    }

    /// Under which keys an entity stands in the index.
    pub fn keys(entity: &str) -> Vec<String> {
        let name = basename(entity);
        let stem = stem(&name).to_owned();
        if is_file(entity) && stem != name { vec![name, stem] } else { vec![name] }
    }
}
