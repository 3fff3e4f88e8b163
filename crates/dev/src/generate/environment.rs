//! `environment.md`.

use model::environment::{VARIABLES, Variable};

use super::markdown::{Document, code, plain};

pub(super) fn page() -> String {
    let mut page = Document::new("Environment variables", "crates/model/src/environment.rs");
    page.block("Every variable that Plimsoll reads.");
    let rows =
        VARIABLES.iter().map(|variable| [code(variable.name), plain(variable.doc.trim()), remark(variable)]);
    page.table(["Variable", "Meaning", "Remark"], rows);
    page.finish()
}

fn remark(variable: &Variable) -> String {
    if variable.secret { "secret: its value is never shown".into() } else { String::new() }
}
