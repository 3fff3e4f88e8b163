//! A terminal as an SVG picture: text with colours in, one `<text>` per line out. Pure, so that a test draws the same.

use std::fmt::Write;

/// What of `plimsoll try` is on the picture: from the beginning to before the line that begins with this.
pub(crate) const UNTIL: &str = "Then it tries to switch off";

const COLUMNS: usize = 92;
const LINE: usize = 19;
const CHAR: f32 = 8.43;
const LEFT: usize = 18;
const TOP: usize = 52;

/// A colour or weight, as a terminal is told it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Look {
    #[default]
    Plain,
    Bold,
    Faint,
    Red,
    Green,
    Yellow,
}

impl Look {
    fn of(code: &str) -> Self {
        match code {
            "1" => Look::Bold,
            "2" => Look::Faint,
            "31" => Look::Red,
            "32" => Look::Green,
            "33" => Look::Yellow,
            _ => Look::Plain,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Look::Plain => "p",
            Look::Bold => "b",
            Look::Faint => "f",
            Look::Red => "r",
            Look::Green => "g",
            Look::Yellow => "y",
        }
    }
}

type Line = Vec<(char, Look)>;

/// The picture of what a program printed, with the command that was typed above it.
pub(crate) fn draw(command: &str, printed: &str) -> String {
    let shown = printed.split(UNTIL).next().unwrap_or_default();
    // The blank line and the colour before the title that is left out.
    let shown = shown.trim_end_matches(['\u{1b}', '[', '1', 'm', '\n', ' ']);
    let mut lines = vec![typed(command)];
    for line in read(shown) {
        lines.extend(fold(&line));
    }
    let height = TOP + lines.len() * LINE + 14;
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few hundred pixels"
    )]
    let width = LEFT * 2 + (COLUMNS as f32 * CHAR) as usize;
    let mut svg = head(width, height);
    for (number, line) in lines.iter().enumerate() {
        let y = TOP + number * LINE;
        let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{y}\" xml:space=\"preserve\">{}</text>", spans(line));
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(width: usize, height: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>plimsoll try: a scripted agent session, and what the hook says to it</title>\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dae0}}\
         .b{{font-weight:700;fill:#fff}}.f{{fill:#8b93a1}}.r{{fill:#ff7b72}}.g{{fill:#7ee787}}.y{{fill:#f2cc60}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#161b22\"/>\n\
         <circle cx=\"20\" cy=\"18\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"40\" cy=\"18\" r=\"6\" fill=\"#febc2e\"/><circle cx=\"60\" cy=\"18\" r=\"6\" fill=\"#28c840\"/>\n"
    )
}

fn typed(command: &str) -> Line {
    let prompt = "$ ".chars().map(|c| (c, Look::Faint));
    prompt.chain(command.chars().map(|c| (c, Look::Bold))).collect()
}

/// Text with the colours of a terminal, as characters that have a look.
fn read(text: &str) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    let mut look = Look::Plain;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                let code: String = chars.by_ref().skip(1).take_while(|c| *c != 'm').collect();
                look = Look::of(&code);
            }
            '\n' => lines.push(Line::new()),
            c => {
                if let Some(line) = lines.last_mut() {
                    line.push((c, look));
                }
            }
        }
    }
    lines
}

/// A line in as many as it takes, broken between words; what follows is indented two further.
fn fold(line: &Line) -> Vec<Line> {
    let indent = line.iter().take_while(|(c, _)| *c == ' ').count() + 2;
    let text: String = line.iter().map(|(c, _)| *c).collect();
    // A command that ends a line stays whole, as on the screen.
    let command = text.find(": plimsoll ").map(|at| text[..at].chars().count() + 1);
    if let Some(at) = command.filter(|at| line.len() > COLUMNS && line.len() - at + indent <= COLUMNS) {
        let mut out = fold(&line[..at].to_vec());
        let blank = std::iter::repeat_n((' ', Look::Plain), indent);
        out.push(blank.chain(line[at + 1..].iter().copied()).collect());
        return out;
    }
    let mut rest = line.clone();
    let mut out = Vec::new();
    while rest.len() > COLUMNS {
        let blank = rest[..=COLUMNS].iter().rposition(|(c, _)| *c == ' ').filter(|at| *at > indent);
        let at = blank.unwrap_or(COLUMNS);
        let after = rest.split_off(at);
        out.push(std::mem::take(&mut rest));
        rest = std::iter::repeat_n((' ', Look::Plain), indent)
            .chain(after.into_iter().skip(usize::from(blank.is_some())))
            .collect();
    }
    out.push(rest);
    out
}

fn spans(line: &Line) -> String {
    let mut out = String::new();
    for part in line.chunk_by(|one, two| one.1 == two.1) {
        let text: String = part.iter().map(|(c, _)| escaped(*c)).collect();
        match part[0].1 {
            Look::Plain => out.push_str(&text),
            look => {
                let _ = write!(out, "<tspan class=\"{}\">{text}</tspan>", look.class());
            }
        }
    }
    out
}

fn escaped(c: char) -> String {
    match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        c => c.to_string(),
    }
}
