//! Texts for the model as one. Everything that checks have to say on an event goes through here, because a client shows only the beginning
//! of what is too long.

/// What counts now first, surroundings after it, nothing twice, within `limit` characters. Surroundings go first when there is no room.
pub fn assemble(context: &[String], background: &[String], limit: usize) -> String {
    const NOTE: &str = "[more was left out: `plimsoll status` has it]";
    let mut parts: Vec<String> = Vec::new();
    for text in context.iter().map(|text| text.trim_end()).filter(|text| !text.is_empty()) {
        if !parts.iter().any(|part| part == text) {
            parts.push(text.to_owned());
        }
    }
    // Surroundings are lines of facts, and several checks may state the same one.
    let mut known: Vec<String> =
        parts.iter().flat_map(|part| part.lines()).map(|line| line.trim().to_owned()).collect();
    let mut facts: Vec<String> = Vec::new();
    for text in background {
        let mut fresh = Vec::new();
        for line in text.lines() {
            let plain = line.trim().to_owned();
            if plain.is_empty() || !known.contains(&plain) {
                fresh.push(line);
                known.push(plain);
            }
        }
        if fresh.iter().any(|line| !line.trim().is_empty()) {
            facts.push(fresh.join("\n").trim_end().to_owned());
        }
    }
    let length = |parts: &[String]| -> usize {
        parts.iter().map(|part| part.chars().count()).sum::<usize>() + 2 * parts.len().saturating_sub(1)
    };
    let first = parts.len();
    parts.append(&mut facts);
    if length(&parts) <= limit {
        return parts.join("\n\n");
    }
    let room = limit.saturating_sub(NOTE.chars().count() + 2);
    while parts.len() > first.max(1) && length(&parts) > room {
        parts.pop();
    }
    let mut text = cut(&parts.join("\n\n"), room);
    text.push_str("\n\n");
    text.push_str(NOTE);
    text
}

/// Whole lines, as many as fit; of a first line that is too long its beginning.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let short: String = text.chars().take(room).collect();
    match short.rfind('\n') {
        Some(end) if end > 0 => short[..end].to_owned(),
        _ => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn what_counts_comes_first_and_nothing_twice() {
        let text = assemble(
            &own(&["now", "now", ""]),
            &own(&["Git: main\nPlan: 1/2", "Git: main\nTests: pass", "Git: main"]),
            1000,
        );
        assert_eq!(text, "now\n\nGit: main\nPlan: 1/2\n\nTests: pass");
    }

    #[test]
    fn surroundings_go_first_when_there_is_no_room() {
        let long = "x".repeat(60);
        let text = assemble(&own(&["now"]), &own(&["kept", &long, &long.replace('x', "y")]), 100);
        assert!(
            text.starts_with("now\n\nkept\n\n[more was left out") && text.chars().count() <= 100,
            "{text}"
        );
        let lines = "é\n".repeat(20_000);
        let text = assemble(&own(&[&lines]), &own(&["gone"]), 10_000);
        assert!(text.chars().count() <= 10_000 && text.ends_with("has it]") && !text.contains("gone"));
        assert!(assemble(&own(&[&"x".repeat(20_000)]), &[], 10_000).chars().count() <= 10_000);
        assert_eq!(assemble(&[], &[], 10_000), "");
    }
}
