//! `Facts`, answered from a table.

mod session;
mod world;
