//! Text of a page, put together so that nothing that others wrote is markup.

use std::fmt::Write as _;

use state::log::rollup::Example;

use crate::ui::human;

/// As it may stand anywhere in a page, also in quotes.
pub(super) fn escape(text: &str) -> String {
    let text = model::visible(text);
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// What a record is about; a file of its project by its name there.
pub(super) fn subject(one: &Example) -> String {
    escape(&below(&one.subject, &one.project))
}

/// A path without the folder that it lies in.
pub(super) fn below(path: &str, folder: &str) -> String {
    let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
    rest.filter(|rest| !rest.is_empty() && !folder.is_empty()).unwrap_or(path).to_owned()
}

/// A sentence, with what stands between backticks as code.
pub(super) fn sentence(text: &str) -> String {
    let parts: Vec<String> = text.split('`').map(escape).collect();
    // An odd number of parts: every backtick has its other half.
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, part): (usize, &String)| {
        if at % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() }
    };
    parts.iter().enumerate().map(part).collect()
}

/// A number with its name and exact value, so that others can count it again.
pub(super) fn number(name: &str, value: u64, shown: &str) -> String {
    format!("<span data-n=\"{}\" data-v=\"{value}\">{}</span>", escape(name), escape(shown))
}

pub(super) fn count(name: &str, value: u64) -> String {
    number(name, value, &human::count(value))
}

/// The same, and a dot for nothing, so that the eye finds what is there.
pub(super) fn count_or_dot(name: &str, value: u64) -> String {
    if value == 0 { "<span class=\"faint\">·</span>".to_owned() } else { count(name, value) }
}

pub(super) fn time(name: &str, micros: u64) -> String {
    number(name, micros, &human::duration(micros))
}

/// A moment: `18 Nov 14:02`.
pub(super) fn moment(seconds: u64) -> String {
    format!("<time datetime=\"{}\">{}</time>", model::time::rfc3339(seconds), short(seconds))
}

/// Without seconds.
fn short(seconds: u64) -> String {
    let text = human::moment(seconds);
    text.trim_start().rsplit_once(':').map_or(text.clone(), |(minute, _)| minute.to_owned())
}

/// `18 Nov` of a day since 1970.
pub(super) fn day(day: u64) -> String {
    let text = short(day * 86_400);
    text.rsplit_once(' ').map_or(text.clone(), |(day, _)| day.to_owned())
}

/// `2026-11-18`.
pub(super) fn date(day: u64) -> String {
    model::time::rfc3339(day * 86_400)[..10].to_owned()
}

/// A table. The head says of each column whether it holds numbers.
#[derive(Debug)]
pub(super) struct Table {
    out: String,
    columns: Vec<(&'static str, bool)>,
}

impl Table {
    /// `>` before a column's name: its cells are numbers.
    pub(super) fn new(id: &str, caption: &str, columns: &[&'static str]) -> Self {
        let columns: Vec<(&'static str, bool)> =
            columns.iter().map(|name| (name.trim_start_matches('>'), name.starts_with('>'))).collect();
        let label = escape(caption);
        let mut out = format!(
            "<div class=\"scroll\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\"><table id=\"{id}\"><caption class=\"unseen\">{label}</caption><thead><tr>"
        );
        for (name, is_number) in &columns {
            let class = if *is_number { " class=\"num\"" } else { "" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(name));
        }
        out.push_str("</tr></thead><tbody>");
        Self { out, columns }
    }

    /// Cells are markup; the first one names the row.
    pub(super) fn row(&mut self, cells: &[String]) {
        self.row_with("", cells);
    }

    /// The same with attributes of the row.
    pub(super) fn row_with(&mut self, attributes: &str, cells: &[String]) {
        let _ = write!(self.out, "<tr{attributes}>");
        for (at, (cell, (_, is_number))) in cells.iter().zip(&self.columns).enumerate() {
            let class = if *is_number { " class=\"num\"" } else { "" };
            let _ = if at == 0 {
                write!(self.out, "<th scope=\"row\"{class}>{cell}</th>")
            } else {
                write!(self.out, "<td{class}>{cell}</td>")
            };
        }
        self.out.push_str("</tr>");
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</tbody></table></div>");
        self.out
    }
}

pub(super) fn section(id: &str, title: &str, lead: &str, body: &str) -> String {
    let lead = if lead.is_empty() { String::new() } else { format!("<p class=\"lead\">{lead}</p>") };
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{title}</h2>{lead}{body}</section>\n"
    )
}

/// What a decision was for whoever reads the page. A denial after the call refuses nothing: it sends something back to be done better.
pub(super) fn kind(verdict: &str, event: &str) -> &'static str {
    match verdict {
        "deny" if event == "PreToolUse" => "deny",
        "deny" => "back",
        "ask" => "ask",
        "allow" => "allow",
        _ => "none",
    }
}

/// The same in words.
pub(super) fn kind_words(kind: &str) -> &'static str {
    match kind {
        "deny" => "refused",
        "back" => "sent back",
        "ask" => "asked",
        "allow" => "allowed",
        _ => "no word",
    }
}

pub(super) fn badge(kind: &str) -> String {
    format!("<span class=\"badge {kind}\">{}</span>", kind_words(kind))
}

/// Nothing to show, in words.
pub(super) fn nothing(text: &str) -> String {
    format!("<p class=\"nothing\">{text}</p>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        assert_eq!(
            escape("<img src=x onerror='alert(1)'>&\"\u{202e}"),
            "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;&quot;\\u{202e}"
        );
    }

    #[test]
    fn backticks_are_code() {
        assert_eq!(sentence("run `a < b` now"), "run <code>a &lt; b</code> now");
        assert_eq!(sentence("one ` alone"), "one ` alone");
    }

    #[test]
    fn moments_are_short() {
        assert_eq!(short(1_767_556_091), "4 Jan 19:48");
        assert_eq!(day(20_457), "4 Jan");
        assert_eq!(date(20_457), "2026-01-04");
    }
}
