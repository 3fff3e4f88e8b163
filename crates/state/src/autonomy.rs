//! Autonomous work: whether it is going on, by the state file that skills write.

use std::path::{Path, PathBuf};

use model::{Autonomy, SessionId, environment, time};
use serde_json::Value as Json;

use crate::{Machine, Project, files};

const FILE: &str = ".claude/autonomous-state.json";

/// How far up from the agent's directory the file is looked for.
const LEVELS: usize = 20;

/// The nearest state that is not too old: of the agent's directory or one above it, of the project, of the person. A state of
/// the person's is for one session and one project, where it names them. Without any file the older variables count.
pub(crate) fn active(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    cwd: &Path,
    ttl_hours: u64,
) -> Option<Autonomy> {
    let ttl = ttl_hours.saturating_mul(3600);
    let home = machine.home().map(|home| files::resolve(&home));
    let cwd = files::resolve(cwd);
    let is_home = |dir: &Path| home.as_deref() == Some(dir);
    let near = cwd.ancestors().take(LEVELS).take_while(|dir| !is_home(dir)).map(Path::to_owned);
    let places: Vec<PathBuf> =
        near.chain([project.root.clone()].into_iter().filter(|root| !is_home(root))).collect();
    let state = places.iter().find_map(|dir| read(machine, dir, ttl));
    let state = state.or_else(|| read(machine, &home?, ttl).filter(|state| concerns(state, session, &cwd)));
    state.as_ref().map(autonomy).or_else(|| told(machine).then(Autonomy::default))
}

/// A state in `dir`, unless it is too old or says not how old it is.
fn read(machine: &Machine, dir: &Path, ttl: u64) -> Option<Json> {
    let state: Json = serde_json::from_str(&files::read(&dir.join(FILE)).ok()??).ok()?;
    let text = state["last_activity_at"].as_str().or_else(|| state["started_at"].as_str())?;
    (machine.now().saturating_sub(time::parse_rfc3339(text)?) <= ttl).then_some(state)
}

fn concerns(state: &Json, session: &SessionId, cwd: &Path) -> bool {
    let its_session = state["session_id"].as_str().unwrap_or_default();
    let its_project = state["origin_project"].as_str().unwrap_or_default();
    (its_session.is_empty() || !session.is_known() || its_session == session.as_str())
        && (its_project.is_empty() || cwd.starts_with(files::resolve(Path::new(its_project))))
}

fn autonomy(state: &Json) -> Autonomy {
    let entries = state["allowed_prompts"].as_array().into_iter().flatten();
    let pair =
        |entry: &Json| Some((entry["tool"].as_str()?.to_owned(), entry["prompt"].as_str()?.to_owned()));
    Autonomy {
        coordinator: state["coordinator"] != Json::Bool(false),
        allowed_prompts: entries.filter_map(pair).collect(),
    }
}

fn told(machine: &Machine) -> bool {
    [environment::GODO_ACTIVE, environment::APPFIX_ACTIVE]
        .iter()
        .any(|variable| machine.var(variable).as_deref() == Some("true"))
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
            active(&machine, &project, &SessionId::new("s1"), &self.base.join(cwd), 8)
        }
    }

    const HOUR: u64 = 3600;

    #[test]
    fn a_state_counts_for_eight_hours_after_the_last_activity() {
        let world = World::new();
        assert_eq!(world.active("home/p", &[]), None);
        world.write("home/p", r#"{"iteration": 1, "started_at": "NOW"}"#, HOUR);
        assert_eq!(world.active("home/p", &[]), Some(Autonomy::default()));
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
    fn the_nearest_state_wins_and_the_persons_is_for_its_session_and_project() {
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
            assert_eq!(
                world.active(cwd, &[]),
                Some(Autonomy { coordinator: false, allowed_prompts: vec![] }),
                "{cwd}"
            );
        }
        world.write("elsewhere", r#"{"started_at": "NOW"}"#, 0);
        assert_eq!(world.active("elsewhere", &[]), Some(Autonomy::default()));
    }

    #[test]
    fn the_older_variables_count_without_a_file() {
        let world = World::new();
        assert_eq!(world.active("home/p", &[("GODO_ACTIVE", "true")]), Some(Autonomy::default()));
        assert_eq!(world.active("home/p", &[("APPFIX_ACTIVE", "true")]), Some(Autonomy::default()));
        assert_eq!(world.active("home/p", &[("APPFIX_ACTIVE", "false")]), None);
        world.write("home/p", r#"{"started_at": "NOW", "coordinator": false}"#, 0);
        assert!(!world.active("home/p", &[("GODO_ACTIVE", "true")]).unwrap().coordinator);
    }
}
