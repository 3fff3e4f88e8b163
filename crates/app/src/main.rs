//! The `plimsoll` program. What it does is in the library; this is the door.

#![cfg_attr(all(target_os = "linux", target_env = "gnu"), no_main)]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod entry;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static MEMORY: plimsoll::memory::Memory = plimsoll::memory::Memory;

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(plimsoll::main())
}
