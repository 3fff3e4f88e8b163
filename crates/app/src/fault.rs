//! Why a command could not do what was asked, where a caller acts differently upon it: each kind has its exit code. Everything else
//! is `exit::FAILED`.

use std::io;

use thiserror::Error;

use crate::exit;

#[derive(Debug, Error)]
pub(crate) enum Fault {
    /// The command line names something that is not there to be named: a check, an agent, a linter, a rule.
    #[error("{0}")]
    Usage(String),
    /// A file of settings or rules is not what it must be.
    #[error("{0}")]
    Configuration(String),
    /// The machine lacks something: a home directory, room on the disk, a permission.
    #[error("{0}")]
    Environment(String),
}

impl Fault {
    /// Of an error that a value of the command line has led to.
    pub(crate) fn usage(error: impl std::error::Error) -> Self {
        Fault::Usage(error.to_string())
    }

    fn code(&self) -> u8 {
        match self {
            Fault::Usage(_) => exit::BLOCKED,
            Fault::Configuration(_) => exit::CONFIGURATION,
            Fault::Environment(_) => exit::ENVIRONMENT,
        }
    }
}

/// The exit code for an error of a command.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    if let Some(fault) = error.downcast_ref::<Fault>() {
        return fault.code();
    }
    let of_the_machine = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| {
            use io::ErrorKind::{
                OutOfMemory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
            };
            let kinds = [OutOfMemory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull];
            kinds.contains(&error.kind())
        })
    };
    if error.chain().any(of_the_machine) { exit::ENVIRONMENT } else { exit::FAILED }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn each_kind_has_its_code_through_every_context() {
        let wrapped = |fault: Fault| anyhow::Error::new(fault).context("while doing it");
        assert_eq!(code(&wrapped(Fault::Usage("unknown check x".into()))), 2);
        assert_eq!(code(&wrapped(Fault::Configuration("it is not JSON".into()))), 78);
        assert_eq!(code(&wrapped(Fault::Environment("there is no home".into()))), 69);
        let missing: Option<u8> = None;
        assert_eq!(code(&missing.with_context(|| Fault::Usage("unknown".into())).unwrap_err()), 2);
        assert_eq!(code(&anyhow::anyhow!("nothing to approve")), 1);
    }

    #[test]
    fn what_the_machine_refuses_is_told_from_what_is_not_there() {
        let error = |kind: io::ErrorKind| anyhow::Error::new(io::Error::from(kind)).context("the file");
        assert_eq!(code(&error(io::ErrorKind::StorageFull)), 69);
        assert_eq!(code(&error(io::ErrorKind::PermissionDenied)), 69);
        assert_eq!(code(&error(io::ErrorKind::NotFound)), 1);
    }
}
