//! The answer about one thing, with everything around it.

use serde::Serialize;
use sextant_model::operation::StatementText;
use sextant_model::{Entity, NameKey, NameKind, Timestamp, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};
use utoipa::ToSchema;

use super::entity::{EntityAnswer, UnlinkedAnswer, entity, unlinked_name};
use super::execution::ExecutionAnswer;
use super::namespace::NamespaceState;
use super::operation::{EndAnswer, OperationAnswer, inputs_and_outputs, operation};
use super::physical::{AroundAnswer, LocationAnswer, Physical, QuarterAnswer, is_path, last_changed};
use super::usage::{UsersAnswer, used_names, users};

/// True texts of an operation that its own answer lists.
const LISTED_TEXTS: u64 = 20;

/// One thing: `type` says which it is; it is null for a name that no source has shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum SingleAnswer {
    /// A database, table, view, field or partition.
    Catalog(Box<CatalogAnswer>),
    /// A directory or file.
    Path(Box<PathAnswer>),
    /// An operation.
    Operation(Box<WholeOperationAnswer>),
    /// One run of an operation.
    Execution(Box<ExecutionAnswer>),
    /// A database, table or view that is known by name only.
    Name(Box<NameAnswer>),
    /// A path that is known by name only.
    PathName(Box<PathNameAnswer>),
}

/// A database, table, view, field or partition.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogAnswer {
    #[serde(flatten)]
    entity: EntityAnswer,
    /// Where its data lies. Not there where its source does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<LocationAnswer>,
    /// The state of the file system that the location rests on. Not there where no extractor shows that file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<NamespaceState>)]
    #[expect(clippy::option_option, reason = "absent, and null, mean different things")]
    namespace_state: Option<Option<NamespaceState>>,
    /// Of a field or partition the users of its table.
    #[serde(flatten)]
    users: UsersAnswer,
}

/// A directory or file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathAnswer {
    #[serde(flatten)]
    entity: EntityAnswer,
    #[serde(flatten)]
    around: AroundAnswer,
    /// Bytes by the quarter in which their files were last changed, the newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_changed: Option<Vec<QuarterAnswer>>,
    /// The state of the file system that all of this rests on.
    #[schema(required)]
    namespace_state: Option<NamespaceState>,
    #[serde(flatten)]
    users: UsersAnswer,
}

/// Keys of the answers around an entity, which none of its properties has.
const KEYS_AROUND: &[&str] = &[
    "location",
    "namespaceState",
    "locatedHereTotal",
    "locatedHere",
    "locatedAboveTotal",
    "locatedAbove",
    "locatedBelow",
    "lastChanged",
    "usedByTotal",
    "usedBy",
];

/// An entity with what is around it.
pub fn single_entity(physical: &Physical<'_>, shown: &Entity) -> Result<SingleAnswer, StoreError> {
    let (facts, viewer) = (physical.facts, physical.viewer);
    let users = users(facts, viewer, &used_names(facts, viewer, shown)?)?;
    let answer = entity(shown).without_properties(KEYS_AROUND);
    if is_path(shown) {
        return Ok(SingleAnswer::Path(Box::new(PathAnswer {
            entity: answer,
            around: physical.around(shown)?,
            last_changed: last_changed(shown),
            namespace_state: physical.state(&shown.source)?,
            users,
        })));
    }
    let location = physical.location(shown)?;
    let namespace_state = match &location {
        Some(location) => physical.state_of_location(location)?,
        None => None,
    };
    Ok(SingleAnswer::Catalog(Box::new(CatalogAnswer { entity: answer, location, namespace_state, users })))
}

/// An operation with what it reads and writes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WholeOperationAnswer {
    #[serde(flatten)]
    operation: OperationAnswer,
    pub(super) inputs: Vec<EndAnswer>,
    pub(super) outputs: Vec<EndAnswer>,
    /// Its first 20 true texts, the earliest first.
    query_texts: Vec<TextAnswer>,
}

/// A true text of an operation, with its literals.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextAnswer {
    text: String,
    /// The earliest run with this text.
    #[schema(value_type = String, format = DateTime)]
    first_seen: Timestamp,
}

/// An operation with what it reads and writes.
pub fn single_operation(
    facts: &dyn Facts,
    viewer: &Viewer,
    summary: &OperationSummary,
) -> Result<WholeOperationAnswer, StoreError> {
    let id = summary.operation.id;
    let (inputs, outputs) = inputs_and_outputs(facts, viewer, id)?;
    let query_texts = facts.texts_of(viewer, id, LISTED_TEXTS)?.into_iter().map(text).collect();
    Ok(WholeOperationAnswer { operation: operation(summary), inputs, outputs, query_texts })
}

fn text(text: StatementText) -> TextAnswer {
    TextAnswer { text: text.text, first_seen: text.first_seen }
}

/// A name that operations use and no source has shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NameAnswer {
    #[serde(flatten)]
    name: UnlinkedAnswer,
    /// Always true.
    known_by_name_only: bool,
    #[serde(flatten)]
    users: UsersAnswer,
}

/// The name of a path that no file system has shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathNameAnswer {
    #[serde(flatten)]
    name: NameAnswer,
    #[serde(flatten)]
    around: AroundAnswer,
    /// Why no file system has shown it.
    #[schema(required)]
    note: Option<String>,
    /// The state of the file system that the note rests on. Not there where no extractor shows that file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<NamespaceState>)]
    #[expect(clippy::option_option, reason = "absent, and null, mean different things")]
    namespace_state: Option<Option<NamespaceState>>,
}

/// A name that no source has shown, with what is known of it all the same.
pub fn single_name(physical: &Physical<'_>, name: &NameKey) -> Result<SingleAnswer, StoreError> {
    let answer = NameAnswer {
        name: unlinked_name(name),
        known_by_name_only: true,
        users: users(physical.facts, physical.viewer, std::slice::from_ref(name))?,
    };
    if name.kind != NameKind::Path {
        return Ok(SingleAnswer::Name(Box::new(answer)));
    }
    let around = physical.around_name(name)?;
    let (note, namespace_state) = physical.why_not_shown(name)?;
    Ok(SingleAnswer::PathName(Box::new(PathNameAnswer { name: answer, around, note, namespace_state })))
}
