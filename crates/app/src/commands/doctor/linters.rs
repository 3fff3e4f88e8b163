//! The linters of the languages that this project has: what is installed, what is built in, and what is missing.

use ::linters::Linter;

use super::super::setup::survey;
use super::super::tools::{self, Row};
use super::{Item, State, Visit};

const SUBJECT: &str = "linters of this project";

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let (machine, root) = (visit.machine, &visit.project.root);
    let on = checks::find("edit/lint")
        .is_some_and(|check| checks::level(check.meta, &visit.loaded.config) != model::Level::Off);
    if !on {
        let profile = &visit.loaded.config.profile;
        let plain = model::Config { profile: *profile, ..model::Config::default() };
        let by_profile = checks::find("edit/lint")
            .is_some_and(|check| checks::level(check.meta, &plain) == model::Level::Off);
        let text = if by_profile {
            format!("not run in the profile {}", profile.as_str())
        } else {
            "not run: the settings switch `edit/lint` off".to_owned()
        };
        return vec![Item::new(SUBJECT, State::Good, text)];
    }
    let languages = survey::look(machine, root).languages;
    if languages.is_empty() {
        return vec![Item::new(SUBJECT, State::Good, "no file of a language that is linted")];
    }
    let used = |linter: &Linter| {
        linter.is_usual() && linter.languages.iter().any(|language| languages.contains(language))
    };
    let rows = tools::rows(machine, root, used);
    let mut lacking: Vec<&str> = Vec::new();
    let mut items: Vec<Item> = Vec::new();
    for language in &languages {
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for row in rows.iter().filter(|row| row.linter.languages.contains(language)) {
            match state_of(row) {
                Some(text) => there.push(text),
                None => missing.push(row.linter.name),
            }
        }
        items.push(item(language.key(), &there, &missing));
        lacking.extend(missing);
    }
    lacking.retain(|name| ::linters::definition::find(name).is_some_and(|linter| linter.install.is_some()));
    lacking.sort_unstable();
    lacking.dedup();
    if !lacking.is_empty() {
        let text = "what a missing linter would look for is not looked for; nothing else depends on it";
        items.push(
            Item::new(SUBJECT, State::Note, text)
                .todo(format!("`plimsoll tools install {}`", lacking.join(" "))),
        );
    }
    items
}

/// Where a linter comes from, in words; `None` where nothing does its work.
fn state_of(row: &Row) -> Option<String> {
    let name = row.linter.name;
    match &row.found {
        Some((place, version)) if version.is_empty() => Some(format!("{name} ({})", place.origin.as_str())),
        Some((place, version)) => Some(format!("{name} {version} ({})", place.origin.as_str())),
        None if row.embedded => Some(format!("{name} (built in)")),
        None if row.waits.is_some() => Some(format!("{name} (waits for `plimsoll trust`)")),
        None => None,
    }
}

fn item(language: &str, there: &[String], missing: &[&str]) -> Item {
    let state = if missing.is_empty() { State::Good } else { State::Note };
    let mut parts = Vec::new();
    if !there.is_empty() {
        parts.push(there.join(", "));
    }
    if !missing.is_empty() {
        parts.push(format!("not here: {}", missing.join(", ")));
    }
    Item::new(
        SUBJECT,
        state,
        format!("{language}: {}", if parts.is_empty() { "none".into() } else { parts.join("; ") }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_from_what_is_there() {
        let good = item("python", &["ruff (built in)".into()], &[]);
        assert_eq!((good.state, good.text.as_str()), (State::Good, "python: ruff (built in)"));
        let some = item("python", &["ruff (built in)".into()], &["bandit", "vulture"]);
        assert_eq!(
            (some.state, some.text.as_str()),
            (State::Note, "python: ruff (built in); not here: bandit, vulture")
        );
    }
}
