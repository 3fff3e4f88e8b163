//! The words of a call, as its table reads them.

use shell::{Arg, Call};

pub(super) struct Words<'a> {
    call: &'a Call,
    pub(super) operands: Vec<&'a Arg>,
}

impl<'a> Words<'a> {
    pub(super) fn of(call: &'a Call) -> Self {
        Self { call, operands: call.operands().collect() }
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.call.chose(name))
    }

    /// All values of an option, in order.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        let fits = |chosen: &&shell::programs::decoded::Chosen| {
            !chosen.outer && names.iter().any(|name| chosen.is(name))
        };
        let found = self.call.words().options.iter().filter(fits);
        found.filter_map(|chosen| Some(chosen.value?.text(&self.call.argv))).collect::<Vec<_>>().into_iter()
    }

    /// The last one, which wins.
    pub(super) fn value(&self, names: &[&str]) -> Option<&'a str> {
        self.values(names).last()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.operands.iter().map(|arg| arg.text.as_str())
    }
}
