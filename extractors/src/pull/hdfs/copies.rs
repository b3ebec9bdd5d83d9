//! What a file takes on disk: with all copies, or with the parity of a striped one.

use sextant_fsimage::{FileInode, Image};

/// How a striped file is laid out: cells of data, then cells of parity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Striping {
    data_units: u64,
    parity_units: u64,
    cell_bytes: u64,
}

/// The bytes of a file on all disks, as a NameNode counts them against a quota. Bytes alone where
/// the policy of a striped file is not known.
pub(super) fn bytes_with_copies(image: &Image, file: &FileInode<'_>) -> u64 {
    if !file.is_striped {
        return file.length.saturating_mul(u64::from(file.replication));
    }
    let policy = file.erasure_coding_policy.and_then(|id| image.erasure_coding_policies().name(id));
    match policy.and_then(striping_of_name) {
        Some(striping) => {
            file.blocks.iter().fold(0, |sum: u64, block| sum.saturating_add(striping.group_bytes(block.length)))
        }
        None => file.length,
    }
}

impl Striping {
    /// A group of blocks: its data, and parity as long as the longest cell of each stripe.
    fn group_bytes(self, data_bytes: u64) -> u64 {
        let stripe_bytes = self.cell_bytes.saturating_mul(self.data_units);
        let full_stripes = data_bytes / stripe_bytes;
        let last_cell_bytes = (data_bytes % stripe_bytes).min(self.cell_bytes);
        let parity_bytes = full_stripes.saturating_mul(self.cell_bytes).saturating_add(last_cell_bytes);
        data_bytes.saturating_add(parity_bytes.saturating_mul(self.parity_units))
    }
}

/// `RS-6-3-1024k`: the codec, units of data, units of parity, the length of a cell.
fn striping_of_name(name: &str) -> Option<Striping> {
    let mut parts = name.rsplit('-');
    let cell = parts.next()?.strip_suffix('k')?.parse::<u64>().ok()?.checked_mul(1 << 10)?;
    let parity_units = parts.next()?.parse().ok()?;
    let data_units = parts.next()?.parse().ok()?;
    (data_units > 0 && cell > 0).then_some(Striping { data_units, parity_units, cell_bytes: cell })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_is_as_long_as_the_longest_cell_of_each_stripe() {
        let striping = striping_of_name("RS-LEGACY-6-3-1024k").unwrap();
        assert_eq!(striping, Striping { data_units: 6, parity_units: 3, cell_bytes: 1 << 20 });
        assert_eq!(striping.group_bytes(0), 0);
        assert_eq!(striping.group_bytes(100), 100 + 3 * 100);
        assert_eq!(striping.group_bytes(6 << 20), 9 << 20);
        assert_eq!(striping.group_bytes((6 << 20) + (2 << 20)), (9 << 20) + (5 << 20));
    }

    #[test]
    fn other_names_are_no_striping() {
        for name in ["", "RS", "RS-0-3-1024k", "RS-6-3-1024", "RS-6-3-0k", "replication"] {
            assert_eq!(striping_of_name(name), None, "{name}");
        }
    }
}
