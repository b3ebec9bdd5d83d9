//! The numbers that stand for words of the model. They are in the data: they never change.

use sextant_model::operation::Role;
use sextant_model::{EntityState, EntityType, NameKind, SourceType};

/// The number of an entity type.
pub(in crate::sqlite) const fn entity_type_code(value: EntityType) -> i64 {
    match value {
        EntityType::Database => 1,
        EntityType::Table => 2,
        EntityType::View => 3,
        EntityType::Field => 4,
        EntityType::Partition => 5,
        EntityType::Directory => 6,
        EntityType::File => 7,
        EntityType::Operation => 8,
        EntityType::OperationExecution => 9,
    }
}

/// The entity type of a number.
pub(in crate::sqlite) fn entity_type(code: i64) -> Option<EntityType> {
    EntityType::ALL.iter().copied().find(|value| entity_type_code(*value) == code)
}

/// The number of a source type.
pub(in crate::sqlite) const fn source_type_code(value: SourceType) -> i64 {
    match value {
        SourceType::Hive => 1,
        SourceType::Impala => 2,
        SourceType::Hdfs => 3,
        SourceType::Spark => 4,
        SourceType::OpenLineage => 5,
    }
}

/// The source type of a number.
pub(in crate::sqlite) fn source_type(code: i64) -> Option<SourceType> {
    SourceType::ALL.iter().copied().find(|value| source_type_code(*value) == code)
}

/// The number of an entity's state.
pub(in crate::sqlite) const fn entity_state_code(value: EntityState) -> i64 {
    match value {
        EntityState::Living => 1,
        EntityState::Deleted => 2,
        EntityState::OutOfScope => 3,
    }
}

/// The entity's state of a number.
pub(in crate::sqlite) fn entity_state(code: i64) -> Option<EntityState> {
    EntityState::ALL.iter().copied().find(|value| entity_state_code(*value) == code)
}

/// The number of a name space.
pub(in crate::sqlite) const fn name_kind_code(value: NameKind) -> i64 {
    match value {
        NameKind::Database => 1,
        NameKind::Relation => 2,
        NameKind::Path => 3,
        NameKind::Job => 4,
    }
}

/// The name space of a number.
pub(in crate::sqlite) fn name_kind(code: i64) -> Option<NameKind> {
    [NameKind::Database, NameKind::Relation, NameKind::Path, NameKind::Job]
        .into_iter()
        .find(|value| name_kind_code(*value) == code)
}

/// The number of a role.
pub(in crate::sqlite) const fn role_code(value: Role) -> i64 {
    match value {
        Role::Input => 1,
        Role::Output => 2,
    }
}

/// The role of a number.
pub(in crate::sqlite) fn role(code: i64) -> Option<Role> {
    [Role::Input, Role::Output].into_iter().find(|value| role_code(*value) == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_again_by_its_number() {
        for value in EntityType::ALL {
            assert_eq!(entity_type(entity_type_code(*value)), Some(*value));
        }
        for value in SourceType::ALL {
            assert_eq!(source_type(source_type_code(*value)), Some(*value));
        }
        for value in EntityState::ALL {
            assert_eq!(entity_state(entity_state_code(*value)), Some(*value));
        }
        for value in [NameKind::Database, NameKind::Relation, NameKind::Path, NameKind::Job] {
            assert_eq!(name_kind(name_kind_code(value)), Some(value));
        }
        for value in [Role::Input, Role::Output] {
            assert_eq!(role(role_code(value)), Some(value));
        }
    }

    #[test]
    fn the_numbers_that_indexes_name_are_these() {
        // `migrations/facts/0001_first.sql` says `type IN (1, 2, 3)` and `type IN (2, 3)`.
        assert_eq!([EntityType::Database, EntityType::Table, EntityType::View].map(entity_type_code), [1, 2, 3]);
    }
}
