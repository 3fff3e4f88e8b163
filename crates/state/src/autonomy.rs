//! Autonomous work: whether it is going on, by the state file that skills and `plimsoll autonomy` write.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{AUTONOMY_STATES, Autonomy, Config, SessionId, environment, time};
use serde_json::{Value as Json, json};

use crate::written::{self, Belief};
use crate::{Lock, Machine, Project, atomic, files};

const FILE: &str = ".claude/autonomous-state.json";

/// How far up from the agent's directory the file is looked for.
const LEVELS: usize = 20;

/// The nearest state that is not too old: of the agent's directory or one above it, of the project, of the user. A state of
/// the user's is for one session and one project, where it names them. Without any file the older variables count.
pub fn active(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    cwd: &Path,
    config: &Config,
    belief: Belief,
) -> Option<Autonomy> {
    let found = find(machine, project, session, cwd, config.autonomy_ttl_hours, belief);
    let found = found
        .map(|(_, state)| autonomy(&state, machine.now()))
        .or_else(|| told(machine, project, config, belief));
    // Whoever believes everything stands in for the script of old.
    found.map(|autonomy| Autonomy { every_tool: belief == Belief::Everything, ..autonomy })
}

/// The same as the file says it, with the file.
pub fn find(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    cwd: &Path,
    ttl_hours: u64,
    belief: Belief,
) -> Option<(PathBuf, Json)> {
    let ttl = ttl_hours.saturating_mul(3600);
    let home = machine.home().map(|home| files::resolve(&home));
    let cwd = files::resolve(cwd);
    let is_home = |dir: &Path| home.as_deref() == Some(dir);
    let near = cwd.ancestors().take(LEVELS).take_while(|dir| !is_home(dir)).map(Path::to_owned);
    let places: Vec<PathBuf> =
        near.chain([project.root.clone()].into_iter().filter(|root| !is_home(root))).collect();
    let fresh = |state: &Json| is_fresh(state, machine.now(), ttl);
    let of_session = |file: &Path, state: Json| {
        if belief == Belief::Everything || is_of_session(machine, file, &state, session) {
            return Some(state).filter(fresh);
        }
        // The file mirrors the session that wrote last; what this one was granted is not over because of another.
        let own = files::read_json(&own_file(project, session))?;
        let same = own["file"].as_str().map(Path::new) == Some(file);
        same.then(|| own["state"].clone()).filter(fresh)
    };
    let state = places.iter().find_map(|dir| read(machine, dir, belief, &of_session));
    // No clone reaches the user's own folder.
    state.or_else(|| {
        let concerning = |_: &Path, state: Json| {
            Some(state).filter(|state| fresh(state) && concerns(state, session, &cwd))
        };
        read(machine, &home?, Belief::Everything, &concerning)
    })
}

/// What this session was granted, with the file that said so.
fn own_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("autonomy.json")
}

/// Keeps a session's own, for when another writes the same file.
pub(crate) fn keep(project: &Project, session: &SessionId, file: &Path, state: &Json) -> io::Result<()> {
    let own = json!({"file": file, "state": state});
    atomic::write(&own_file(project, session), format!("{own:#}\n").as_bytes())
}

/// The same of a file that the session has written itself.
pub(crate) fn keep_adopted(project: &Project, session: &SessionId, file: &Path) -> io::Result<()> {
    let is_state = file.file_name().is_some_and(|name| AUTONOMY_STATES.iter().any(|known| name == *known));
    match files::read_json(file).filter(|_| is_state && session.is_known()) {
        Some(state) => keep(project, session, file, &state),
        None => Ok(()),
    }
}

/// A state in `dir`, as far as it counts for whoever asks.
fn read(
    machine: &Machine,
    dir: &Path,
    belief: Belief,
    counts: &dyn Fn(&Path, Json) -> Option<Json>,
) -> Option<(PathBuf, Json)> {
    let dir = dir.join(".claude");
    AUTONOMY_STATES.iter().find_map(|name| {
        let file = dir.join(name);
        let mut state: Json = serde_json::from_str(&written::read(machine, &file, belief).ok()??).ok()?;
        // The older names say what it is about.
        if state.is_object() && state["mode"].is_null() && *name != AUTONOMY_STATES[0] {
            state["mode"] = name.trim_end_matches("-state.json").into();
        }
        counts(&file, state).map(|state| (file, state))
    })
}

/// Not too old by its last activity, nor past the end that it names itself.
fn is_fresh(state: &Json, now: u64, ttl: u64) -> bool {
    let Some(began) = began(state) else { return false };
    let ends = match &state["expires_at"] {
        Json::Null => Some(u64::MAX),
        Json::String(text) => time::parse_rfc3339(text),
        _ => None,
    };
    now.saturating_sub(began) <= ttl && ends.is_some_and(|ends| now < ends)
}

fn began(state: &Json) -> Option<u64> {
    let text = state["last_activity_at"].as_str().or_else(|| state["started_at"].as_str());
    text.and_then(time::parse_rfc3339)
}

/// Whether a state is this session's: it names it, or this session wrote it. One that names nobody, by the user's own word, is for all.
fn is_of_session(machine: &Machine, file: &Path, state: &Json, session: &SessionId) -> bool {
    let named = state["session_id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
    let owner = named.or_else(|| written::adopted_by(machine, file));
    owner.is_none_or(|owner| owner == session.as_str())
}

fn concerns(state: &Json, session: &SessionId, cwd: &Path) -> bool {
    let its_session = state["session_id"].as_str().unwrap_or_default();
    let its_project = state["origin_project"].as_str().unwrap_or_default();
    (its_session.is_empty() || its_session == session.as_str())
        && (its_project.is_empty() || cwd.starts_with(files::resolve(Path::new(its_project))))
}

fn autonomy(state: &Json, now: u64) -> Autonomy {
    let entries = state["allowed_prompts"].as_array().into_iter().flatten();
    let pair =
        |entry: &Json| Some((entry["tool"].as_str()?.to_owned(), entry["prompt"].as_str()?.to_owned()));
    let texts = |key: &str| {
        let entries = state["scope"][key].as_array().into_iter().flatten();
        entries.filter_map(Json::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    Autonomy {
        mode: state["mode"].as_str().unwrap_or_default().to_owned(),
        directories: texts("directories").iter().map(|dir| files::resolve(Path::new(dir))).collect(),
        commands: texts("commands"),
        coordinator: state["coordinator"] != Json::Bool(false),
        allowed_prompts: entries.filter_map(pair).collect(),
        every_tool: false,
        is_ahead: began(state).is_some_and(|began| time::is_ahead(began, now)),
    }
}

fn told(machine: &Machine, project: &Project, config: &Config, belief: Belief) -> Option<Autonomy> {
    let modes = [(environment::GODO_ACTIVE, "godo"), (environment::APPFIX_ACTIVE, "appfix")];
    let is_set = |variable| machine.var(variable).as_deref() == Some("true");
    let (variable, mode) =
        modes.iter().find(|(variable, _)| is_set(variable) && !config.floor.silences(variable))?;
    // The client sets what a project's own settings say, and a clone may say anything.
    let by_project = ["settings.json", "settings.local.json"].iter().any(|name| {
        let settings = files::read_object(&project.claude_dir().join(name));
        settings.get("env").is_some_and(|env| env.get(variable.name).is_some())
    });
    if by_project && belief == Belief::Ours {
        return None;
    }
    Some(Autonomy { mode: (*mode).into(), ..Autonomy::default() })
}

/// What `plimsoll autonomy start` grants.
#[derive(Clone, Debug, Default)]
pub struct Grant {
    pub mode: String,
    pub session: SessionId,
    pub coordinator: bool,
    pub allowed_prompts: Vec<String>,
    pub directories: Vec<PathBuf>,
    pub commands: Vec<String>,
    /// Seconds from now.
    pub lasts: Option<u64>,
}

fn lock(project: &Project) -> io::Result<Lock> {
    Ok(Lock::take(&project.records.join("autonomy.lock"), Duration::from_secs(5))?)
}

/// Writes the state, in the project or in the user's home, and gives its place.
pub fn start(machine: &Machine, project: &Project, grant: &Grant, personal: bool) -> io::Result<PathBuf> {
    let dir = if personal {
        machine.home().ok_or_else(|| io::Error::other("there is no home directory"))?
    } else {
        project.root.clone()
    };
    let now = machine.now();
    let prompts = grant.allowed_prompts.iter().map(|prompt| json!({"tool": "Bash", "prompt": prompt}));
    let mut state = json!({
        "mode": grant.mode,
        "started_at": time::rfc3339(now),
        "last_activity_at": time::rfc3339(now),
        "session_id": grant.session.as_str(),
        "iteration": 1,
        "plan_mode_completed": false,
        "origin_project": project.root,
        "coordinator": grant.coordinator,
        "allowed_prompts": prompts.collect::<Vec<_>>(),
    });
    if let Some(seconds) = grant.lasts {
        state["expires_at"] = time::rfc3339(now + seconds).into();
    }
    if !grant.directories.is_empty() || !grant.commands.is_empty() {
        state["scope"] = json!({"directories": grant.directories, "commands": grant.commands});
    }
    let _lock = lock(project)?;
    let file = dir.join(FILE);
    written::disown(machine, &file)?;
    written::write(machine, &file, &format!("{state:#}\n"))?;
    if grant.session.is_known() {
        keep(project, &grant.session, &file, &state)?;
    }
    Ok(file)
}

/// Removes every state that counts here, and gives their places.
pub fn stop(machine: &Machine, project: &Project, cwd: &Path) -> io::Result<Vec<PathBuf>> {
    let _lock = lock(project)?;
    let mut removed = Vec::new();
    // Whatever its age or session: the user wants it gone.
    while let Some((file, _)) =
        find(machine, project, &SessionId::default(), cwd, u64::MAX / 3600, Belief::Everything)
    {
        written::remove(machine, &file)?;
        removed.push(file);
    }
    // Also what sessions keep of it: the next grant is for whom it is given.
    for session in files::list(&project.records.join("sessions")) {
        files::remove(&session.join("autonomy.json"))?;
    }
    Ok(removed)
}

/// A task is done and the next one begins: the count goes up, and the time of the last activity is now.
pub(crate) fn next_task(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    cwd: &Path,
    ttl_hours: u64,
) -> io::Result<()> {
    let _lock = lock(project)?;
    let found = find(machine, project, session, cwd, ttl_hours, Belief::Everything);
    let Some((file, mut state)) = found else { return Ok(()) };
    let ours = written::read(machine, &file, Belief::Ours)?.is_some();
    let Some(object) = state.as_object_mut() else { return Ok(()) };
    let iteration = object.get("iteration").and_then(Json::as_u64).unwrap_or(0) + 1;
    object.insert("iteration".into(), iteration.into());
    object.insert("plan_mode_completed".into(), false.into());
    object.insert("last_activity_at".into(), time::rfc3339(machine.now()).into());
    let text = format!("{state:#}\n");
    // What did not count before does not count because the tasks in it are counted.
    if ours { written::write(machine, &file, &text) } else { written::put(machine, &file, &text) }
}

/// Names that earlier systems gave to the same state.
const OLDER: &[&str] = &["go", "godo", "melt", "build", "forge", "appfix", "burndown", "episode", "improve"];

/// Removes states that count no longer.
pub(crate) fn sweep(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    ttl_hours: u64,
) -> io::Result<()> {
    let _lock = lock(project)?;
    stale(machine, project, session, ttl_hours)?.iter().try_for_each(|file| written::remove(machine, file))
}

/// States that count no longer, in the project and in the user's home: expired ones, and in the project those of another session
/// whose process is gone.
pub(crate) fn stale(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    ttl_hours: u64,
) -> io::Result<Vec<PathBuf>> {
    let ttl = ttl_hours.saturating_mul(3600);
    let mut found = Vec::new();
    for dir in [Some(project.root.clone()), machine.home()].into_iter().flatten() {
        let older = OLDER.iter().map(|name| dir.join(format!(".claude/{name}-state.json")));
        for file in [dir.join(FILE)].into_iter().chain(older) {
            let Some(text) = files::read(&file)? else { continue };
            let state: Json = serde_json::from_str(&text).unwrap_or_default();
            let other =
                state["session_id"].as_str().is_some_and(|id| !id.is_empty() && id != session.as_str());
            let foreign = dir == project.root && session.is_known() && other && !is_alive(&state);
            if !is_fresh(&state, machine.now(), ttl) || foreign {
                found.push(file);
            }
        }
    }
    Ok(found)
}

/// Whether the process that a state names is still there. A state that names none belongs to a session that may be.
fn is_alive(state: &Json) -> bool {
    state["pid"].as_u64().is_none_or(|pid| Path::new(&format!("/proc/{pid}")).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        _dir: tempfile::TempDir,
        base: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let base = dir.path().canonicalize().unwrap();
            for name in ["home/p/sub", "elsewhere"] {
                std::fs::create_dir_all(base.join(name)).unwrap();
            }
            Self { _dir: dir, base }
        }

        fn write(&self, dir: &str, state: &str, age: u64) {
            let time = time::rfc3339(Machine::real().now() - age);
            let file = self.base.join(dir).join(FILE);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, state.replace("NOW", &time)).unwrap();
        }

        fn active(&self, cwd: &str, variables: &[(&str, &str)]) -> Option<Autonomy> {
            let home = self.base.join("home");
            let mut all = vec![("HOME", home.to_str().unwrap())];
            all.extend_from_slice(variables);
            let machine = Machine::with(&all, &self.base);
            let project = Project::at(&machine, self.base.join("home/p"));
            active(
                &machine,
                &project,
                &SessionId::new("s1"),
                &self.base.join(cwd),
                &Config::default(),
                Belief::Everything,
            )
        }
    }

    const HOUR: u64 = 3600;

    /// Whoever believes everything approves every tool, as the script of old did.
    fn believed() -> Autonomy {
        Autonomy { every_tool: true, ..Autonomy::default() }
    }

    #[test]
    fn a_state_of_a_clock_that_was_set_back_is_known_as_such() {
        let state = json!({"started_at": time::rfc3339(1_000_000)});
        let ahead = |now: u64| autonomy(&state, now).is_ahead;
        assert!(!ahead(1_000_000 + HOUR) && !ahead(1_000_000 - 60), "clocks are set by a little");
        assert!(ahead(1_000_000 - HOUR));
    }

    #[test]
    fn a_state_counts_for_eight_hours_after_the_last_activity() {
        let world = World::new();
        assert_eq!(world.active("home/p", &[]), None);
        world.write("home/p", r#"{"iteration": 1, "started_at": "NOW"}"#, HOUR);
        assert_eq!(world.active("home/p", &[]), Some(believed()));
        world.write("home/p", r#"{"started_at": "NOW"}"#, 9 * HOUR);
        assert_eq!(world.active("home/p", &[]), None);
        world.write("home/p", r#"{"started_at": "2020-01-01T00:00:00Z", "last_activity_at": "NOW"}"#, HOUR);
        assert!(world.active("home/p", &[]).is_some());
        for broken in [r#"{"iteration": 1}"#, r#"{"started_at": "soon"}"#, "{", ""] {
            world.write("home/p", broken, 0);
            assert_eq!(world.active("home/p", &[]), None, "{broken}");
        }
    }

    #[test]
    fn the_nearest_state_wins_and_the_users_is_for_its_session_and_project() {
        let world = World::new();
        world.write("home", r#"{"started_at": "NOW", "session_id": "other"}"#, 0);
        assert_eq!(world.active("home/p", &[]), None);
        world.write("home", r#"{"started_at": "NOW", "session_id": "s1", "origin_project": "/no/such"}"#, 0);
        assert_eq!(world.active("home/p", &[]), None);
        world.write("home", r#"{"started_at": "NOW", "session_id": "s1", "allowed_prompts": [{"tool": "Bash", "prompt": "p"}, 3]}"#, 0);
        let personal = world.active("home/p", &[]).unwrap();
        assert_eq!(
            (personal.coordinator, personal.allowed_prompts),
            (true, vec![("Bash".into(), "p".into())])
        );
        world.write("home/p", r#"{"started_at": "NOW", "session_id": "other", "coordinator": false}"#, 0);
        for cwd in ["home/p", "home/p/sub", "elsewhere"] {
            assert_eq!(world.active(cwd, &[]), Some(Autonomy { coordinator: false, ..believed() }), "{cwd}");
        }
        world.write("elsewhere", r#"{"started_at": "NOW"}"#, 0);
        assert_eq!(world.active("elsewhere", &[]), Some(believed()));
    }

    #[test]
    fn a_state_that_a_clone_brought_along_counts_for_nothing() {
        let world = World::new();
        let home = world.base.join("home");
        let machine = Machine::with(&[("HOME", home.to_str().unwrap())], &world.base);
        let project = Project::at(&machine, home.join("p"));
        let session = SessionId::new("s1");
        let counts = |cwd: &str| {
            active(&machine, &project, &session, &world.base.join(cwd), &Config::default(), Belief::Ours)
                .is_some()
        };
        let file = |dir: &str| world.base.join(dir).join(FILE);
        for dir in ["home/p", "home/p/sub", "elsewhere"] {
            world.write(dir, r#"{"started_at": "NOW"}"#, 0);
            assert!(!counts(dir), "{dir}");
            written::adopt(&machine, &file(dir), &SessionId::new("s1")).unwrap();
            assert!(counts(dir), "{dir}");
            std::fs::remove_file(file(dir)).unwrap();
        }
        world.write("home", r#"{"started_at": "NOW"}"#, 0);
        assert!(counts("home/p"), "the user's own");
        std::fs::remove_file(file("home")).unwrap();
        start(&machine, &project, &Grant::default(), false).unwrap();
        assert!(counts("home/p"));
        next_task(&machine, &project, &session, &project.root, 8).unwrap();
        assert!(counts("home/p"), "the next task of what counts");
        world.write("home/p", r#"{"started_at": "NOW", "allowed_prompts": []}"#, 0);
        next_task(&machine, &project, &session, &project.root, 8).unwrap();
        assert!(!counts("home/p"), "the next task of what does not");
        std::fs::remove_file(file("home/p")).unwrap();

        let machine =
            Machine::with(&[("HOME", home.to_str().unwrap()), ("GODO_ACTIVE", "true")], &world.base);
        let mut config = Config::default();
        let counts = |config: &Config| {
            active(&machine, &project, &session, &project.root, config, Belief::Ours).is_some()
        };
        assert!(counts(&config), "the user's own variable");
        config.floor.keys.insert("autonomy.ttl_hours");
        assert!(!counts(&config), "a policy says how long work goes on");
        config = Config::default();
        std::fs::write(project.root.join(".claude/settings.json"), r#"{"env": {"GODO_ACTIVE": "true"}}"#)
            .unwrap();
        assert!(!counts(&config), "a variable that the project's settings set");
    }

    #[test]
    fn the_older_variables_count_without_a_file() {
        let world = World::new();
        let mode = |variable| world.active("home/p", &[(variable, "true")]).map(|autonomy| autonomy.mode);
        assert_eq!(mode("GODO_ACTIVE").as_deref(), Some("godo"));
        assert_eq!(mode("APPFIX_ACTIVE").as_deref(), Some("appfix"));
        assert_eq!(world.active("home/p", &[("APPFIX_ACTIVE", "false")]), None);
        world.write("home/p", r#"{"started_at": "NOW", "coordinator": false}"#, 0);
        assert!(!world.active("home/p", &[("GODO_ACTIVE", "true")]).unwrap().coordinator);
    }

    #[test]
    fn tasks_that_end_at_once_are_all_counted() {
        let world = World::new();
        world.write("home/p", r#"{"iteration": 1, "started_at": "NOW"}"#, 0);
        std::thread::scope(|scope| {
            for _ in 0..32 {
                let world = &world;
                scope.spawn(move || {
                    let home = world.base.join("home");
                    let machine = Machine::with(&[("HOME", home.to_str().unwrap())], &world.base);
                    let project = Project::at(&machine, home.join("p"));
                    next_task(&machine, &project, &SessionId::new("s1"), &home.join("p"), 8).unwrap();
                });
            }
        });
        let state: Json =
            serde_json::from_str(&std::fs::read_to_string(world.base.join("home/p").join(FILE)).unwrap())
                .unwrap();
        assert_eq!(state["iteration"], 33);
    }
}
