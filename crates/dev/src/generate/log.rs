//! `log.md`.

use state::log::schema::{FIELDS, VERSION};

use super::markdown::{Document, plain};

pub(super) fn page() -> String {
    let mut page = Document::new("The decision log", "crates/state/src/log/schema.rs");
    page.block(&format!(
        "Every hook call adds one line of JSON to `log.jsonl` in Plimsoll's state folder (`plimsoll doctor` names it). A full file is moved aside as \
         `log-<id of its first record>.jsonl`, so that names sort by time; `log.days` and `log.megabytes` say how much is kept. Secrets \
         are masked before a line is written.\n\nThis is version {VERSION} of the form. Lines of other versions are read as well: a field never changes its type, \
         older lines lack some, newer ones may have more. What happened after a decision stands in later lines: those of one call have the same \
         `call`, and `plimsoll log --json` adds what they come to as `then` (`stopped`, `allowed`, `approved`, `refused`, `ran`, `failed`)."
    ));
    page.table(
        ["Field", "Kind", "Since", "Meaning"],
        FIELDS.iter().map(|field| {
            let kind =
                if field.optional { format!("{}, or not there", field.kind) } else { field.kind.to_owned() };
            [format!("`{}`", field.name), kind, field.since.to_string(), plain(field.doc)]
        }),
    );
    page.finish()
}
