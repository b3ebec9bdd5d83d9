//! What flows mean for names and for the flows' own identity. Runs of one statement tell the same flows again and
//! again, so each distinct one of a batch is looked at once.

use std::collections::{BTreeSet, HashMap};
use std::ops::Index;

use sextant_model::operation::{Role, TablePair};
use sextant_model::record::Flows;
use sextant_model::{EntityId, NameKey, Timestamp};

use crate::flows::{folded, input_tables, output_tables, table_pairs};

/// What flows mean in a cluster.
pub(crate) struct Meaning {
    /// The names that are read, in order.
    pub(crate) inputs: Vec<NameKey>,
    /// The names that are written, in order.
    pub(crate) outputs: Vec<NameKey>,
    /// Which input flows into which output.
    pub(crate) pairs: Vec<TablePair>,
    /// Create times of tables: qualified name and time.
    pub(crate) table_created: Vec<(String, Timestamp)>,
    /// The flows as every run of the same shape tells them.
    pub(crate) folded: Flows,
    /// `folded` as it goes into the identity of a variant.
    canonical: Vec<u8>,
}

impl Meaning {
    fn of(cluster: &str, flows: &Flows) -> Self {
        let names_of = |tables: BTreeSet<u32>| {
            let name = |table: u32| NameKey::of(cluster, &flows.tables[table as usize].name);
            let mut names: Vec<NameKey> = tables.into_iter().map(name).collect();
            names.sort_unstable();
            names
        };
        let folded = folded(flows);
        let canonical = serde_json::to_vec(&folded).expect("flows are plain lists of numbers and texts");
        Self {
            inputs: names_of(input_tables(flows)),
            outputs: names_of(output_tables(flows)),
            pairs: table_pairs(flows, cluster),
            table_created: flows
                .tables
                .iter()
                .filter_map(|table| Some((table.name.qualified(), table.created?)))
                .collect(),
            folded,
            canonical,
        }
    }

    /// Every use of a name.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (&NameKey, Role)> {
        let inputs = self.inputs.iter().map(|name| (name, Role::Input));
        inputs.chain(self.outputs.iter().map(|name| (name, Role::Output)))
    }

    /// The identity of these flows as a variant of an operation.
    pub(crate) fn variant_id(&self, operation: EntityId) -> EntityId {
        EntityId::derive("flows", &[operation.as_bytes(), &self.canonical])
    }
}

/// The meanings of all flows of a batch, by the place that [`Meanings::place_of`] gave.
#[derive(Default)]
pub(crate) struct Meanings<'a> {
    meanings: Vec<Meaning>,
    places: HashMap<(&'a str, &'a Flows), usize>,
}

impl<'a> Meanings<'a> {
    /// Where the meaning of these flows is.
    pub(crate) fn place_of(&mut self, cluster: &'a str, flows: &'a Flows) -> usize {
        *self.places.entry((cluster, flows)).or_insert_with(|| {
            self.meanings.push(Meaning::of(cluster, flows));
            self.meanings.len() - 1
        })
    }

    /// Every name that is used, in order.
    pub(crate) fn names(&self) -> Vec<NameKey> {
        let names: BTreeSet<&NameKey> = self.meanings.iter().flat_map(Meaning::uses).map(|(name, _)| name).collect();
        names.into_iter().cloned().collect()
    }
}

impl Index<usize> for Meanings<'_> {
    type Output = Meaning;

    fn index(&self, place: usize) -> &Meaning {
        &self.meanings[place]
    }
}
