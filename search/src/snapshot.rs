//! One state of the index, with everything that searches read held open.
//!
//! Files and columns are opened when a state is made, after a commit, and not per search: a
//! mapped file that is mapped anew has to fault in every page again, which takes longer than the
//! search itself. Segments that stay from one state to the next stay open.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::columnar::{Column, ColumnValues, StrColumn};
use tantivy::{DocId, Searcher, SegmentReader};

use crate::fields::{FIELDS, Field, FieldId};
use crate::order::{SortField, rank_of_type};
use crate::schema::{ENTITY_HIGH, ENTITY_LOW, NAME_ORDER, SHARES_ENTITY};
use crate::values::SegmentValues;

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
    pub(crate) facets: Vec<(&'static Field, StrColumn)>,
    name_ordinals: Arc<dyn ColumnValues<u64>>,
    /// The names in order.
    pub(crate) names: Option<StrColumn>,
    type_ordinals: Arc<dyn ColumnValues<u64>>,
    type_ranks: Vec<u8>,
    times: HashMap<SortField, Column<i64>>,
    entity_high: Arc<dyn ColumnValues<u64>>,
    entity_low: Arc<dyn ColumnValues<u64>>,
    shares_entity: Arc<dyn ColumnValues<u64>>,
    name_field: Option<FieldId>,
}

/// The ordinal of documents that have no value.
const NONE: u64 = u64::MAX;

impl Segment {
    fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        let mut facets = Vec::new();
        for field in FIELDS.iter().filter(|field| field.facet) {
            if let Some(column) = columns.str(field.name)? {
                facets.push((field, column));
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
        Ok(Self {
            values: SegmentValues::open(reader)?,
            facets,
            name_ordinals: ordinals(names.as_ref(), reader),
            names,
            type_ordinals: ordinals(types.as_ref(), reader),
            type_ranks,
            times,
            entity_high: columns.column_first_or_default(ENTITY_HIGH)?,
            entity_low: columns.column_first_or_default(ENTITY_LOW)?,
            shares_entity: columns.column_first_or_default(SHARES_ENTITY)?,
            name_field: FieldId::named("originalName"),
        })
    }

    /// The entity of a document.
    pub(crate) fn entity(&self, document: DocId) -> u128 {
        u128::from(self.entity_high.get_val(document)) << 64 | u128::from(self.entity_low.get_val(document))
    }

    /// Whether the entity may have other documents.
    pub(crate) fn shares_entity(&self, document: DocId) -> bool {
        self.shares_entity.get_val(document) == 1
    }

    /// The rank of a document's type in the order of types.
    pub(crate) fn type_rank(&self, document: DocId) -> u8 {
        let rank = self.type_ranks.get(self.type_ordinals.get_val(document) as usize);
        rank.copied().unwrap_or_else(|| rank_of_type(""))
    }

    /// The position of a document's name among the names of the segment.
    pub(crate) fn name_ordinal(&self, document: DocId) -> Option<u64> {
        Some(self.name_ordinals.get_val(document)).filter(|ordinal| *ordinal != NONE)
    }

    /// The name that results are ordered by.
    pub(crate) fn name(&self, document: DocId) -> Option<&str> {
        self.values.of(document, self.name_field?).next()
    }

    /// A time that results are ordered by.
    pub(crate) fn time(&self, document: DocId, field: SortField) -> Option<i64> {
        self.times.get(&field)?.first(document)
    }
}

fn ordinals(column: Option<&StrColumn>, reader: &SegmentReader) -> Arc<dyn ColumnValues<u64>> {
    let ordinals = match column {
        Some(column) => column.ords().clone(),
        None => Column::build_empty_column(reader.max_doc()),
    };
    ordinals.first_or_default_col(NONE)
}
