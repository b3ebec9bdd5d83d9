//! What became of an entity that was known: what one run of a pull extractor found changed of it.

use serde::{Deserialize, Serialize};

use crate::{EntityId, Timestamp};

/// A longer value is cut to so many bytes, and the difference says so. View texts and parameters
/// may be long; the present value is whole with the entity.
pub const MAX_VALUE_BYTES: usize = 400;
/// Of so many differences in one change the rest is only counted.
pub const MAX_DIFFERENCES: usize = 50;

/// What one run found changed of one entity that was known before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityChange {
    /// Which entity.
    pub entity: EntityId,
    /// The extractor.
    pub source: String,
    /// When its run began.
    pub run: Timestamp,
    /// The time of the state that the run read.
    pub at: Timestamp,
    /// What is different.
    pub differences: Differences,
}

/// What is different, within limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Differences {
    /// The first of them, at most [`MAX_DIFFERENCES`].
    pub told: Vec<Difference>,
    /// How many more there were.
    pub untold: u64,
}

impl Differences {
    /// Adds one, or counts it where there are too many.
    pub fn add(&mut self, difference: Difference) {
        if self.told.len() < MAX_DIFFERENCES {
            self.told.push(difference);
        } else {
            self.untold += 1;
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }
}

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DifferenceKind {
    /// It is gone.
    Deleted,
    /// It is no longer covered by the configured patterns.
    OutOfScope,
    /// It was out of sight and is there again, in the life that it had.
    SeenAgain,
    /// It was dropped and created again.
    CreatedAgain,
    /// It has another path.
    Moved,
    /// A property of the entity itself has another value.
    Property,
    /// There is a column that was not there.
    ColumnAdded,
    /// There is no longer such a column.
    ColumnRemoved,
    /// A property of a column has another value.
    Column,
}

impl DifferenceKind {
    /// Every value, in the order of declaration.
    pub const ALL: &'static [Self] = &[
        Self::Deleted,
        Self::OutOfScope,
        Self::SeenAgain,
        Self::CreatedAgain,
        Self::Moved,
        Self::Property,
        Self::ColumnAdded,
        Self::ColumnRemoved,
        Self::Column,
    ];
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// What kind.
    pub kind: DifferenceKind,
    /// The column, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Which property, by Navigator's name (`owner`, `dataType`); of a map with its key
    /// (`params.retention`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The value before; `None` when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value from then on; `None` when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether a value is longer than it is kept here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl Difference {
    /// One that has neither a property nor values.
    pub fn plain(kind: DifferenceKind) -> Self {
        Self { kind, column: None, property: None, before: None, after: None, cut: false }
    }

    /// With both values, each cut where it is too long.
    #[must_use]
    pub fn with_values(mut self, before: Option<&str>, after: Option<&str>) -> Self {
        self.before = before.map(|value| self.within_limit(value));
        self.after = after.map(|value| self.within_limit(value));
        self
    }

    /// Of this property.
    #[must_use]
    pub fn of_property(mut self, property: &str) -> Self {
        self.property = Some(self.within_limit(property));
        self
    }

    /// Of this column.
    #[must_use]
    pub fn of_column(mut self, column: &str) -> Self {
        self.column = Some(self.within_limit(column));
        self
    }

    fn within_limit(&mut self, value: &str) -> String {
        if value.len() <= MAX_VALUE_BYTES {
            return value.to_owned();
        }
        self.cut = true;
        format!("{}…", &value[..value.floor_char_boundary(MAX_VALUE_BYTES)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_between_characters_and_marked() {
        let long = "é".repeat(MAX_VALUE_BYTES);
        let difference = Difference::plain(DifferenceKind::Property).with_values(Some("short"), Some(&long));
        assert_eq!(difference.before.as_deref(), Some("short"));
        assert_eq!(difference.after.unwrap(), format!("{}…", "é".repeat(MAX_VALUE_BYTES / 2)));
        assert!(difference.cut);
    }

    #[test]
    fn too_many_differences_are_counted() {
        let mut differences = Differences::default();
        for _ in 0..MAX_DIFFERENCES + 7 {
            differences.add(Difference::plain(DifferenceKind::ColumnAdded));
        }
        assert_eq!((differences.told.len(), differences.untold), (MAX_DIFFERENCES, 7));
    }
}
