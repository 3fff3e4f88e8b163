//! Programs that only read, and the words that make some of them do more.

use model::deed::Verb;
use shell::Call;

use super::Opinion;
use crate::shell::words::{has_flag, operands};

/// Whatever their arguments are, they change nothing.
const ALWAYS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "diff",
    "stat",
    "wc",
    "file",
    "du",
    "df",
    "strings",
    "pwd",
    "cd",
    "pushd",
    "popd",
    "echo",
    "printf",
    "true",
    "false",
    ":",
    "cut",
    "tr",
    "column",
    "comm",
    "fold",
    "rev",
    "seq",
    "tac",
    "paste",
    "expand",
    "unexpand",
    "fmt",
    "nl",
    "which",
    "type",
    "whoami",
    "uname",
    "id",
    "lsof",
    "uptime",
    "nproc",
    "basename",
    "dirname",
    "readlink",
    "realpath",
    "test",
    "[",
    "[[",
    "sleep",
    "md5",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "cksum",
    "b2sum",
    "sum",
    "jq",
    "ps",
    "pgrep",
    "free",
    "lsblk",
    "tput",
    "getconf",
    "arch",
    "groups",
    "who",
    "w",
    "help",
    "exit",
    "return",
    "break",
    "continue",
    "shift",
    "wait",
    "let",
    "export",
    "declare",
    "local",
    "readonly",
    "typeset",
    "unset",
    "set",
    "shopt",
    "cmp",
    "base64",
    "od",
    "hexdump",
    "bat",
    "cal",
    "bc",
    "expr",
    "factor",
    "join",
    "look",
    "numfmt",
    "tsort",
    "zcat",
    "zgrep",
    "lscpu",
    "vmstat",
    "iostat",
    "whereis",
    "apropos",
    "whatis",
    "tldr",
    "dirs",
    "jobs",
    "times",
    "getopts",
    "read",
    "mapfile",
    "readarray",
    "command",
    "exa",
    "eza",
    "lsd",
    "fd",
    "fdfind",
    "tokei",
    "cloc",
    "scc",
    "umask",
    "locale",
    "tty",
    "logname",
    "pathchk",
    "printenv",
];

/// Words that make a reader write or run something.
const UNLESS: &[(&str, &[&str], &str)] = &[
    ("sort", &["-o", "--output", "--compress-program", "-T"], "sort can write to a file"),
    ("tree", &["-o"], "tree can write to a file"),
    ("rg", &["--pre", "--hostname-bin", "-z", "--search-zip"], "rg can run a program on each file"),
    ("ag", &["--pager"], "ag can run a pager"),
    ("man", &["-P", "--pager", "-H", "--html"], "man can run a pager of its own"),
    ("less", &["-o", "-O", "--log-file", "--LOG-FILE"], "less can write to a file"),
    ("more", &[], ""),
    ("date", &["-s", "--set"], "date can set the clock"),
    ("dmesg", &["-c", "-C", "--clear"], "dmesg can be cleared"),
    ("fzf", &["--bind", "--preview"], "fzf can run commands"),
    ("lsof", &["+m"], ""),
    ("bat", &["--pager"], "bat can run a pager of its own"),
    ("base64", &["-o", "--output"], "base64 can write to a file"),
    ("file", &["-C", "--compile"], "file can write its database"),
];

/// `None` for programs of other kinds.
pub(super) fn judge(call: &Call) -> Option<Opinion> {
    let program = call.program();
    // Whatever file that is.
    let unseen = |path: &str| path.starts_with(shell::text::is_hole);
    if ALWAYS.contains(&program) && call.paths(&[Verb::Reads]).any(|(path, _)| unseen(path)) {
        return Some(Opinion::Unknown);
    }
    if let Some((_, words, why)) = UNLESS.iter().find(|(name, ..)| *name == program) {
        let found = call.texts().any(|text| {
            words.iter().any(|word| {
                text == *word
                    || text.starts_with(&format!("{word}="))
                    || (word.len() == 2 && !text.starts_with("--") && text.starts_with(word))
            })
        });
        return Some(Opinion::safe_if(!found, why));
    }
    Some(match program {
        "printenv" => Opinion::safe_if(
            call.args().len() == 1 && !shell::is_secret_name(&call.args()[0].text),
            "it prints every variable, secret ones too",
        ),
        "env" => Opinion::risky("it prints every variable, secret ones too"),
        // What was typed, passwords among it.
        "history" => Opinion::risky("it prints or erases what was typed"),
        // Without a dash, or as a capital letter, it asks for the environment of every process.
        "ps" => Opinion::safe_if(
            !call.texts().any(|text| {
                !text.starts_with('-') && text.bytes().all(|b| b.is_ascii_alphabetic()) && text.contains('e')
                    || text.starts_with('-') && !text.starts_with("--") && text.contains('E')
            }),
            "it prints every variable of other programs",
        ),
        "yq" if call
            .texts()
            .any(|text| ["-i", "--inplace", "--in-place"].iter().any(|flag| text.starts_with(flag))) =>
        {
            Opinion::risky("yq -i edits files")
        }
        "jq" | "yq" => Opinion::safe_if(
            !call.texts().any(|text| {
                text.contains("$ENV")
                    || text
                        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
                        .any(|word| word == "env" || word.starts_with("env."))
            }),
            "it can print every variable, secret ones too",
        ),
        "xxd" if call.texts().any(|text| text.starts_with("-r")) => Opinion::risky("xxd -r writes"),
        "xxd" if operands(call.args(), &["-l", "-s", "-g", "-c", "-o"]).len() > 1 => {
            Opinion::risky("xxd writes to the second file that it is given")
        }
        "set" if call.args().is_empty() => Opinion::risky("it prints every variable, secret ones too"),
        "export" | "declare" | "typeset" | "readonly" if call.texts().all(|text| text.starts_with('-')) => {
            Opinion::risky("it prints every variable, secret ones too")
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            // Its own variables are its own; those in capitals are what programs look for.
            let loaded = call.texts().filter_map(|text| text.split_once('=')).any(|(name, value)| {
                name.contains(|c: char| c.is_ascii_uppercase()) && !super::foreign::is_harmless(name, value)
            });
            Opinion::safe_if(!loaded, "it sets a variable that other programs act upon")
        }
        "xxd" => Opinion::Safe,
        "unset" => Opinion::safe_if(
            !call.texts().any(super::foreign::is_loaded),
            "it changes a variable that other programs act upon",
        ),
        "uniq" => Opinion::safe_if(
            operands(call.args(), &["-f", "-s", "-w"]).len() < 2,
            "uniq writes to the second file that it is given",
        ),
        "hostname" => {
            Opinion::safe_if(operands(call.args(), &[]).is_empty(), "hostname can rename the machine")
        }
        "find" | "gfind" => {
            let acts = ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-ok", "-okdir"];
            let found = call.texts().any(|text| {
                acts.contains(&text) || !shell::text::is_known(text) && text.starts_with(shell::text::is_hole)
            });
            Opinion::safe_if(!found, "find can delete and write")
        }
        "fd" | "fdfind" => Opinion::Safe,
        "xargs" => Opinion::Safe,
        "awk" | "gawk" | "mawk" | "nawk" => {
            let acts = call.texts().any(|text| {
                ["system", "getline", ">", "inplace", "| \"", "|\"", "@load", "@include", "ENVIRON"]
                    .iter()
                    .any(|word| text.contains(word))
            }) || has_flag(call, "fl", &["file", "load"])
                || call.texts().any(|text| text.starts_with(shell::text::is_hole) || pipes(text));
            Opinion::safe_if(!acts, "awk can run commands and write files")
        }
        "sed" | "gsed" => sed(call),
        _ if ALWAYS.contains(&program) => Opinion::Safe,
        _ => return None,
    })
}

/// `print x | command`, where the command is a variable; not `/a|b/` and not `a || b`.
fn pipes(program: &str) -> bool {
    program.match_indices('|').any(|(at, _)| {
        let before = program[..at].chars().next_back();
        let after = program[at + 1..].trim_start().chars().next();
        before.is_some_and(|c| c.is_whitespace() || matches!(c, '"' | ')'))
            && after.is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '('))
    })
}

/// Only scripts that print, delete or substitute in the stream.
fn sed(call: &Call) -> Opinion {
    let in_place = call.texts().any(|t| {
        t.starts_with("--in-place")
            || (t.starts_with('-')
                && !t.starts_with("--")
                && t[1..].chars().take_while(char::is_ascii_alphabetic).any(|c| c == 'i'))
    });
    if in_place {
        return Opinion::risky("sed -i edits files");
    }
    if has_flag(call, "f", &["file"]) {
        return Opinion::Unknown;
    }
    let scripts: Vec<&str> = if call.args().windows(2).any(|pair| pair[0].text == "-e") {
        call.args().windows(2).filter(|pair| pair[0].text == "-e").map(|pair| pair[1].text.as_str()).collect()
    } else {
        operands(call.args(), &[]).first().map(|arg| arg.text.as_str()).into_iter().collect()
    };
    Opinion::safe_if(
        !scripts.is_empty() && scripts.iter().all(|script| script.split([';', '\n']).all(is_plain_sed)),
        "sed can write files and run commands",
    )
}

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
