//! `plimsoll_fuzz::hook_bytes` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll_fuzz::hook_bytes(bytes));
