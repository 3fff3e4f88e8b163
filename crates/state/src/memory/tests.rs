use super::*;

struct World {
    _dir: tempfile::TempDir,
    base: PathBuf,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("p")).unwrap();
        Self { _dir: dir, base }
    }

    fn machine(&self) -> Machine {
        Machine::with(&[("HOME", self.base.to_str().unwrap())], &self.base)
    }

    fn store(&self) -> Store {
        let machine = self.machine();
        Store::of(&machine, &Project::at(&machine, self.base.join("p"))).unwrap()
    }
}

#[test]
fn many_writers_at_once_lose_neither_event_nor_index() {
    let world = World::new();
    std::thread::scope(|scope| {
        for writer in 0..32 {
            let world = &world;
            scope.spawn(move || {
                let event = json!({"content": format!("LESSON: {writer}"), "entities": [format!("word{writer}"), "shared"]});
                world.store().add(&world.machine(), "session_end", "auto-capture", event).unwrap().unwrap();
            });
        }
    });
    let store = world.store();
    assert_eq!(store.all().len(), 32);
    let manifest = store.manifest().unwrap();
    assert_eq!((manifest.total, manifest.recent.len()), (32, 32));
    for writer in 0..32 {
        assert_eq!(manifest.index[&format!("word{writer}")].len(), 1);
    }
    assert_eq!(manifest.index["shared"].len(), PER_KEY);
}

#[test]
fn the_same_lesson_is_stored_once_in_an_hour_and_secrets_never() {
    let world = World::new();
    let store = world.store();
    let event = || json!({"content": "LESSON: export TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789", "entities": ["token"]});
    let id = store.add(&world.machine(), "session_end", "x", event()).unwrap().unwrap();
    assert_eq!(store.add(&world.machine(), "session_end", "x", event()).unwrap(), None);
    let text = std::fs::read_to_string(store.events_dir().join(format!("{id}.json"))).unwrap();
    assert!(!text.contains("abcdefghij"), "{text}");
}

#[test]
fn a_broken_or_missing_index_is_made_anew_and_forgetting_takes_events_out() {
    let world = World::new();
    let store = world.store();
    let add = |text: &str| {
        let event = json!({"content": text, "entities": ["cors", "src/app.py"]});
        store.add(&world.machine(), "session_end", "x", event).unwrap().unwrap()
    };
    let first = add("one");
    store.note("injected", std::slice::from_ref(&first)).unwrap();
    std::fs::write(store.root.join("manifest.json"), "{broken").unwrap();
    assert_eq!(store.about(world.machine().now(), 0, &["cors".into()]).len(), 1);
    let second = add("two");
    assert_eq!(store.manifest().unwrap().index["app.py"].len(), 2);
    assert_eq!(store.utility()[&first].shown, 1, "what was counted stays");
    let forget = || store.forget(&world.machine(), &first).unwrap();
    assert!(forget() && !forget());
    assert_eq!(store.manifest().unwrap().index["cors"], [second]);
    assert_eq!(store.get("../../x").map(|event| event.id), None);
}

#[test]
fn what_is_too_old_or_too_much_goes() {
    let world = World::new();
    let store = world.store();
    for number in 0..MOST + 3 {
        let id = format!("evt_20990101T0000{:02}-1-{number:06}", number % 60);
        let event = json!({"v": 1, "id": id, "ts": "2099-01-01T00:00:00Z", "content": format!("{number}"), "entities": []});
        let file = store.events_dir().join(format!("{id}.json"));
        std::fs::create_dir_all(store.events_dir()).unwrap();
        std::fs::write(file, event.to_string()).unwrap();
    }
    let old = store.events_dir().join("evt_20200101T000000-1-aaaaaa.json");
    std::fs::write(&old, json!({"ts": "2020-01-01T00:00:00Z", "content": "old", "entities": []}).to_string())
        .unwrap();
    store.add(&world.machine(), "session_end", "x", json!({"content": "new", "entities": []})).unwrap();
    assert!(!old.exists());
    assert!(store.all().len() <= MOST);
}

#[test]
fn one_remote_has_one_address() {
    for url in [
        "git@example.invalid:o/r.git",
        "https://example.invalid/o/r",
        "https://me:secret@Example.invalid/o/r.git",
        "ssh://git@example.invalid:22/o/r.git",
    ] {
        assert_eq!(address(url), "example.invalid/o/r", "{url}");
    }
    assert_eq!(address("/srv/git/r.git"), "/srv/git/r");
}

#[test]
fn the_last_word_on_a_topic_counts() {
    let world = World::new();
    let store = world.store();
    for (topic, text) in [("Database Choice", "mysql"), ("style", "tabs"), ("database choice", "postgres")] {
        store.assert(1, topic, text).unwrap();
    }
    let expected = [("style", "tabs"), ("database-choice", "postgres")];
    assert_eq!(store.assertions(), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}
