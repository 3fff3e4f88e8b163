//! Text for a terminal, or for whatever stands in its place. Colours only where a person sees them.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

use anstyle::{AnsiColor, Style};
use model::environment;
use state::Machine;

/// What a piece of text is, not how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Title,
    Good,
    Bad,
    Warning,
    Faint,
}

#[derive(Debug)]
pub(crate) struct Printer {
    colours: bool,
    /// Where stdout is kept for something else.
    on_stderr: bool,
    /// Why nothing more can be printed.
    cut_off: RefCell<Option<io::Error>>,
}

impl Printer {
    pub(crate) fn new(machine: &Machine) -> Self {
        let wanted = machine.var(&environment::NO_COLOR).is_none()
            && machine.var(&environment::TERM).is_none_or(|term| term != "dumb");
        Self { colours: wanted && io::stdout().is_terminal(), on_stderr: false, cut_off: RefCell::default() }
    }

    /// For what is done beside a result that stdout is kept for: JSON.
    pub(crate) fn on_stderr() -> Self {
        Self { colours: false, on_stderr: true, cut_off: RefCell::default() }
    }

    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.colours {
            return text.to_owned();
        }
        let style = match tone {
            Tone::Title => Style::new().bold(),
            Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Tone::Bad => Style::new().fg_color(Some(AnsiColor::Red.into())),
            Tone::Warning => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Tone::Faint => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }

    pub(crate) fn line(&self, text: &str) {
        self.text(&format!("{text}\n"));
    }

    /// Text as it is. After a failure nothing more is tried.
    pub(crate) fn text(&self, text: &str) {
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

    /// On stderr: what went wrong, or what to know besides the result.
    pub(crate) fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    pub(crate) fn json(&self, value: &serde_json::Value) {
        self.line(&format!("{value:#}"));
    }

    /// Columns as wide as their longest cell; the last one is free.
    pub(crate) fn table(&self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        for row in rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:width$}  ");
            }
            self.line(line.trim_end());
        }
    }
}
