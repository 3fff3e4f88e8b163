//! What a program prints, where that can be said from its words and what comes in. The tables name these by their words; `build.rs`
//! reads this file too. `simulate` works them out.

macro_rules! outputs {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Output { $($(#[$doc])* $name,)* }

        impl Output {
            /// Every one with the word that tables use for it, and its name here.
            pub const ALL: &[(&str, &str)] = &[$(($word, stringify!($name)),)*];
        }
    };
}

outputs! {
    /// Its words.
    Echo "echo",
    /// Its words in the form that the first of them says.
    Printf "printf",
    /// The folder that it is in.
    Folder "folder",
    /// The name of a new temporary file.
    Temporary "temporary",
    Numbers "numbers",
    /// Its words, again and again.
    Again "again",
    /// What comes in, which it also writes to files.
    Through "through",
    /// An archive, or nothing while it unpacks one.
    Archive "archive",
    /// What a cipher makes of text.
    Cipher "cipher",
    /// Text in a packed form; backwards with an option.
    Packed "packed",
    /// What was packed.
    Unpacked "unpacked",
    /// What it reads.
    Same "same",
    /// The same, where it is one line.
    Line "line",
    /// Lines from the last to the first.
    Upward "upward",
    /// Each line from its end to its beginning.
    Backward "backward",
    /// Text that is turned into another, in a way that is not followed.
    Turned "turned",
    First "first",
    Last "last",
    /// Parts of each line.
    Parts "parts",
    Sorted "sorted",
    /// Lines that differ from the one before.
    Distinct "distinct",
    /// Letters that become others.
    Letters "letters",
    /// Lines that are joined.
    Joined "joined",
    /// What the commands of a stream editor make of it.
    Edited "edited",
    /// Lines that a pattern fits.
    Matching "matching",
    /// What a small program makes of each line.
    Program "program",
    Base64 "base64",
    Base32 "base32",
    /// One of several such forms, by an option.
    Encoded "encoded",
    Hex "hex",
    /// The folder of a path.
    Parent "parent",
    /// The last name of a path.
    Name "name",
    /// A path without links in it.
    Resolved "resolved",
    /// Where a program lies.
    Located "located",
    /// Names in a folder.
    Listing "listing",
    /// Accounts, with their homes.
    Accounts "accounts",
    /// The numbers of all processes.
    Processes "processes",
    /// The number of one, by its name.
    Process "process",
    /// Variables with their values, or what was typed.
    Variables "variables",
    /// What was typed before.
    Past "past",
    /// What a query finds in a document.
    Query "query",
    /// The result of a calculation, or a text in it.
    Result "result",
    /// Something that says nothing about its words.
    Other "other",
}
