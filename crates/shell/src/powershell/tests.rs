//! What a text in PowerShell comes down to.

use super::*;
use crate::reading::World;

struct Nowhere;

impl World for Nowhere {
    fn home(&self) -> Option<String> {
        Some("/home/me".into())
    }
    fn cwd(&self) -> String {
        "/home/me/project".into()
    }
    fn read(&self, _path: &str) -> Option<String> {
        None
    }
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

fn read(text: &str) -> Reading {
    crate::read_powershell(text, &Nowhere)
}

fn calls(text: &str) -> Vec<String> {
    read(text).calls.iter().map(crate::reading::Call::line).collect()
}
