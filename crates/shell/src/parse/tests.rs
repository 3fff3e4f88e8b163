//! What is read and what is not; that it is read rightly is tested on whole commands, by the cases of the checks.

use super::parse;

#[test]
fn whole_scripts_are_read_to_their_end() {
    for text in [
        "ls",
        "a | b && c || d; e &",
        "if a; then b; elif c; then d; else e; fi",
        "for x in a b; do c; done",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "while read l; do echo \"$l\"; done < f",
        "case $1 in a|b) x;; (c) y ;& *) z;; esac",
        "f() { x; }; function g { y; }; f",
        "cat <<EOF\nhi $(ls) \"quoted\"\nEOF\necho done",
        "cat <<'A' > a.txt && bash <<'B'\nhello\nA\nrm -rf ~\nB",
        "x=${y:-$(z)} a=(1 2 $((3+4))) declare -a b=(c d)",
        "echo \"a $(echo \"b $(echo c)\") d\"",
        "diff <(a) <(b) > >(tee c)",
        "[[ $x =~ ^a(b|c)$ && -f y ]] && (( x > 1 ))",
        "echo a \\\n b # comment",
        "{ a; } 2>&1 | b",
        "a=1 b=2 c >f 2>>g <h &>i",
        ":(){ :|:& };:",
        "echo $'a\\'b' $\"c\"",
        "! time -p ls",
        "coproc x { y; }",
        "echo {a,b}{1..3} ${x//a/b} ${#x} ${!y} ${z@Q}",
    ] {
        let (script, stopped) = parse(text);
        assert_eq!(stopped, None, "{text}");
        assert!(!script.commands.is_empty(), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    for (text, what) in [
        ("echo 'a", "an unterminated single quote"),
        ("echo \"a", "an unterminated double quote"),
        ("echo $(a", "an unclosed command"),
        ("if a; then b", "an unfinished compound command"),
        ("echo )", "an unexpected character"),
        ("echo `a", "an unterminated backtick"),
    ] {
        assert_eq!(parse(text).1.map(|s| s.what), Some(what), "{text}");
    }
    let (script, stopped) = parse("rm a\necho 'b");
    assert_eq!(script.commands.len(), 1, "what is whole before the error runs");
    assert!(stopped.is_some());
}

#[test]
fn nesting_and_size_are_bounded() {
    for text in [
        "$(".repeat(100_000),
        "(".repeat(2_000),
        "{ ".repeat(5_000),
        "${x:-".repeat(5_000),
        "\"$(".repeat(5_000),
    ] {
        assert!(parse(&text).1.is_some());
    }
    let long = "echo a;".repeat(100_000);
    let (script, stopped) = parse(&long);
    assert_eq!((script.commands.len(), stopped), (100_000, None));
}
