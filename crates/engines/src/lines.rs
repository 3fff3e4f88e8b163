//! Byte offsets to lines and columns.

/// Where each line begins, so that many offsets cost one pass over the text.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    /// Line and column from 1; the column counts characters.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        (number(line), number(self.text[start..offset].chars().count() + 1))
    }

    pub(crate) fn line(&self, offset: usize) -> u32 {
        self.position(offset).0
    }
}

/// A count as the reports have it. Nobody has four billion lines.
pub(crate) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_places() {
        let lines = Lines::new("ab\nüc\n");
        assert_eq!(lines.position(0), (1, 1));
        assert_eq!(lines.position(3), (2, 1));
        assert_eq!(lines.position(4), (2, 1), "inside a character is where it begins");
        assert_eq!(lines.position(5), (2, 2));
        assert_eq!(lines.position(99), (3, 1));
    }
}
