//! Where packages come from. The tables name these by their words; `build.rs` reads this file too.

macro_rules! registries {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Registry { $($(#[$doc])* $name,)* }

        impl Registry {
            /// Every one with the word that tables use for it, and its name here.
            pub const ALL: &[(&str, &str)] = &[$(($word, stringify!($name)),)*];

            pub const fn word(self) -> &'static str {
                match self { $(Registry::$name => $word,)* }
            }
        }
    };
}

registries! {
    Pypi "pypi",
    Npm "npm",
    Crates "crates",
    /// Modules of Go, by their paths.
    Go "go",
    RubyGems "rubygems",
}
