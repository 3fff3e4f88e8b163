//! What a hook leaves for later: work that outlives it, texts that wait for a hook that can carry them, and how often a stop has
//! been held.

/// Work that goes on when the hook has answered: `plimsoll task <name> …`, started detached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// A name in `app`'s table of tasks.
    pub name: &'static str,
    pub args: Vec<String>,
}

/// A text that waits for the next hook of the session that can carry it. It is delivered once; a newer one with the same key takes
/// its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub key: String,
    pub text: String,
    pub to: Reader,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Model,
    Person,
}

impl Reader {
    pub fn as_str(self) -> &'static str {
        match self {
            Reader::Model => "model",
            Reader::Person => "person",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Reader::Model, Reader::Person].into_iter().find(|reader| reader.as_str() == text)
    }
}

/// How often a check has held this stop so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub times: u32,
    /// Of these, the last ones in a row that gave the same reasons.
    pub same: u32,
    /// Those reasons.
    pub reasons: String,
}
