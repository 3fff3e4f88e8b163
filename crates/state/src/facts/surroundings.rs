//! Clocks, variables and programs: answered from disk.

use model::Surroundings;
use model::environment::Variable;

use super::DiskFacts;

impl Surroundings for DiskFacts<'_> {
    fn now(&self) -> u64 {
        self.machine.now()
    }

    fn micros(&self) -> u64 {
        self.machine.micros()
    }

    fn env(&self, variable: &Variable) -> Option<String> {
        self.machine.var(variable).filter(|_| !self.loaded.config.floor.silences(variable))
    }

    fn has_program(&self, name: &str) -> bool {
        self.machine.find_program(name).is_some()
    }
}
