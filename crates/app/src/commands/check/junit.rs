//! The XML of `JUnit`, which every CI shows: a suite per file, a failed case per violation; what could not be looked at is an error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use model::Violation;

use super::report::Report;
use crate::ui::human;

pub(super) fn junit(report: &Report, relative: &dyn Fn(&Path) -> String, looked_at: usize) -> String {
    let mut by_file: BTreeMap<String, Vec<&Violation>> = BTreeMap::new();
    for found in &report.found {
        by_file.entry(relative(&found.file)).or_default().push(found);
    }
    let left = report.left(relative);
    let (failures, errors) = (report.found.len(), left.len());
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // A case of our own, so that a run in which nothing was found is not an empty one.
    let tests = failures + errors + 1;
    let _ = writeln!(
        xml,
        "<testsuites name=\"plimsoll check\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
    );
    let _ = writeln!(
        xml,
        "  <testsuite name=\"plimsoll\" tests=\"{}\" failures=\"0\" errors=\"{errors}\">",
        errors + 1
    );
    let seen = human::plural(looked_at as u64, "file");
    let _ = writeln!(xml, "    <testcase classname=\"plimsoll\" name=\"{seen} looked at\"/>");
    for text in &left {
        let text = escape(text);
        let _ = writeln!(
            xml,
            "    <testcase classname=\"plimsoll\" name=\"{text}\"><error message=\"{text}\" type=\"not looked at\"/></testcase>"
        );
    }
    xml.push_str("  </testsuite>\n");
    for (file, found) in &by_file {
        let (file, count) = (escape(file), found.len());
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{file}\" tests=\"{count}\" failures=\"{count}\" errors=\"0\">"
        );
        for one in found {
            let (line, column) = (one.line, one.column);
            let (code, message, by) = (escape(&one.code), escape(&one.message), escape(&one.by()));
            let _ = writeln!(
                xml,
                "    <testcase classname=\"{file}\" name=\"{code} at {line}:{column}\" file=\"{file}\" line=\"{line}\"><failure \
                 message=\"{message}\" type=\"{code}\">{file}:{line}:{column} {code} {message} ({by})</failure></testcase>"
            );
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>");
    xml
}

/// Characters that XML 1.0 has no way to write at all are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_ends_a_value() {
        assert_eq!(escape("a<b>&\"c\"\n\u{1}\u{7}ü"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;ü");
    }
}
