//! A word of a call, as what it does is told by it.

use crate::programs::decoded::Value;
use crate::reading::Arg;

/// A word, or a part of one.
#[derive(Clone)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Option<std::ops::Range<usize>>,
    pub(super) glob: bool,
}

impl<'a> Word<'a> {
    pub(super) fn whole(arg: &'a Arg) -> Self {
        Self { text: &arg.text, span: arg.span.clone(), glob: arg.glob }
    }

    pub(super) fn of(text: &'a str) -> Self {
        Self { text, span: None, glob: false }
    }

    pub(super) fn part(value: Value, argv: &'a [Arg]) -> Self {
        let arg = &argv[value.word];
        Self { text: value.text(argv), span: arg.span.clone(), glob: arg.glob }
    }
}

/// Drives of PowerShell for variables, functions and the like.
pub(super) fn has_no_files(path: &str) -> bool {
    let drive = path.split_once(':').map(|(drive, _)| drive).filter(|drive| drive.len() > 2);
    drive.is_some_and(|drive| {
        ["env", "variable", "function", "alias"].iter().any(|known| drive.eq_ignore_ascii_case(known))
    })
}
