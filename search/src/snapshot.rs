//! One state of the index, with everything that searches read held open.
//!
//! Files and columns are opened when a state is made, after a commit, and not per search: a
//! mapped file that is mapped anew has to fault in every page again, which takes longer than the
//! search itself. Segments that stay from one state to the next stay open.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::columnar::{Cardinality, Column, ColumnValues, StrColumn};
use tantivy::{DocId, Searcher, SegmentReader};

use crate::bits::BLOCK;
use crate::entities::{EntityNumbers, UNNUMBERED};
use crate::fields::{FIELDS, Field, FieldId};
use crate::order::{SortField, UNKNOWN_TYPE, rank_of_type};
use crate::schema::{ENTITY_HIGH, ENTITY_LOW, NAME_ORDER, SHARES_ENTITY};
use crate::values::SegmentValues;

/// How many numbers of entities may be unused, beside as many as there are documents.
const MOST_UNUSED_NUMBERS: u64 = 1 << 20;

/// One state of the index.
pub(crate) struct Snapshot {
    pub(crate) searcher: Searcher,
    /// In the order of the searcher's segments.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// The numbers in [`Segment::entity_numbers`] are below.
    pub(crate) numbered_entities: u32,
}

impl Snapshot {
    /// Opens the state of `searcher`, with what `before` has open already.
    pub(crate) fn open(
        searcher: Searcher,
        before: Option<&Self>,
        entities: &mut EntityNumbers,
    ) -> tantivy::Result<Self> {
        // Entities that are gone keep their numbers; when these are many, all is opened anew.
        let is_wasteful = u64::from(entities.given()) > 2 * searcher.num_docs() + MOST_UNUSED_NUMBERS;
        if is_wasteful {
            *entities = EntityNumbers::default();
        }
        let mut known = HashMap::new();
        if let Some(before) = before.filter(|_| !is_wasteful) {
            let readers = before.searcher.segment_readers().iter().map(SegmentReader::segment_id);
            known.extend(readers.zip(before.segments.iter().cloned()));
        }
        let mut segments = Vec::with_capacity(searcher.segment_readers().len());
        for reader in searcher.segment_readers() {
            segments.push(match known.remove(&reader.segment_id()) {
                Some(segment) => segment,
                None => Arc::new(Segment::open(reader, entities)?),
            });
        }
        Ok(Self { searcher, segments, numbered_entities: entities.given() })
    }
}

/// The values and columns of a segment. Which of its documents are deleted is not here: that
/// changes while the segment stays.
pub(crate) struct Segment {
    pub(crate) values: SegmentValues,
    /// Per facet field, where the segment has any value of it.
    pub(crate) facets: Vec<(&'static Field, Facet)>,
    name_ordinals: Arc<dyn ColumnValues<u64>>,
    /// The names in order.
    pub(crate) names: Option<StrColumn>,
    type_ordinals: Arc<dyn ColumnValues<u64>>,
    type_ranks: Vec<u8>,
    times: HashMap<SortField, Column<i64>>,
    /// The documents by type, name and entity: the order of results where no score and no field
    /// decides. Made when the segment is opened, kept in memory: 4 bytes a document.
    pub(crate) in_page_order: Vec<DocId>,
    /// Per document the number of its entity, or [`UNNUMBERED`]: 4 bytes a document, none where
    /// every document is its entity's only one.
    pub(crate) entity_numbers: Vec<u32>,
    entity_high: Arc<dyn ColumnValues<u64>>,
    entity_low: Arc<dyn ColumnValues<u64>>,
    name_field: Option<FieldId>,
}

/// The column of a facet field.
pub(crate) struct Facet {
    pub(crate) column: StrColumn,
    /// The ordinals alone, where no document has two values.
    single: Option<Arc<dyn ColumnValues<u64>>>,
}

/// The ordinal of documents that have no value.
const NONE: u64 = u64::MAX;

impl Segment {
    fn open(reader: &SegmentReader, entities: &mut EntityNumbers) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        let mut facets = Vec::new();
        for field in FIELDS.iter().filter(|field| field.facet) {
            if let Some(column) = columns.str(field.name)? {
                let is_single = column.ords().get_cardinality() != Cardinality::Multivalued;
                let single = is_single.then(|| ordinals(Some(&column), reader));
                facets.push((field, Facet { column, single }));
            }
        }
        let types = columns.str("type")?;
        let mut type_ranks = Vec::new();
        if let Some(types) = &types {
            let mut name = String::new();
            for ordinal in 0..types.num_terms() as u64 {
                types.ord_to_str(ordinal, &mut name)?;
                type_ranks.push(rank_of_type(&name));
            }
        }
        let names = columns.str(NAME_ORDER)?;
        let mut times = HashMap::new();
        for field in [SortField::Created, SortField::Started, SortField::LastSeen] {
            times.insert(field, columns.i64(field.as_str())?);
        }
        let mut segment = Self {
            values: SegmentValues::open(reader)?,
            facets,
            name_ordinals: ordinals(names.as_ref(), reader),
            names,
            type_ordinals: ordinals(types.as_ref(), reader),
            type_ranks,
            times,
            in_page_order: Vec::new(),
            entity_numbers: Vec::new(),
            entity_high: full_column(reader, ENTITY_HIGH)?,
            entity_low: full_column(reader, ENTITY_LOW)?,
            name_field: FieldId::named("originalName"),
        };
        segment.in_page_order = segment.page_order(reader.max_doc());
        let shares_entity = full_column(reader, SHARES_ENTITY)?;
        if shares_entity.max_value() == 1 {
            let number = |document| match shares_entity.get_val(document) {
                1 => entities.of(segment.entity_low.get_val(document)),
                _ => UNNUMBERED,
            };
            segment.entity_numbers = (0..reader.max_doc()).map(number).collect();
        }
        Ok(segment)
    }

    fn page_order(&self, documents: DocId) -> Vec<DocId> {
        let mut placed = Vec::with_capacity(documents as usize);
        for start in (0..documents).step_by(BLOCK) {
            let block: Vec<DocId> = (start..documents.min(start + BLOCK as DocId)).collect();
            let mut ranks = [0; BLOCK];
            let mut names = [None; BLOCK];
            self.type_ranks(&block, &mut ranks[..block.len()]);
            self.name_ordinals(&block, &mut names[..block.len()]);
            for ((document, rank), name) in block.into_iter().zip(ranks).zip(names) {
                // The number of no name is below 2^32, as that of no document is.
                let name = name.map_or(u64::from(u32::MAX), |ordinal: u64| ordinal);
                placed.push((u64::from(rank) << 32 | name, self.entity_high.get_val(document), document));
            }
        }
        placed.sort_unstable_by(|left, right| {
            let whole = |place: &(u64, u64, DocId)| (place.0, place.1, self.entity_low.get_val(place.2), place.2);
            (left.0, left.1).cmp(&(right.0, right.1)).then_with(|| whole(left).cmp(&whole(right)))
        });
        placed.into_iter().map(|(.., document)| document).collect()
    }

    /// The entity of a document.
    pub(crate) fn entity(&self, document: DocId) -> u128 {
        u128::from(self.entity_high.get_val(document)) << 64 | u128::from(self.entity_low.get_val(document))
    }

    /// The ranks of the documents' types in the order of types.
    pub(crate) fn type_ranks(&self, documents: &[DocId], ranks: &mut [u8]) {
        let mut ordinals = [0; BLOCK];
        let ordinals = &mut ordinals[..documents.len()];
        self.type_ordinals.get_vals(documents, ordinals);
        for (rank, ordinal) in ranks.iter_mut().zip(ordinals) {
            *rank = self.type_ranks.get(*ordinal as usize).copied().unwrap_or(UNKNOWN_TYPE);
        }
    }

    /// The positions of the documents' names among the names of the segment.
    pub(crate) fn name_ordinals(&self, documents: &[DocId], positions: &mut [Option<u64>]) {
        let mut ordinals = [0; BLOCK];
        let ordinals = &mut ordinals[..documents.len()];
        self.name_ordinals.get_vals(documents, ordinals);
        for (position, ordinal) in positions.iter_mut().zip(ordinals) {
            *position = Some(*ordinal).filter(|ordinal| *ordinal != NONE);
        }
    }

    /// The name that results are ordered by.
    pub(crate) fn name(&self, document: DocId) -> Option<&str> {
        self.values.of(document, self.name_field?).next()
    }

    /// Times that results are ordered by; `times` comes empty.
    pub(crate) fn times(&self, documents: &[DocId], field: SortField, times: &mut [Option<i64>]) {
        if let Some(column) = self.times.get(&field) {
            column.first_vals(documents, times);
        }
    }
}

impl Facet {
    /// Hands every value of the documents to `visit`, as its position in the dictionary.
    pub(crate) fn for_each_ordinal(&self, documents: &[DocId], mut visit: impl FnMut(u64)) {
        let Some(single) = &self.single else {
            documents.iter().flat_map(|document| self.column.term_ords(*document)).for_each(visit);
            return;
        };
        let mut ordinals = [0; BLOCK];
        let ordinals = &mut ordinals[..documents.len()];
        single.get_vals(documents, ordinals);
        for ordinal in ordinals {
            visit(*ordinal);
        }
    }
}

/// The first ordinal of each document, [`NONE`] where it has no value.
fn ordinals(column: Option<&StrColumn>, reader: &SegmentReader) -> Arc<dyn ColumnValues<u64>> {
    match column {
        Some(column) if column.ords().get_cardinality() == Cardinality::Full => Arc::clone(&column.ords().values),
        Some(column) => column.ords().clone().first_or_default_col(NONE),
        None => Column::build_empty_column(reader.max_doc()).first_or_default_col(NONE),
    }
}

/// A column that every document has.
fn full_column(reader: &SegmentReader, name: &str) -> tantivy::Result<Arc<dyn ColumnValues<u64>>> {
    let column = reader.fast_fields().u64(name)?;
    let is_full = column.get_cardinality() == Cardinality::Full;
    Ok(if is_full { Arc::clone(&column.values) } else { column.first_or_default_col(0) })
}
