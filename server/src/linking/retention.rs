//! How much of the inbox is kept after it is linked.

use std::collections::VecDeque;

/// Linked bytes that stay for a replay after a fix: 256 MiB.
const KEPT_BYTES: u64 = 256 << 20;

/// Remembers the sizes of linked entries. What was linked before the server started is not
/// remembered and goes together with the first entry that leaves.
#[derive(Debug, Default)]
pub(super) struct Retention {
    entries: VecDeque<(u64, u64)>,
    bytes: u64,
}

impl Retention {
    /// Notes linked entries (position, bytes), oldest first. Answers up to where entries may be
    /// dropped now.
    pub(super) fn note(&mut self, linked: &[(u64, u64)]) -> Option<u64> {
        for (seq, bytes) in linked {
            self.entries.push_back((*seq, *bytes));
            self.bytes += bytes;
        }
        let mut through = None;
        while self.bytes > KEPT_BYTES {
            let (seq, bytes) = self.entries.pop_front()?;
            self.bytes -= bytes;
            through = Some(seq);
        }
        through
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_when_there_is_too_much() {
        let mut retention = Retention::default();
        assert_eq!(retention.note(&[(1, KEPT_BYTES / 2), (2, KEPT_BYTES / 2)]), None);
        assert_eq!(retention.note(&[(3, 1), (4, KEPT_BYTES / 2)]), Some(2));
    }
}
