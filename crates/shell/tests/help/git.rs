//! Git's verbs beside their own help.

use shell::programs::{Opt, Program, Takes};

/// What a program says of itself; empty where it has no help.
fn help(words: &[&str], ask: &str) -> Option<String> {
    let made = std::process::Command::new(words[0])
        .args(&words[1..])
        .arg(ask)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_PAGER", "cat")
        .env("FILTER_BRANCH_SQUELCH_WARNING", "1")
        .current_dir("/")
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&[made.stdout, made.stderr].concat()).into_owned())
}

/// The options of a help text in git's form, with whether they need a value: `-m, --[no-]message <text>`.
fn options(help: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for line in help.lines().filter_map(|line| line.strip_prefix("    -")) {
        let head = line.split("  ").next().unwrap_or_default();
        let parts: Vec<String> =
            format!("-{head}").split(", -").map(|part| part.replace("[no-]", "")).collect();
        let split = |part: &str| {
            let bare = part.trim_start_matches('-');
            let end = bare.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(bare.len());
            (bare[..end].to_owned(), bare[end..].to_owned())
        };
        let parts: Vec<_> = parts.iter().map(|part| split(part)).collect();
        let takes = parts
            .iter()
            .any(|(_, rest)| [" <", "=", " (", " [", " ..."].iter().any(|mark| rest.starts_with(mark)));
        // `-NUM`, `-C[<n>]`
        let named = parts.into_iter().filter(|(name, _)| !name.is_empty() && name != "NUM");
        found.extend(named.map(|(name, rest)| (name, takes && !rest.starts_with('['))));
    }
    found
}

fn compare(program: &Program, outer: &[Opt], path: &[&str], failures: &mut Vec<String>) -> usize {
    let known = |name: &str| program.options.iter().chain(outer).find(|option| option.names.contains(&name));
    let mut compared = 0;
    for (name, takes) in options(&help(path, "-h").unwrap_or_default()) {
        let plain = name.strip_prefix("no-").unwrap_or(&name);
        compared += 1;
        match known(&name).or_else(|| known(plain)) {
            // It says itself that there are more.
            None if program.style.valued => {}
            None => failures.push(format!("{}: {name} is not known", path.join(" "))),
            Some(option) if takes && option.takes == Takes::Nothing => {
                failures.push(format!("{}: {name} takes a value", path.join(" ")));
            }
            // `--path blob|tree` has no brackets.
            Some(option)
                if !takes && option.takes == Takes::Value && !program.style.valued && name != "path" =>
            {
                failures.push(format!("{}: {name} takes no value", path.join(" ")));
            }
            Some(_) => {}
        }
    }
    for sub in program.subs {
        for name in sub.names {
            let outer = if program.style.global { program.options } else { &[] };
            compared += compare(sub, outer, &[path, &[*name]].concat(), failures);
        }
    }
    compared
}

#[test]
fn git_takes_the_values_that_it_says() {
    let version = help(&["git"], "--version").expect("git is needed to build");
    let git = shell::programs::find("git").expect("it is in the table");
    let mut failures = Vec::new();
    // Some print nothing without a repository, or are not part of git.
    let compared = compare(git, &[], &["git"], &mut failures);
    assert!(compared > 900, "{compared} options of {version}");
    assert!(failures.is_empty(), "{} of {compared}\n{}", failures.len(), failures.join("\n"));
}
