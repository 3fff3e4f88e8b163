//! Where cases run: a scratch folder with a project for each, and this program started as a client starts a hook.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use model::config::JsRuntime;
use model::environment;
use serde_json::{Value as Json, json};
use state::config::{self, Trust};
use state::process::{Finished, Program};
use state::reach::Fence;
use state::{Machine, Project, atomic, files, git, trust};

use super::Observed;

/// One call of a hook.
pub(crate) const LAYER_ONE: Duration = Duration::from_secs(30);

const SCRATCH: &str = "plimsoll-selftest";

#[derive(Debug)]
pub(crate) struct Bench {
    program: PathBuf,
    pub(crate) scratch: PathBuf,
    /// Through `plimsoll hook` instead of the scripts' addresses.
    pub(crate) native: bool,
    /// What the specification wants and is not here is a failure. Else its cases are skipped.
    pub(crate) strict: bool,
    clock: Machine,
    /// Whose tools count.
    project: PathBuf,
    /// Where the client is, if it is.
    pub(crate) client: Option<PathBuf>,
}

/// A config with what the specification takes for granted and we do not: `compat` has it by itself.
fn as_documented(config: &Json) -> Json {
    let mut all = config.clone();
    for (key, value) in
        [("boy_scout", json!(true)), ("unconfigured", json!("all")), ("formatting", json!("all"))]
    {
        if all[key].is_null() {
            all[key] = value;
        }
    }
    if all["phases"]["subprocess_delegation"].is_null() {
        all["phases"]["subprocess_delegation"] = true.into();
    }
    all
}

/// What is in a scratch project was written here.
fn trust_all(root: &Path, state: &str) -> std::io::Result<()> {
    let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", state)], root);
    let project = Project::at(&machine, root.to_owned());
    trust::allow_tools(&machine, &project)?;
    let bound = config::load(&machine, &project, checks::role, Trust::Recorded).bound;
    if bound.is_empty() { Ok(()) } else { trust::add(&machine, &project, &bound) }
}

impl Bench {
    pub(crate) fn new(machine: &Machine, project: &Path, native: bool, strict: bool) -> anyhow::Result<Self> {
        let program = machine.executable().context("it is not known where this program lies")?;
        files::remove_stale_scratch(SCRATCH);
        let scratch = files::scratch_dir(SCRATCH)?;
        Ok(Self {
            program,
            scratch,
            native,
            strict,
            clock: Machine::real(),
            project: project.to_owned(),
            client: super::live::find_client(machine, project),
        })
    }

    pub(crate) fn micros(&self) -> u64 {
        self.clock.micros()
    }

    pub(crate) fn timestamp(&self) -> String {
        model::time::rfc3339(self.clock.now())
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.clock
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A project of its own for a case, with these files; what it is configured with is one of them.
    pub(crate) fn project(
        &self,
        id: &str,
        config: &Json,
        texts: &[(&str, &str)],
    ) -> std::io::Result<PathBuf> {
        let root = self.scratch.join(id);
        let config = if self.native { &as_documented(config) } else { config };
        atomic::write(&root.join(".claude/hooks/config.json"), format!("{config:#}\n").as_bytes())?;
        for (name, text) in texts {
            atomic::write(&root.join(name), text.as_bytes())?;
        }
        trust_all(&root, &self.scratch.join("state").to_string_lossy())?;
        Ok(root)
    }

    /// Starts a script at its old address, in a project, as a client would.
    pub(crate) fn script(
        &self,
        name: &str,
        project: &Path,
        payload: &Json,
        variables: &[(&str, &str)],
    ) -> Result<Finished, Observed> {
        self.script_within(name, project, payload, variables, LAYER_ONE)
    }

    /// The same where the model that fixes may take its time.
    pub(crate) fn script_within(
        &self,
        name: &str,
        project: &Path,
        payload: &Json,
        variables: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Finished, Observed> {
        let words: &[&str] = if self.native { &["hook"] } else { &["compat", name] };
        // A case may have records of its own.
        let state = variables.iter().find(|(name, _)| *name == "PLIMSOLL_STATE_DIR");
        if let Some((_, state)) = state.filter(|_| self.native) {
            trust_all(project, state).map_err(|error| Observed::failed(error.to_string()))?;
        }
        self.call(words, project, payload, variables, limit)
    }

    fn call(
        &self,
        words: &[&str],
        project: &Path,
        payload: &Json,
        variables: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Finished, Observed> {
        let mut program = Program::new(&self.program)
            .args(words)
            .cwd(project)
            .stdin(payload.to_string().as_bytes())
            .within(limit);
        // What the user's own session says must not reach a case.
        for variable in environment::VARIABLES.iter().filter(|variable| is_ours(variable.name)) {
            program = program.without_env(variable.name);
        }
        program = program
            .env("PATH", self.path())
            .env("CLAUDE_PROJECT_DIR", project)
            .env("PLIMSOLL_STATE_DIR", self.scratch.join("state"));
        for (name, value) in variables {
            program = program.env(name, value);
        }
        program.run().map_err(|error| match error.kind() {
            std::io::ErrorKind::TimedOut => Observed::timed_out(limit),
            _ => Observed::failed(error.to_string()),
        })
    }

    /// Whether a linter is there, wherever it may be found.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.find_tool(name).is_some()
    }

    pub(crate) fn find_tool(&self, name: &str) -> Option<linters::Place> {
        let linter = linters::definition::find(name)?;
        let places = linters::Places {
            machine: &self.clock,
            project: &self.project,
            runtime: JsRuntime::Auto,
            trust: Trust::Recorded,
        };
        places.find(linter, &self.project).filter(|place| place.origin != linters::Origin::Runner)
    }

    pub(crate) fn find_uv(&self) -> Option<PathBuf> {
        let cached = linters::tools_dir(&self.clock).join("python/bin/uv");
        let fence = Fence::around(&self.clock, &self.project);
        fence.program_outside(&self.clock, "uv").or(Some(cached)).filter(|path| files::is_file(path))
    }

    /// Whether an engine of this build does that tool's work for such a file.
    pub(crate) fn has_engine_for(&self, tool: &str, file: &str) -> bool {
        let file = Path::new(file);
        linters::Language::of(file).is_some_and(|language| crate::lint::is_embedded(language, tool))
    }

    /// Whether anything that is linked in looks at such a file.
    pub(crate) fn has_engine(&self, file: &str) -> bool {
        let language = linters::Language::of(Path::new(file));
        language.is_some_and(|language| {
            linters::LINTERS.iter().any(|linter| crate::lint::is_embedded(language, linter.name))
        })
    }

    pub(crate) fn project_root(&self) -> &Path {
        &self.project
    }

    /// With this folder in front: what a case puts there is found first.
    pub(crate) fn path_with(&self, dir: &Path) -> String {
        let all = [dir.to_owned()].into_iter().chain(std::env::split_paths(&self.path()).collect::<Vec<_>>());
        std::env::join_paths(all).map_or_else(|_| String::new(), |path| path.to_string_lossy().into_owned())
    }

    /// With the project's own tools in front, which a scratch project would not find.
    fn path(&self) -> std::ffi::OsString {
        let trusted = trust::tools_may_run(&self.clock, &self.project);
        let own = ["node_modules/.bin", ".venv/bin"].into_iter().filter(|_| trusted);
        let own = own.map(|name| self.project.join(name));
        let rest = self.clock.var(&environment::PATH).unwrap_or_default();
        // A scratch project does not know that these are somebody else's.
        let fence = Fence::around(&self.clock, &self.project);
        let others = std::env::split_paths(&rest).filter(|dir| trusted || !fence.holds(dir));
        let all = own.filter(|dir| files::is_dir(dir)).chain(others);
        std::env::join_paths(all).unwrap_or_else(|_| rest.clone().into())
    }

    /// The folder around our cache, for a client that has another home.
    pub(crate) fn cache_home(&self) -> PathBuf {
        let cache = self.clock.cache_dir();
        cache.parent().map_or_else(|| cache.clone(), Path::to_owned)
    }

    /// What the run ran with.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let client =
            self.client.as_ref().map_or_else(|| "absent".into(), |path| version(path, &self.scratch));
        vec![
            ("plimsoll".into(), env!("CARGO_PKG_VERSION").into()),
            ("system".into(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
            ("client".into(), client),
            ("git".into(), git_version(&self.scratch)),
        ]
    }

    /// Removes what the cases left.
    pub(crate) fn clear(&self) -> std::io::Result<()> {
        files::remove_dir(&self.scratch)
    }
}

fn version(program: &Path, cwd: &Path) -> String {
    let done = Program::new(program).arg("--version").cwd(cwd).env("HOME", cwd).within(LAYER_ONE).run();
    done.map_or_else(
        |error| error.to_string(),
        |done| String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default().to_owned(),
    )
}

fn git_version(cwd: &Path) -> String {
    git::run(cwd, &["--version"], LAYER_ONE).map_or_else(
        |error| error.to_string(),
        |done| String::from_utf8_lossy(&done.stdout).trim().to_owned(),
    )
}

fn is_ours(name: &str) -> bool {
    ["HOOK_", "CLAUDE_", "PLIMSOLL_", "LLM_"].iter().any(|start| name.starts_with(start))
}
