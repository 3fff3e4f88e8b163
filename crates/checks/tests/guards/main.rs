//! The guards as one: thousands of commands, the same commands wrapped and quoted, what they are told to do instead, and inputs
//! that are made to break the reader. What a single check says is in its case file.

mod corpus;
mod hostile;
mod judge;
mod powershell;
mod suggestions;
mod tools;
mod wrapping;
