//! Exit codes, as documented constants. In hook mode only the first and the third occur.

/// What an exit code means.
#[derive(Clone, Copy, Debug)]
pub struct ExitMeaning {
    pub code: u8,
    pub doc: &'static str,
}

pub(crate) const OK: u8 = 0;
pub(crate) const FAILED: u8 = 1;
pub(crate) const BLOCKED: u8 = 2;
pub(crate) const ENVIRONMENT: u8 = 69;
pub(crate) const BUG: u8 = 70;
pub(crate) const CONFIGURATION: u8 = 78;

pub static EXIT_CODES: &[ExitMeaning] = &[
    ExitMeaning { code: OK, doc: "Done. From `hook`: no objection, or an answer on stdout." },
    ExitMeaning {
        code: FAILED,
        doc: "The command could not do what was asked; one line on stderr says why. Never from `hook`.",
    },
    ExitMeaning {
        code: BLOCKED,
        doc: "From `hook`: stderr is for the agent. From other commands: wrong arguments, or a name that is not known.",
    },
    ExitMeaning {
        code: ENVIRONMENT,
        doc: "The machine lacks something: a home directory, room on the disk, a permission. Never from `hook`.",
    },
    ExitMeaning {
        code: BUG,
        doc: "A fault in Plimsoll itself. Never from `hook`, where such a fault becomes a question to the user.",
    },
    ExitMeaning {
        code: CONFIGURATION,
        doc: "A file of settings or rules is not what it must be; one line on stderr says where. Never from `hook`.",
    },
];
