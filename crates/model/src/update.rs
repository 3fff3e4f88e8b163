//! The state of the harness's checkout, as a session that begins sees it.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// The last look was long enough ago.
    pub due: bool,
    /// What waits for the client to be started anew.
    pub restart: Option<String>,
}
