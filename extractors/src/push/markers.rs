//! Where records surely begin.
//!
//! Both engines begin every record with one and the same key. Inside a record these bytes cannot
//! stand: within its strings the quotes are escaped, and no nested object has the key. So records
//! are found behind a logger's prefix, and behind one that was cut in the middle of a string.

use memchr::memmem::Finder;

use super::Format;

/// Finds the markers of a stretch of bytes, going forward.
pub(super) struct Markers<'a> {
    input: &'a [u8],
    key: Finder<'static>,
    /// What has to follow key and colon.
    value: &'static [u8],
    /// The answer for every position from the first to the second.
    known: Option<(usize, Option<usize>)>,
}

impl<'a> Markers<'a> {
    pub(super) fn new(format: Format, input: &'a [u8]) -> Self {
        let (key, value): (&'static [u8], &'static [u8]) = match format {
            Format::Hive => (b"\"version\"", b"\"1.0\""),
            Format::Impala => (b"\"queryText\"", b"\""),
        };
        Self { input, key: Finder::new(key), value, known: None }
    }

    /// The first `{` at or behind `from` that begins a record.
    pub(super) fn next_from(&mut self, from: usize) -> Option<usize> {
        if let Some((searched_from, found)) = self.known
            && from >= searched_from
            && found.is_none_or(|found| found >= from)
        {
            return found;
        }
        let found = self.search(from);
        self.known = Some((from, found));
        found
    }

    fn search(&self, from: usize) -> Option<usize> {
        let mut position = from;
        while let Some(distance) = self.key.find(self.input.get(position..)?) {
            let key_start = position + distance;
            position = key_start + self.key.needle().len();
            let before = self.input[from..key_start].trim_ascii_end();
            let behind = self.input[position..].trim_ascii_start();
            let value = behind.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
            let value_fits = value.is_some_and(|value| value.starts_with(self.value));
            if before.ends_with(b"{") && value_fits {
                return Some(from + before.len() - 1);
            }
        }
        None
    }
}
