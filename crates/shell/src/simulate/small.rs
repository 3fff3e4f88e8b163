//! What small programs print that is known from their words alone.

use crate::text::ANY;

pub(super) fn sequence(args: &[&str]) -> String {
    let numbers: Option<Vec<i64>> = args
        .iter()
        .filter(|a| !a.starts_with("-s") && !a.starts_with("-w"))
        .map(|a| a.parse().ok())
        .collect();
    let (from, to) = match numbers.as_deref() {
        Some([to]) => (1, *to),
        Some([from, to]) => (*from, *to),
        _ => return ANY.to_string(),
    };
    if to.saturating_sub(from) > 64 {
        return ANY.to_string();
    }
    (from..=to).map(|n| format!("{n}\n")).collect()
}

pub(super) fn parent(path: &str) -> String {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
        None if path.is_empty() => "/".to_owned(),
        None => ".".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_and_numbers() {
        assert_eq!(parent("/home/dev"), "/home");
        assert_eq!(parent("/home"), "/");
        assert_eq!(sequence(&["2", "4"]), "2\n3\n4\n");
    }
}
