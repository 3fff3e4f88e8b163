//! What a packer prints, and what is known of what it packs.

use crate::programs::decoded::Decoded;
use crate::programs::{Brings, Role};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::secret::is_secret_path;
use crate::state::State;
use crate::text::{ANY, DECODED, NET, SECRET, is_known};

impl Reader<'_> {
    pub(super) fn archive(
        &mut self,
        words: &Decoded,
        args: &[&str],
        argv: &[Arg],
        state: &mut State,
    ) -> String {
        let mut secret = self.secret_in(args, state);
        if secret.is_empty() && args.iter().any(|arg| self.holds_secret(arg, state)) {
            secret.push(SECRET);
        }
        let written = words.given(argv).find(|(role, _)| *role == Role::Write).map(|(_, file)| file);
        let archive = written.or_else(|| words.last("file", argv));
        if let Some(archive) = archive.filter(|file| *file != "-" && !secret.is_empty()) {
            let path = state.absolute(archive);
            state.write(path, secret.clone());
        }
        if self.is_from_network(args, state) {
            let spec = words.operand_spec().unwrap_or_default();
            if spec.iter().any(|operand| operand.role == Role::Unpack) {
                self.from_network = true;
                return String::new();
            }
            return NET.to_string();
        }
        // What is in an archive is as good as encoded: nobody has read it.
        let prints: &[&str] = match words.entry.and_then(|entry| entry.brings) {
            Some(Brings::Tar | Brings::Cpio) => &["to-stdout", "O"],
            Some(Brings::Zip) => &["p"],
            Some(Brings::Seven) => &["so"],
            _ => &[],
        };
        let taken_out = prints.iter().any(|option| words.has(option));
        secret + &if taken_out { DECODED } else { ANY }.to_string()
    }

    /// Whether an archive came over the network: on stdin, or as a file that this script has fetched.
    pub(super) fn is_from_network(&self, args: &[&str], state: &State) -> bool {
        let fetched =
            |arg: &&str| state.files.get(&state.absolute(arg)).is_some_and(|text| text.contains(NET));
        state.stdin.as_deref().is_some_and(|text| text.contains(NET)) || args.iter().any(fetched)
    }

    /// Whether this very command has put a secret into a folder, or a link to one.
    fn holds_secret(&self, folder: &str, state: &State) -> bool {
        if state.files.is_empty() && state.links.is_empty() || folder.starts_with('-') || !is_known(folder) {
            return false;
        }
        let folder = state.absolute(folder);
        let below = |path: &str| path != folder && crate::path::is_below(path, &folder);
        let home = self.home_ref();
        state
            .files
            .iter()
            .any(|(path, text)| below(path) && (text.contains(SECRET) || is_secret_path(path, home)))
            || state.links.iter().any(|(path, target)| below(path) && is_secret_path(target, home))
    }
}
