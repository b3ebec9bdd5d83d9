//! The query for keywords with wildcards: it reads the terms of the field, which are few beside
//! the documents, and joins the documents of those that match.

use std::borrow::Cow;
use std::sync::Arc;

use sextant_model::EntityId;
use tantivy::query::{BitSetDocSet, ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{BitSet, DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError};

use crate::pattern::{Anchoring, Matcher, Pattern};

/// How the terms of a field are written in patterns.
#[derive(Debug, Clone, Copy)]
enum Spelling {
    /// As they are.
    Text,
    /// Ids, in hexadecimal digits.
    Id,
}

impl Spelling {
    /// The term as it is written.
    fn written(self, term: &[u8]) -> Option<Cow<'_, str>> {
        match self {
            Self::Text => std::str::from_utf8(term).ok().map(Cow::Borrowed),
            Self::Id => Some(Cow::Owned(EntityId::from_bytes(term.try_into().ok()?).to_string())),
        }
    }

    /// The smallest term that may be written with a beginning; nothing when none is.
    fn first_with(self, prefix: &str) -> Option<Vec<u8>> {
        match self {
            Self::Text => Some(prefix.as_bytes().to_vec()),
            Self::Id => {
                let smallest: EntityId = format!("{prefix:0<32}").parse().ok()?;
                Some(smallest.as_bytes().to_vec())
            }
        }
    }
}

/// Matches documents that have a term in `field` that matches a pattern as a whole.
#[derive(Debug, Clone)]
pub(crate) struct TermsLike {
    field: Field,
    spelling: Spelling,
    prefix: Arc<str>,
    matcher: Arc<Matcher>,
}

impl TermsLike {
    pub(crate) fn new(field: Field, pattern: &Pattern) -> Self {
        Self {
            field,
            spelling: Spelling::Text,
            prefix: pattern.literal_prefix().into(),
            matcher: Arc::new(Matcher::new(pattern, Anchoring::Whole)),
        }
    }

    /// For a field whose terms are the bytes of ids.
    pub(crate) fn ids(field: Field, pattern: &Pattern) -> Self {
        Self { spelling: Spelling::Id, ..Self::new(field, pattern) }
    }
}

impl Query for TermsLike {
    fn weight(&self, _scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for TermsLike {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let index = segment.inverted_index(self.field)?;
        let mut documents = BitSet::with_max_value(segment.max_doc());
        let Some(first) = self.spelling.first_with(&self.prefix) else { return Ok(Box::new(EmptyScorer)) };
        let mut terms = index.terms().range().ge(first).into_stream()?;
        while terms.advance() {
            let Some(term) = self.spelling.written(terms.key()) else { continue };
            if !term.starts_with(&*self.prefix) {
                break;
            }
            if self.matcher.matches(&term) {
                let mut postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                while postings.doc() != TERMINATED {
                    documents.insert(postings.doc());
                    postings.advance();
                }
            }
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(documents), boost)))
    }

    fn explain(&self, segment: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        if self.scorer(segment, 1.0)?.seek(document) != document {
            return Err(TantivyError::InvalidArgument(format!("document {document} does not match")));
        }
        Ok(Explanation::new("a term like the pattern", 1.0))
    }
}
