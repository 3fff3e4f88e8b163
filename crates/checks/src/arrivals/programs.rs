//! How the files of a call arrive, by what its program's table says.

use shell::Call;
use shell::programs::{Brings, Role};

use super::options::Words;
use super::scene::Scene;
use super::{Arrivals, copying, patching, unpacking, versions};

/// What a call brings; `None` where it brings nothing, as when it only lists.
pub(super) type Read = fn(&Scene<'_>, &Words<'_>) -> Option<Arrivals>;

pub(super) fn find(call: &Call) -> Option<Read> {
    let entry = call.words().entry?;
    Some(match entry.brings {
        Some(Brings::Tar) => unpacking::tar,
        Some(Brings::Zip) => unpacking::unzip,
        Some(Brings::Seven) => unpacking::seven_zip,
        Some(Brings::Cpio) => unpacking::cpio,
        Some(Brings::Jar) => unpacking::jar,
        Some(Brings::Module) => unpacking::module,
        Some(Brings::Unar) => unpacking::unar,
        Some(Brings::Expand) => unpacking::expand_archive,
        Some(Brings::Rar) => unpacking::unrar,
        Some(Brings::Package) => unpacking::package,
        Some(Brings::Library) => unpacking::library,
        Some(Brings::Pax) => unpacking::pax,
        Some(Brings::Single) => unpacking::single,
        Some(Brings::Encoded) => unpacking::uudecode,
        Some(Brings::Patch) => patching::patch,
        Some(Brings::Envelope) => patching::envelope,
        Some(Brings::Copy) => copying::copy,
        Some(Brings::Ditto) => copying::ditto,
        Some(Brings::Mirror) => copying::rsync,
        Some(Brings::Afar) => copying::from_afar,
        Some(Brings::Apply) => patching::git_apply,
        Some(Brings::Mailbox) => patching::git_am,
        Some(Brings::Stash) => versions::stash,
        Some(Brings::Checkout) => versions::checkout,
        Some(Brings::Restore) => versions::restore,
        Some(Brings::Switch) => versions::switch,
        Some(Brings::Merge) => versions::merge,
        Some(Brings::Rebase) => versions::rebase,
        Some(Brings::Reset) => versions::reset,
        Some(Brings::Tree) => versions::read_tree,
        Some(Brings::Pick) => versions::pick,
        None => {
            let remote = |role: Role| matches!(role, Role::Remote);
            let from_afar = entry.operands.unwrap_or_default().iter().any(|operand| remote(operand.role));
            return (from_afar && !entry.style.service).then_some(copying::from_afar);
        }
    })
}
