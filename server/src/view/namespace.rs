//! Which state of a file system everything that is known of its paths rests on.

use sextant_model::namespace::{IdentityMode, NamespaceStamp};

use super::{Object, in_seconds, json};

/// A state as it is shown with everything that rests on it. `source` is the extractor.
pub fn state(source: &str, stamp: &NamespaceStamp) -> Object {
    let mut object = Object::new();
    object.insert("source".to_owned(), source.into());
    object.insert("transaction".to_owned(), json(stamp.transaction));
    object.insert("taken".to_owned(), json(stamp.taken));
    object.insert("identity".to_owned(), json(stamp.identity));
    object.insert("inWords".to_owned(), format!("as of {}", in_words(stamp)).into());
    object
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

#[cfg(test)]
mod tests {
    use sextant_model::Timestamp;

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
}
