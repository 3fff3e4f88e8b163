//! Code that stands in a command: approved only where it is a small filter that prints.

use shell::Call;
use shell::programs::Role;

use super::Opinion;

pub(super) fn judge(call: &Call) -> Opinion {
    let Some(entry) = call.words().entry else { return Opinion::Unknown };
    let codes = codes(call);
    match entry.language {
        "sed" => Opinion::safe_if(
            codes.iter().all(|script| script.split([';', '\n']).all(is_plain_sed)),
            "sed can write files and run commands",
        ),
        "awk" => Opinion::safe_if(
            codes.iter().all(|program| is_plain_awk(program)),
            "awk can run commands and write files",
        ),
        "jq" => Opinion::safe_if(
            !codes.iter().any(|program| asks_environment(program)),
            "it can print every variable, secret ones too",
        ),
        _ => Opinion::risky("it runs inline code"),
    }
}

/// Whether an interpreter is handed its code from outside (`python3 - <<'EOF'`): that is inline code by another road. What shells and
/// databases are handed is read call by call, statement by statement, where it is known.
pub(super) fn comes_in(call: &Call) -> bool {
    let words = call.words();
    let Some(entry) = words.entry.filter(|entry| entry.style.stdin) else { return false };
    let interprets = !matches!(entry.language, "" | "sql" | "bang");
    // What is only loaded first leaves the operands as they are: `node --require x`.
    let usual = words.operand_spec().map(<[_]>::as_ptr) == entry.operands.map(<[_]>::as_ptr);
    let names = |role: Role| match role {
        Role::Code | Role::Tool | Role::Words | Role::Shell => true,
        Role::Script => !usual,
        _ => false,
    };
    let started = |role: Role| matches!(role, Role::Script | Role::Code) || role.takes_rest();
    let named = words.options.iter().any(|chosen| chosen.option.is_some_and(|option| names(option.role)))
        || words.roles().iter().any(|&(at, role)| started(role) && call.argv[at].text != "-");
    let unknown = call.stdin.as_deref().is_none_or(|text| text.is_empty() || !shell::text::is_known(text));
    interprets && !named && if entry.style.plus { unknown } else { call.stdin.is_some() }
}

/// Whether a filter is told by a file what to do.
pub(super) fn lies_in_a_file(call: &Call) -> bool {
    let words = call.words();
    let filters = words.entry.is_some_and(|entry| matches!(entry.language, "sed" | "awk" | "jq"));
    filters && words.options.iter().any(|chosen| chosen.option.is_some_and(|o| o.role == Role::Script))
}

/// Every piece of code among the words.
fn codes(call: &Call) -> Vec<&str> {
    let words = call.words();
    let options = words.options.iter().filter(|chosen| chosen.option.is_some_and(|o| o.role == Role::Code));
    let given = options.filter_map(|chosen| Some(chosen.value?.text(&call.argv)));
    let operands = words.roles().iter().copied().filter(|(_, role)| *role == Role::Code);
    given.chain(operands.map(|(at, _)| call.argv[at].text.as_str())).collect()
}

/// Prints, deletes or substitutes in the stream.
fn is_plain_sed(command: &str) -> bool {
    let command = command.trim();
    if command.is_empty() {
        return true;
    }
    if let Some(rest) = command.strip_prefix('s') {
        let Some(delimiter) = rest.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
        else {
            return false;
        };
        let flags = rest.rsplit(delimiter).next().unwrap_or_default();
        return rest.matches(delimiter).count() >= 3
            && flags.chars().all(|c| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I'));
    }
    // An address of numbers, `$` and patterns, then one letter.
    let Some(last) = command.chars().last() else { return false };
    let address = &command[..command.len() - last.len_utf8()];
    matches!(last, 'p' | 'd' | 'q' | '=')
        && (address.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | ' ' | '!' | '~' | '+'))
            || address.starts_with('/') && address.trim_end_matches('!').ends_with('/'))
}

fn is_plain_awk(program: &str) -> bool {
    const ACTS: &[&str] =
        &["system", "getline", ">", "inplace", "| \"", "|\"", "@load", "@include", "ENVIRON"];
    // `print x | command`, where the command is a variable; not `/a|b/` and not `a || b`.
    let pipes = program.match_indices('|').any(|(at, _)| {
        let before = program[..at].chars().next_back();
        let after = program[at + 1..].trim_start().chars().next();
        before.is_some_and(|c| c.is_whitespace() || matches!(c, '"' | ')'))
            && after.is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '('))
    });
    !pipes && !program.starts_with(shell::text::is_hole) && !ACTS.iter().any(|word| program.contains(word))
}

fn asks_environment(program: &str) -> bool {
    let words = program.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.');
    let tells = |word: &str| {
        matches!(word, "env" | "strenv" | "strload")
            || ["env.", "load"].iter().any(|begin| word.starts_with(begin))
    };
    program.contains("$ENV") || words.into_iter().any(tells)
}
