//! Numbers, times and names as people read and write them.

use model::time;
use thiserror::Error;

/// `85 µs`, `4.2 ms`, `450 ms`, `1.3 s`, `2 min 5 s`.
pub(crate) fn duration(micros: u64) -> String {
    let tenths = |whole: u64| {
        let tenths = (micros + whole / 20) / (whole / 10);
        (tenths / 10, tenths % 10)
    };
    match micros {
        0..1000 => format!("{micros} µs"),
        1000..9950 => format!("{}.{} ms", tenths(1000).0, tenths(1000).1),
        9950..999_500 => format!("{} ms", (micros + 500) / 1000),
        999_500..59_950_000 => format!("{}.{} s", tenths(1_000_000).0, tenths(1_000_000).1),
        _ => {
            let seconds = (micros + 500_000) / 1_000_000;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            if hours > 0 {
                format!("{hours} h {minutes} min")
            } else {
                format!("{minutes} min {} s", seconds % 60)
            }
        }
    }
}

/// `1 file`, `1,234 files`.
pub(crate) fn plural(number: u64, word: &str) -> String {
    format!("{} {word}{}", count(number), if number == 1 { "" } else { "s" })
}

/// `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text whose paragraphs were broken somewhere, each on one line again. Lists, tables, indented lines and blocks of code stay.
pub(crate) fn unbroken(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_code, mut open) = (false, false);
    for line in text.lines() {
        let fence = line.starts_with("```");
        let plain =
            !in_code && !fence && line.starts_with(|c: char| !c.is_whitespace() && !"-*|#>".contains(c));
        if !out.is_empty() {
            out.push(if open && plain { ' ' } else { '\n' });
        }
        out.push_str(line);
        in_code ^= fence;
        // A line of a list goes on in plain lines, too.
        open = !in_code && !fence && !line.trim().is_empty() && !line.starts_with(['|', '#', ' ']);
    }
    out
}

/// `18 Nov 14:02:59`, of seconds since 1970.
pub(crate) fn moment(seconds: u64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let full = time::rfc3339(seconds);
    let month = full.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let day = full.get(8..10).unwrap_or_default().trim_start_matches('0');
    format!("{day:>2} {} {}", MONTHS[(month - 1).min(11)], full.get(11..19).unwrap_or_default())
}

/// A time that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum BadTime {
    #[error("unknown duration {0}; write it as 100ms, 1.5s or 2m")]
    Duration(String),
    #[error("unknown time {0}; write it as 2h, 7d, today, yesterday, 2026-01-31 or 2026-01-31T12:00:00Z")]
    Moment(String),
}

/// Microseconds of `100ms`, `1.5s`, `800us`, `2m`, or a bare number of milliseconds.
pub(crate) fn parse_duration(text: &str) -> Result<u64, BadTime> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = match text[digits.len()..].trim() {
        "us" | "µs" => 1.0,
        "" | "ms" => 1e3,
        "s" => 1e6,
        "m" | "min" => 6e7,
        _ => -1.0,
    };
    match digits.trim().parse::<f64>() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
        Ok(number) if unit > 0.0 && (0.0..1e9).contains(&number) => Ok((number * unit) as u64),
        _ => Err(BadTime::Duration(text.to_owned())),
    }
}

/// Seconds since 1970 of `today`, `yesterday`, `2h`, `7d`, `2026-01-31`, `2026-01-31T12:00:00Z`.
pub(crate) fn parse_moment(text: &str, now: u64) -> Result<u64, BadTime> {
    const DAY: u64 = 24 * 3600;
    let midnight = now - now % DAY;
    let weeks = text.strip_suffix('w').and_then(|weeks| weeks.parse::<u64>().ok()?.checked_mul(7 * DAY));
    let moment = match text {
        "today" => Some(midnight),
        "yesterday" => Some(midnight - DAY),
        _ => time::parse_span(text)
            .or(weeks)
            .map(|span| now.saturating_sub(span))
            .or_else(|| time::parse_rfc3339(text))
            .or_else(|| time::parse_rfc3339(&format!("{text}T00:00:00Z"))),
    };
    moment.ok_or_else(|| BadTime::Moment(text.to_owned()))
}

/// Why a value is refused: what it may be, and what was perhaps meant.
pub(crate) fn unknown(what: &str, value: &str, known: &[&str]) -> String {
    const MOST: usize = 12;
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(value, known), *known)).min();
    let begins = |known: &&str| value.get(..3).is_some_and(|start| known.starts_with(start));
    let part =
        || known.iter().copied().find(|known| value.len() > 2 && known.contains(value) || begins(known));
    // Of a short word, another letter leaves little.
    let far = if value.len() < 5 { 1 } else { 2.max(value.len() / 4) };
    let near = near.filter(|(distance, _)| *distance <= far).map(|(_, near)| near);
    let meant = near.or_else(part).map_or(String::new(), |near| format!("; did you mean {near}?"));
    let list = known.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let stop = if meant.is_empty() { ";" } else { "" };
    format!("unknown {what} {value}{meant}{stop} known: {list}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        for (micros, text) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (1000, "1.0 ms"),
            (4249, "4.2 ms"),
            (9949, "9.9 ms"),
            (9950, "10 ms"),
            (449_736, "450 ms"),
            (999_499, "999 ms"),
            (999_500, "1.0 s"),
            (1_340_000, "1.3 s"),
            (59_949_999, "59.9 s"),
            (125_000_000, "2 min 5 s"),
            (7_260_000_000, "2 h 1 min"),
        ] {
            assert_eq!(duration(micros), text, "{micros}");
        }
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn paragraphs_get_whole_again_and_nothing_else() {
        let text = "One two\nthree.\n\n- a list\n- of two\n\n```toml\na = 1\nb = 2\n```\nThen\nmore.\n    code\n    code";
        let whole = "One two three.\n\n- a list\n- of two\n\n```toml\na = 1\nb = 2\n```\nThen more.\n    code\n    code";
        assert_eq!(unbroken(text), whole);
        assert_eq!(unbroken(""), "");
    }

    #[test]
    fn moments_are_short() {
        assert_eq!(moment(1_767_556_091), " 4 Jan 19:48:11");
    }

    #[test]
    fn durations_and_moments_are_read() {
        assert_eq!(parse_duration("100ms"), Ok(100_000));
        assert_eq!(parse_duration("1.5s"), Ok(1_500_000));
        assert_eq!(parse_duration("20"), Ok(20_000));
        assert!(parse_duration("soon").is_err() && parse_duration("-1s").is_err());
        let now = 1_767_556_091;
        assert_eq!(parse_moment("2h", now), Ok(now - 7200));
        assert_eq!(parse_moment("2w", now), Ok(now - 14 * 86_400));
        assert_eq!(parse_moment("today", now).map(time::rfc3339), Ok("2026-01-04T00:00:00Z".into()));
        assert_eq!(parse_moment("2026-01-03", now).map(time::rfc3339), Ok("2026-01-03T00:00:00Z".into()));
        assert!(parse_moment("lately", now).is_err());
    }

    #[test]
    fn what_is_unknown_is_refused_with_what_is_known() {
        assert_eq!(
            unknown("verdict", "denied", &["deny", "ask", "allow", "none"]),
            "unknown verdict denied; did you mean deny? known: deny, ask, allow, none"
        );
        assert_eq!(unknown("tool", "Grep", &["Bash"]), "unknown tool Grep; known: Bash");
    }
}
