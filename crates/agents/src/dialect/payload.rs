//! Small steps that bring a payload to the field names that are read.

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// Moves a value to its usual name, if nothing is there yet.
pub(crate) fn rename(payload: &mut Object, from: &str, to: &str) {
    if payload.contains_key(to) {
        return;
    }
    if let Some(value) = payload.remove(from) {
        payload.insert(to.into(), value);
    }
}

/// The same for several.
pub(crate) fn rename_all(payload: &mut Object, names: &[(&str, &str)]) {
    for (from, to) in names {
        rename(payload, from, to);
    }
}

/// Lifts what lies in an inner object to the top.
pub(crate) fn lift(payload: &mut Object, inner: &str, names: &[(&str, &str)]) {
    let Some(Value::Object(mut object)) = payload.remove(inner) else { return };
    for (from, to) in names {
        if let Some(value) = object.remove(*from) {
            payload.entry(*to).or_insert(value);
        }
    }
    payload.insert(inner.into(), Value::Object(object));
}

pub(crate) fn text<'a>(payload: &'a Object, key: &str) -> Option<&'a str> {
    payload.get(key)?.as_str()
}

pub(crate) fn set_event(payload: &mut Object, name: &str) {
    payload.insert("hook_event_name".into(), name.into());
}

/// A text that holds an object, as the object.
pub(crate) fn opened(payload: &mut Object, key: &str) {
    let inner = payload.get(key).and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    if let Some(value @ Value::Object(_)) = inner {
        payload.insert(key.into(), value);
    }
}

/// Whether a record of the session lies in this agent's folder.
pub(crate) fn keeps_in(payload: &Object, folder: &str) -> bool {
    text(payload, "transcript_path").is_some_and(|path| path.contains(folder))
}

/// The file as it was before an edit, where Gemini and those that come from it put it.
pub(crate) fn original(payload: &mut Object) {
    let Some(Value::Object(response)) = payload.get_mut("tool_response") else { return };
    let before = response.get("returnDisplay").and_then(|shown| shown.get("originalContent")).cloned();
    if let Some(before) = before {
        response.insert("originalFile".into(), before);
    }
}
