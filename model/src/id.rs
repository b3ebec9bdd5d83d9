//! Identity: 128 bits, derived once from what an entity was at birth, never changed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The identity of anything that has an address in Sextant: a database, table, field,
/// operation or execution. Written as 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId([u8; 16]);

impl EntityId {
    /// Derives an id from `parts`. Every part is preceded by its length, so that no two lists
    /// of parts run into each other; `domain` keeps the kinds of things apart.
    pub fn derive(domain: &str, parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(domain.as_bytes());
        for part in parts {
            add(part);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(bytes)
    }

    /// From the 16 stored bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 16 bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The id of a metastore object: from its source instance, kind, and qualified name at birth.
    pub fn of_object(source: &str, kind: crate::NameKind, qualified_name: &str) -> Self {
        Self::derive("object", &[source.as_bytes(), kind.as_str().as_bytes(), qualified_name.as_bytes()])
    }

    /// The id of a column, from its table and name.
    pub fn of_field(table: Self, column: &str) -> Self {
        Self::derive("field", &[&table.0, column.to_lowercase().as_bytes()])
    }

    /// The id of a partition, from its table and partition name (`dt=2026-01-01/hr=3`).
    pub fn of_partition(table: Self, partition: &str) -> Self {
        Self::derive("partition", &[&table.0, partition.as_bytes()])
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 32 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("not an entity id (32 hexadecimal digits expected): {0}")]
pub struct NotAnId(String);

impl FromStr for EntityId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let not_an_id = || NotAnId(text.chars().take(64).collect());
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(not_an_id());
        }
        u128::from_str_radix(text, 16).map(|number| Self(number.to_be_bytes())).map_err(|_| not_an_id())
    }
}

impl Serialize for EntityId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntityId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(EntityId::derive("d", &[b"ab", b"c"]), EntityId::derive("d", &[b"a", b"bc"]));
        assert_ne!(EntityId::derive("d", &[b"a"]), EntityId::derive("d", &[b"a", b""]));
    }

    #[test]
    fn text_form_is_read_back() {
        let id = EntityId::derive("d", &[b"x"]);
        assert_eq!(id.to_string().parse::<EntityId>().unwrap(), id);
        assert!("xyz".parse::<EntityId>().is_err());
        assert!("+1234567890123456789012345678901".parse::<EntityId>().is_err());
    }
}
