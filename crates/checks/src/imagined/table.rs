//! The world itself, and how the keys of `given` make it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::config::{LevelMap, Profile};
use model::rule::{Author, Book};
use model::{
    Autonomy, Changed, Conclusion, Config, Held, Linted, Mail, Problem, Reader as MailReader, Unknown,
};

use super::given::{incoming, own, session, work};
use super::values::{Answer, autonomy, changed, held, json, linted, opinion, reviewers};
use super::{HOME, PROJECT};
use toml::{Table as Toml, Value};

/// A small world: `given` of a case.
#[derive(Debug)]
pub struct Table {
    pub(super) project: PathBuf,
    pub(super) files: BTreeMap<PathBuf, String>,
    pub(super) unreadable: Vec<PathBuf>,
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    pub(super) folds: bool,
    pub(super) may_edit: Vec<PathBuf>,
    pub(super) allowed: Vec<String>,
    pub(super) changes: Result<Vec<Changed>, Unknown>,
    pub(super) problems: Vec<Problem>,
    pub(super) personal: Profile,
    pub(super) branch: Option<String>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) missing_programs: Vec<String>,
    pub(super) said: Vec<String>,
    pub(super) staged: Vec<String>,
    pub(super) restores: Vec<String>,
    pub(super) worktrees: Vec<PathBuf>,
    pub(super) merging: bool,
    pub(super) unborn: bool,
    pub(super) autonomy: Option<Autonomy>,
    pub(super) session: session::Given,
    pub(super) incoming: incoming::Given,
    pub(super) own: own::Given,
    pub(super) reviewers: Vec<Answer>,
    pub(super) remembered: Option<Conclusion>,
    pub(super) linted: Result<Linted, Unknown>,
    pub(super) personal_checks: LevelMap,
    pub(super) work: work::Given,
    pub(super) mail: Vec<Mail>,
    pub(super) held: Option<Held>,
    pub(super) rules: Option<Book>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            project: PROJECT.into(),
            files: BTreeMap::new(),
            unreadable: Vec::new(),
            links: BTreeMap::new(),
            folds: false,
            may_edit: Vec::new(),
            allowed: Vec::new(),
            changes: Ok(Vec::new()),
            problems: Vec::new(),
            personal: Profile::Standard,
            branch: Some("feature".into()),
            variables: BTreeMap::new(),
            missing_programs: Vec::new(),
            said: Vec::new(),
            staged: Vec::new(),
            restores: Vec::new(),
            worktrees: Vec::new(),
            merging: false,
            unborn: false,
            autonomy: None,
            session: session::Given::default(),
            incoming: incoming::Given::default(),
            own: own::Given::default(),
            reviewers: Vec::new(),
            remembered: None,
            linted: Ok(Linted::default()),
            personal_checks: LevelMap::new(),
            work: work::Given::default(),
            mail: Vec::new(),
            held: Some(Held::default()),
            rules: None,
        }
    }
}

impl Table {
    /// A world whose project has these files.
    pub fn with_files(files: &[(&str, &str)]) -> Self {
        let files =
            files.iter().map(|(name, text)| (Path::new(PROJECT).join(name), (*text).to_owned())).collect();
        Self { files, ..Self::default() }
    }

    /// A world in which an agent works alone.
    pub fn working_alone() -> Self {
        Self { autonomy: Some(Autonomy::default()), personal: Profile::Autonomous, ..Self::default() }
    }

    /// One in which the user has allowed these commands.
    pub fn allowing(commands: &[&str]) -> Self {
        Self { allowed: commands.iter().map(|&text| text.to_owned()).collect(), ..Self::default() }
    }

    /// One with these rules.
    #[must_use]
    pub fn with_rules(self, rules: Book) -> Self {
        Self { rules: Some(rules), ..self }
    }

    #[cfg(test)]
    pub(crate) fn set_held(&mut self, held: Held) {
        self.held = Some(held);
    }

    #[cfg(test)]
    pub(crate) fn forget_held(&mut self) {
        self.held = None;
    }

    pub(super) fn given(toml: &Toml) -> Result<(Self, Config), String> {
        let mut table = Self::default();
        let mut config = Config::default();
        let place =
            |text: &str| model::path::absolute(Path::new(text), Path::new(PROJECT), Some(Path::new(HOME)));
        for (key, value) in toml {
            let text = || value.as_str().unwrap_or_default().to_owned();
            let texts = || value.as_array().into_iter().flatten().filter_map(Value::as_str);
            let pairs = || {
                value
                    .as_table()
                    .into_iter()
                    .flatten()
                    .map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned()))
            };
            match key.as_str() {
                "files" => table.files.extend(pairs().map(|(k, v)| (place(&k), v))),
                "unreadable" => table.unreadable = texts().map(place).collect(),
                "links" => table.links = pairs().map(|(k, v)| (place(&k), place(&v))).collect(),
                "folds_case" => table.folds = value.as_bool().unwrap_or(false),
                "may_edit" => table.may_edit = texts().map(place).collect(),
                "allowed" => table.allowed = texts().map(str::to_owned).collect(),
                "problems" => {
                    table.problems =
                        texts().map(|text| Problem { text: text.into(), untrusted: false }).collect();
                }
                "personal_profile" => table.personal = Profile::parse(&text()).ok_or("no such profile")?,
                "branch" => table.branch = Some(text()).filter(|name| !name.is_empty()),
                "variables" => table.variables = pairs().collect(),
                "missing_programs" => table.missing_programs = texts().map(str::to_owned).collect(),
                "said" => table.said = texts().map(str::to_owned).collect(),
                "staged" => table.staged = texts().map(str::to_owned).collect(),
                "restores" => table.restores = texts().map(str::to_owned).collect(),
                "worktrees" => table.worktrees = texts().map(place).collect(),
                "merging" => table.merging = value.as_bool().unwrap_or(false),
                "unborn" => table.unborn = value.as_bool().unwrap_or(false),
                "autonomy" => table.autonomy = Some(autonomy(value)?),
                "reviewers" => table.reviewers = reviewers(value)?,
                "remembered" => {
                    let (judgement, reason) = opinion(&text())?;
                    table.remembered = Some(Conclusion { judgement, reason });
                }
                "linted" => table.linted = linted(value, place),
                "mail" => {
                    let mail = |(key, text)| Mail { key, text, to: MailReader::Model };
                    table.mail = pairs().map(mail).collect();
                }
                "rules" => {
                    let written = crate::rules::parse(&text(), Author::User, "rules.toml");
                    let written = written.map_err(|fault| fault.to_string())?;
                    let rules: Vec<_> = written.into_iter().map(|one| one.rule).collect();
                    table.rules = Some(Book::new(&rules));
                }
                "held" => table.held = Some(held(value)?),
                "changed" => table.changes = Ok(changed(value)?),
                "changes_unknown" => table.changes = Err(Unknown(text())),
                "config" => {
                    for (key, value) in value.as_table().into_iter().flatten() {
                        if !config.set(key, &json(value)) {
                            return Err(format!("config {key} is not accepted"));
                        }
                    }
                }
                other if table.work.set(other, value)? => {}
                other if table.own.set(other, value) => {}
                "versions" => table.incoming.versions(value),
                "archives" => {
                    // Who asks for its text gets none.
                    let made = table.incoming.archives(value, place);
                    table.files.extend(made.into_iter().map(|path| (path, String::new())));
                }
                other => {
                    if !table.session.take(other, value)? {
                        return Err(format!("unknown fact {other}"));
                    }
                    // What was touched is also there to be read.
                    if other == "touched" && value.is_table() {
                        table.files.extend(pairs().map(|(k, v)| (place(&k), v)));
                    }
                }
            }
        }
        Ok((table, config))
    }
}
