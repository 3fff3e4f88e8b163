//! `plimsoll_fuzz::shell_parse` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll_fuzz::shell_parse(bytes));
