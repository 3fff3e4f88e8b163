//! What cmdlets print.

use model::deed::Verb;

use super::evaluate::property;
use super::{Items, bounded};
use crate::programs::Prints;
use crate::reader::Reader;
use crate::reading::Call;
use crate::state::State;
use crate::text::{ANY, EACH, NET, SECRET, holes};

impl Reader<'_> {
    /// What a cmdlet gives.
    pub(super) fn printed_by(&mut self, name: &str, call: &Call, items: Items, state: &mut State) -> Items {
        let operands: Items = call.operands().map(|arg| arg.text.clone()).collect();
        let words = call.words();
        match words.prints(&call.argv) {
            Some(Prints::Network) => return vec![NET.to_string()],
            Some(Prints::Text(text)) => return vec![text.to_owned()],
            Some(Prints::Each) => return vec![EACH.to_string()],
            Some(Prints::All) => return vec![format!("{ANY}*")],
            Some(Prints::Input) => return items,
            Some(Prints::Nothing) | None => {}
        }
        if words.entry.is_some_and(|entry| entry.style.silent) {
            let given = call.value("inputobject").map(str::to_owned);
            let said = operands;
            return if said.is_empty() { given.map_or(items, |given| vec![given]) } else { said };
        }
        if call.does(Verb::Tells) {
            return vec![SECRET.to_string()];
        }
        match name {
            "get-content" | "import-csv" | "select-string" | "import-clixml" => {
                let files: Items = call.paths(&[Verb::Reads]).map(|(path, _)| path.to_owned()).collect();
                if files.is_empty() {
                    return items;
                }
                let texts: Items = files.iter().map(|file| self.file_text(file, state).to_string()).collect();
                if name == "get-content" {
                    texts
                } else {
                    texts.iter().map(|text| holes(text) + &ANY.to_string()).collect()
                }
            }
            "get-childitem" => listing(call, &operands),
            "get-item" | "resolve-path" | "convert-path" => operands,
            "join-path" => {
                let parts: Vec<String> = operands
                    .into_iter()
                    .chain(call.value("childpath").map(str::to_owned))
                    .map(|part| part.replace('\\', "/"))
                    .collect();
                let joined =
                    parts.iter().map(|part| part.trim_end_matches('/')).collect::<Vec<_>>().join("/");
                vec![if joined.is_empty() { "/".to_owned() } else { joined }]
            }
            "split-path" => {
                let of = operands.into_iter().next().unwrap_or_default();
                property(
                    &[of],
                    if call.chose("leaf") {
                        "name"
                    } else if call.chose("leafbase") {
                        "basename"
                    } else {
                        "parent"
                    },
                )
            }
            "get-location" => vec![state.folder().to_owned()],
            "new-object" => {
                let kind = call
                    .value("typename")
                    .or(call.value("comobject"))
                    .map(str::to_owned)
                    .into_iter()
                    .chain(operands)
                    .collect::<Vec<_>>()
                    .join(" ");
                vec![kind.to_ascii_lowercase()]
            }
            "new-temporaryfile" => vec![format!("/tmp/tmp{ANY}")],
            // A program by its name, to be called by `&`.
            "get-command" => {
                let named = operands.into_iter().chain(call.value("name").map(str::to_owned));
                named
                    .map(|name| crate::programs::cmdlet_by_pattern(&name).map_or(name, str::to_owned))
                    .collect()
            }
            "get-alias" => operands,
            "select-object" | "sort-object" | "get-unique" | "tee-object" | "out-string" | "group-object"
            | "write-debug" => {
                let fewer =
                    call.chose("first") || call.chose("last") || call.chose("skip") || call.chose("unique");
                let expanded = call.value("expandproperty").map(str::to_owned);
                let items = match expanded {
                    Some(name) => property(&items, &name),
                    None => items,
                };
                if fewer { narrowed(items) } else { items }
            }
            "out-null" | "write-host" | "out-host" | "format-table" | "format-list" | "out-file"
            | "set-content" | "add-content" => Items::new(),
            "convertto-securestring" => vec![holes(&call.texts().collect::<String>()) + &SECRET.to_string()],
            "read-host" | "get-clipboard" | "get-random" | "get-date" | "test-path" => vec![ANY.to_string()],
            "new-item" => operands,
            "get-process" | "get-service" => operands
                .into_iter()
                .chain(call.value("name").map(str::to_owned))
                .chain((call.args().is_empty()).then(|| "*".to_owned()))
                .collect(),
            _ => {
                let carried = holes(&(call.texts().collect::<String>() + &items.concat()));
                vec![carried + &ANY.to_string()]
            }
        }
    }
}

/// What `Get-ChildItem` finds: everything in a folder, or what a pattern says.
fn listing(call: &Call, operands: &[String]) -> Items {
    let roots = if operands.is_empty() { vec![".".to_owned()] } else { operands.to_vec() };
    let pattern = call.value("filter").or(call.value("include")).map(str::to_owned);
    let all =
        pattern.as_deref().is_none_or(|pattern| matches!(pattern, "*" | "*.*")) && !call.chose("exclude");
    let found = roots.into_iter().map(|root| {
        if root.contains(['*', '?']) {
            return root;
        }
        // Every variable there is.
        if root.trim_end_matches(['/', '\\']).eq_ignore_ascii_case("env:") {
            return SECRET.to_string();
        }
        let folder = root.trim_end_matches(['/', '\\']);
        match &pattern {
            _ if all && call.chose("depth") => format!("{folder}/{ANY}"),
            _ if all => format!("{folder}/{EACH}"),
            Some(pattern) => format!("{folder}/{pattern}"),
            None => format!("{folder}/{ANY}"),
        }
    });
    bounded(found.collect())
}

/// Some of what there was.
pub(super) fn narrowed(items: Items) -> Items {
    let some =
        |item: String| if item == "*" { ANY.to_string() } else { item.replace(EACH, &ANY.to_string()) };
    items.into_iter().map(some).collect()
}
