//! Values that many states have in common: copied only when one of them is changed, and the copying is counted, because it is
//! where reading a long script would become slow.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Work done so far, in something like nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Rc<Cell<usize>>);

impl Meter {
    pub(crate) fn add(&self, work: usize) {
        self.0.set(self.0.get().saturating_add(work));
    }

    pub(crate) fn get(&self) -> usize {
        self.0.get()
    }
}

/// What copying costs.
pub(crate) trait Weigh {
    fn weight(&self) -> usize;
}

impl Weigh for String {
    fn weight(&self) -> usize {
        50 + self.len() / 8
    }
}

impl Weigh for Rc<str> {
    fn weight(&self) -> usize {
        10
    }
}

impl<T> Weigh for Rc<T> {
    fn weight(&self) -> usize {
        10
    }
}

impl<T: Weigh> Weigh for Vec<T> {
    fn weight(&self) -> usize {
        50 + self.iter().map(Weigh::weight).sum::<usize>()
    }
}

impl<V: Weigh> Weigh for BTreeMap<String, V> {
    fn weight(&self) -> usize {
        50 + self.iter().map(|(name, value)| name.weight() + value.weight()).sum::<usize>()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Shared<T> {
    value: Rc<T>,
    meter: Meter,
}

impl<T> Shared<T> {
    pub(crate) fn new(value: T, meter: &Meter) -> Self {
        Self { value: Rc::new(value), meter: meter.clone() }
    }

    pub(crate) fn set(&mut self, value: T) {
        self.value = Rc::new(value);
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.value, &other.value)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.value == other.value
    }
}

impl<T: Clone + Weigh> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        if Rc::get_mut(&mut self.value).is_none() {
            self.meter.add(self.value.weight());
        }
        Rc::make_mut(&mut self.value)
    }
}

/// Adds what another has; nothing is copied where both are the same.
impl<V: Clone + Weigh> Shared<BTreeMap<String, V>> {
    pub(crate) fn take_over(&mut self, other: &Self) {
        if !self.is(other) {
            self.meter.add(other.weight());
            self.extend(other.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
    }
}
