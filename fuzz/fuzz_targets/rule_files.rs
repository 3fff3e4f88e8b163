//! `plimsoll_fuzz::rule_files` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll_fuzz::rule_files(bytes));
