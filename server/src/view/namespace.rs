//! Which state of a file system everything that is known of its paths rests on, and how old it is.

use serde::Serialize;
use sextant_model::Timestamp;
use sextant_model::namespace::{IdentityMode, NamespaceStamp};
use utoipa::ToSchema;

use super::in_seconds;
use super::words::IdentityModeWord;

/// A state of a file system, as it is shown with everything that rests on it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceState {
    /// The extractor that shows the file system.
    pub(super) source: String,
    /// The last transaction in it; null for a listing.
    #[schema(required)]
    transaction: Option<u64>,
    /// When the state was: for a listing its begin.
    #[schema(value_type = String, format = DateTime)]
    taken: Timestamp,
    #[schema(value_type = IdentityModeWord)]
    identity: IdentityMode,
    pub(super) in_words: String,
}

/// A state as it is shown with everything that rests on it. `source` is the extractor.
pub fn state(source: &str, stamp: &NamespaceStamp) -> NamespaceState {
    NamespaceState {
        source: source.to_owned(),
        transaction: stamp.transaction,
        taken: stamp.taken,
        identity: stamp.identity,
        in_words: format!("as of {}", in_words(stamp)),
    }
}

/// `the image of transaction 1234, 2026-11-30T20:51:08Z`.
pub fn in_words(stamp: &NamespaceStamp) -> String {
    let taken = in_seconds(stamp.taken);
    let state = match stamp.transaction {
        Some(transaction) => format!("the image of transaction {transaction}, {taken}"),
        None => format!("the listing that began {taken}"),
    };
    match stamp.identity {
        IdentityMode::Inode => state,
        IdentityMode::Path => format!("{state} (without inodes: a rename looks like delete and create)"),
    }
}

/// The state of a file system that an extractor applied last, with how old it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedState {
    /// The number of the namespace; null where it is not told.
    #[schema(required)]
    namespace_id: Option<u32>,
    /// The last transaction in it; null for a listing.
    #[schema(required)]
    transaction: Option<u64>,
    /// When the state was: for a listing its begin.
    #[schema(value_type = String, format = DateTime)]
    taken: Timestamp,
    #[schema(value_type = IdentityModeWord)]
    identity: IdentityMode,
    /// Where it was read: a file, or the address of a NameNode.
    origin: String,
    in_words: String,
}

/// A state as the API shows it, with how old it is.
pub fn with_age(stamp: &NamespaceStamp, now: Timestamp) -> AppliedState {
    AppliedState {
        namespace_id: stamp.namespace_id,
        transaction: stamp.transaction,
        taken: stamp.taken,
        identity: stamp.identity,
        origin: stamp.origin.clone(),
        in_words: age_in_words(stamp, now),
    }
}

/// `image of transaction 1234, 53 min old`.
fn age_in_words(stamp: &NamespaceStamp, now: Timestamp) -> String {
    let what = match stamp.transaction {
        Some(transaction) => format!("image of transaction {transaction}"),
        None => "listing".to_owned(),
    };
    let minutes = now.as_millis().saturating_sub(stamp.taken.as_millis()).max(0) / 60_000;
    let age = match minutes {
        0..120 => format!("{minutes} min"),
        120..2_880 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1_440),
    };
    format!("{what}, {age} old")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_said_in_words() {
        let mut stamp = NamespaceStamp {
            namespace_id: Some(7),
            transaction: Some(1234),
            taken: Timestamp::from_seconds(1_796_068_800),
            identity: IdentityMode::Inode,
            origin: "http://nn2:9870".to_owned(),
        };
        assert_eq!(in_words(&stamp), "the image of transaction 1234, 2026-11-30T20:00:00Z");
        stamp.transaction = None;
        stamp.identity = IdentityMode::Path;
        assert!(in_words(&stamp).starts_with("the listing that began 2026-11-30T20:00:00Z (without inodes"));
    }

    #[test]
    fn the_age_is_said_in_a_unit_that_fits() {
        let stamp = NamespaceStamp {
            namespace_id: Some(7),
            transaction: Some(1234),
            taken: Timestamp::from_seconds(1_000_000),
            identity: IdentityMode::Inode,
            origin: "http://nn2:9870".to_owned(),
        };
        let after = |seconds: i64| age_in_words(&stamp, Timestamp::from_seconds(1_000_000 + seconds));
        assert_eq!(after(53 * 60), "image of transaction 1234, 53 min old");
        assert_eq!(after(5 * 3600), "image of transaction 1234, 5 h old");
        assert_eq!(after(3 * 86_400), "image of transaction 1234, 3 days old");
        assert_eq!(after(-10), "image of transaction 1234, 0 min old");
        let listing = NamespaceStamp { transaction: None, ..stamp };
        assert!(age_in_words(&listing, Timestamp::from_seconds(1_000_000)).starts_with("listing, "));
    }
}
