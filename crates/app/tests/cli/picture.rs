//! The picture of `plimsoll try` in the README is what the program prints.

use crate::world::World;

#[path = "../../../dev/src/picture/svg.rs"]
mod svg;

#[test]
fn the_picture_is_what_the_program_prints() {
    let world = World::new().with_variable("CLICOLOR_FORCE", "1");
    let ran = world.run(&["try"]).succeeds();
    assert!(ran.stdout.contains(svg::UNTIL), "{}", ran.stdout);
    let drawn = svg::draw("plimsoll try", &ran.stdout);
    let kept = include_str!("../../../../docs/images/try.svg");
    assert_eq!(drawn, kept, "`cargo dev picture --program FILE` draws it anew");
    assert!(kept.contains("--force-with-lease") && kept.contains("deny"));
}
