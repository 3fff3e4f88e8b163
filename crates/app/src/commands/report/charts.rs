//! Charts as SVG. Shapes only: what is written stands around them as text, which stays legible at any width.

use std::fmt::Write as _;

use super::html::escape;

/// One bar: what it is called, and its parts from the bottom up, each of a class.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) parts: Vec<(&'static str, u64)>,
}

/// Bars side by side, as high as their share of the greatest.
pub(super) fn bars(title: &str, bars: &[Bar], height: u64) -> String {
    const STEP: u64 = 20;
    const WIDE: u64 = 15;
    let most = bars.iter().map(total).max().unwrap_or(0).max(1);
    let width = (bars.len() as u64).max(1) * STEP;
    let mut out = format!(
        "<svg class=\"bars\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" height=\"{height}\">",
        escape(title)
    );
    let _ = write!(out, "<line class=\"grid\" x1=\"0\" x2=\"{width}\" y1=\"0.5\" y2=\"0.5\"/>");
    let _ = write!(out, "<line class=\"grid\" x1=\"0\" x2=\"{width}\" y1=\"{0}\" y2=\"{0}\"/>", height / 2);
    let _ = write!(out, "<line class=\"axis\" x1=\"0\" x2=\"{width}\" y1=\"{0}\" y2=\"{0}\"/>", height - 1);
    for (at, bar) in bars.iter().enumerate() {
        let x = at as u64 * STEP + (STEP - WIDE) / 2;
        let mut bottom = height * 100;
        let _ = write!(out, "<g><title>{}</title>", escape(&words(bar)));
        for (class, value) in bar.parts.iter().filter(|(_, value)| *value > 0) {
            // In hundredths, so that what is little is not nothing.
            let part = (value * height * 100 / most).max(100).min(bottom);
            bottom -= part;
            let (y, tall) = (hundredths(bottom), hundredths(part));
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{tall}\"/>"
            );
        }
        out.push_str("</g>");
    }
    out.push_str("</svg>");
    out
}

fn total(bar: &Bar) -> u64 {
    bar.parts.iter().map(|(_, value)| value).sum()
}

fn words(bar: &Bar) -> String {
    let parts: Vec<String> = bar
        .parts
        .iter()
        .filter(|(_, value)| *value > 0)
        .map(|(class, value)| format!("{value} {class}"))
        .collect();
    let parts = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
    format!("{}: {parts}", bar.label)
}

fn hundredths(value: u64) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

/// One bar lying down, as long as its share, for a cell of a table; it says nothing that the number beside it does not.
pub(super) fn share(parts: &[(&str, u64)], most: u64) -> String {
    const WIDTH: u64 = 120;
    let most = most.max(1);
    let mut out = format!(
        "<svg class=\"share\" aria-hidden=\"true\" viewBox=\"0 0 {WIDTH} 8\" width=\"{WIDTH}\" height=\"8\">"
    );
    let mut x = 0;
    for (class, value) in parts.iter().filter(|(_, value)| *value > 0) {
        let wide = (value * WIDTH * 100 / most).max(100);
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"8\"/>",
            hundredths(x),
            hundredths(wide)
        );
        x += wide;
    }
    out.push_str("</svg>");
    out
}

/// From the median to the 99th percentile on a scale of powers of ten, from a tenth of a millisecond to a minute.
pub(super) fn range(median: u64, p95: u64, p99: u64) -> String {
    const WIDTH: u64 = 160;
    let at = |micros: u64| {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a drawing"
        )]
        let x = ((micros.max(100) as f64 / 100.0).log10() / 60e4_f64.log10() * (WIDTH * 100) as f64) as u64;
        x.min(WIDTH * 100)
    };
    let mut out = format!(
        "<svg class=\"range\" aria-hidden=\"true\" viewBox=\"0 0 {WIDTH} 12\" width=\"{WIDTH}\" height=\"12\">"
    );
    for decade in [1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
        let x = hundredths(at(decade));
        let _ = write!(out, "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"0\" y2=\"12\"/>");
    }
    let (from, middle, to) = (at(median), at(p95), at(p99));
    let wide = |from: u64, to: u64| hundredths((to.saturating_sub(from)).max(100));
    let _ = write!(
        out,
        "<rect class=\"tail\" x=\"{}\" y=\"5\" width=\"{}\" height=\"2\"/>",
        hundredths(from),
        wide(from, to)
    );
    let _ = write!(
        out,
        "<rect class=\"body\" x=\"{}\" y=\"3\" width=\"{}\" height=\"6\"/>",
        hundredths(from),
        wide(from, middle)
    );
    let _ = write!(
        out,
        "<rect class=\"median\" x=\"{}\" y=\"1\" width=\"2\" height=\"10\"/></svg>",
        hundredths(from)
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_height_and_little_is_seen() {
        let bar = |denied| Bar { label: "1 Jan".into(), parts: vec![("deny", denied), ("ask", 0)] };
        let svg = bars("t", &[bar(1000), bar(1), bar(0)], 100);
        assert!(svg.contains("height=\"100.00\"") && svg.contains("height=\"1.00\""), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains("<title>1 Jan: 1000 deny</title>") && svg.contains("1 Jan: nothing"), "{svg}");
    }
}
