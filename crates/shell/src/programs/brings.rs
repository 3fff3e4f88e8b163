//! How files arrive by a program, whose names stand in an archive, a patch or a version and not in its words. The tables name these by
//! their words; `build.rs` reads this file too.

macro_rules! brings {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Brings { $($(#[$doc])* $name,)* }

        impl Brings {
            /// Every one with the word that tables use for it, and its name here.
            pub const ALL: &[(&str, &str)] = &[$(($word, stringify!($name)),)*];
        }
    };
}

brings! {
    /// Archives, each with options of its own.
    Tar "tar",
    Zip "zip",
    Seven "seven",
    Cpio "cpio",
    Jar "jar",
    Module "module",
    Unar "unar",
    Expand "expand",
    Rar "rar",
    Package "package",
    Library "library",
    Pax "pax",
    /// One file, under the name that is left without its ending.
    Single "single",
    /// Text that names the files in it.
    Encoded "encoded",
    Patch "patch",
    /// The form of coding agents, which begins with `*** Begin Patch`.
    Envelope "envelope",
    /// Whole folders.
    Copy "copy",
    Ditto "ditto",
    Mirror "mirror",
    /// From another machine or a container.
    Afar "afar",
    /// What a version system puts in place of what is there.
    Apply "apply",
    Mailbox "mailbox",
    Stash "stash",
    Checkout "checkout",
    Restore "restore",
    Switch "switch",
    Merge "merge",
    Rebase "rebase",
    Reset "reset",
    Tree "tree",
    Pick "pick",
}
