//! `exit-codes.md`.

use plimsoll::EXIT_CODES;

use super::markdown::{Document, plain};

pub(super) fn page() -> String {
    let mut page = Document::new("Exit codes", "crates/app/src/exit.rs");
    page.table(["Code", "Meaning"], EXIT_CODES.iter().map(|exit| [exit.code.to_string(), plain(exit.doc)]));
    page.finish()
}
