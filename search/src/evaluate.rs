//! Whether a single document passes what is left of a plan.

use std::sync::Arc;

use tantivy::query::{EnableScoring, Scorer};
use tantivy::{DocId, DocSet, Searcher, SegmentReader};

use crate::fields::FieldId;
use crate::plan::{Plan, ValueMatcher};
use crate::values::SegmentValues;

/// A plan made ready for the documents of one segment, asked in ascending order.
pub(crate) enum Evaluator {
    All,
    Nothing,
    Documents(Box<dyn Scorer>),
    Check { field: FieldId, matcher: Arc<ValueMatcher> },
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
}

impl Evaluator {
    pub(crate) fn new(plan: &Plan, searcher: &Searcher, segment: &SegmentReader) -> tantivy::Result<Self> {
        let evaluators = |plans: &[Plan]| {
            let mut evaluators =
                plans.iter().map(|plan| Self::new(plan, searcher, segment)).collect::<tantivy::Result<Vec<Self>>>()?;
            evaluators.sort_by_key(Self::cost);
            tantivy::Result::Ok(evaluators)
        };
        Ok(match plan {
            Plan::All => Self::All,
            Plan::Nothing => Self::Nothing,
            Plan::Exact { query, .. } => {
                let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
                Self::Documents(weight.scorer(segment, 1.0)?)
            }
            Plan::Checked(check) => Self::Check { field: check.field, matcher: Arc::clone(&check.matcher) },
            Plan::And { required, .. } => Self::And(evaluators(required)?),
            Plan::Or(plans) => Self::Or(evaluators(plans)?),
            Plan::Not(plan) => Self::Not(Box::new(Self::new(plan, searcher, segment)?)),
        })
    }

    /// How many values have to be looked at, at most.
    fn cost(&self) -> usize {
        match self {
            Self::All | Self::Nothing | Self::Documents(_) => 0,
            Self::Check { .. } => 1,
            Self::And(evaluators) | Self::Or(evaluators) => evaluators.iter().map(Self::cost).sum(),
            Self::Not(evaluator) => evaluator.cost(),
        }
    }

    /// Whether `document` passes. Documents are asked in ascending order.
    pub(crate) fn matches(&mut self, document: DocId, values: &SegmentValues) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::Documents(scorer) => {
                scorer.doc() == document || scorer.doc() < document && scorer.seek(document) == document
            }
            Self::Check { field, matcher } => values.of(document, *field).any(|value| matcher.matches(value)),
            Self::And(evaluators) => evaluators.iter_mut().all(|evaluator| evaluator.matches(document, values)),
            Self::Or(evaluators) => evaluators.iter_mut().any(|evaluator| evaluator.matches(document, values)),
            Self::Not(evaluator) => !evaluator.matches(document, values),
        }
    }
}
