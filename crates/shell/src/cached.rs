//! Something that is worked out from the rest of a value when it is first asked for. It is not a part of the value: two that differ in
//! nothing else are the same.

use std::cell::OnceCell;

#[derive(Clone, Debug)]
pub struct Cached<T>(OnceCell<T>);

impl<T> Cached<T> {
    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(OnceCell::new())
    }
}

impl<T> PartialEq for Cached<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Cached<T> {}
