//! `DEC-COMPONENT-NNN` and `REQ-CATEGORY-NNN` in text.

/// An id as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id {
    pub text: String,
    /// It has the form that it should have.
    pub well_formed: bool,
}

const CATEGORIES: &[&str] = &["GOAL", "NOGO", "UJ", "P0", "P1", "P2", "MET"];

/// Everything in `line` that is meant as an id with this prefix: its last part begins with a digit. What does not is a placeholder.
pub fn ids(prefix: &str, line: &str) -> Vec<Id> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find(prefix).map(|at| at + from) {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let end = line[at..].find(|c| !word(c)).map_or(line.len(), |end| at + end);
        let alone = !line[..at].ends_with(word);
        from = end.max(at + prefix.len());
        let text = line[at..end].trim_end_matches(['-', '_']);
        let rest = &text[prefix.len().min(text.len())..];
        let (component, number) = rest.rsplit_once('-').unwrap_or(("", rest));
        if alone && number.starts_with(|c: char| c.is_ascii_digit()) {
            found.push(Id { text: text.to_owned(), well_formed: is_well_formed(prefix, component, number) });
        }
    }
    found
}

fn is_well_formed(prefix: &str, component: &str, number: &str) -> bool {
    let named = match prefix {
        "REQ-" => CATEGORIES.contains(&component),
        _ => {
            let part = |part: &str| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            };
            component.len() >= 2
                && component.starts_with(|c: char| c.is_ascii_uppercase())
                && component.split('-').all(part)
        }
    };
    named && number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_judged() {
        let read = |prefix: &str, line: &str| {
            ids(prefix, line).into_iter().map(|id| (id.text, id.well_formed)).collect::<Vec<_>>()
        };
        let own = |list: &[(&str, bool)]| {
            list.iter().map(|(text, ok)| ((*text).to_owned(), *ok)).collect::<Vec<_>>()
        };
        assert_eq!(
            read("DEC-", "DEC-AUTH-001, DEC-AUTH-API-002."),
            own(&[("DEC-AUTH-001", true), ("DEC-AUTH-API-002", true)])
        );
        assert_eq!(
            read("DEC-", "(DEC-A-001) DEC-AUTH-1 DEC-auth-001 DEC-AUTH-0001"),
            own(&[
                ("DEC-A-001", false),
                ("DEC-AUTH-1", false),
                ("DEC-auth-001", false),
                ("DEC-AUTH-0001", false)
            ])
        );
        assert_eq!(read("DEC-", "DEC-COMPONENT-NNN DEC- DEC-X XDEC-AUTH-001"), own(&[]));
        assert_eq!(
            read("DEC-", "DEC-1 DEC-001 DEC-CORE-1A"),
            own(&[("DEC-1", false), ("DEC-001", false), ("DEC-CORE-1A", false)])
        );
        assert_eq!(read("REQ-", "REQ-1, REQ-P0-1"), own(&[("REQ-1", false), ("REQ-P0-1", false)]));
        assert_eq!(
            read("REQ-", "REQ-P0-001 REQ-P3-001 REQ-GOAL-1"),
            own(&[("REQ-P0-001", true), ("REQ-P3-001", false), ("REQ-GOAL-1", false)])
        );
    }
}
