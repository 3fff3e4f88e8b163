//! The program from outside: one file per command, of the same name. `world.rs` is what they share.

#![expect(
    clippy::disallowed_methods,
    reason = "tests make a world on disk and look at what the program did to it"
)]
#![expect(
    clippy::unwrap_used,
    reason = "tests: what cannot be prepared is a failure, and the line says which"
)]
#![expect(clippy::print_stderr, reason = "tests that need something from outside say why they did not run")]

mod after;
mod agents;
mod allow;
mod alone_faults;
mod approve;
mod arrivals;
mod autonomy;
mod belief;
mod binary;
mod broken_tools;
mod change_types;
#[cfg(feature = "engines")]
mod check;
mod check_reports;
mod checkpoint;
mod checkpoint_linters;
#[cfg(feature = "telemetry")]
mod collector;
mod compat;
mod compat_autonomy;
mod compat_linter;
mod completions;
mod config;
mod corpus;
mod doctor;
mod documented;
mod ended;
mod explain;
mod faults;
mod guardian;
mod hook;
#[cfg(target_os = "linux")]
mod hostile;
mod init;
mod install;
mod lint;
mod live;
mod live_agents;
mod load;
mod log;
mod managed;
mod memory;
mod needs;
mod own_lines;
mod own_parts;
mod own_tools;
mod packages;
mod parallel;
mod personal;
mod picture;
mod private;
mod quality;
#[cfg(feature = "telemetry")]
mod receiver;
mod replay;
mod report;
#[cfg(feature = "second-opinion")]
mod reviewers;
mod rules;
#[cfg(feature = "second-opinion")]
mod second_opinion;
mod selftest;
mod session;
mod stats;
mod status;
mod stop;
#[cfg(feature = "telemetry")]
mod telemetry;
mod terminal;
mod tools;
mod trust;
mod try_session;
#[cfg(feature = "engine-types")]
mod types;
mod uninstall;
#[cfg(target_os = "linux")]
mod watched;
mod work;
mod worktree;
mod world;
