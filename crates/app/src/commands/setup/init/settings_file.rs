//! The config file that `init` writes: plain JSON, so that every reader takes it, with its comments under `_comment`.

use model::config;
use serde_json::{Map, Value as Json};
use state::config::Layer;

use super::edit;

/// What a newcomer may want to change first; the others are in the reference.
const SHOWN: &[&str] = &[
    "profile",
    "checks",
    "languages.python",
    "unconfigured",
    "formatting",
    "boy_scout",
    "pace",
    "engine",
    "package_managers.python",
    "package_managers.javascript",
    "phases.subprocess_delegation",
];

/// A file's text with these settings in it. A new file is written whole; what is there keeps whatever is not meant.
pub(super) fn with(text: &str, settings: &[(String, Json)], layer: Layer) -> anyhow::Result<String> {
    if text.trim().is_empty() {
        return Ok(format!("{:#}\n", Json::Object(new(settings, layer))));
    }
    let (root, object) = edit::parse(text)?;
    for (key, value) in settings {
        edit::set(&object, key, value);
    }
    Ok(edit::printed(&root, text))
}

fn new(settings: &[(String, Json)], layer: Layer) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("_comment".into(), comments(layer).into());
    for (key, value) in settings {
        put(&mut object, key, value.clone());
    }
    object
}

fn put(object: &mut Map<String, Json>, key: &str, value: Json) {
    match key.split_once('.') {
        None => {
            object.insert(key.to_owned(), value);
        }
        Some((section, rest)) => {
            let inner = object.entry(section).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

fn comments(layer: Layer) -> Vec<Json> {
    let whose = if layer == Layer::User { "you, in all projects" } else { "this project" };
    let head = format!(
        "Settings of Plimsoll for {whose}. `plimsoll config show --all` prints every key with its value and where that comes from. These may be set, besides others; a dot is a level of nesting:"
    );
    let row = |key: &&str| {
        config::find(key).map(|setting| {
            let doc = setting.doc.split_whitespace().collect::<Vec<_>>().join(" ");
            let sentence = doc.split_once(". ").map_or(doc.as_str(), |(first, _)| first);
            format!("{key} (default {}): {}", (setting.default)(), sentence.trim_end_matches('.'))
        })
    };
    [head].into_iter().chain(SHOWN.iter().filter_map(row)).map(Json::from).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_new_file_is_plain_json_that_says_what_else_there_is() {
        let settings = [
            ("languages.typescript.enabled".to_owned(), json!(true)),
            ("profile".to_owned(), json!("guards")),
        ];
        let text = with("", &settings, Layer::Project).unwrap();
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(json["languages"]["typescript"]["enabled"], true);
        assert_eq!(json["profile"], "guards");
        assert_eq!(json["_comment"].as_array().unwrap().len(), SHOWN.len() + 1, "every key is known");
    }

    #[test]
    fn what_is_there_stays() {
        let theirs = "{\n  // mine\n  \"profile\": \"strict\"\n}\n";
        assert_eq!(with(theirs, &[], Layer::Project).unwrap(), theirs);
        let settings = [("profile".to_owned(), json!("guards"))];
        assert_eq!(with(theirs, &settings, Layer::Project).unwrap(), theirs.replace("strict", "guards"));
        let of_windows = format!("\u{feff}{}", theirs.replace('\n', "\r\n"));
        assert_eq!(
            with(&of_windows, &settings, Layer::Project).unwrap(),
            of_windows.replace("strict", "guards")
        );
    }
}
