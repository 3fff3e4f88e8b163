//! The language of the tables in `python` and `javascript`: a manager has forms, a form says what stands for a verb and what
//! becomes of its options. `translate` reads them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ecosystem {
    Python,
    JavaScript,
}

impl Ecosystem {
    pub(super) const ALL: [Ecosystem; 2] = [Ecosystem::Python, Ecosystem::JavaScript];

    /// The program that takes the place of the others.
    pub(super) fn preferred(self) -> &'static str {
        match self {
            Ecosystem::Python => "uv",
            Ecosystem::JavaScript => "bun",
        }
    }

    /// As one does it on this system.
    pub(super) fn install_hint(self) -> &'static str {
        match (self, cfg!(target_os = "macos"), cfg!(windows)) {
            (Ecosystem::Python, true, _) => "brew install uv",
            (Ecosystem::Python, _, true) => "winget install astral-sh.uv",
            (Ecosystem::Python, ..) => "pipx install uv, or see https://docs.astral.sh/uv",
            (Ecosystem::JavaScript, true, _) => "brew install oven-sh/bun/bun",
            (Ecosystem::JavaScript, _, true) => "winget install Oven-sh.Bun",
            (Ecosystem::JavaScript, ..) => "see https://bun.com/docs/installation",
        }
    }
}

/// A package manager to be replaced.
pub(super) struct Manager {
    /// As answers name it.
    pub(super) name: &'static str,
    /// Its key in `allowed_subcommands`.
    pub(super) key: &'static str,
    pub(super) ecosystem: Ecosystem,
    /// Whether its first word that is not an option says what to do.
    pub(super) has_verbs: bool,
    /// Options that any of its verbs may have, also before the verb.
    pub(super) options: &'static [Opt],
    /// The first that fits counts; where none does there is no equivalent.
    pub(super) forms: &'static [Form],
}

/// What becomes of an option.
#[derive(Clone, Copy)]
pub(super) enum To {
    Same,
    Gone,
    /// Another name; the value, if it has one, stays.
    Name(&'static str),
    /// Another name, once for each part of a list.
    Each(&'static str),
    /// This, in place of the option and its value.
    Instead(&'static str),
}

/// An option whose value must be known or that has another name on the other side. All others stay as they are.
#[derive(Clone, Copy)]
pub(super) struct Opt {
    pub(super) names: &'static [&'static str],
    pub(super) valued: bool,
    /// Counts only with this value.
    pub(super) only: Option<&'static str>,
    pub(super) to: To,
}

const fn opt(names: &'static [&'static str], valued: bool, to: To) -> Opt {
    Opt { names, valued, only: None, to }
}

/// A flag that stays, where another table says otherwise.
pub(super) const fn flag(names: &'static [&'static str]) -> Opt {
    opt(names, false, To::Same)
}

pub(super) const fn valued(names: &'static [&'static str]) -> Opt {
    opt(names, true, To::Same)
}

pub(super) const fn gone(names: &'static [&'static str]) -> Opt {
    opt(names, false, To::Gone)
}

pub(super) const fn gone_valued(names: &'static [&'static str]) -> Opt {
    opt(names, true, To::Gone)
}

pub(super) const fn renamed(names: &'static [&'static str], to: &'static str) -> Opt {
    opt(names, false, To::Name(to))
}

pub(super) const fn renamed_valued(names: &'static [&'static str], to: &'static str) -> Opt {
    opt(names, true, To::Name(to))
}

pub(super) const fn each(names: &'static [&'static str], to: &'static str) -> Opt {
    opt(names, true, To::Each(to))
}

/// `names` with this very value.
pub(super) const fn instead(names: &'static [&'static str], value: &'static str, to: &'static str) -> Opt {
    Opt { names, valued: true, only: Some(value), to: To::Instead(to) }
}

/// When a form fits, besides its verb.
#[derive(Clone, Copy)]
pub(super) enum When {
    Always,
    /// Nothing is named.
    Bare,
    /// Something is named.
    Operands,
    /// Something is named of which this holds.
    Operand(fn(&str) -> bool),
    /// One of these options is there.
    Option(&'static [&'static str]),
    /// The project has a script of this name.
    Script(&'static str),
}

/// How the words after the verb are carried over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Options by the tables, operands as they are.
    Translated,
    /// Options by the tables; from the first operand on everything as it is, because it belongs to what is started.
    Command,
    /// The same, but the first `--` goes.
    CommandWithoutDashes,
    /// As npm reads it: known options count wherever they stand before `--`.
    Script,
    /// Everything as it is: after the name of a script, options are the script's.
    Verbatim,
    /// Not at all.
    Nothing,
}

#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The verb is one of these, `""` for none; one of two words is a verb and its own verb. An empty list is any.
    pub(super) verbs: &'static [&'static str],
    pub(super) when: When,
    /// Takes the place of program and verb; `{verb}` is the verb, and `{options}` where options go if not to the end.
    pub(super) into: &'static str,
    pub(super) rest: Rest,
    /// Said where something should be named and is not.
    pub(super) missing: &'static str,
    /// Stands before every operand.
    pub(super) each: &'static str,
    /// Go before those of the manager.
    pub(super) options: &'static [Opt],
    /// An operand in the other's words.
    pub(super) operand: Option<fn(&str) -> Option<String>>,
}

pub(super) const fn form(verbs: &'static [&'static str], into: &'static str) -> Form {
    Form {
        verbs,
        when: When::Always,
        into,
        rest: Rest::Translated,
        missing: "",
        each: "",
        options: &[],
        operand: None,
    }
}

impl Form {
    pub(super) const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    pub(super) const fn missing(self, missing: &'static str) -> Self {
        Self { missing, ..self }
    }

    pub(super) const fn each(self, each: &'static str) -> Self {
        Self { each, ..self }
    }

    pub(super) const fn options(self, options: &'static [Opt]) -> Self {
        Self { options, ..self }
    }

    pub(super) const fn operand(self, operand: fn(&str) -> Option<String>) -> Self {
        Self { operand: Some(operand), ..self }
    }

    pub(super) const fn command(self) -> Self {
        Self { rest: Rest::Command, ..self }
    }

    pub(super) const fn command_without_dashes(self) -> Self {
        Self { rest: Rest::CommandWithoutDashes, ..self }
    }

    pub(super) const fn script(self) -> Self {
        Self { rest: Rest::Script, ..self }
    }

    pub(super) const fn verbatim(self) -> Self {
        Self { rest: Rest::Verbatim, ..self }
    }

    pub(super) const fn nothing(self) -> Self {
        Self { rest: Rest::Nothing, ..self }
    }
}
