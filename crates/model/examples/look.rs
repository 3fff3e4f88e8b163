//! Looks through a file as hooks look through what tools return, so many times: `cargo dev secrets cost` counts the instructions of it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "not shipped, and it has no hook to answer"
)]

use model::hidden::Source;
use model::{OwnValues, Sight};

fn main() {
    let mut args = std::env::args().skip(1);
    let times: usize = args.next().and_then(|times| times.parse().ok()).unwrap_or(1);
    let text = args.next().and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let own = OwnValues::default();
    let found: usize = (0..times)
        .map(|_| {
            let sight = Sight::of(std::hint::black_box(&text), Some(&own), Some(&|| Source::Command));
            sight.secrets.len() + sight.hidden.len()
        })
        .sum();
    println!("{found}");
}
