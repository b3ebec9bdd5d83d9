//! The true values of names, paths and texts: a component of every segment of the index, beside
//! its postings and columns.
//!
//! Wildcards are checked against these values, hundreds of thousands a second, so they are kept
//! uncompressed, in folded case, and are read in place from the mapped file. Being part of the
//! segment, they are written, merged, committed and thrown away together with it: a crash leaves
//! either the old state or the new one, and replaced documents leave no garbage behind.
//!
//! The file: the records one after the other; then `documents + 1` offsets (u64, little endian);
//! then the number of documents (u32). A record: the document's key (16 bytes), then per value
//! the field (u8), its length in bytes (u32), and its text.

use std::any::Any;
use std::io::{self, Write};

use sextant_model::EntityId;
use tantivy::directory::{OwnedBytes, TerminatingWrite};
use tantivy::index::SegmentComponent;
use tantivy::indexer::DocIdMapping;
use tantivy::indexer::doc_id_mapping::MappingType;
use tantivy::schema::document::ErasedDocument;
use tantivy::schema::{Field, FieldType, Schema};
use tantivy::{
    DocId, PluginMergeContext, PluginWriter, PluginWriterContext, Segment, SegmentPlugin, SegmentReader,
    TantivyDocument, TantivyError,
};

use crate::fields::FieldId;

/// The name of the schema's custom type, and the ending of the files.
pub(crate) const VALUES: &str = "values";

const KEY_BYTES: usize = 16;
const OFFSET_BYTES: usize = 8;
const FOOTER_BYTES: usize = 4;

/// The record of one document, while it is made.
pub(crate) struct RecordBuilder(Vec<u8>);

impl RecordBuilder {
    pub(crate) fn new(key: EntityId) -> Self {
        Self(key.as_bytes().to_vec())
    }

    /// Adds a value, already folded.
    pub(crate) fn add(&mut self, field: FieldId, text: &str) {
        self.0.push(field.0);
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.as_bytes());
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The values of a segment.
pub(crate) struct SegmentValues {
    bytes: OwnedBytes,
    offsets_start: usize,
    documents: usize,
}

impl SegmentValues {
    pub(crate) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let bytes = segment.open_read(SegmentComponent::Custom(VALUES.to_owned()))?.read_bytes()?;
        let damaged = || TantivyError::InternalError("the values of a segment do not fit together".to_owned());
        let footer_start = bytes.len().checked_sub(FOOTER_BYTES).ok_or_else(damaged)?;
        let documents = u32_at(&bytes, footer_start).ok_or_else(damaged)? as usize;
        let offsets_start = footer_start.checked_sub((documents + 1) * OFFSET_BYTES).ok_or_else(damaged)?;
        let values = Self { bytes, offsets_start, documents };
        let ends_at_offsets = values.offset(documents) == Some(offsets_start);
        if documents != segment.max_doc() as usize || !ends_at_offsets {
            return Err(damaged());
        }
        Ok(values)
    }

    fn offset(&self, index: usize) -> Option<usize> {
        let start = self.offsets_start + index * OFFSET_BYTES;
        let bytes = self.bytes.get(start..start + OFFSET_BYTES)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    }

    /// The record of a document; empty for one that is not there.
    fn record(&self, document: DocId) -> &[u8] {
        let index = document as usize;
        if index >= self.documents {
            return &[];
        }
        match (self.offset(index), self.offset(index + 1)) {
            (Some(start), Some(end)) => self.bytes.get(start..end.min(self.offsets_start)).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The key of a document.
    pub(crate) fn key(&self, document: DocId) -> Option<EntityId> {
        let key = self.record(document).get(..KEY_BYTES)?;
        Some(EntityId::from_bytes(key.try_into().ok()?))
    }

    /// The values that a document has in a field, in folded case.
    pub(crate) fn of(&self, document: DocId, field: FieldId) -> impl Iterator<Item = &str> {
        let mut rest = self.record(document).get(KEY_BYTES..).unwrap_or_default();
        std::iter::from_fn(move || {
            loop {
                let (&found, behind_field) = rest.split_first()?;
                let length = u32_at(behind_field, 0)? as usize;
                let value = behind_field.get(4..4 + length)?;
                rest = &behind_field[4 + length..];
                if found == field.0 {
                    return std::str::from_utf8(value).ok();
                }
            }
        })
    }
}

fn u32_at(bytes: &[u8], start: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(start..start + 4)?.try_into().ok()?))
}

/// Writes and merges the component.
pub(crate) struct ValuesPlugin;

impl SegmentPlugin for ValuesPlugin {
    fn extensions(&self) -> &[&str] {
        &[VALUES]
    }

    fn create_writer(&self, context: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        let schema = context.segment.schema();
        let is_custom = |field_type: &FieldType| matches!(field_type, FieldType::Custom(_));
        let field = schema.fields().find(|(_, entry)| is_custom(entry.field_type())).map(|(field, _)| field);
        let field = field.ok_or_else(|| TantivyError::SchemaError("the schema has no field of values".to_owned()))?;
        Ok(Box::new(Writer { field, records: Vec::new(), ends: Vec::new() }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        if context.doc_id_mapping.mapping_type() == MappingType::Shuffled {
            return Err(reordered());
        }
        let mut file = FileWriter::create(context.target_segment)?;
        for segment in context.readers {
            let values = SegmentValues::open(segment)?;
            for document in segment.doc_ids_alive() {
                file.write_record(values.record(document))?;
            }
        }
        Ok(file.finish()?)
    }
}

/// Segments are never sorted, so documents keep their order.
fn reordered() -> TantivyError {
    TantivyError::InvalidArgument("the values of a segment cannot be reordered".to_owned())
}

/// Gathers the records of a new segment.
struct Writer {
    field: Field,
    records: Vec<u8>,
    ends: Vec<usize>,
}

impl PluginWriter for Writer {
    fn add_document(
        &mut self,
        _document: DocId,
        document: &dyn ErasedDocument,
        _schema: &Schema,
    ) -> tantivy::Result<()> {
        let document = document.as_any().downcast_ref::<TantivyDocument>();
        let record = document.and_then(|document| document.get_first(self.field));
        let record = record.as_ref().and_then(tantivy::schema::Value::as_custom);
        self.records.extend(record.unwrap_or_default());
        self.ends.push(self.records.len());
        Ok(())
    }

    fn serialize(self: Box<Self>, segment: &Segment, mapping: Option<&DocIdMapping>) -> tantivy::Result<()> {
        if mapping.is_some() {
            return Err(reordered());
        }
        let mut file = FileWriter::create(segment)?;
        let mut start = 0;
        for end in self.ends {
            file.write_record(&self.records[start..end])?;
            start = end;
        }
        Ok(file.finish()?)
    }

    fn mem_usage(&self) -> usize {
        self.records.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

struct FileWriter {
    file: tantivy::directory::WritePtr,
    offsets: Vec<u64>,
}

impl FileWriter {
    fn create(segment: &Segment) -> tantivy::Result<Self> {
        Ok(Self { file: segment.open_write(SegmentComponent::Custom(VALUES.to_owned()))?, offsets: vec![0] })
    }

    fn write_record(&mut self, record: &[u8]) -> io::Result<()> {
        let start = self.offsets.last().copied().unwrap_or_default();
        self.offsets.push(start + record.len() as u64);
        self.file.write_all(record)
    }

    fn finish(mut self) -> io::Result<()> {
        for offset in &self.offsets {
            self.file.write_all(&offset.to_le_bytes())?;
        }
        self.file.write_all(&(self.offsets.len() as u32 - 1).to_le_bytes())?;
        self.file.terminate()
    }
}
