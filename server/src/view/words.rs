//! The words of the model's enumerations, for the description of the API.
//!
//! The model does not know that it is described. Each type here only stands for an enumeration of
//! it, and takes the words from what the enumeration serializes to.

use sextant_model::feed::{Subject, What};
use sextant_model::history::DifferenceKind;
use sextant_model::namespace::IdentityMode;
use sextant_model::operation::Role;
use sextant_model::problem::ProblemKind;
use sextant_model::{EntityState, EntityType, SourceType};
use sextant_store::{LogLevel, RunOutcome};
use utoipa::openapi::schema::{Object, Schema, Type};
use utoipa::openapi::{RefOr, schema};
use utoipa::{PartialSchema, ToSchema};

use super::json;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $values:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> { described($values.iter().map(json)).into() }
        }

        impl ToSchema for $name {}
    )+ };
}

fn described(words: impl Iterator<Item = serde_json::Value>) -> Object {
    schema::ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).build()
}

words! {
    /// What an entity is.
    EntityTypeWord = [
        EntityType::Database,
        EntityType::Table,
        EntityType::View,
        EntityType::Field,
        EntityType::Partition,
        EntityType::Directory,
        EntityType::File,
    ];
    /// What an operation is.
    OperationTypeWord = [EntityType::Operation];
    /// What an execution is.
    ExecutionTypeWord = [EntityType::OperationExecution];
    /// The kind of service that something comes from.
    SourceTypeWord = SourceType::ALL;
    /// Whether an entity is there.
    EntityStateWord = EntityState::ALL;
    /// Read or written.
    RoleWord = [Role::Input, Role::Output];
    /// How paths keep their identity.
    IdentityModeWord = [IdentityMode::Inode, IdentityMode::Path];
    /// How a run ended.
    RunOutcomeWord = [RunOutcome::Complete, RunOutcome::Incomplete, RunOutcome::Held, RunOutcome::Failed];
    /// What kind of difference it is.
    DifferenceKindWord = DifferenceKind::ALL;
    /// How grave a line of a log is.
    LogLevelWord = LogLevel::ALL;
    /// Why a stretch of input was not understood.
    ProblemKindWord = ProblemKind::ALL;
    /// What kind of thing changed.
    SubjectWord = [Subject::Entity, Subject::Operation, Subject::Text, Subject::Execution];
    /// What happened to it.
    WhatWord = [What::Created, What::Changed, What::Deleted, What::Revived, What::Linked];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_answers_say() {
        let shown = serde_json::to_value(IdentityModeWord::schema()).unwrap();
        assert_eq!(shown, serde_json::json!({ "type": "string", "enum": ["inode", "path"] }));
        assert_eq!(ProblemKindWord::name(), "ProblemKindWord");
    }
}
