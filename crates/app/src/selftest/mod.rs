//! What Plimsoll tests itself with on a person's machine: cases with their fixtures inside, so that nothing has to be checked
//! out. The tests run the same tables.

mod lint;

pub use lint::{LINT_CASES, LintCase, PAYLOAD_VARIABLES};
