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
