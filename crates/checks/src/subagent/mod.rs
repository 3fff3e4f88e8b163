//! Subagents, at their start and at their end.

crate::group! {}
