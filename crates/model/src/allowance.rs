//! What the user lets an agent do for a while: `plimsoll allow`. Known by what a command comes down to, not by its text.

/// What a command comes down to, in a form that can be kept and compared: the same calls in another wrapper or quoting give the
/// same, another word, folder, variable or input gives another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// One for each call, in order.
    pub calls: Vec<String>,
    /// Code besides the calls: what interpreters run.
    pub besides: Vec<String>,
}

/// One that is in force for the event that is being judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    pub id: String,
    /// The command as the user wrote it.
    pub text: String,
    pub signature: Signature,
    /// It ends with its first use.
    pub once: bool,
    /// The call that has used it: some clients ask two hooks about one call, and both must answer the same.
    pub spent: Option<String>,
}
