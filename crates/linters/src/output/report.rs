//! Reports for people, as compilers draw them: `error: what` and below it `--> file:line:column` or `┌─ file:line:column`, and
//! often a word at the end of the drawing.

use super::Entry;

pub(super) fn read(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut what = String::new();
    for line in text.lines() {
        let plain = line.trim();
        if let Some(message) = plain.strip_prefix("error: ").or_else(|| plain.strip_prefix("warning: ")) {
            message.clone_into(&mut what);
        } else if let Some(place) = plain.strip_prefix("--> ").or_else(|| plain.strip_prefix("┌─ ")) {
            let mut parts = place.rsplitn(3, ':');
            let column = parts.next().and_then(|text| text.parse().ok());
            let line = parts.next().and_then(|text| text.parse().ok());
            if let (Some(column), Some(line), Some(file)) = (column, line, parts.next()) {
                let message = std::mem::take(&mut what);
                entries.push(Entry {
                    file: Some(file.to_owned()),
                    line,
                    column,
                    code: String::new(),
                    message,
                });
            }
        } else if let Some(entry) = entries.last_mut()
            && let Some((_, label)) = plain.rsplit_once('^')
            && !label.trim().is_empty()
        {
            entry.message = format!("{}: {}", entry.message, label.trim());
        }
    }
    entries
}
