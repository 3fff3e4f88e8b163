//! The words of a call: flags, operands, subcommands.

use shell::{Arg, Call};

/// The words that are not options; options in `values` take the next word with them.
pub(crate) fn operands<'a>(args: &'a [Arg], values: &[&str]) -> Vec<&'a Arg> {
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        if arg.text == "--" {
            found.extend(&args[index + 1..]);
            break;
        }
        if arg.text.starts_with('-') && arg.text.len() > 1 {
            if values.contains(&arg.text.as_str()) {
                index += 1;
            }
        } else {
            found.push(arg);
        }
        index += 1;
    }
    found
}

/// The value of an option, in the next word or after `=`.
pub(crate) fn value<'a>(call: &'a Call, names: &[&str]) -> Option<&'a str> {
    let args = call.args();
    for (index, arg) in args.iter().enumerate() {
        for name in names {
            if arg.text == *name {
                return args.get(index + 1).map(|a| a.text.as_str());
            }
            if let Some(rest) = arg.text.strip_prefix(name) {
                if let Some(value) = rest.strip_prefix('=') {
                    return Some(value);
                }
                if !name.starts_with("--") && name.len() == 2 && !rest.is_empty() {
                    return Some(rest);
                }
            }
        }
    }
    None
}

/// The first words that are not options: `docker compose down` gives `["compose", "down"]` and so on.
pub(crate) fn subcommands<'a>(call: &'a Call, values: &[&str]) -> Vec<&'a str> {
    operands(call.args(), values).into_iter().map(|arg| arg.text.as_str()).collect()
}

/// Asking for help or for a rehearsal does nothing.
pub(crate) fn only_looks(call: &Call) -> bool {
    let asks = |t: &str| {
        matches!(t, "--help" | "--dry-run" | "--dryrun" | "--noop" | "--what-if" | "-dry-run")
            || t.starts_with("--dry-run=") && t != "--dry-run=none"
    };
    // `cargo yank --version 1.0.0` names one.
    let version = |arg: Option<&Arg>| arg.is_some_and(|arg| arg.text == "--version");
    // Elsewhere `-h` names a host, and `help` may be anything.
    call.words().rehearses
        || call.texts().any(asks)
        || call.args().last().is_some_and(|arg| matches!(arg.text.as_str(), "-help" | "--preview-only"))
        || version(call.args().first())
        || version(call.args().last())
        || matches!(call.args(), [only] if matches!(only.text.as_str(), "-h" | "help"))
}

/// A file of code, by its ending.
pub(crate) fn is_source(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "cc", "cpp", "cs", "go", "h", "java", "js", "jsx", "kt", "php", "py", "rb", "rs", "scala", "sh",
        "swift", "tf", "ts", "tsx", "vue",
    ];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}
