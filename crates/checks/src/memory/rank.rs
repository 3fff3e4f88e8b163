//! Which memories are to the point: what they are about, how old they are, whether they have helped before.

use model::memory::names::{basename, is_file, keys, stem};
use model::{Asked, Facts, Memory};

const ENTITY: f64 = 0.60;
const RECENCY: f64 = 0.40;
/// For events that have helped: cited in three of ten sessions that were shown them, after three.
const HELPED: f64 = 0.05;
/// An event about something else is shown only while it is fresh, and only to a session that begins.
const FRESH: u64 = 4 * 3600;

const HOUR: f64 = 3600.0;

/// A memory, and how much it is to the point.
#[derive(Clone, Debug)]
pub struct Scored {
    pub memory: Memory,
    pub score: f64,
}

/// What is asked about.
#[derive(Clone, Debug, Default)]
pub struct Query {
    names: Vec<String>,
    stems: Vec<String>,
    dirs: Vec<String>,
    words: Vec<String>,
}

impl Query {
    fn files(paths: &[String]) -> Self {
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
    pub fn words(texts: &[String]) -> Self {
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
    fn mixed(about: &[String]) -> Self {
        let (paths, texts): (Vec<String>, Vec<String>) =
            about.iter().cloned().partition(|text| is_file(text));
        let (mut query, words) = (Self::files(&paths), Self::words(&texts));
        query.words = words.words;
        query.names.extend(words.names);
        query.stems.extend(words.stems);
        query
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.words.is_empty()
    }

    /// How many of the newest memories are looked at whatever they are about.
    pub fn newest(&self) -> usize {
        if self.is_empty() { 30 } else { 10 }
    }

    /// Where in the index to look.
    pub fn keys(&self) -> Vec<String> {
        let plain = [&self.names, &self.stems, &self.words].into_iter().flatten().cloned();
        let mut keys: Vec<String> = plain.collect();
        for word in &self.words {
            keys.extend(self::keys(word));
        }
        keys
    }
}

/// Below this score a memory is not worth the interruption.
fn floor(asked: Asked) -> f64 {
    match asked {
        Asked::Start => 0.12,
        Asked::Tool | Asked::Prompt => 0.25,
        Asked::Person => 0.0,
    }
}

/// What is said about a query, best first.
pub fn ranked(query: &Query, asked: Asked, memories: Vec<Memory>) -> Vec<Scored> {
    let scored = |memory: Memory| {
        let score = score(query, &memory, asked)?;
        (score >= floor(asked)).then_some(Scored { memory, score })
    };
    let mut found: Vec<Scored> = memories.into_iter().filter_map(scored).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.memory.id.cmp(&a.memory.id)));
    found
}

/// The same for a check's question. At a session's start that is about its files, else `about`.
pub(super) fn recall(facts: &dyn Facts, asked: Asked, about: &[String]) -> Vec<Scored> {
    let query = match asked {
        Asked::Start => Query::files(&facts.files_at_hand()),
        Asked::Tool => Query::mixed(about),
        Asked::Prompt | Asked::Person => Query::words(about),
    };
    // A question that names nothing has no answer.
    if query.is_empty() && asked != Asked::Start {
        return Vec::new();
    }
    ranked(&query, asked, facts.memories(query.newest(), &query.keys()))
}

/// `None` for a memory of something else.
fn score(query: &Query, memory: &Memory, asked: Asked) -> Option<f64> {
    let overlap = memory.entities.iter().map(|entity| closeness(query, entity)).fold(0.0, f64::max);
    if overlap == 0.0 && (memory.age >= FRESH || asked != Asked::Start) {
        return None;
    }
    let used = memory.used;
    #[expect(clippy::cast_precision_loss, reason = "counts of sessions")]
    let helped = used.shown >= 3 && used.helped as f64 / used.shown as f64 >= 0.30;
    Some(ENTITY * overlap + RECENCY * recency(memory.age) + if helped { HELPED } else { 0.0 })
}

/// From 1 to a half in two days, then half as much each week.
fn recency(age: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds of a few months")]
    let hours = age as f64 / HOUR;
    if hours <= 48.0 { 1.0 - 0.5 * hours / 48.0 } else { 0.5 * 0.5f64.powf((hours - 48.0) / (7.0 * 24.0)) }
}

/// Words for the same thing. One of them in a question finds the others.
const SYNONYMS: &[&[&str]] = &[
    &["auth", "authentication", "login", "signin", "session", "oauth", "jwt"],
    &["db", "database", "sql", "postgres", "postgresql", "sqlite", "mysql"],
    &["deploy", "deployment", "release", "rollout", "publish"],
    &["test", "tests", "testing", "pytest", "jest", "vitest", "spec"],
    &["lint", "linter", "ruff", "eslint", "clippy", "biome"],
    &["config", "configuration", "settings", "env", "environment"],
    &["hook", "hooks"],
    &["cache", "caching", "redis", "memo"],
    &["api", "endpoint", "route", "router", "rest"],
    &["ui", "frontend", "component", "react", "view"],
    &["perf", "performance", "latency", "slow", "speed"],
    &["error", "exception", "crash", "panic", "failure"],
    &["migration", "migrations", "alembic", "schema"],
    &["docker", "container", "image", "kubernetes", "k8s"],
    &["ci", "pipeline", "workflow", "actions"],
    &["async", "concurrency", "race", "thread", "lock"],
    &["types", "typing", "mypy", "typescript", "tsc"],
    &["import", "imports", "module", "dependency", "package"],
    &["cors", "proxy", "nginx", "header", "headers"],
    &["date", "datetime", "timezone", "time"],
    &["file", "filesystem", "path", "io"],
    &["git", "commit", "branch", "merge", "worktree"],
    &["websocket", "ws", "socket", "realtime"],
    &["serialization", "json", "serialize", "parse"],
    &["memory", "leak", "allocation"],
];

fn are_synonyms(one: &str, other: &str) -> bool {
    SYNONYMS.iter().any(|group| group.contains(&one) && group.contains(&other))
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
    use model::Utility;

    use super::*;

    fn memory(entities: &[&str], age: u64, used: Utility) -> Memory {
        Memory {
            id: "evt_x".into(),
            content: "c".into(),
            entities: entities.iter().map(|&entity| entity.to_owned()).collect(),
            category: String::new(),
            problem: String::new(),
            age,
            used,
        }
    }

    fn near(one: Option<f64>, other: f64) -> bool {
        one.is_some_and(|one| (one - other).abs() < 0.01)
    }

    #[test]
    fn what_it_is_about_weighs_most() {
        let query = Query::files(&["src/auth/login_form.tsx".into()]);
        let at = |entity: &str, age| score(&query, &memory(&[entity], age, Utility::default()), Asked::Start);
        for (entity, weight) in [
            ("login_form.tsx", 1.0),
            ("old/login_form.tsx", 1.0),
            ("login_form.py", 0.6),
            ("login", 0.5),
            ("signin", 0.45),
            ("form_login_form", 0.35),
            ("auth/other.ts", 0.3),
        ] {
            assert!(near(at(entity, 0), 0.6 * weight + 0.4), "{entity}: {:?}", at(entity, 0));
        }
        assert!(near(at("billing", 0), 0.4));
        assert_eq!(at("billing", 5 * 3600), None);
    }

    #[test]
    fn age_takes_away_and_help_adds() {
        let query = Query::words(&["fix the cors bug".into()]);
        let at = |age, used| score(&query, &memory(&["cors"], age, used), Asked::Start);
        let unused = Utility::default();
        assert!(near(at(0, unused), 1.0) && near(at(48 * 3600, unused), 0.8));
        assert!(near(at((48 + 168) * 3600, unused), 0.7));
        assert!(near(at(0, Utility { shown: 3, helped: 1 }), 1.05));
        assert!(near(at(0, Utility { shown: 10, helped: 1 }), 1.0), "shown often, and of no use");
    }
}
