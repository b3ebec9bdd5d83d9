//! The query for keywords with wildcards: it reads the terms of the field, which are few beside
//! the documents, and joins the documents of those that match.

use std::sync::Arc;

use tantivy::query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{BitSet, DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError};

use crate::pattern::{Anchoring, Matcher, Pattern};

/// Matches documents that have a term in `field` that matches a pattern as a whole.
#[derive(Debug, Clone)]
pub(crate) struct TermsLike {
    field: Field,
    prefix: Arc<str>,
    matcher: Arc<Matcher>,
}

impl TermsLike {
    pub(crate) fn new(field: Field, pattern: &Pattern) -> Self {
        Self {
            field,
            prefix: pattern.literal_prefix().into(),
            matcher: Arc::new(Matcher::new(pattern, Anchoring::Whole)),
        }
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
        let mut terms = index.terms().range().ge(self.prefix.as_bytes()).into_stream()?;
        while terms.advance() {
            if !terms.key().starts_with(self.prefix.as_bytes()) {
                break;
            }
            if std::str::from_utf8(terms.key()).is_ok_and(|term| self.matcher.matches(term)) {
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
