//! Clocks, variables and programs. A part of `Facts`.

use crate::environment::Variable;

pub trait Surroundings {
    /// Seconds since 1970.
    fn now(&self) -> u64;

    /// Microseconds on a clock that only goes forward.
    fn micros(&self) -> u64;

    fn env(&self, variable: &Variable) -> Option<String>;

    /// Whether a program of this name is on PATH.
    fn has_program(&self, name: &str) -> bool;
}
