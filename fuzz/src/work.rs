//! Work without a clock: what is allocated while something runs. Reading a command copies text and little else, so bytes
//! are a measure of it that is the same on every machine and in every run.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

#[derive(Debug)]
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: usize) {
    // While a thread ends its counter is gone; nobody asks any more.
    let _ = BYTES.try_with(|counter| counter.set(counter.get().wrapping_add(bytes)));
}

// SAFETY: every call goes to the system's allocator as it is; only a number is changed beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the promises that `alloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` or `realloc` of the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the pointer came from `alloc` or `realloc` of the same allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What `work` gives, and the bytes that it allocated on the way.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = BYTES.get();
    let result = work();
    (result, BYTES.get().wrapping_sub(before))
}
