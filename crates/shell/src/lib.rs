//! Shell text. So far the one direction that every message needs: words written so that a shell reads them back as they
//! are. Reading commands (syntax, invocations, effects) belongs here too; no other crate may know a shell parser.

mod quote;

pub use quote::{join, quote};
