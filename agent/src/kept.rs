//! What the server keeps: how far each generation, by its name.
//!
//! It is the server's word, taken over at each connect and advanced by each receipt. A file finds
//! its place again by it when the agent's own state is lost.

use std::collections::{BTreeMap, HashSet};

use sextant_model::delivery::{Generation, Positions};

use crate::generation::life_in;

/// Positions by generation.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    offsets: BTreeMap<Generation, u64>,
    /// Fingerprints of heads that generations of several files have.
    common_heads: HashSet<String>,
}

impl Kept {
    /// What the server told at a connect.
    pub(crate) fn of(positions: Positions) -> Self {
        let offsets: BTreeMap<Generation, u64> =
            positions.positions.into_iter().map(|kept| (kept.generation, kept.offset)).collect();
        let common_heads = common_heads(offsets.keys());
        Self { offsets, common_heads }
    }

    /// A receipt.
    pub(crate) fn confirm(&mut self, generation: Generation, offset: u64) {
        self.offsets.insert(generation, offset);
    }

    /// How far a generation is kept; nothing for one that the server does not know.
    pub(crate) fn get(&self, generation: &Generation) -> Option<u64> {
        self.offsets.get(generation).copied()
    }

    /// The highest life of that name, and how much of it is kept.
    pub(crate) fn latest_life(&self, first_life_name: &str) -> Option<(u32, u64)> {
        let from_first = self.offsets.range(Generation(first_life_name.to_owned())..);
        from_first
            .take_while(|(generation, _)| generation.0.starts_with(first_life_name))
            .filter_map(|(generation, offset)| Some((life_in(generation, first_life_name)?, *offset)))
            .max()
    }

    /// Whether several files had this head when the server was asked last.
    pub(crate) fn is_common_head(&self, hash: &str) -> bool {
        self.common_heads.contains(hash)
    }
}

/// The fingerprints that stand in the names of generations of more than one file.
fn common_heads<'a>(generations: impl Iterator<Item = &'a Generation>) -> HashSet<String> {
    let mut heads: Vec<(&str, &str)> = generations
        .filter_map(|generation| {
            let (device, rest) = generation.0.split_once('-')?;
            let (inode, rest) = rest.split_once('-')?;
            let head = rest.split_once('-').map_or(rest, |(head, _life)| head);
            Some((head, &generation.0[..=device.len() + inode.len()]))
        })
        .collect();
    heads.sort_unstable();
    heads.dedup();
    heads.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0.to_owned()).collect()
}
