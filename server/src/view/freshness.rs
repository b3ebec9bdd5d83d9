//! How old the state of a file system is on which everything that is known of its paths rests.

use sextant_model::Timestamp;
use sextant_model::namespace::NamespaceStamp;

use super::{Object, json};

/// A state as the API shows it, with how old it is.
pub fn applied(stamp: &NamespaceStamp, now: Timestamp) -> Object {
    let mut object = Object::new();
    object.insert("namespaceId".to_owned(), json(stamp.namespace_id));
    object.insert("transaction".to_owned(), json(stamp.transaction));
    object.insert("taken".to_owned(), json(stamp.taken));
    object.insert("identity".to_owned(), json(stamp.identity));
    object.insert("origin".to_owned(), json(&stamp.origin));
    object.insert("inWords".to_owned(), in_words(stamp, now).into());
    object
}

/// `image of transaction 1234, 53 min old`.
pub fn in_words(stamp: &NamespaceStamp, now: Timestamp) -> String {
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
    use sextant_model::namespace::IdentityMode;

    use super::*;

    #[test]
    fn the_age_is_said_in_a_unit_that_fits() {
        let stamp = NamespaceStamp {
            namespace_id: Some(7),
            transaction: Some(1234),
            taken: Timestamp::from_seconds(1_000_000),
            identity: IdentityMode::Inode,
            origin: "http://nn2:9870".to_owned(),
        };
        let after = |seconds: i64| in_words(&stamp, Timestamp::from_seconds(1_000_000 + seconds));
        assert_eq!(after(53 * 60), "image of transaction 1234, 53 min old");
        assert_eq!(after(5 * 3600), "image of transaction 1234, 5 h old");
        assert_eq!(after(3 * 86_400), "image of transaction 1234, 3 days old");
        assert_eq!(after(-10), "image of transaction 1234, 0 min old");
        let listing = NamespaceStamp { transaction: None, ..stamp };
        assert!(in_words(&listing, Timestamp::from_seconds(1_000_000)).starts_with("listing, "));
    }
}
