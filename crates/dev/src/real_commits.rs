//! `cargo dev real-commits`: hunks of real commits, put as edits into the tree before them, at user level without a config. What is shown is
//! for a reader to judge.
//!
//! Repositories are checkouts on this machine; nothing of them is kept, and they are not written to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use linters::{Language, Touched};

use crate::real_projects::visit::{Road, Visit};

/// Put hunks of real commits as edits into the tree before them, and show what is said.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The executable, with engines
    #[arg(long)]
    program: PathBuf,
    /// A repository on this machine; may be given more than once
    #[arg(long, required = true)]
    repository: Vec<PathBuf>,
    /// Edits of each repository
    #[arg(long, default_value_t = 40)]
    edits: usize,
    /// Commits of each repository among which they are picked
    #[arg(long, default_value_t = 600)]
    commits: usize,
    /// All that the commit does to the file, in place of one hunk
    #[arg(long)]
    whole: bool,
    /// Picks other commits
    #[arg(long, default_value_t = 16)]
    seed: u64,
}

/// One edit: a file of a commit with one of its hunks.
struct Edit {
    commit: String,
    name: String,
    before: String,
    after: String,
}

#[derive(Default)]
struct Count {
    edits: usize,
    with_findings: usize,
    on_changed_lines: usize,
    /// On other lines, and told with the line of the edit that has made them.
    told_since: usize,
    elsewhere: usize,
    rewritten: usize,
    held: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for repository in &args.repository {
        let count = visit(args, repository)?;
        let Count { edits, with_findings, on_changed_lines, told_since, elsewhere, rewritten, held } = count;
        let name = repository.components().rev().map(|part| part.as_os_str().to_string_lossy());
        let name = name.into_iter().find(|part| part != "repo").unwrap_or_default();
        rows.push(format!(
            "| {name} | {edits} | {with_findings} | {} | {on_changed_lines} | {told_since} | {elsewhere} | {rewritten} | {held} |",
            on_changed_lines + told_since + elsewhere
        ));
    }
    println!(
        "\n| repository | edits | with findings | findings | on changed lines | told with one | elsewhere | rewritten | stops held |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n{}", rows.join("\n"));
    Ok(())
}

fn visit(args: &Args, repository: &Path) -> anyhow::Result<Count> {
    let scratch = tempfile::tempdir()?;
    let root = scratch.path().join("project");
    git(Path::new("/"), &["clone", "-q", "-s", "-n", text(repository)?, text(&root)?])?;
    let visit = Visit {
        program: &args.program,
        root: root.clone(),
        base: scratch.path().to_owned(),
        road: Road::User,
        files: 0,
        names: true,
    };
    visit.make_world()?;
    let mut count = Count::default();
    let log = git(&root, &["log", "--no-merges", "--format=%H", "-n", &args.commits.to_string()])?;
    let mut commits: Vec<&str> = log.lines().collect();
    let lot = |what: &str| state::sha256(format!("{} {what}", args.seed).as_bytes()).to_string();
    commits.sort_by_key(|commit| lot(commit));
    for commit in commits {
        if count.edits >= args.edits {
            break;
        }
        let Some(edit) = pick(&root, commit, args.whole, &lot)? else { continue };
        git(&root, &["checkout", "-q", "-f", "--detach", &format!("{commit}~1")])?;
        git(&root, &["clean", "-q", "-ffdx"])?;
        tell(&visit, &edit, count.edits, &mut count)?;
    }
    Ok(count)
}

/// A hunk of a file of a commit, where there is one that can be linted.
fn pick(
    root: &Path,
    commit: &str,
    whole: bool,
    lot: &dyn Fn(&str) -> String,
) -> anyhow::Result<Option<Edit>> {
    let parent = format!("{commit}~1");
    let Ok(names) = git(root, &["diff", "--name-only", "--no-renames", "--diff-filter=M", &parent, commit])
    else {
        return Ok(None);
    };
    let mut names: Vec<&str> = names.lines().filter(|name| Language::of(Path::new(name)).is_some()).collect();
    names.sort_by_key(|name| lot(&format!("{commit} {name}")));
    let Some(name) = names.first() else { return Ok(None) };
    let (Ok(before), Ok(new)) = (
        git(root, &["show", &format!("{parent}:{name}")]),
        git(root, &["show", &format!("{commit}:{name}")]),
    ) else {
        return Ok(None);
    };
    let hunks =
        if whole { Vec::new() } else { hunks(&git(root, &["diff", "-U0", &parent, commit, "--", name])?) };
    let after = if whole {
        new
    } else {
        let Some(hunk) = hunks.iter().min_by_key(|hunk| lot(&format!("{commit} {hunk:?}"))) else {
            return Ok(None);
        };
        with_hunk(&before, &new, hunk)
    };
    let edit = Edit { commit: commit.to_owned(), name: (*name).to_owned(), before, after };
    Ok(Some(edit).filter(|edit| edit.before != edit.after))
}

/// First line and number of lines, in the old text and in the new one.
type Hunk = [usize; 4];

fn hunks(diff: &str) -> Vec<Hunk> {
    let side = |word: &str| -> Option<(usize, usize)> {
        let word = word.get(1..)?;
        let (first, many) = word.split_once(',').unwrap_or((word, "1"));
        let (first, many): (usize, usize) = (first.parse().ok()?, many.parse().ok()?);
        // Of no lines the line before them is named.
        Some((if many == 0 { first } else { first.checked_sub(1)? }, many))
    };
    let one = |line: &str| {
        let mut words = line.strip_prefix("@@ ")?.split(' ');
        let ((a, b), (c, d)) = (side(words.next()?)?, side(words.next()?)?);
        Some([a, b, c, d])
    };
    diff.lines().filter_map(one).collect()
}

fn with_hunk(before: &str, new: &str, [old_at, old_many, new_at, new_many]: &Hunk) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let end = |at: usize, all: usize| at.min(all);
    let put = &new[end(*new_at, new.len())..end(new_at + new_many, new.len())];
    [&old[..end(*old_at, old.len())], put, &old[end(old_at + old_many, old.len())..]].concat().concat()
}

fn tell(visit: &Visit<'_>, edit: &Edit, number: usize, count: &mut Count) -> anyhow::Result<()> {
    let session = format!("commit-{number}");
    let file = visit.root.join(&edit.name);
    visit.begin(&session)?;
    let answer = visit.edit(&session, &file, &edit.before, &edit.after, true)?;
    count.edits += 1;
    let now = std::fs::read_to_string(&file).unwrap_or_default();
    let rewritten = now != edit.after;
    count.rewritten += usize::from(rewritten);
    let stop = visit.stop(&session)?;
    // A change of a linter's settings is asked about at a stop, which is another matter.
    let held = stop.blocks && stop.text.contains("open in files of this session");
    count.held += usize::from(held && !answer.blocks);
    let touched = Touched::between(&edit.before, &edit.after);
    let found = findings(&format!("{}\n{}", answer.text, stop.text), &edit.name);
    count.with_findings += usize::from(!found.is_empty());
    if rewritten || !found.is_empty() || answer.blocks || held {
        println!("{} {}{}", &edit.commit[..10], edit.name, if rewritten { " REWRITTEN" } else { "" });
        println!("    {}", answer.text.trim().replace('\n', "\n    "));
        let further = Touched::between(&edit.after, &now);
        for line in further.lines() {
            let text = usize::try_from(line).ok().and_then(|line| now.lines().nth(line.checked_sub(1)?));
            println!("  formatted {line}: {}", text.unwrap_or_default());
        }
        if held {
            println!("  stop\n    {}", stop.text.trim().replace('\n', "\n    "));
        }
    }
    for ((line, words), since) in &found {
        let (place, counted) = match since {
            _ if touched.has(*line) => ("own      ", &mut count.on_changed_lines),
            Some(_) => ("told with", &mut count.told_since),
            None => ("elsewhere", &mut count.elsewhere),
        };
        *counted += 1;
        let since = since.as_ref().map_or(String::new(), |since| format!(" ({since})"));
        println!("  {place} {line}: {words}{since}");
        let text = usize::try_from(*line).ok().and_then(|line| edit.after.lines().nth(line.checked_sub(1)?));
        println!("            | {}", text.unwrap_or_default());
    }
    Ok(())
}

/// Lines `FILE:LINE:COLUMN RULE words`, each once, with what of the edit is told to have made it.
fn findings(text: &str, name: &str) -> BTreeMap<(u32, String), Option<String>> {
    let text = text.replace("\\n", "\n");
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let Some((start, rest)) = line.split_once(&format!("{name}:")) else { continue };
        let Some((number, words)) = rest.split_once(':') else { continue };
        let Ok(number) = number.parse() else { continue };
        let since = start.find("since ").map(|at| start[at..].trim_end_matches([':', ' ']).to_owned());
        let known = found.entry((number, words.to_owned())).or_insert(None);
        *known = known.take().or(since);
    }
    found
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("a path that is not UTF-8")
}

fn git(folder: &Path, words: &[&str]) -> anyhow::Result<String> {
    let done = Command::new("git").args(words).current_dir(folder).output()?;
    if !done.status.success() {
        bail!("git {words:?}: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8(done.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hunk_is_put_alone() {
        let (before, new) = ("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
        let found = hunks("@@ -2 +2 @@ x\n-b\n+B\n@@ -4,0 +5 @@\n+e\n");
        assert_eq!(found, [[1, 1, 1, 1], [4, 0, 4, 1]]);
        assert_eq!(with_hunk(before, new, &found[0]), "a\nB\nc\nd\n");
        assert_eq!(with_hunk(before, new, &found[1]), "a\nb\nc\nd\ne\n");
    }

    #[test]
    fn findings_are_read_from_what_is_said() {
        let said =
            "1 problem in the lines you just changed:\nsrc/a.py:3:5 F821 Undefined name `x` (ruff)\nother\n";
        let found: Vec<_> = findings(said, "src/a.py").into_iter().collect();
        assert_eq!(found, [((3, "5 F821 Undefined name `x` (ruff)".to_owned()), None)]);
        let found = findings("since your change at line 2: src/a.py:3:5 F821 x (ruff)\n", "src/a.py");
        assert_eq!(found.into_values().next().unwrap().unwrap(), "since your change at line 2");
    }
}
