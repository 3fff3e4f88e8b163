//! What code gets from outside: the arguments after it, and what it reads on stdin. Where these are known they are put into the code as
//! literals, and the rest reads them like any other.

use std::borrow::Cow;

/// More arguments than this are data.
const MOST_ARGUMENTS: usize = 32;

/// So many lines say what is done with all.
const MOST_LINES: usize = 4;

/// How a language names its arguments, from which number on, and how it says "all of stdin".
struct Spelling {
    language: &'static str,
    argument: &'static str,
    close: &'static str,
    first: usize,
    /// All of them at once.
    every: &'static [&'static str],
    stdin: &'static [&'static str],
}

static SPELLINGS: &[Spelling] = &[
    Spelling {
        language: "python",
        argument: "sys.argv[",
        close: "]",
        first: 1,
        every: &["sys.argv[1:]"],
        stdin: &[
            "sys.stdin.buffer.read()",
            "sys.stdin.read()",
            "sys.stdin.readline()",
            "open(0).read()",
            "input()",
        ],
    },
    Spelling {
        language: "javascript",
        argument: "process.argv[",
        close: "]",
        first: 1,
        every: &["process.argv.slice(1)"],
        stdin: &[
            "readFileSync(0).toString()",
            "readFileSync(0, 'utf8')",
            "readFileSync(0,'utf8')",
            "readFileSync(0)",
        ],
    },
    Spelling {
        language: "perl",
        argument: "$ARGV[",
        close: "]",
        first: 0,
        every: &["@ARGV"],
        stdin: &["<STDIN>", "<>", "$_"],
    },
    Spelling {
        language: "ruby",
        argument: "ARGV[",
        close: "]",
        first: 0,
        every: &["*ARGV"],
        stdin: &["STDIN.read", "$stdin.read", "ARGF.read", "STDIN.gets", "$_"],
    },
    Spelling {
        language: "php",
        argument: "$argv[",
        close: "]",
        first: 1,
        every: &[],
        stdin: &[
            "file_get_contents('php://stdin')",
            "file_get_contents(\"php://stdin\")",
            "fgets(STDIN)",
            "$argn",
        ],
    },
    Spelling {
        language: "lua",
        argument: "arg[",
        close: "]",
        first: 1,
        every: &[],
        stdin: &["io.read(\"*a\")", "io.read('*a')", "io.read()"],
    },
    Spelling { language: "awk", argument: "\0", close: "", first: 0, every: &[], stdin: &["$0"] },
];

/// `code` with its arguments and its input in it.
pub(crate) fn with_input<'a>(
    language: &str,
    code: &'a str,
    args: &[&str],
    stdin: Option<&str>,
) -> Cow<'a, str> {
    let Some(spelling) = SPELLINGS.iter().find(|spelling| spelling.language == language) else {
        return Cow::Borrowed(code);
    };
    let mut code = Cow::Borrowed(code);
    for (number, arg) in args.iter().enumerate().take(9) {
        let name = format!("{}{}{}", spelling.argument, number + spelling.first, spelling.close);
        if code.contains(&name) {
            code = Cow::Owned(code.replace(&name, &literal(arg)));
        }
    }
    for name in spelling.every.iter().filter(|_| !args.is_empty() && args.len() <= MOST_ARGUMENTS) {
        if code.contains(name) {
            let list = args.iter().map(|arg| literal(arg)).collect::<Vec<_>>().join(", ");
            // Perl and Ruby spread them where they stand.
            let spread = matches!(language, "perl" | "ruby");
            code = Cow::Owned(code.replace(name, &if spread { list } else { format!("[{list}]") }));
        }
    }
    // Text that is long is data.
    if let Some(stdin) = stdin.filter(|text| text.len() < 4096) {
        if language == "perl" {
            code = with_topic(code);
        }
        // What is done with a line is done with each of them.
        let lines: Vec<&str> =
            stdin.split(['\n', '\0']).filter(|line| !line.is_empty()).take(MOST_LINES).collect();
        if lines.len() > 1 && code.contains("$_") && spelling.stdin.contains(&"$_") {
            let each = |line: &&str| code.replace("$_", &literal(line));
            code = Cow::Owned(lines.iter().map(each).collect::<Vec<_>>().join("\n"));
        }
        for name in spelling.stdin {
            if code.contains(name) {
                code = Cow::Owned(code.replace(name, &literal(stdin.trim_end_matches('\n'))));
            }
        }
    }
    code
}

/// Perl's `unlink` by itself takes what was read last.
fn with_topic(code: Cow<'_, str>) -> Cow<'_, str> {
    let Some(at) = code.find("unlink") else { return code };
    let behind = &code[at + "unlink".len()..];
    let bare = behind.trim_start().is_empty() || behind.trim_start().starts_with([';', '}', '\n']);
    if bare { Cow::Owned(format!("{}unlink $_{behind}", &code[..at])) } else { code }
}

/// A text as a literal that every language here reads.
pub(crate) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}
