//! The C entry point, in place of the standard library's. Its own start-up reads `/proc/self/maps` and sets up a second stack
//! for reporting overflows, which takes an eighth of the time that a whole hook call has. Only where glibc hands the arguments
//! to `std` by itself; elsewhere the ordinary `main` is used.

use std::ffi::{c_char, c_int};
use std::io::Write;

#[expect(unsafe_code, reason = "the symbol that the C runtime calls")]
#[unsafe(no_mangle)]
extern "C" fn main(_argc: c_int, _argv: *const *const c_char) -> c_int {
    plimsoll::memory::begin();
    ignore_broken_pipes();
    let code = plimsoll::main();
    // The standard library's own exit would have done this.
    let _ = std::io::stdout().flush();
    c_int::from(code)
}

/// As the standard library does: a child that closes its input early is an error to handle, not the end of us.
#[expect(unsafe_code, reason = "no safe call for it, and nothing else runs yet")]
fn ignore_broken_pipes() {
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}
