//! What a file takes on disks: with all copies, or with the parity of a striped one.

use crate::erasure_coding::ErasureCodingPolicies;
use crate::inode::FileInode;

impl FileInode<'_> {
    /// The bytes on all disks, as a NameNode counts them against a quota. Bytes of content alone
    /// where the policy of a striped file is not one of these.
    pub fn bytes_on_disks(&self, policies: &ErasureCodingPolicies) -> u64 {
        if !self.is_striped {
            return self.length.saturating_mul(u64::from(self.replication));
        }
        let policy = self.erasure_coding_policy.and_then(|id| policies.name(id));
        match policy.and_then(Striping::of_policy) {
            Some(striping) => self.blocks.iter().fold(0, |sum, block| sum.saturating_add(striping.space(block.length))),
            None => self.length,
        }
    }
}

/// How a striped file is laid out: `RS-6-3-1024k` is six data cells of 1 MiB and three of parity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Striping {
    data_cells: u64,
    parity_cells: u64,
    cell_bytes: u64,
}

impl Striping {
    /// As the name of a policy tells it; nothing for a name of another form.
    fn of_policy(name: &str) -> Option<Self> {
        let mut parts = name.rsplit('-');
        let cell_bytes = parts.next()?.strip_suffix('k')?.parse::<u64>().ok()?.checked_mul(1024)?;
        let parity_cells = parts.next()?.parse().ok()?;
        let data_cells = parts.next()?.parse().ok()?;
        let striping = Self { data_cells, parity_cells, cell_bytes };
        (data_cells > 0 && cell_bytes > 0 && parity_cells < 1000 && data_cells < 1000).then_some(striping)
    }

    /// The bytes of a block group with its parity. The last stripe's parity is as long as its
    /// longest cell.
    fn space(self, length: u64) -> u64 {
        if length == 0 {
            return 0;
        }
        let stripe = self.data_cells.saturating_mul(self.cell_bytes);
        let whole_stripes = (length - 1) / stripe;
        let last_cell = self.cell_bytes.min((length - 1) % stripe + 1);
        let parity = whole_stripes.saturating_mul(self.cell_bytes).saturating_add(last_cell);
        length.saturating_add(parity.saturating_mul(self.parity_cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_is_as_long_as_the_longest_cell_of_its_stripe() {
        let striping = Striping::of_policy("RS-6-3-1024k").unwrap();
        let cell = 1 << 20;
        assert_eq!(striping.space(0), 0);
        assert_eq!(striping.space(1), 1 + 3);
        assert_eq!(striping.space(6 * cell), 9 * cell);
        assert_eq!(striping.space(6 * cell + 10), 9 * cell + 10 + 30);
        assert_eq!(Striping::of_policy("RS-LEGACY-6-3-1024k"), Some(striping));
    }

    #[test]
    fn other_names_are_no_striping() {
        for name in ["", "RS", "mine", "RS-0-3-1024k", "RS-6-3-1024", "RS-6-3-0k", "replication"] {
            assert_eq!(Striping::of_policy(name), None, "{name}");
        }
    }
}
