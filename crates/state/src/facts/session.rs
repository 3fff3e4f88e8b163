//! This session and others: what was said, held and changed in it: answered from disk.

use std::path::PathBuf;

use model::{Autonomy, Held, Mail, Owner, Session, SessionChanges, Unknown};

use super::DiskFacts;
use crate::{autonomy, client, files, mail, owner, session, session_changes, strikes};

impl Session for DiskFacts<'_> {
    fn was_said(&self, what: &str) -> bool {
        session::said_file(self.machine, self.project, self.session, what).exists()
    }

    fn said_text(&self, what: &str) -> Option<String> {
        files::read(&session::said_file(self.machine, self.project, self.session, what)).ok().flatten()
    }

    fn mail(&self) -> Vec<Mail> {
        mail::waiting(self.project, self.session)
    }

    fn held(&self, by: &str) -> Option<Held> {
        session::held(self.project, self.session, by)
    }

    fn strikes(&self, gate: &str, about: u64) -> u64 {
        let beside = |call: &str| self.transcript.is_some_and(|transcript| transcript.is_beside(call));
        strikes::count(self.machine, self.project, self.session, self.belief, gate, about, &beside)
    }

    fn session_changes(&self) -> Result<SessionChanges, Unknown> {
        let since = || {
            session_changes::since(self.machine, self.project, self.session, self.belief)
                .map_err(|error| Unknown(error.to_string()))
        };
        self.known.changes.get_or_init(since).clone()
    }

    fn code_version(&self) -> String {
        session_changes::version(self.project, &self.session_changes().unwrap_or_default())
    }

    fn is_the_client(&self) -> bool {
        *self.known.is_the_client.get_or_init(|| client::speaks(self.machine, self.project, self.session))
    }

    fn autonomy(&self) -> Option<Autonomy> {
        autonomy::active(
            self.machine,
            self.project,
            self.session,
            &self.cwd,
            &self.loaded.config,
            self.belief,
        )
    }

    fn stale_autonomy(&self) -> Vec<PathBuf> {
        let hours = self.loaded.config.autonomy_ttl_hours;
        // What cannot be read is not removed either.
        autonomy::stale(self.machine, self.project, self.session, hours).unwrap_or_default()
    }

    fn other_session(&self) -> Option<Owner> {
        owner::other(self.machine, self.project, self.session, self.belief)
    }
}
