//! Inputs that are made to be slow, deep or long: an answer, never silence, and soon.

use model::Decision;

use crate::judge::{judge, said};

#[test]
fn padding_and_nesting_are_answered() {
    let home = "rm -rf ~";
    let mut nested = home.to_owned();
    for _ in 0..10 {
        nested = format!("bash -c {}", shell::quote(&nested));
    }
    let links: Vec<String> = (1..500).map(|n| format!("v{n}=\"$v{}\"; ", n - 1)).collect();
    let chained = format!("v0='{home}'; {}eval \"$v499\"", links.concat());
    let functions: String = (0..300).map(|n| format!("f{n}() {{ f{}; }}; ", n + 1)).collect();
    let cases: Vec<(&str, String)> = vec![
        ("substitutions without an end", "$(".repeat(8 * 1024 * 1024)),
        ("many commands, then one", "echo a;".repeat(100_000) + home),
        ("parentheses", "(".repeat(2_000) + home + &")".repeat(2_000)),
        ("subshells", "( ".repeat(100) + home + &" )".repeat(100)),
        ("expressions without an end", "$((".repeat(50)),
        ("expressions or subshells", "(( ".repeat(40) + home),
        ("expressions that are none", "$((".repeat(60) + "a" + &") )".repeat(60)),
        ("indices", "a[$(".repeat(60) + home + &")]=1".repeat(60)),
        ("indices that are none", "a[$(".repeat(40) + home + &")]".repeat(40)),
        (
            "here-documents in expressions",
            (0..40).map(|n| format!("$(( $(cat <<E{n}\n")).collect::<String>()
                + home
                + &(0..40).rev().map(|n| format!("\nE{n}\n) ) )")).collect::<String>(),
        ),
        ("a quote without an end", format!("{home}; echo 'never closed")),
        ("a long argument", format!("echo {}; {home}", "x".repeat(500_000))),
        ("empty quotes", format!("{}; {home}", "echo ''".to_owned() + &"''".repeat(50_000))),
        ("braces", "echo ".to_owned() + &"{a,b}".repeat(40) + "; " + home),
        ("braces with paths", "rm -rf ".to_owned() + &"{/,~}".repeat(20)),
        ("braces without an end", "echo ".to_owned() + &"{".repeat(50_000) + "; " + home),
        ("functions in functions", functions + "f300() { rm -rf ~; }; f0"),
        ("a function of itself", format!("f() {{ f; {home}; }}; f")),
        ("chained variables", chained),
        ("shells in shells", nested),
        ("doubling", "x=a; ".to_owned() + &"x=$x$x; ".repeat(60) + home),
        ("loops in loops", "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(8) + home + &"; done".repeat(8)),
        (
            "values of many",
            (0..30).map(|n| format!("if test $x; then a{n}=1; else a{n}=2; fi; ")).collect::<String>()
                + &(0..30).map(|n| format!("echo $a{n}; ")).collect::<String>()
                + home,
        ),
        ("evaluations of evaluations", "eval ".repeat(400) + home),
        (
            "aliases of aliases",
            (0..200).map(|n| format!("alias a{n}=a{}\n", n + 1)).collect::<String>() + "a0\n" + home,
        ),
        ("names that refer in a circle", format!("declare -n a=b; declare -n b=a; echo $a; {home}")),
        ("a script that runs itself", format!("echo 'bash x.sh; bash x.sh' > x.sh; bash x.sh; {home}")),
        (
            "filters of long texts",
            "printf '%065536d' 1 | ".to_owned() + &"rev | tac | sed s/1/2/g | ".repeat(200) + "sh; " + home,
        ),
        ("a width without bounds", format!("printf '%999999999d' 1 | sh; {home}")),
        ("python in python", "python3 -c \"exec('".repeat(30) + home),
        ("lists of lists", format!("python3 -c \"x={}\"; {home}", "[".repeat(20_000))),
        ("case after case", "case x in x) ".repeat(60) + home + &";; esac".repeat(60)),
        ("carriage returns", "echo a\r\n".repeat(1_000) + home + "\r\n"),
        ("private characters", format!("echo \u{F8F0}\u{F8F2}; {home}")),
        ("nulls", format!("echo \0; {home}")),
        (
            "arguments for xargs",
            format!(
                "seq 1 60 | xargs -I{{}} echo {{}}; {} | xargs rm -rf",
                "echo ".to_owned() + &"a ".repeat(5_000) + "~"
            ),
        ),
    ];
    for (name, command) in cases {
        let before = cpu();
        let verdict = judge(&command);
        let spent = cpu() - before;
        assert!(verdict.decision >= Decision::Ask, "{name}: {}", said(&verdict));
        // Unoptimised code is some fifty times slower; what must not happen is more than linear time.
        let most = if cfg!(debug_assertions) { 30.0 } else { 1.0 };
        assert!(spent < most, "{name}: {spent} seconds");
    }
}

/// Seconds of processor time that this thread has used.
#[expect(clippy::disallowed_methods, reason = "a test may look at its own clock")]
fn cpu() -> f64 {
    let time = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    time.unwrap_or(0.0) / 1e9
}
