//! UTC timestamps as text. Twenty lines instead of a date crate, because every hook run writes one.

/// `2026-01-04T19:48:11Z` for seconds since 1970.
pub fn rfc3339(seconds: u64) -> String {
    let mut text = String::with_capacity(20);
    // Writing to a string cannot fail.
    let _ = write_rfc3339(&mut text, seconds);
    text
}

/// The same into whatever is there, without allocating.
pub fn write_rfc3339(out: &mut impl std::fmt::Write, seconds: u64) -> std::fmt::Result {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    write!(out, "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Days since 1970 to a Gregorian date, counting in eras of 400 years that begin in March, so that the leap day is last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// Seconds since 1970 of `2026-01-04T19:48:11Z`, with a fraction or an offset as well. Without `Z` and offset it is UTC.
pub fn parse_rfc3339(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let (time, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (&time[..at], offset(&time[at..])?),
        None => (time, 0),
    };
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time.split('.').next()?, ':')?;
    let in_range = year >= 1970 && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    seconds.checked_add_signed(-offset)
}

/// `+02:00` in seconds.
fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return Some(0),
    };
    let [hours, minutes] = numbers(&text[1..], ':')?;
    Some(sign * i64::try_from(hours * 3600 + minutes * 60).ok()?)
}

/// Exactly `N` small numbers.
fn numbers<const N: usize>(text: &str, between: char) -> Option<[u64; N]> {
    let parts: Option<Vec<u64>> =
        text.split(between).map(|part| part.parse().ok().filter(|n| *n < 10_000)).collect();
    parts?.try_into().ok()
}

/// The other way round.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let month_from_march = (month + 9) % 12;
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Clocks are set by a little all the time.
const SLACK: u64 = 120;

/// Whether something was written by a clock that has been set back since: it lies in the future. What such a moment would still
/// allow is allowed no more, because nobody knows for how long it would.
pub fn is_ahead(at: u64, now: u64) -> bool {
    at > now.saturating_add(SLACK)
}

/// `90s`, `10m`, `2h`, `1d` or a bare number of seconds, in seconds.
pub fn parse_span(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// How long something lasts, as people say it.
pub fn said_seconds(seconds: u64) -> String {
    match seconds {
        0..90 => format!("{seconds} s"),
        90..5400 => format!("{} min", seconds / 60),
        5400..172_800 if seconds % 3600 >= 60 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        5400..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_known_seconds() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_767_556_091), "2026-01-04T19:48:11Z");
        assert_eq!(rfc3339(4_102_444_800), "2100-01-01T00:00:00Z");
    }

    #[test]
    fn timestamps_are_read_back() {
        for seconds in [0, 951_782_399, 951_782_400, 1_767_556_091, 4_102_444_800] {
            assert_eq!(parse_rfc3339(&rfc3339(seconds)), Some(seconds));
        }
        for text in [
            "2026-01-04T19:48:11",
            "2026-01-04 19:48:11.25Z",
            "2026-01-04T21:48:11.5+02:00",
            "2026-01-04T14:18:11-05:30",
        ] {
            assert_eq!(parse_rfc3339(text), Some(1_767_556_091), "{text}");
        }
        for text in [
            "",
            "now",
            "2026-01-04",
            "2026-13-04T00:00:00Z",
            "2026-01-04T25:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-01-04T19:48:11+2",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn spans_have_units() {
        assert_eq!(parse_span("10m"), Some(600));
        assert_eq!(parse_span("45"), Some(45));
        assert_eq!(parse_span("2h"), Some(7200));
        assert_eq!(parse_span("m"), None);
        assert_eq!(parse_span("5w"), None);
    }

    #[test]
    fn times_are_said_in_the_units_of_people() {
        for (seconds, said) in
            [(45, "45 s"), (600, "10 min"), (7_200, "2 h"), (9_000, "2 h 30 min"), (259_200, "3 days")]
        {
            assert_eq!(said_seconds(seconds), said);
        }
    }
}
