//! `compat.md`.

use plimsoll::scripts;

use super::markdown::{Document, code, plain};

pub(super) fn page() -> String {
    let mut page = Document::new("Old addresses", "crates/app/src/compat.rs");
    page.block(
        "`plimsoll compat <name>` answers as one of the scripts that Plimsoll takes the place of. A project swaps the \
         script for `exec plimsoll compat <name>`, and whatever calls it goes on. The name may end in `.sh`.",
    );
    page.table(["Name", "What it does"], scripts().map(|script| [code(script.name), plain(script.doc)]));
    page.finish()
}
