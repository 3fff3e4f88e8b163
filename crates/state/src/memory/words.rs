//! Names and words, as the index and the score compare them.

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

pub(super) fn are_synonyms(one: &str, other: &str) -> bool {
    SYNONYMS.iter().any(|group| group.contains(&one) && group.contains(&other))
}

/// The last part of a path, in small letters.
pub(super) fn basename(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_lowercase()
}

/// A file's name without its ending.
pub(super) fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Whether an entity is a file's name rather than a word.
pub(super) fn is_file(entity: &str) -> bool {
    entity.contains('/')
        || entity
            .rsplit_once('.')
            .is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty() && end.len() <= 5)
}

/// Under which keys an entity stands in the index.
pub(super) fn keys(entity: &str) -> Vec<String> {
    let name = basename(entity);
    let stem = stem(&name).to_owned();
    if is_file(entity) && stem != name { vec![name, stem] } else { vec![name] }
}
