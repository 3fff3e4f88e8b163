//! `config.schema.json`: what `plimsoll config schema` prints, for editors.

pub(super) fn page() -> String {
    format!("{:#}\n", model::config::json_schema())
}
