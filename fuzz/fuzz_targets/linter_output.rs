//! `plimsoll_fuzz::linter_output` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll_fuzz::linter_output(bytes));
