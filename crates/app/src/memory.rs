//! Memory for what a hook call needs, which is some hundreds of small pieces for a millisecond. The C library's allocator is made for
//! programs that run on: its first pieces are its dearest, and they were a third of what a whole call costs.
//!
//! Small pieces of the main thread are cut from one block and, when they are given back, kept by their size for whoever needs as
//! much next. Everything else is the C library's: large pieces, other threads, and what is asked for once the block is used up.

#![expect(unsafe_code, reason = "an allocator hands out places in memory")]
#![expect(clippy::cast_ptr_alignment, reason = "pieces lie at multiples of `STEP`")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr;

/// Touched only as far as it is used.
const BLOCK: usize = 4 * 1024 * 1024;
/// Sizes are rounded up to these steps, which is also how pieces are aligned.
const STEP: usize = 16;
const LARGEST: usize = 1024;

#[derive(Debug)]
pub struct Memory;

#[repr(align(16))]
struct Block(UnsafeCell<[MaybeUninit<u8>; BLOCK]>);

/// What only the main thread looks at.
struct Main {
    /// Bytes of the block that were cut so far.
    used: Cell<usize>,
    /// For each size the piece that was given back last; its first bytes say which was before it.
    free: [Cell<*mut u8>; LARGEST / STEP + 1],
}

static ROOM: Block = Block(UnsafeCell::new([MaybeUninit::uninit(); BLOCK]));
static MAIN: Main =
    Main { used: Cell::new(0), free: [const { Cell::new(ptr::null_mut()) }; LARGEST / STEP + 1] };

// SAFETY: other threads only compare addresses of the block, and write to pieces that they were given.
unsafe impl Sync for Block {}
// SAFETY: whoever reads or changes it has asked `is_main` first.
unsafe impl Sync for Main {}

thread_local! {
    static IS_MAIN: Cell<bool> = const { Cell::new(false) };
}

/// From here on this thread, the first, takes its pieces from the block.
pub fn begin() {
    IS_MAIN.set(true);
}

fn is_main() -> bool {
    IS_MAIN.get()
}

fn in_block(piece: *mut u8) -> bool {
    (piece as usize).wrapping_sub(ROOM.0.get() as usize) < BLOCK
}

fn steps(size: usize) -> usize {
    size.div_ceil(STEP)
}

fn is_small(layout: Layout) -> bool {
    layout.size() <= LARGEST && layout.align() <= STEP
}

// SAFETY: a piece of the block belongs to one owner from `alloc` to `dealloc`, is as long as its size rounded up, and lies at a
// multiple of `STEP`; what is not in the block is the system's, from first to last.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_small(layout) || !is_main() {
            return unsafe { System.alloc(layout) };
        }
        let steps = steps(layout.size());
        let free = &MAIN.free[steps];
        let piece = free.get();
        if !piece.is_null() {
            free.set(unsafe { piece.cast::<*mut u8>().read() });
            return piece;
        }
        let (used, size) = (MAIN.used.get(), steps * STEP);
        if BLOCK - used < size {
            return unsafe { System.alloc(layout) };
        }
        MAIN.used.set(used + size);
        unsafe { ROOM.0.get().cast::<u8>().add(used) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_small(layout) || !is_main() {
            return unsafe { System.alloc_zeroed(layout) };
        }
        let piece = unsafe { self.alloc(layout) };
        if !piece.is_null() {
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if !in_block(piece) {
            return unsafe { System.dealloc(piece, layout) };
        }
        // A piece that another thread gives back is lost until the end, which is near.
        if is_main() {
            let free = &MAIN.free[steps(layout.size())];
            unsafe { piece.cast::<*mut u8>().write(free.get()) };
            free.set(piece);
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !in_block(piece) {
            return unsafe { System.realloc(piece, layout, size) };
        }
        if steps(layout.size()) == steps(size) {
            return piece;
        }
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            unsafe {
                ptr::copy_nonoverlapping(piece, new, layout.size().min(size));
                self.dealloc(piece, layout);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    /// One test, because in its process one thread is the first.
    #[test]
    fn pieces_come_back_grow_and_leave_the_block() {
        begin();
        unsafe {
            let one = Memory.alloc(layout(24));
            assert!(in_block(one) && (one as usize).is_multiple_of(STEP));
            one.write_bytes(7, 24);
            let two = Memory.alloc(layout(24));
            assert_ne!(one, two);
            assert_eq!(Memory.realloc(one, layout(24), 32), one, "there is room to the next step");
            let grown = Memory.realloc(one, layout(32), 3000);
            assert!(!in_block(grown) && std::slice::from_raw_parts(grown, 24) == [7; 24]);
            assert_eq!(Memory.alloc(layout(32)), one, "what was given back");
            Memory.dealloc(one, layout(32));
            let clean = Memory.alloc_zeroed(layout(32));
            assert!(clean == one && std::slice::from_raw_parts(clean, 32) == [0; 32]);
            Memory.dealloc(clean, layout(32));
            Memory.dealloc(two, layout(24));
            Memory.dealloc(grown, layout(3000));
        }
        // Another thread has the system's.
        let piece = unsafe { Memory.alloc(layout(48)) } as usize;
        std::thread::spawn(move || unsafe {
            let own = Memory.alloc(layout(48));
            assert!(!in_block(own));
            Memory.dealloc(own, layout(48));
            Memory.dealloc(piece as *mut u8, layout(48));
        })
        .join()
        .unwrap();
    }
}
