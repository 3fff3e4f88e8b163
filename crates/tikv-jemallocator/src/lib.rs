//! In the place of the crate `tikv-jemallocator`, for rumdl.
//!
//! rumdl's program allocates with it, its library does not; but a dependency is of the package, not of the program. The original
//! compiles a C library for nearly two minutes of processor time, which nothing here would call.
