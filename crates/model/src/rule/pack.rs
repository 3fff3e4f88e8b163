//! Rules as bytes and back. Lengths first, no names: the form is ours, its version stands in the book, and what does not read to its end
//! is not believed.

use super::{Adds, Author, Call, Frame, Install, Mcp, Rule, Text, Then, When};

/// Something that can be written as bytes.
pub(super) trait Pack: Sized {
    fn pack(&self, out: &mut Vec<u8>);
    /// `None` where the bytes are not what was written.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

impl Pack for u32 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let (first, rest) = from.split_first_chunk::<4>()?;
        *from = rest;
        Some(u32::from_le_bytes(*first))
    }
}

impl Pack for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let (first, rest) = from.split_first()?;
        *from = rest;
        (*first < 2).then_some(*first == 1)
    }
}

fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Pack for String {
    fn pack(&self, out: &mut Vec<u8>) {
        length(self.len()).pack(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let count = usize::try_from(u32::unpack(from)?).ok()?;
        let (text, rest) = from.split_at_checked(count)?;
        *from = rest;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        length(self.len()).pack(out);
        self.iter().for_each(|one| one.pack(out));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let count = usize::try_from(u32::unpack(from)?).ok()?;
        // Each takes a byte at least, so that a wrong count asks for no memory.
        if count > from.len() {
            return None;
        }
        (0..count).map(|_| T::unpack(from)).collect()
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        if let Some(one) = self {
            one.pack(out);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        if bool::unpack(from)? { T::unpack(from).map(Some) } else { Some(None) }
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

macro_rules! packed {
    ($($type:ident { $($field:ident),* $(,)? })*) => {$(
        impl Pack for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                $(self.$field.pack(out);)*
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Pack::unpack(from)?,)* })
            }
        }
    )*};
}

packed! {
    Rule { id, by, file, line, when, then, say, instead, rewrite, overrides }
    When { call, write, read, delete, adds, fetch, send, mcp, install, sql, refs, prompt, frame }
    Call { program, words, begins, options, not_options, option, any_word, no_word, operand, variable, exact }
    Adds { line, text, new }
    Mcp { server, tool, argument }
    Install { package, from }
    Frame { cwd, branch, profile, mode, agent, tool }
    Text { like, unlike }
}

/// One of a list, by its place in it.
macro_rules! packed_choice {
    ($($type:ident: $($variant:ident)*;)*) => {$(
        impl Pack for $type {
            fn pack(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                let (first, rest) = from.split_first()?;
                *from = rest;
                [$($type::$variant),*].into_iter().find(|one| *one as u8 == *first)
            }
        }
    )*};
}

packed_choice! {
    Author: User Shared Project Policy;
    Then: Deny Ask Allow Warn Context Rewrite;
}
