//! Rules about tables in which the engine differs: a line without a pipe right below a table is one of its rows, and
//! `MD060` compares with the style that fits best.

use super::scan::Scan;

/// What is wrong with the tables of a document: line, column and rule.
pub(super) fn lint(
    text: &str,
    scan: &Scan,
    style: Option<&str>,
) -> Vec<(usize, usize, &'static str, &'static str)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut at = 1;
    while at < lines.len() {
        if scan.hidden[at] || scan.hidden[at - 1] || !is_delimiter(lines[at]) || !lines[at - 1].contains('|')
        {
            at += 1;
            continue;
        }
        let end = (at + 1..lines.len())
            .find(|row| scan.hidden[*row] || ends_table(lines[*row]))
            .unwrap_or(lines.len());
        for row in at + 1..end {
            if !lines[row].contains('|') && cells(lines[at]) > 1 {
                found.push((row + 1, 1, "MD055", "Table pipe style: the row has no pipes"));
                found.push((
                    row + 1,
                    1,
                    "MD056",
                    "Table column count: too few cells, row will be missing data",
                ));
            }
        }
        let table: Vec<&str> = (at - 1..end).map(|row| lines[row]).filter(|row| row.contains('|')).collect();
        let wrong = best(&table, style);
        found.extend(
            wrong.into_iter().map(|row| (at + row, 1, "MD060", "Table column style: pipes do not line up")),
        );
        at = end.max(at + 1);
    }
    found
}

fn cells(row: &str) -> usize {
    row.trim().trim_matches('|').split('|').count()
}

/// `| --- | :-: |`
fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    line.contains('|')
        && line.contains('-')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
        && line.trim_matches('|').split('|').all(|cell| cell.contains('-'))
}

/// A table goes on until a blank line or the beginning of another block.
fn ends_table(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with(['#', '>', '`', '~', '<'])
        || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// The rows that break a style, each as often as it does.
type Style = fn(&[&str]) -> Vec<usize>;

/// Rows (the header is 0) that break the style that the table breaks least, or the one that is asked for.
fn best(table: &[&str], style: Option<&str>) -> Vec<usize> {
    let styles: &[Style] = match style {
        Some("aligned") => &[aligned],
        Some("compact") => &[compact],
        Some("tight") => &[tight],
        _ => &[aligned, compact, tight],
    };
    let mut rows = styles.iter().map(|style| style(table)).min_by_key(Vec::len).unwrap_or_default();
    rows.dedup();
    rows
}

/// Where the pipes of a row are: byte and column.
fn pipes(row: &str) -> Vec<(usize, usize)> {
    let mut escaped = false;
    let mut code = false;
    let mut found = Vec::new();
    for (column, (byte, c)) in row.char_indices().enumerate() {
        match c {
            '\\' => {
                escaped = !escaped;
                continue;
            }
            '`' => code = !code,
            '|' if !escaped => found.push((byte, column)),
            _ => {}
        }
        escaped = false;
    }
    found
}

/// Each pipe stands under one of the header. A row is named once per pipe, because the styles are compared by that.
fn aligned(table: &[&str]) -> Vec<usize> {
    let header: Vec<usize> = pipes(table[0]).into_iter().map(|(_, column)| column).collect();
    let mut wrong = Vec::new();
    for (at, row) in table.iter().enumerate().skip(1) {
        let misplaced = pipes(row).into_iter().filter(|(_, column)| !header.contains(column)).count();
        wrong.extend(std::iter::repeat_n(at, misplaced));
    }
    wrong
}

/// One space on the inner sides of each pipe.
fn compact(table: &[&str]) -> Vec<usize> {
    padded(table, |space| space == 1)
}

/// None.
fn tight(table: &[&str]) -> Vec<usize> {
    padded(table, |space| space == 0)
}

fn padded(table: &[&str], right: fn(usize) -> bool) -> Vec<usize> {
    let mut wrong = Vec::new();
    for (at, row) in table.iter().enumerate() {
        for (byte, _) in pipes(row) {
            let (before, after) = (&row[..byte], &row[byte + 1..]);
            let left = before.len() - before.trim_end().len();
            let right_side = after.len() - after.trim_start().len();
            if !before.trim().is_empty() && !right(left) {
                wrong.push(at);
            }
            if !after.trim().is_empty() && !right(right_side) {
                wrong.push(at);
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::*;

    fn found(text: &str) -> Vec<(usize, &'static str)> {
        lint(text, &scan(text), None).into_iter().map(|(line, _, code, _)| (line, code)).collect()
    }

    #[test]
    fn a_table_has_the_style_that_fits_best() {
        assert_eq!(found("| a | b |\n|---|---|\n| 1 | 2 |\n"), []);
        assert_eq!(found("|a|b|\n|---|---|\n|1|2|\n"), []);
        assert_eq!(found("| a | b |\n| --- | --- |\n|1|2|\n"), [(2, "MD060"), (3, "MD060")]);
        assert_eq!(found("| a    | b |\n| ---- | - |\n| 1 | 22 |\n"), [(1, "MD060")]);
        assert_eq!(found("a | b\n--- | ---\n1 | 2\n"), []);
        assert_eq!(found("```\n| a | b |\n|--|--|\n|  1|2 |\n```\n"), []);
    }

    #[test]
    fn text_below_is_a_row() {
        assert_eq!(found("| a | b |\n| - | - |\n| 1 | 2 |\ntext\n"), [(4, "MD055"), (4, "MD056")]);
        assert_eq!(found("| a | b |\n| - | - |\n| 1 | 2 |\n\ntext\n"), []);
    }
}
