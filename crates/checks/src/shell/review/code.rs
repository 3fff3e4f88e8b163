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
    program.contains("$ENV") || words.into_iter().any(|word| word == "env" || word.starts_with("env."))
}
