//! Checkstyle's XML: `<file name>` with `<error line column message source>` in it. Every writer of it makes the same few
//! elements, so no XML parser is needed for it.

use super::{Cause, Entry};

pub(super) fn read(text: &str) -> Result<Vec<Entry>, Cause> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    if !text.contains("<checkstyle") {
        return Err(Cause::Without("checkstyle report"));
    }
    let mut entries = Vec::new();
    let mut file = None;
    for element in text.split('<').skip(1) {
        if let Some(attributes) = element.strip_prefix("file ") {
            file = attribute(attributes, "name");
        } else if let Some(attributes) = element.strip_prefix("error ") {
            let number = |name| attribute(attributes, name).and_then(|text| text.parse().ok()).unwrap_or(0);
            let source = attribute(attributes, "source").unwrap_or_default();
            entries.push(Entry {
                file: file.clone(),
                line: number("line"),
                column: number("column"),
                // Some put the program's name before the rule.
                code: source.rsplit("rules.").next().unwrap_or_default().to_owned(),
                message: attribute(attributes, "message").unwrap_or_default(),
            });
        }
    }
    Ok(entries)
}

fn attribute(element: &str, name: &str) -> Option<String> {
    let start = element.find(&format!("{name}=\""))? + name.len() + 2;
    let value = element[start..].split('"').next()?;
    let mut text = value.to_owned();
    for (entity, plain) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#34;", "\""),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, plain);
    }
    Some(text)
}
