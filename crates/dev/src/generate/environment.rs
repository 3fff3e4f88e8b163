//! `environment.md`.

use model::environment::{VARIABLES, Variable};

use super::markdown::{Document, code, plain};

pub(super) fn page() -> String {
    let mut page = Document::new("Environment variables", "crates/model/src/environment.rs");
    page.block(
        "Every variable that Plimsoll reads. One that waits for a feature has its name already, and is not read before that \
         feature is there.",
    );
    let rows =
        VARIABLES.iter().map(|variable| [code(variable.name), plain(variable.doc.trim()), remarks(variable)]);
    page.table(["Variable", "Meaning", "Remarks"], rows);
    page.finish()
}

fn remarks(variable: &Variable) -> String {
    let secret = variable.secret.then(|| "secret: its value is never shown".to_owned());
    let waits = variable.waits_for.map(|feature| format!("waits for {feature}"));
    secret.into_iter().chain(waits).collect::<Vec<_>>().join("; ")
}
