//! In the place of the crate `inventory`, for salsa, which ty's checker is built on.
//!
//! The original has a function run before `main` for each thing that is submitted. With ty there are more than two hundred, all over
//! the executable: three megabytes of it were read at the start of every hook, and most hooks never look at a type. Here the linker
//! puts them beside each other, and they are read when somebody asks.

use std::any::Any;

#[doc(hidden)]
pub use linkme;

#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Entry {
    pub value: &'static (dyn Any + Sync),
}

/// Everything of every type.
#[doc(hidden)]
#[linkme::distributed_slice]
pub static ENTRIES: [Entry];

/// Everything of this type that was submitted anywhere in the program.
pub fn iter<T: Any>() -> impl Iterator<Item = &'static T> {
    ENTRIES.iter().filter_map(|entry| {
        let value: &'static dyn Any = entry.value;
        value.downcast_ref()
    })
}

/// Says that things of this type are submitted. Nothing needs to know.
#[macro_export]
macro_rules! collect {
    ($type:ty) => {};
}

#[macro_export]
macro_rules! submit {
    ($($value:tt)*) => {
        const _: () = {
            #[$crate::linkme::distributed_slice($crate::ENTRIES)]
            #[linkme(crate = $crate::linkme)]
            static ENTRY: $crate::Entry = $crate::Entry { value: &{ $($value)* } };
        };
    };
}

#[cfg(test)]
mod tests {
    use crate as inventory;

    #[derive(Debug, PartialEq)]
    struct Flag(&'static str);
    struct Other;

    inventory::collect!(Flag);
    inventory::submit! { Flag("verbose") }
    inventory::submit! { Other }

    #[test]
    fn what_was_submitted_is_found_by_its_type() {
        assert_eq!(inventory::iter::<Flag>().collect::<Vec<_>>(), [&Flag("verbose")]);
        assert_eq!(inventory::iter::<Other>().count(), 1);
        assert_eq!(inventory::iter::<u8>().count(), 0);
    }
}
