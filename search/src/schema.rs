//! The index's schema, made from [`crate::FIELDS`], and how a document is laid out in it.

use serde_json::json;
use tantivy::TantivyDocument;
use tantivy::schema::{BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};

use crate::document::{Document, Value, indexed_part};
use crate::fields::{FIELDS, FieldId, IDENTITY, Kind};
use crate::tokenizers::{TRIGRAMS, WHOLE, WORDS};
use crate::values::{RecordBuilder, VALUES};
use crate::words::{folded, without_final_slash, without_scheme};
use crate::{Error, sampling};

/// Columns of every document, whatever its fields.
pub(crate) const ENTITY_HIGH: &str = "entityHigh";
pub(crate) const ENTITY_LOW: &str = "entityLow";
pub(crate) const SHARES_ENTITY: &str = "sharesEntity";

/// The column of names that results are ordered by.
pub(crate) const NAME_ORDER: &str = "originalName_whole";

/// The schema with the handles of its fields.
#[derive(Clone)]
pub(crate) struct IndexSchema {
    pub(crate) schema: Schema,
    /// The entity of a document that is its only one, which is the document's key too. These are nearly all: one term
    /// instead of two makes the dictionary of ids half as large.
    pub(crate) only: Field,
    /// The key of any other document.
    pub(crate) key: Field,
    /// The entity of any other document.
    shared: Field,
    /// The numbers of the [`FieldId`]s that a document has.
    pub(crate) present: Field,
    /// The samples that a document belongs to.
    pub(crate) sample: Field,
    values: Field,
    entity_high: Field,
    entity_low: Field,
    shares_entity: Field,
    by_id: Vec<Handles>,
}

/// Where a field of ours lies in the index.
#[derive(Clone, Copy)]
pub(crate) enum Handles {
    /// Whole values.
    Keyword(Field),
    /// The bytes of the entity: of documents that are its only one, and of the others.
    Identity { only: Field, shared: Field },
    /// Values that are searched inside.
    Inside { words: Field, trigrams: Field, whole: Option<Field> },
    /// A column of numbers or milliseconds.
    Number(Field),
}

impl IndexSchema {
    pub(crate) fn new() -> Self {
        let mut builder = Schema::builder();
        let mut ids = |name| builder.add_bytes_field(name, BytesOptions::default().set_indexed());
        let (only, key, shared) = (ids("only"), ids("key"), ids("shared"));
        let by_id = FIELDS
            .iter()
            .map(|field| match field.kind {
                _ if field.name == IDENTITY => Handles::Identity { only, shared },
                Kind::Keyword | Kind::Flag => {
                    let options = terms(WHOLE, IndexRecordOption::Basic);
                    let options = if field.facet { options.set_fast("raw") } else { options };
                    Handles::Keyword(builder.add_text_field(field.name, options))
                }
                Kind::Name | Kind::Path | Kind::Text => {
                    let words =
                        builder.add_text_field(field.name, terms(WORDS, IndexRecordOption::WithFreqsAndPositions));
                    let trigrams_name = format!("{}_trigrams", field.name);
                    let trigrams = builder.add_text_field(&trigrams_name, terms(TRIGRAMS, IndexRecordOption::Basic));
                    let whole = (field.kind != Kind::Text).then(|| {
                        let name = format!("{}_whole", field.name);
                        let options = terms(WHOLE, IndexRecordOption::Basic);
                        let options = if name == NAME_ORDER { options.set_fast("raw") } else { options };
                        builder.add_text_field(&name, options)
                    });
                    Handles::Inside { words, trigrams, whole }
                }
                Kind::Number | Kind::Date => {
                    Handles::Number(builder.add_i64_field(field.name, NumericOptions::default().set_fast()))
                }
            })
            .collect();
        let column = NumericOptions::default().set_fast();
        Self {
            by_id,
            only,
            key,
            shared,
            present: builder.add_text_field("present", terms("raw", IndexRecordOption::Basic)),
            sample: builder.add_text_field("sample", terms("raw", IndexRecordOption::Basic)),
            values: builder.add_custom_field(VALUES, VALUES, json!({})),
            entity_high: builder.add_u64_field(ENTITY_HIGH, column.clone()),
            entity_low: builder.add_u64_field(ENTITY_LOW, column.clone()),
            shares_entity: builder.add_u64_field(SHARES_ENTITY, column),
            schema: builder.build(),
        }
    }

    pub(crate) fn handles(&self, field: FieldId) -> Handles {
        self.by_id[usize::from(field.0)]
    }

    /// The term in `present` of documents that have a field.
    pub(crate) fn presence_of(field: FieldId) -> String {
        field.0.to_string()
    }

    /// Lays out a document.
    pub(crate) fn laid_out(&self, document: &Document) -> Result<TantivyDocument, Error> {
        let mut laid_out = TantivyDocument::default();
        let entity = u128::from_be_bytes(*document.entity.as_bytes());
        if document.key == document.entity {
            laid_out.add_bytes(self.only, document.key.as_bytes());
        } else {
            laid_out.add_bytes(self.key, document.key.as_bytes());
            laid_out.add_bytes(self.shared, document.entity.as_bytes());
        }
        laid_out.add_u64(self.entity_high, (entity >> 64) as u64);
        laid_out.add_u64(self.entity_low, entity as u64);
        laid_out.add_u64(self.shares_entity, u64::from(document.key != document.entity));
        for sample in sampling::samples_of(entity) {
            laid_out.add_text(self.sample, sample);
        }
        let mut record = RecordBuilder::new(document.key);
        let mut present: Vec<FieldId> = Vec::with_capacity(document.fields.len());
        for (name, value) in &document.fields {
            let field = FieldId::named(name).ok_or_else(|| Error::UnknownField((*name).to_owned()))?;
            self.lay_out_value(field, value, &mut laid_out, &mut record)?;
            if !present.contains(&field) {
                present.push(field);
                laid_out.add_text(self.present, Self::presence_of(field));
            }
        }
        laid_out.add_custom(self.values, record.bytes());
        Ok(laid_out)
    }

    fn lay_out_value(
        &self,
        field: FieldId,
        value: &Value,
        laid_out: &mut TantivyDocument,
        record: &mut RecordBuilder,
    ) -> Result<(), Error> {
        let wrong = |expected| Error::WrongKind { field: field.name(), expected };
        match (self.handles(field), field.kind(), value) {
            (Handles::Keyword(handle), Kind::Flag, Value::Bool(value)) => {
                laid_out.add_text(handle, if *value { "true" } else { "false" });
            }
            (Handles::Keyword(_), Kind::Flag, _) => return Err(wrong("flag")),
            (Handles::Keyword(handle), _, Value::Text(text)) => laid_out.add_text(handle, indexed_part(text)),
            (Handles::Inside { words, trigrams, whole }, kind, Value::Text(text)) => {
                let text = folded(indexed_part(text));
                record.add(field, &text);
                laid_out.add_text(words, &text);
                laid_out.add_text(trigrams, &text);
                if let Some(whole) = whole {
                    let path = without_final_slash(&text);
                    laid_out.add_text(whole, if kind == Kind::Path { path } else { &text });
                    if let Some(path) = without_scheme(path).filter(|_| kind == Kind::Path) {
                        laid_out.add_text(whole, path);
                    }
                }
            }
            (Handles::Number(handle), Kind::Number, Value::Number(number)) => laid_out.add_i64(handle, *number),
            (Handles::Number(handle), Kind::Date, Value::Time(time)) => laid_out.add_i64(handle, time.as_millis()),
            (Handles::Number(_), Kind::Date, _) => return Err(wrong("time")),
            (Handles::Number(_), ..) => return Err(wrong("number")),
            (Handles::Identity { .. }, ..) => return Err(wrong("field to be given: it is the document's entity")),
            (Handles::Keyword(_) | Handles::Inside { .. }, ..) => return Err(wrong("text")),
        }
        Ok(())
    }
}

fn terms(tokenizer: &str, record: IndexRecordOption) -> TextOptions {
    // Scores come from where a word was found, never from how often or in how long a text.
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record).set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing)
}
