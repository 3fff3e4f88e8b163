//! Tests of the pages that people read: links lead somewhere, and commands exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::workspace;

/// Every page in the repository.
fn pages() -> Vec<PathBuf> {
    let root = workspace::root();
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    let mut folders = vec![root.join("docs"), root.join("plugin")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// Lines with whether they are inside a fence, and that fence's language.
fn lines(text: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let mut fence = None;
    text.lines().filter_map(move |line| match (line.trim_start().strip_prefix("```"), fence) {
        (Some(_), Some(_)) => {
            fence = None;
            None
        }
        (Some(language), None) => {
            fence = Some(language.trim());
            None
        }
        (None, fence) => Some((fence, line)),
    })
}

/// `[words](target)`.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, line) in lines(text).filter(|(fence, _)| fence.is_none()) {
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let end = rest.find(')').unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
        }
    }
    found
}

/// What GitHub makes of a heading.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = lines(text).filter(|(fence, line)| fence.is_none() && line.starts_with('#'));
    headings
        .map(|(_, line)| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            if link.starts_with("http") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let known = || anchors(&std::fs::read_to_string(&target).unwrap_or_default()).contains(anchor);
            if !target.exists() || (!anchor.is_empty() && !known()) {
                broken.push(format!("{}: {link}", shown(&page)));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

fn shown(page: &Path) -> String {
    page.strip_prefix(workspace::root()).unwrap_or(page).display().to_string()
}

/// Commands in the text of a page: lines of shell fences, and code in a sentence.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (fence, line) in lines(text) {
        match fence {
            Some("sh" | "text" | "console") => {
                let line = line.trim().trim_start_matches("$ ").trim_start_matches("exec ");
                found.push(line.split(" # ").next().unwrap_or_default().trim().to_owned());
            }
            None => found.extend(line.split('`').skip(1).step_by(2).map(|code| code.trim().to_owned())),
            Some(_) => {}
        }
    }
    // Of a chain, and of a pipeline, each part.
    let chain = found.iter().flat_map(|line| line.split(" && ")).flat_map(|part| part.split(" | "));
    let parts = chain.map(|part| part.trim().to_owned());
    parts.filter(|part| STARTS.iter().any(|start| part.starts_with(start))).collect()
}

const STARTS: &[&str] =
    &["plimsoll ", "cargo run --release -- ", "cargo run -q -- ", "cargo dev ", "scripts/"];

/// A line as a shell would split it; good enough for what stands in docs.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Why a command would not be understood.
fn wrong(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("scripts/") {
        let name = rest.split([' ', '#']).next().unwrap_or_default();
        let there = name.is_empty() || workspace::root().join("scripts").join(name).exists();
        return (!there).then(|| "there is no such script".to_owned());
    }
    let (mut cli, rest) = match line.strip_prefix("cargo dev ") {
        Some(rest) => (<crate::Cli as clap::CommandFactory>::command(), rest),
        None => {
            let start = STARTS.iter().find(|start| line.starts_with(**start)).unwrap();
            (plimsoll::cli::command(), &line[start.len()..])
        }
    };
    // What follows a redirection or a pipe is the shell's. `…` and `[x]` stand for what a reader fills in.
    let is_its_own = |word: &String| !matches!(word.as_str(), ">" | ">>" | "|");
    let given = words(rest)
        .into_iter()
        .take_while(is_its_own)
        .filter(|word| !word.starts_with('['))
        .map(|word| word.replace('…', ""));
    let given: Vec<String> =
        ["program".to_owned()].into_iter().chain(given.filter(|word| word != "...")).collect();
    match cli.try_get_matches_from_mut(&given) {
        Ok(_) => None,
        // A command that is named without what it needs is meant as a word, and help is not a mistake.
        Err(error) => match error.kind() {
            clap::error::ErrorKind::MissingRequiredArgument
            | clap::error::ErrorKind::MissingSubcommand
            | clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | clap::error::ErrorKind::DisplayHelp
            | clap::error::ErrorKind::DisplayVersion => None,
            _ => Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
        },
    }
}

#[test]
fn every_command_in_the_docs_is_understood() {
    let mut strange = Vec::new();
    let mut tried = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for command in commands(&text) {
            tried += 1;
            strange.extend(wrong(&command).map(|why| format!("{}: {command}: {why}", shown(&page))));
        }
    }
    assert!(tried > 60, "only {tried} commands were found");
    assert!(strange.is_empty(), "{strange:#?}");
}

#[test]
fn a_broken_page_would_be_found() {
    let page = "# A b-c `d`\n[x](gone.md) and [y](#a-b-c-d)\n```sh\nplimsoll doctor --frobnicate   # no\n[z](not-a-link)\n```\n`plimsoll explian x`\n";
    assert_eq!(links(page), ["gone.md", "#a-b-c-d"]);
    assert!(anchors(page).contains("a-b-c-d"));
    let found = commands(page);
    assert_eq!(found, ["plimsoll doctor --frobnicate", "plimsoll explian x"]);
    assert!(found.iter().all(|command| wrong(command).is_some()));
    assert!(wrong("plimsoll explain 'git push --force'").is_none());
}
