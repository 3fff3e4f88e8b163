//! Which lines of a file an edit has changed: the lines of the text after it, and where each of the others was before.

use std::collections::HashMap;
use std::ops::Range;

/// The text before the edit that a file is looked at for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Before {
    Text(String),
    /// There was no file.
    New,
    /// Nobody knows.
    Unknown,
    /// There was no edit: a user has asked for the whole file.
    Asked,
}

/// Whoever knows it; asked only where it matters, because it may take a program to find out.
pub trait Past {
    fn before(&self) -> &Before;
}

/// Lines of two ranges are compared one by one up to this many pairs; beyond, what has no unique line in common is changed.
const MOST_PAIRS: usize = 250_000;

/// How the lines of a text go back to those of the text before it. Lines are counted from 1, as linters do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// For each line after the edit, the line that it was before; `None` where the edit has written it.
    was: Vec<Option<usize>>,
    same: bool,
}

/// Where two texts differ: lines of the one before and of the one after, counted from 0. Either may be none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Altered {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

impl Touched {
    pub fn between(before: &str, after: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let mut was = vec![None; new.len()];
        pair(&old, &new, 0, 0, &mut was);
        Self { was, same: before == after }
    }

    /// The edit has changed nothing at all.
    pub fn nothing(&self) -> bool {
        self.same
    }

    /// Whether the edit has written this line.
    pub fn has(&self, line: u32) -> bool {
        index(line).and_then(|at| self.was.get(at)).is_some_and(Option::is_none)
    }

    /// The line that this one was before the edit.
    pub fn line_before(&self, line: u32) -> Option<u32> {
        let before = (*self.was.get(index(line)?)?)?;
        u32::try_from(before + 1).ok()
    }

    /// The lines that the edit has written.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        let own = self.was.iter().enumerate().filter(|(_, was)| was.is_none());
        own.filter_map(|(at, _)| u32::try_from(at + 1).ok())
    }

    /// All places where the texts differ, from the top. `lines` are those of the text before.
    pub fn altered(&self, lines: usize) -> Vec<Altered> {
        let mut found = Vec::new();
        let (mut old, mut new) = (0, 0);
        let common = self.was.iter().enumerate().filter_map(|(at, was)| Some(((*was)?, at)));
        for (before, after) in common.chain([(lines, self.was.len())]) {
            if (old, new) != (before, after) {
                found.push(Altered { before: old..before, after: new..after });
            }
            (old, new) = (before + 1, after + 1);
        }
        found
    }

    /// The last line that both texts have, before and after, counted from 0.
    pub fn last_common(&self) -> Option<(usize, usize)> {
        self.was.iter().enumerate().rev().find_map(|(at, was)| Some(((*was)?, at)))
    }

    /// Whether a further change of the text after the edit stays within the lines that the edit has written.
    pub fn holds(&self, after: &str, further: &str) -> bool {
        let next = Touched::between(after, further);
        let kept: std::collections::HashSet<usize> = next.was.iter().filter_map(|was| *was).collect();
        let lost = (0..self.was.len()).filter(|at| !kept.contains(at));
        // A line that comes in between two that stay is nobody's, unless one of them is the edit's.
        let own = |at: usize| self.was.get(at).is_some_and(Option::is_none);
        let mut above = None;
        let mut placed = true;
        for (at, was) in next.was.iter().enumerate() {
            match was {
                Some(line) => above = Some(*line),
                None => {
                    let below = next.was[at..].iter().find_map(|was| *was);
                    placed &= above.is_some_and(own)
                        || below.is_some_and(own)
                        || (above.map_or(0, |line| line + 1)..below.unwrap_or(self.was.len())).any(own);
                }
            }
        }
        placed && lost.into_iter().all(own)
    }
}

fn index(line: u32) -> Option<usize> {
    usize::try_from(line).ok()?.checked_sub(1)
}

/// Pairs what is the same at both ends, then the lines that each side has once, then what lies between those.
fn pair(old: &[&str], new: &[&str], old_at: usize, new_at: usize, was: &mut [Option<usize>]) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    for at in 0..head {
        was[new_at + at] = Some(old_at + at);
    }
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    for at in 0..tail {
        was[new_at + head + new.len() - 1 - at] = Some(old_at + head + old.len() - 1 - at);
    }
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.is_empty() || new.is_empty() {
        return;
    }
    let (old_at, new_at) = (old_at + head, new_at + head);
    let anchors = rising(&unique(old, new));
    if anchors.is_empty() {
        if old.len().saturating_mul(new.len()) <= MOST_PAIRS {
            longest(old, new, old_at, new_at, was);
        }
        return;
    }
    let (mut left, mut right) = (0, 0);
    for (a, b) in anchors.into_iter().chain([(old.len(), new.len())]) {
        pair(&old[left..a], &new[right..b], old_at + left, new_at + right, was);
        if a < old.len() {
            was[new_at + b] = Some(old_at + a);
        }
        (left, right) = (a + 1, b + 1);
    }
}

/// Lines that each side has exactly once, in the order of the new side.
fn unique(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    fn once<'t>(lines: &[&'t str]) -> HashMap<&'t str, Option<usize>> {
        let mut seen = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            seen.entry(*line).and_modify(|known| *known = None).or_insert(Some(at));
        }
        seen
    }
    let (left, right) = (once(old), once(new));
    let mut pairs: Vec<(usize, usize)> =
        right.iter().filter_map(|(line, at)| Some(((*left.get(line)?)?, (*at)?))).collect();
    pairs.sort_unstable_by_key(|(_, b)| *b);
    pairs
}

/// The longest run of pairs that rises on both sides.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, (old, _)) in pairs.iter().enumerate() {
        let place = ends.partition_point(|end| pairs[*end].0 < *old);
        before[at] = place.checked_sub(1).map(|place| ends[place]);
        if place == ends.len() { ends.push(at) } else { ends[place] = at }
    }
    let mut run = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        run.push(pairs[at]);
        next = before[at];
    }
    run.reverse();
    run
}

/// The longest common run of lines, by comparing all.
fn longest(old: &[&str], new: &[&str], old_at: usize, new_at: usize, was: &mut [Option<usize>]) {
    let width = new.len() + 1;
    let mut length = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            length[a * width + b] = if old[a] == new[b] {
                length[(a + 1) * width + b + 1] + 1
            } else {
                length[(a + 1) * width + b].max(length[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            was[new_at + b] = Some(old_at + a);
            (a, b) = (a + 1, b + 1);
        } else if length[(a + 1) * width + b] >= length[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(before: &str, after: &str) -> Vec<u32> {
        Touched::between(before, after).lines().collect()
    }

    #[test]
    fn lines_that_were_written_are_named() {
        assert_eq!(own("a\nb\nc\n", "a\nb\nc\n"), [0; 0]);
        assert_eq!(own("a\nb\nc\n", "a\nx\nc\n"), [2]);
        assert_eq!(own("a\nb\nc\n", "a\nb\nx\ny\nc\n"), [3, 4]);
        assert_eq!(own("a\nb\nc\n", "a\nc\n"), [0; 0], "what is gone has no line");
        assert_eq!(own("", "a\nb\n"), [1, 2]);
        assert_eq!(own("}\n}\na\n}\n", "}\n}\n}\na\n}\n").len(), 1);
        assert_eq!(own("x\nx\ny\nx\nz\n", "x\nq\nx\ny\nx\nz\nr\n"), [2, 7]);
    }

    #[test]
    fn places_that_differ_are_named_with_what_was_there() {
        let altered = |before: &str, after: &str| -> Vec<(Range<usize>, Range<usize>)> {
            let all = Touched::between(before, after).altered(before.lines().count());
            all.into_iter().map(|part| (part.before, part.after)).collect()
        };
        assert_eq!(altered("a\nb\nc\nd\n", "a\nx\nc\n"), [(1..2, 1..2), (3..4, 3..3)]);
        assert_eq!(altered("a\n", "new\na\n"), [(0..0, 0..1)]);
        assert_eq!(altered("a\nb\n", "b\n"), [(0..1, 0..0)]);
        assert_eq!(altered("a\n", "a\n"), []);
    }

    #[test]
    fn the_other_lines_are_found_again() {
        let touched = Touched::between("a\nb\nc\nd\n", "new\na\nb\nd\n");
        assert_eq!(touched.line_before(2), Some(1));
        assert_eq!(touched.line_before(4), Some(4));
        assert_eq!(touched.line_before(1), None);
        assert_eq!(touched.line_before(0), None);
        assert!(touched.has(1) && !touched.has(0) && !touched.has(99));
    }

    #[test]
    fn a_further_change_stays_within_or_it_does_not() {
        let touched = Touched::between("a\nb\nc\n", "a\nb\nnew\nc\n");
        assert!(touched.holds("a\nb\nnew\nc\n", "a\nb\nnewer\nc\n"));
        assert!(touched.holds("a\nb\nnew\nc\n", "a\nb\nc\n"));
        assert!(touched.holds("a\nb\nnew\nc\n", "a\nb\n\nnew\nc\n"));
        assert!(!touched.holds("a\nb\nnew\nc\n", "a\nB\nnew\nc\n"));
        assert!(!touched.holds("a\nb\nnew\nc\n", "first\na\nb\nnew\nc\n"));
        assert!(!touched.holds("a\nb\nnew\nc\n", "garbage\n"));
        assert!(Touched::between("", "a\nb\n").holds("a\nb\n", "c\n"), "a new file is all the edit's");
    }

    #[test]
    fn large_texts_are_no_trouble() {
        let old: String = (0..20_000).map(|n| format!("line {}\n", n % 97)).collect();
        let new = old.replacen("line 5\n", "line 5\nmore\n", 1);
        assert_eq!(own(&old, &new), [7]);
    }
}
