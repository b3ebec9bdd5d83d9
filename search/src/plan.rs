//! From a query to what the index can do.
//!
//! A test that the postings answer exactly is an [`Plan::Exact`]. A wildcard inside names, paths
//! and texts is a [`Plan::Checked`]: the postings of its trigrams give candidates, and only a
//! look at the true value decides. A plan with checks is answered in two steps: the index walks
//! the [upper bound](Plan::upper_bound), in which every check is replaced by its candidates, and
//! each document of it is asked for the [rest](Plan::rest).

use std::ops::Bound;
use std::sync::Arc;

use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use sextant_model::{EntityId, Viewer};

use crate::dictionary::TermsLike;
use crate::excluded::Excluded;
use crate::fields::{FIELDS, FieldId, Kind, TABLE_PARAMETERS};
use crate::pattern::{Anchoring, Matcher, Pattern, Piece};
use crate::query::{Leaf, Node, Place, Test};
use crate::schema::{Handles, IndexSchema};
use crate::tokenizers::trigrams;
use crate::words::{without_final_slash, without_scheme, words};

/// How many trigrams of a pattern are used, at most. Each further one makes the walk slower
/// and rules out fewer candidates.
const TRIGRAMS_USED: usize = 6;
/// The same where even the rarest is frequent: in one of [`FREQUENT_SHARE`] documents.
const FREQUENT_TRIGRAMS_USED: usize = 3;
const FREQUENT_SHARE: u64 = 8;
/// Trigrams so many times as frequent as the rarest are left out.
const USELESS_FACTOR: u64 = 8;

/// The scores. They are constants, not frequencies: a document's place in the order, and with it
/// a cursor, stays the same while other documents come and go.
mod score {
    pub(super) const EXACT_NAME: f32 = 16.0;
    pub(super) const EXACT_QUALIFIED_NAME: f32 = 12.0;
    pub(super) const WORD_OF_NAME: f32 = 6.0;
    pub(super) const WORD_OF_QUALIFIED_NAME: f32 = 3.0;
    pub(super) const ELSEWHERE: f32 = 1.0;
}

/// What has to be asked of the index.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    /// Every document.
    All,
    /// No document.
    Nothing,
    /// What the index answers exactly.
    Exact { query: Arc<dyn Query>, scoring: Scoring },
    /// What the true values decide.
    Checked(Check),
    /// All of `required`; `optional` ones only raise the score.
    And { required: Vec<Self>, optional: Vec<Self> },
    /// At least one.
    Or(Vec<Self>),
    /// Not this one.
    Not(Box<Self>),
}

/// How the documents of a plan differ in score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scoring {
    /// All have this one.
    Same(f32),
    /// Some count more than others.
    Varied,
}

impl Scoring {
    const NONE: Self = Self::Same(0.0);
}

/// A test of a field's true values.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) field: FieldId,
    pub(crate) matcher: Arc<ValueMatcher>,
    /// Each of these matches every document that passes.
    candidates: Vec<Arc<dyn Query>>,
}

/// A pattern made ready for the values of one field.
#[derive(Debug)]
pub(crate) struct ValueMatcher {
    matcher: Matcher,
    is_whole_path: bool,
}

impl ValueMatcher {
    fn new(pattern: &Pattern, kind: Kind) -> Self {
        let is_whole_path = kind == Kind::Path && pattern.literals().any(|literal| literal.contains('/'));
        let anchoring = if is_whole_path { Anchoring::Whole } else { Anchoring::Words };
        Self { matcher: Matcher::new(pattern, anchoring), is_whole_path }
    }

    /// Whether a value, in folded case, matches.
    pub(crate) fn matches(&self, value: &str) -> bool {
        if !self.is_whole_path {
            return self.matcher.matches(value);
        }
        let path = without_final_slash(value);
        self.matcher.matches(path) || without_scheme(path).is_some_and(|path| self.matcher.matches(path))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Upper,
    Lower,
}

impl Plan {
    fn exact(query: impl Query) -> Self {
        Self::Exact { query: Arc::new(query), scoring: Scoring::NONE }
    }

    fn all_of(plans: Vec<Self>, optional: Vec<Self>) -> Self {
        let mut required = Vec::with_capacity(plans.len());
        for plan in plans {
            match plan {
                Self::All => {}
                Self::Nothing => return Self::Nothing,
                Self::And { required: inner, optional } if optional.is_empty() => required.extend(inner),
                other => required.push(other),
            }
        }
        match (required.len(), optional.is_empty()) {
            (0, true) => Self::All,
            (1, true) => required.swap_remove(0),
            _ => Self::And { required, optional },
        }
    }

    fn any_of(plans: Vec<Self>) -> Self {
        let mut alternatives = Vec::with_capacity(plans.len());
        for plan in plans {
            match plan {
                Self::Nothing => {}
                Self::All => return Self::All,
                Self::Or(inner) => alternatives.extend(inner),
                other => alternatives.push(other),
            }
        }
        match alternatives.len() {
            0 => Self::Nothing,
            1 => alternatives.swap_remove(0),
            _ => Self::Or(alternatives),
        }
    }

    fn none_of(plan: Self) -> Self {
        match plan {
            Self::All => Self::Nothing,
            Self::Nothing => Self::All,
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    fn has_checks(&self) -> bool {
        match self {
            Self::All | Self::Nothing | Self::Exact { .. } => false,
            Self::Checked(_) => true,
            // Optional clauses change no answer.
            Self::And { required: plans, .. } | Self::Or(plans) => plans.iter().any(Self::has_checks),
            Self::Not(plan) => plan.has_checks(),
        }
    }

    /// The scores that documents get.
    pub(crate) fn scoring(&self) -> Scoring {
        let all_unscored = |plans: &[Self]| plans.iter().all(|plan| plan.scoring() == Scoring::NONE);
        match self {
            Self::All | Self::Nothing | Self::Checked(_) | Self::Not(_) => Scoring::NONE,
            Self::Exact { scoring, .. } => *scoring,
            Self::And { required, optional } if all_unscored(optional) => {
                required.iter().map(Self::scoring).fold(Scoring::NONE, |sum, scoring| match (sum, scoring) {
                    (Scoring::Same(sum), Scoring::Same(score)) => Scoring::Same(sum + score),
                    _ => Scoring::Varied,
                })
            }
            Self::Or(plans) if all_unscored(plans) => Scoring::NONE,
            Self::And { .. } | Self::Or(_) => Scoring::Varied,
        }
    }

    /// A plan without checks that matches at least the same documents.
    pub(crate) fn upper_bound(&self) -> Self {
        self.bound(Side::Upper)
    }

    fn bound(&self, side: Side) -> Self {
        let bounds = |plans: &[Self]| plans.iter().map(|plan| plan.bound(side)).collect::<Vec<Self>>();
        match self {
            Self::All | Self::Nothing | Self::Exact { .. } => self.clone(),
            Self::Checked(_) if side == Side::Lower => Self::Nothing,
            Self::Checked(check) => {
                let exact = |query: &Arc<dyn Query>| Self::Exact { query: Arc::clone(query), scoring: Scoring::NONE };
                Self::all_of(check.candidates.iter().map(exact).collect(), Vec::new())
            }
            Self::And { required, optional } => Self::all_of(bounds(required), bounds(optional)),
            Self::Or(plans) => Self::any_of(bounds(plans)),
            Self::Not(plan) => Self::none_of(plan.bound(if side == Side::Upper { Side::Lower } else { Side::Upper })),
        }
    }

    /// What a document of the upper bound still has to pass. [`Plan::All`] without checks.
    pub(crate) fn rest(&self) -> Self {
        match self {
            plan if !plan.has_checks() => Self::All,
            Self::And { required, .. } => Self::all_of(required.iter().map(Self::rest).collect(), Vec::new()),
            plan => plan.clone(),
        }
    }

    /// This plan within a sample of all entities.
    pub(crate) fn within_sample(&self, schema: &IndexSchema, sample: u32) -> Self {
        let sample = exact_term(schema.sample, &crate::sampling::name(sample));
        Self::all_of(vec![sample, self.clone()], Vec::new())
    }

    /// The query for a plan without checks. With `scoring`, what has no scores of its own counts
    /// nothing.
    pub(crate) fn to_query(&self, scoring: bool) -> Box<dyn Query> {
        let is_scored = scoring && self.scoring() != Scoring::NONE;
        let query: Box<dyn Query> = match self {
            Self::All => Box::new(AllQuery),
            Self::Nothing | Self::Checked(_) => Box::new(EmptyQuery),
            Self::Exact { query, .. } => query.box_clone(),
            Self::And { required, optional } => {
                let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
                for plan in required {
                    clauses.push(match plan {
                        Self::Not(inner) => (Occur::MustNot, excluded(inner)),
                        plan => (Occur::Must, plan.to_query(is_scored)),
                    });
                }
                if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
                    clauses.push((Occur::Must, Self::All.to_query(is_scored)));
                }
                if is_scored {
                    clauses.extend(optional.iter().map(|plan| (Occur::Should, plan.to_query(true))));
                }
                Box::new(BooleanQuery::new(clauses))
            }
            Self::Or(plans) => {
                Box::new(BooleanQuery::union(plans.iter().map(|plan| plan.to_query(is_scored)).collect()))
            }
            Self::Not(inner) => {
                Box::new(BooleanQuery::new(vec![(Occur::Must, Box::new(AllQuery)), (Occur::MustNot, excluded(inner))]))
            }
        };
        if scoring && !is_scored { Box::new(ConstScoreQuery::new(query, 0.0)) } else { query }
    }
}

fn excluded(plan: &Plan) -> Box<dyn Query> {
    Box::new(Excluded(plan.to_query(false)))
}

/// The plan for what `viewer` may see of a query's answer: the one place where a reader's rights
/// enter a search, before totals, facets and cursors.
pub(crate) fn restricted_to(_viewer: &Viewer, plan: Plan) -> Plan {
    // The only viewer there is sees everything.
    plan
}

/// Makes plans for one state of the index.
pub(crate) struct Planner<'a> {
    pub(crate) schema: &'a IndexSchema,
    pub(crate) searcher: &'a Searcher,
}

impl Planner<'_> {
    pub(crate) fn plan(&self, node: &Node) -> tantivy::Result<Plan> {
        let plans = |nodes: &[Node]| nodes.iter().map(|node| self.plan(node)).collect::<tantivy::Result<Vec<Plan>>>();
        Ok(match node {
            Node::All => Plan::All,
            Node::And { required, optional } => Plan::all_of(plans(required)?, plans(optional)?),
            Node::Or(nodes) => Plan::any_of(plans(nodes)?),
            Node::Not(node) => Plan::none_of(self.plan(node)?),
            Node::Leaf(leaf) => self.leaf(leaf)?,
        })
    }

    fn leaf(&self, leaf: &Leaf) -> tantivy::Result<Plan> {
        match &leaf.place {
            Place::Field(field) => self.field(*field, &leaf.test),
            Place::Parameter(key) => Ok(self.parameter(key, &leaf.test)),
            Place::Default => {
                let fields = FieldId::all().filter(|field| field.definition().default);
                let plans =
                    fields.map(|field| self.field(field, &leaf.test)).collect::<tantivy::Result<Vec<Plan>>>()?;
                Ok(best_of(plans))
            }
        }
    }

    fn parameter(&self, key: &str, test: &Test) -> Plan {
        let Some(Handles::Keyword(field)) = FieldId::named(TABLE_PARAMETERS).map(|field| self.schema.handles(field))
        else {
            return Plan::Nothing;
        };
        let prefix = Piece::Literal(format!("{key}="));
        match test {
            Test::Word(value) | Test::Quoted(value) => exact_term(field, &format!("{key}={value}")),
            Test::Pattern(value) => {
                let pieces = std::iter::once(prefix).chain(value.pieces().iter().cloned());
                Plan::exact(TermsLike::new(field, &Pattern::new(pieces)))
            }
            Test::Exists | Test::Range { .. } => {
                Plan::exact(TermsLike::new(field, &Pattern::new([prefix, Piece::AnyText])))
            }
        }
    }

    fn field(&self, field: FieldId, test: &Test) -> tantivy::Result<Plan> {
        let kind = field.kind();
        Ok(match (self.schema.handles(field), test) {
            (Handles::Identity { .. }, Test::Exists) => Plan::All,
            (_, Test::Exists) => self.presence(field),
            (Handles::Identity { only, shared }, Test::Word(value) | Test::Quoted(value)) => match value.parse() {
                Ok(id) => Plan::any_of(vec![exact_id(only, id), exact_id(shared, id)]),
                Err(_) => Plan::Nothing,
            },
            (Handles::Identity { only, shared }, Test::Pattern(pattern)) => {
                Plan::any_of([only, shared].map(|ids| Plan::exact(TermsLike::ids(ids, pattern))).into())
            }
            (Handles::Keyword(handle), Test::Word(value) | Test::Quoted(value)) => {
                let term = exact_term(handle, value);
                if field.definition().default { scored(term, score::ELSEWHERE) } else { term }
            }
            (Handles::Keyword(handle), Test::Pattern(pattern)) => Plan::exact(TermsLike::new(handle, pattern)),
            (Handles::Number(handle), Test::Range { low, high }) => range(handle, *low, *high),
            (Handles::Inside { .. }, Test::Pattern(pattern)) => self.checked(field, pattern)?,
            (Handles::Inside { words, whole, .. }, Test::Word(value) | Test::Quoted(value)) => {
                let is_whole_path = kind == Kind::Path && value.contains('/');
                let only_whole = is_whole_path || matches!(test, Test::Quoted(_));
                let name = if kind == Kind::Path { without_final_slash(value) } else { value };
                match (whole, phrase(words, value)) {
                    (Some(whole), Some(phrase)) if !only_whole => {
                        let (exact, word) = scores_of(field);
                        best_of(vec![scored(exact_term(whole, name), exact), scored(phrase, word)])
                    }
                    (Some(whole), _) => scored(exact_term(whole, name), scores_of(field).0),
                    (None, Some(phrase)) => phrase,
                    (None, None) => self.checked(field, &Pattern::containing(value))?,
                }
            }
            // The parser makes no other pairs.
            (Handles::Keyword(_) | Handles::Identity { .. } | Handles::Inside { .. }, Test::Range { .. })
            | (Handles::Number(_), _) => Plan::Nothing,
        })
    }

    fn presence(&self, field: FieldId) -> Plan {
        exact_term(self.schema.present, &IndexSchema::presence_of(field))
    }

    fn checked(&self, field: FieldId, pattern: &Pattern) -> tantivy::Result<Plan> {
        let Handles::Inside { trigrams: handle, .. } = self.schema.handles(field) else { return Ok(Plan::Nothing) };
        let mut distinct: Vec<&str> = pattern.literals().flat_map(trigrams).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut by_frequency = Vec::with_capacity(distinct.len());
        for trigram in distinct {
            let term = Term::from_field_text(handle, trigram);
            let frequency = self.searcher.doc_freq(&term)?;
            if frequency == 0 {
                return Ok(Plan::Nothing);
            }
            by_frequency.push((frequency, term));
        }
        by_frequency.sort();
        let rarest = by_frequency.first().map_or(0, |(frequency, _)| *frequency);
        let is_frequent = rarest > self.searcher.num_docs() / FREQUENT_SHARE;
        by_frequency.truncate(if is_frequent { FREQUENT_TRIGRAMS_USED } else { TRIGRAMS_USED });
        by_frequency.retain(|(frequency, _)| *frequency <= rarest * USELESS_FACTOR);
        let mut candidates: Vec<Arc<dyn Query>> = Vec::new();
        for (_, term) in by_frequency {
            candidates.push(Arc::new(TermQuery::new(term, IndexRecordOption::Basic)));
        }
        if candidates.is_empty()
            && let Plan::Exact { query, .. } = self.presence(field)
        {
            candidates.push(query);
        }
        let matcher = Arc::new(ValueMatcher::new(pattern, field.kind()));
        Ok(Plan::Checked(Check { field, matcher, candidates }))
    }
}

/// The scores of a whole name and of a word of it.
fn scores_of(field: FieldId) -> (f32, f32) {
    match field.name() {
        "originalName" => (score::EXACT_NAME, score::WORD_OF_NAME),
        "qualifiedName" => (score::EXACT_QUALIFIED_NAME, score::WORD_OF_QUALIFIED_NAME),
        _ => (score::ELSEWHERE, score::ELSEWHERE),
    }
}

fn exact_term(field: Field, text: &str) -> Plan {
    Plan::exact(TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::Basic))
}

fn exact_id(field: Field, id: EntityId) -> Plan {
    Plan::exact(TermQuery::new(Term::from_field_bytes(field, id.as_bytes()), IndexRecordOption::Basic))
}

/// The words of `text` one behind the other; none when it has no words.
fn phrase(field: Field, text: &str) -> Option<Plan> {
    let mut terms: Vec<Term> = words(text).map(|word| Term::from_field_text(field, word)).collect();
    match terms.len() {
        0 => None,
        1 => Some(Plan::exact(TermQuery::new(terms.swap_remove(0), IndexRecordOption::Basic))),
        _ => Some(Plan::exact(PhraseQuery::new(terms))),
    }
}

fn range(field: Field, low: Option<i64>, high: Option<i64>) -> Plan {
    let term = |value| Term::from_field_i64(field, value);
    let low = low.map_or(Bound::Unbounded, |low| Bound::Included(term(low)));
    let high = high.map_or(Bound::Unbounded, |high| Bound::Excluded(term(high)));
    Plan::exact(RangeQuery::new(low, high))
}

fn scored(plan: Plan, score: f32) -> Plan {
    match plan {
        Plan::Exact { query, .. } => {
            let query = Arc::new(ConstScoreQuery::new(query.box_clone(), score));
            Plan::Exact { query, scoring: Scoring::Same(score) }
        }
        other => other,
    }
}

/// The disjunction of `plans`, scored by the best one.
fn best_of(plans: Vec<Plan>) -> Plan {
    let is_scored = |plan: &Plan| matches!(plan, Plan::Exact { .. }) && plan.scoring() != Scoring::NONE;
    if !plans.iter().all(is_scored) {
        return Plan::any_of(plans);
    }
    let queries = plans.into_iter().filter_map(|plan| match plan {
        Plan::Exact { query, .. } => Some(query.box_clone()),
        _ => None,
    });
    Plan::Exact { query: Arc::new(DisjunctionMaxQuery::new(queries.collect())), scoring: Scoring::Varied }
}

const _: () = assert!(!FIELDS.is_empty() && FIELDS.len() < 256, "a field's number is one byte");
