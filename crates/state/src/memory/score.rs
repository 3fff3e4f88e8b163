//! How much an event is to the point: what it is about, how old it is, whether it has helped before.

use model::Asked;

use super::words::{are_synonyms, basename, is_file, stem};
use super::{Event, Utility};

const ENTITY: f64 = 0.60;
const RECENCY: f64 = 0.40;
/// For events that have helped: cited in three of ten sessions that were shown them, after three.
const HELPED: f64 = 0.05;
/// An event about something else is shown only while it is fresh, and only to a session that begins.
const FRESH: u64 = 4 * 3600;

const HOUR: f64 = 3600.0;

/// What is asked about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    names: Vec<String>,
    stems: Vec<String>,
    dirs: Vec<String>,
    words: Vec<String>,
}

impl Query {
    pub(super) fn files(paths: &[String]) -> Self {
        let mut query = Self::default();
        for path in paths {
            let name = basename(path);
            query.stems.push(stem(&name).to_owned());
            query.names.push(name);
            let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
            query.dirs.extend(dir.split('/').filter(|dir| !dir.is_empty()).map(str::to_lowercase));
        }
        for list in [&mut query.names, &mut query.stems, &mut query.dirs] {
            list.sort();
            list.dedup();
        }
        query
    }

    /// Words of a user or of a pattern; those that say nothing are left out.
    pub(super) fn words(texts: &[String]) -> Self {
        const EMPTY: &[&str] = &[
            "the", "and", "for", "with", "that", "this", "from", "have", "please", "should", "would",
            "could", "what", "when", "where", "which", "into", "about", "there", "does", "make", "like",
            "just", "than", "then", "them", "they", "your", "our", "are", "was", "not", "but", "can", "you",
            "all", "how", "why", "use",
        ];
        let mut query = Self::default();
        for text in texts {
            let word = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
            for word in text.split(word).map(|word| word.trim_matches(['.', '-', '/']).to_lowercase()) {
                if is_file(&word) {
                    let name = basename(&word);
                    query.stems.push(stem(&name).to_owned());
                    query.names.push(name);
                } else if word.len() >= 3 && !EMPTY.contains(&word.as_str()) {
                    query.words.push(word);
                }
            }
        }
        query
    }

    /// A path that was read, or a pattern that was searched for.
    pub(super) fn mixed(about: &[String]) -> Self {
        let (paths, texts): (Vec<String>, Vec<String>) =
            about.iter().cloned().partition(|text| is_file(text));
        let (mut query, words) = (Self::files(&paths), Self::words(&texts));
        query.words = words.words;
        query.names.extend(words.names);
        query.stems.extend(words.stems);
        query
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.words.is_empty()
    }

    /// Where in the index to look.
    pub(super) fn keys(&self) -> Vec<String> {
        let plain = [&self.names, &self.stems, &self.words].into_iter().flatten().cloned();
        let mut keys: Vec<String> = plain.collect();
        for word in &self.words {
            keys.extend(super::words::keys(word));
        }
        keys
    }
}

/// `None` for an event about something else.
pub(super) fn score(query: &Query, event: &Event, now: u64, used: Utility, asked: Asked) -> Option<f64> {
    let overlap = event.entities().iter().map(|entity| closeness(query, entity)).fold(0.0, f64::max);
    let age = now.saturating_sub(event.at());
    if overlap == 0.0 && (age >= FRESH || asked != Asked::Start) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of sessions")]
    let helped = used.injected >= 3 && used.cited as f64 / used.injected as f64 >= 0.30;
    Some(ENTITY * overlap + RECENCY * recency(age) + if helped { HELPED } else { 0.0 })
}

/// From 1 to a half in two days, then half as much each week.
fn recency(age: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds of a few months")]
    let hours = age as f64 / HOUR;
    if hours <= 48.0 { 1.0 - 0.5 * hours / 48.0 } else { 0.5 * 0.5f64.powf((hours - 48.0) / (7.0 * 24.0)) }
}

/// How near an entity is to what is asked about.
fn closeness(query: &Query, entity: &str) -> f64 {
    let name = basename(entity);
    let stem = stem(&name);
    if is_file(entity) {
        return if query.names.contains(&name) {
            1.0
        } else if query.stems.iter().chain(&query.words).any(|known| known == stem || *known == name) {
            0.6
        } else if entity.split('/').rev().skip(1).any(|dir| query.dirs.contains(&dir.to_lowercase())) {
            0.3
        } else {
            0.0
        };
    }
    if query.words.contains(&name) {
        return 1.0;
    }
    let known = || query.stems.iter().chain(&query.dirs);
    let parts = || query.stems.iter().flat_map(|stem| stem.split(['_', '-', '.']));
    if known().any(|known| *known == name) || parts().any(|part| part == name) {
        0.5
    } else if parts().chain(query.words.iter().map(String::as_str)).any(|part| are_synonyms(part, &name)) {
        0.45
    } else if name.len() >= 4
        && known()
            .chain(&query.words)
            .any(|known| known.len() >= 4 && (known.contains(&name) || name.contains(known.as_str())))
    {
        0.35
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(entities: &[&str], age: u64) -> Event {
        let ts = model::time::rfc3339(1_000_000_000 - age);
        Event { id: "evt_x".into(), json: json!({"ts": ts, "entities": entities, "content": "c"}) }
    }

    fn near(one: Option<f64>, other: f64) -> bool {
        one.is_some_and(|one| (one - other).abs() < 0.01)
    }

    #[test]
    fn what_it_is_about_weighs_most() {
        let query = Query::files(&["src/auth/login_form.tsx".into()]);
        for (entity, weight) in [
            ("login_form.tsx", 1.0),
            ("old/login_form.tsx", 1.0),
            ("login_form.py", 0.6),
            ("login", 0.5),
            ("signin", 0.45),
            ("form_login_form", 0.35),
            ("auth/other.ts", 0.3),
        ] {
            let score = score(&query, &event(&[entity], 0), 1_000_000_000, Utility::default(), Asked::Start);
            assert!(near(score, 0.6 * weight + 0.4), "{entity}: {score:?}");
        }
        assert!(near(
            score(&query, &event(&["billing"], 0), 1_000_000_000, Utility::default(), Asked::Start),
            0.4
        ));
        assert_eq!(
            score(&query, &event(&["billing"], 5 * 3600), 1_000_000_000, Utility::default(), Asked::Start),
            None
        );
    }

    #[test]
    fn age_takes_away_and_help_adds() {
        let query = Query::words(&["fix the cors bug".into()]);
        let at = |age| score(&query, &event(&["cors"], age), 1_000_000_000, Utility::default(), Asked::Start);
        assert!(near(at(0), 1.0) && near(at(48 * 3600), 0.8) && near(at((48 + 168) * 3600), 0.7));
        let helped = Utility { injected: 3, cited: 1 };
        assert!(near(score(&query, &event(&["cors"], 0), 1_000_000_000, helped, Asked::Start), 1.05));
        let unheeded = Utility { injected: 10, cited: 1 };
        assert!(near(score(&query, &event(&["cors"], 0), 1_000_000_000, unheeded, Asked::Start), 1.0));
    }
}
