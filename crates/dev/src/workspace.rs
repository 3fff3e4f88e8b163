//! Where the checkout is.

use std::path::Path;

/// The folder of the workspace's `Cargo.toml`. Cargo rebuilds this crate when the checkout moves, so it may be built in.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this crate lies in `crates/dev` of the workspace")
}
