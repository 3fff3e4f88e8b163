//! Text for a terminal, or for whatever stands in its place. Colours only where a user sees them, and ours only: whatever else
//! in a text could steer a terminal or hide what it says is written out.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

use anstyle::{AnsiColor, Style};
use model::{environment, redact_all, visible, visible_json};
use state::Machine;

use super::wrap::{text_width, wrap};

/// What a piece of text is, not how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Title,
    Good,
    Bad,
    Warning,
    Faint,
}

/// Ends a tone. Like its beginning a character that stands for nothing, so that no text is mistaken for it.
const END: char = '\u{fdd0}';

impl Tone {
    const ALL: [Tone; 5] = [Tone::Title, Tone::Good, Tone::Bad, Tone::Warning, Tone::Faint];

    fn mark(self) -> char {
        match self {
            Tone::Title => '\u{fdd1}',
            Tone::Good => '\u{fdd2}',
            Tone::Bad => '\u{fdd3}',
            Tone::Warning => '\u{fdd4}',
            Tone::Faint => '\u{fdd5}',
        }
    }

    fn style(self) -> Style {
        match self {
            Tone::Title => Style::new().bold(),
            Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Tone::Bad => Style::new().fg_color(Some(AnsiColor::Red.into())),
            Tone::Warning => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Tone::Faint => Style::new().dimmed(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Printer {
    colours: bool,
    /// Columns that text may take, where somebody reads it on a screen. What goes into a pipe keeps its lines.
    width: Option<usize>,
    /// What is masked besides whatever looks like a secret: for what is shown of a command, part by part.
    secrets: RefCell<Option<Vec<String>>>,
    /// Where stdout is kept for something else.
    on_stderr: bool,
    /// Why nothing more can be printed.
    cut_off: RefCell<Option<io::Error>>,
    /// Lines since the screen was last begun anew.
    lines: Cell<usize>,
}

impl Printer {
    pub(crate) fn new(machine: &Machine) -> Self {
        let set = |variable| machine.var(variable).is_some_and(|value| !value.is_empty());
        let forced =
            machine.var(&environment::CLICOLOR_FORCE).is_some_and(|value| !matches!(&*value, "" | "0"));
        let dumb = machine.var(&environment::TERM).is_some_and(|term| term == "dumb");
        let colours = !set(&environment::NO_COLOR) && (forced || (!dumb && io::stdout().is_terminal()));
        Self {
            colours,
            width: columns(),
            secrets: RefCell::default(),
            on_stderr: false,
            cut_off: RefCell::default(),
            lines: Cell::default(),
        }
    }

    /// For what is done beside a result that stdout is kept for: JSON.
    pub(crate) fn on_stderr() -> Self {
        Self {
            colours: false,
            width: columns(),
            secrets: RefCell::default(),
            on_stderr: true,
            cut_off: RefCell::default(),
            lines: Cell::default(),
        }
    }

    /// From now on secrets are masked, and those of `command` wherever they come.
    pub(crate) fn mask_secrets_of(&self, command: &str) {
        self.secrets.replace(Some(model::secrets(command)));
    }

    fn masked(&self, text: &str) -> String {
        match &*self.secrets.borrow() {
            None => text.to_owned(),
            Some(secrets) => {
                secrets.iter().fold(redact_all(text), |text, secret| text.replace(secret, "***"))
            }
        }
    }

    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.colours {
            return text.to_owned();
        }
        // Only what we write becomes a colour: text of others has no such characters left when it is printed.
        format!("{}{text}{END}", tone.mark())
    }

    pub(crate) fn line(&self, text: &str) {
        self.hanging(text, 0);
    }

    /// A line of which what does not fit goes on `hang` columns further in.
    pub(crate) fn hanging(&self, text: &str, hang: usize) {
        let shown = visible(&self.masked(text)).into_owned();
        self.raw(&self.coloured(&format!("{}\n", self.fitted(&shown, hang, io::stdout().is_terminal()))));
    }

    /// What belongs to a word at the beginning of the line: `profile   standard`.
    pub(crate) fn labelled(&self, tone: Option<Tone>, label: &str, text: &str) {
        let line = format!("{label:10}{text}");
        self.hanging(&tone.map_or(line.clone(), |tone| self.paint(tone, &line)), 10);
    }

    /// A question that somebody else puts on the screen, broken as a line of ours is.
    pub(crate) fn on_screen(&self, text: &str) -> String {
        self.fitted(&visible(text), 0, true)
    }

    fn fitted(&self, text: &str, hang: usize, on_screen: bool) -> String {
        match self.width.filter(|_| on_screen) {
            Some(width) => {
                wrap(text, width, hang, |c| c == END || Tone::ALL.iter().any(|tone| tone.mark() == c))
            }
            None => text.to_owned(),
        }
    }

    /// Text as it is, but for what a terminal would act upon. After a failure nothing more is tried.
    pub(crate) fn text(&self, text: &str) {
        self.raw(&self.coloured(&visible(&self.masked(text))));
    }

    /// Whether so many lines more would push something off the screen, counted since `begin_screen`.
    pub(crate) fn is_full(&self, more: usize) -> bool {
        rows().is_some_and(|rows| self.lines.get() > 0 && self.lines.get() + more > rows)
    }

    pub(crate) fn begin_screen(&self) {
        self.lines.set(0);
    }

    fn raw(&self, text: &str) {
        self.lines.set(self.lines.get() + text.matches('\n').count());
        let write = || {
            if self.on_stderr {
                return io::stderr().write_all(text.as_bytes());
            }
            io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
        };
        if !self.is_cut_off()
            && let Err(error) = write()
        {
            self.cut_off.replace(Some(error));
        }
    }

    /// Whether nobody gets what is printed.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.cut_off.borrow().is_some()
    }

    /// What became of the output, at the end. A reader that has gone away (`plimsoll log | head`) is not an error.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.cut_off.take().filter(|error| error.kind() != io::ErrorKind::BrokenPipe).map_or(Ok(()), Err)
    }

    pub(crate) fn toned(&self, tone: Tone, text: &str) {
        self.line(&self.paint(tone, text));
    }

    /// A line that is no text of ours and is not to be broken: of a diff, of a file.
    pub(crate) fn verbatim(&self, tone: Tone, text: &str) {
        self.text(&format!("{}\n", self.paint(tone, text)));
    }

    /// On stderr: what went wrong, or what to know besides the result.
    pub(crate) fn note(&self, text: &str) {
        let text = self.fitted(&visible(text), 0, io::stderr().is_terminal());
        let _ = writeln!(io::stderr(), "{}", self.coloured(&text));
    }

    pub(crate) fn json(&self, value: &serde_json::Value) {
        self.raw(&visible_json(&format!("{:#}\n", self.masked_json(value))));
    }

    /// Every text in it masked, keys apart.
    fn masked_json(&self, value: &serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) => self.masked(text).into(),
            Value::Array(items) => items.iter().map(|item| self.masked_json(item)).collect(),
            Value::Object(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), self.masked_json(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// One line of JSON.
    pub(crate) fn json_line(&self, value: &serde_json::Value) {
        self.raw(&visible_json(&format!("{value}\n")));
    }

    /// Our marks as the colours that they stand for; where there are none, nothing is marked, and whatever looks like a mark is
    /// somebody else's.
    fn coloured(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut style = Style::new();
        for c in text.chars() {
            match Tone::ALL.into_iter().find(|tone| tone.mark() == c) {
                Some(tone) if self.colours => {
                    style = tone.style();
                    let _ = write!(out, "{style}");
                }
                None if c == END && self.colours => {
                    let _ = write!(out, "{style:#}");
                }
                Some(_) => {}
                None if c == END => {}
                None => out.push(c),
            }
        }
        out
    }

    /// Columns as wide as their longest cell; the last one is free.
    pub(crate) fn table(&self, rows: &[Vec<String>]) {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect()).collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        // A cell that is longer than any screen does not make the others as wide.
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count().min(200)).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:width$}  ");
            }
            let hang = widths[..columns.saturating_sub(1)].iter().map(|width| width + 2).sum();
            self.hanging(line.trim_end(), hang);
        }
    }
}

/// How many lines the screen has, if there is one.
fn rows() -> Option<usize> {
    terminal_size::terminal_size().map(|(_, height)| usize::from(height.0))
}

/// How wide text may be on the screen, if there is one.
fn columns() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| text_width(usize::from(width.0)))
}
