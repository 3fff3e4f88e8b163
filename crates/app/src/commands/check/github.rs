//! GitHub's annotations: a line per violation, which its runner shows beside the code.

use std::path::Path;

use super::report::Report;
use crate::ui::Printer;

pub(super) fn github(printer: &Printer, report: &Report, relative: &dyn Fn(&Path) -> String) {
    // What ends a value or a line there.
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    for found in &report.found {
        printer.line(&format!(
            "::error file={},line={},col={},title={}::{}",
            property(&relative(&found.file)),
            found.line.max(1),
            found.column.max(1),
            property(&format!("{} ({})", found.code, found.by())),
            escape(&found.message)
        ));
    }
    // They fail the run too, so they are no mere warnings.
    for text in report.left(relative) {
        printer.line(&format!("::error title=plimsoll::{}", escape(&text)));
    }
}
