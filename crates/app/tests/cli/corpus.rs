//! A corpus of our own: dangerous commands in every disguise that we could think of, and harmless ones that look like them.

use std::path::Path;

use crate::world::World;

#[test]
fn every_row_holds() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/commands.jsonl");
    World::new().run(&["explain", "--corpus", file.to_str().unwrap()]).succeeds().says(&[", 0 misses"]);
}

#[test]
fn a_miss_is_named_and_fails() {
    let world = World::new();
    world.write(
        "rows.jsonl",
        "{\"id\": \"x1\", \"command\": \"ls\", \"expected\": \"deny\", \"category\": \"c\"}\n",
    );
    let ran = world.run(&["explain", "--corpus", "rows.jsonl"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("x1 c: expected deny, got allow"), "{}", ran.stdout);
}
