//! One state of the index, with everything that searches read held open.
//!
//! Files and columns are opened when a state is made, after a commit, and not per search: a
//! mapped file that is mapped anew has to fault in every page again, which takes longer than the
//! search itself. Segments that stay from one state to the next stay open.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::columnar::{Cardinality, Column, ColumnValues, StrColumn};
use tantivy::{DocId, Searcher, SegmentReader};

use crate::fields::{FIELDS, Field, FieldId};
use crate::order::{SortField, UNKNOWN_TYPE, rank_of_type};
use crate::schema::{ENTITY_HIGH, ENTITY_LOW, NAME_ORDER, SHARES_ENTITY};
use crate::values::SegmentValues;
use crate::walk::BLOCK;

/// One state of the index.
pub(crate) struct Snapshot {
    pub(crate) searcher: Searcher,
    /// In the order of the searcher's segments.
    pub(crate) segments: Vec<Arc<Segment>>,
}

impl Snapshot {
    /// Opens the state of `searcher`, with what `before` has open already.
    pub(crate) fn open(searcher: Searcher, before: Option<&Self>) -> tantivy::Result<Self> {
        let mut known = HashMap::new();
        if let Some(before) = before {
            let readers = before.searcher.segment_readers().iter().map(SegmentReader::segment_id);
            known.extend(readers.zip(before.segments.iter().cloned()));
        }
        let open = |reader: &SegmentReader| match known.get(&reader.segment_id()) {
            Some(segment) => Ok(Arc::clone(segment)),
            None => Segment::open(reader).map(Arc::new),
        };
        let segments = searcher.segment_readers().iter().map(open).collect::<tantivy::Result<Vec<_>>>()?;
        Ok(Self { searcher, segments })
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
    /// Per document its place by type and name, coarsely: see [`Segment::coarse_place`].
    coarse_places: Vec<u32>,
    entity_high: Arc<dyn ColumnValues<u64>>,
    entity_low: Arc<dyn ColumnValues<u64>>,
    shares_entity: Arc<dyn ColumnValues<u64>>,
    name_field: Option<FieldId>,
}

/// The column of a facet field.
pub(crate) struct Facet {
    pub(crate) column: StrColumn,
    /// The ordinals alone, where no document has two values.
    single: Option<Arc<dyn ColumnValues<u64>>>,
}

/// A coarse place has the type's rank in its upper 4 bits, the name's ordinal in the lower ones.
const COARSE_NAME_BITS: u32 = 28;

/// The ordinal of documents that have no value.
const NONE: u64 = u64::MAX;

impl Segment {
    fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
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
            coarse_places: Vec::new(),
            entity_high: full_column(reader, ENTITY_HIGH)?,
            entity_low: full_column(reader, ENTITY_LOW)?,
            shares_entity: full_column(reader, SHARES_ENTITY)?,
            name_field: FieldId::named("originalName"),
        };
        segment.coarse_places = segment.all_coarse_places(reader.max_doc());
        Ok(segment)
    }

    fn all_coarse_places(&self, documents: DocId) -> Vec<u32> {
        let mut places = Vec::with_capacity(documents as usize);
        for start in (0..documents).step_by(BLOCK) {
            let block: Vec<DocId> = (start..documents.min(start + BLOCK as DocId)).collect();
            let mut ranks = [0; BLOCK];
            let mut names = [None; BLOCK];
            self.type_ranks(&block, &mut ranks[..block.len()]);
            self.name_ordinals(&block, &mut names[..block.len()]);
            for (rank, name) in ranks.iter().zip(names).take(block.len()) {
                let last = (1 << COARSE_NAME_BITS) - 1;
                let name = name.map_or(last, |ordinal: u64| ordinal.min(last));
                places.push(u32::from(*rank) << COARSE_NAME_BITS | name as u32);
            }
        }
        places
    }

    /// A number that is never smaller for a document that comes later by type and name. Kept in
    /// memory (4 bytes a document), it tells most documents that they are not on the first page.
    pub(crate) fn coarse_place(&self, document: DocId) -> u32 {
        self.coarse_places[document as usize]
    }

    /// The entity of a document.
    pub(crate) fn entity(&self, document: DocId) -> u128 {
        u128::from(self.entity_high.get_val(document)) << 64 | u128::from(self.entity_low.get_val(document))
    }

    /// The lower half of the entity's id.
    pub(crate) fn half_of_entity(&self, document: DocId) -> u64 {
        self.entity_low.get_val(document)
    }

    /// Whether the entity may have other documents.
    pub(crate) fn shares_entity(&self, document: DocId) -> bool {
        self.shares_entity.get_val(document) == 1
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
