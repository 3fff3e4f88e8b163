//! `plimsoll_fuzz::archive_names` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll_fuzz::archive_names(bytes));
