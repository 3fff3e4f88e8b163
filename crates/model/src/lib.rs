//! The words of the project: what an agent does (`Event`), what we answer (`Verdict`), what a check is (`Meta`), what may
//! be set (`Config`), and the questions a check may ask about the world (`Facts`).
//!
//! Not here: anything that touches disk, environment, clock or processes. `state` answers `Facts`; `agents` turns bytes
//! into events and verdicts into bytes.

mod allowance;
mod assemble;
mod autonomy;
pub mod brief;
pub mod changes;
pub mod config;
mod content_hash;
pub mod deed;
mod effect;
pub mod environment;
mod event;
mod facts;
pub mod hidden;
mod last_word;
mod later;
mod lint;
pub mod memory;
mod meta;
pub mod notebook;
pub mod path;
mod personal;
mod quality;
mod redact;
mod registered;
mod review;
pub mod rule;
mod scan;
mod sight;
pub mod source;
pub mod state_files;
pub mod time;
mod tool;
mod update;
mod verdict;
mod visible;

pub use allowance::{Allowance, Signature};
pub use assemble::assemble;
pub use autonomy::{AGENT_BRANCH, AUTONOMY_STATES, Autonomy};
pub use changes::{Proof, Seen, SessionChanges, Touched, is_noise};
pub use config::Config;
pub use content_hash::ContentHash;
pub use effect::{Bookkeeping, Effect, Urgency};
pub use event::{
    AgentId, Body, Change, Compaction, Event, EventName, FileEdit, Notification, Oddity, Outcome,
    PermissionMode, Prompt, Replacement, SessionChange, SessionId, Stop, Subagent, ToolUse,
};
pub use facts::{
    ChangeKind, Changed, Client, Commands, Digest, Entry, Evidence, Facts, Files, Git, Guarded, Incoming,
    LastRun, Linting, Memories, Paths, Piece, Problem, Protected, Repository, Restore, Reviews, Session,
    Settings, Surroundings, Tested, TestsSeen, Tree, Unknown, Watch, What,
};
pub use last_word::LastWord;
pub use later::{Held, Mail, Reader, Task};
pub use lint::{Linted, Since, Spent, Violation};
pub use memory::{Asked, Lesson, Memory, ShownMemory, Utility};
pub use meta::{Level, Levels, Meta, On, Role, Tools};
pub use personal::{CHECK_WITH_TRUST, PERSONAL, Personal, personal_verb};
pub use quality::{GateCommand, GateOutcome, GateRun, GateVerdict, Quality};
pub use redact::{MARK, MASK, OwnValues, Secret, find_secrets, has_key, mask, redact, redact_all, secrets};
pub use registered::{Owner, Registered, is_own_name};
pub use review::{Conclusion, Judgement, Question, Review, Reviewer};
pub use sight::Sight;
pub use tool::{Command, Foreign, Intent, Language, Noun, Part, Realm, Search, Side, Tool};
pub use update::Update;
pub use verdict::{Account, Decision, Finding, Findings, Patch, Rewrite, RuleId, Span, Verdict};
pub use visible::{disguise, visible, visible_json};
