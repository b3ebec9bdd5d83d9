//! What is known of an image before it is read, and whether it is wanted.

use super::{Applied, NamespaceError};

/// The name of an image says up to which transaction it goes: `fsimage_0000000000000001234`.
pub(super) fn transaction_of_name(file_name: &str) -> Option<u64> {
    let digits = file_name.strip_prefix("fsimage_")?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// An MD5 as Hadoop writes it, in lower case.
pub(super) fn digest_of_text(text: &str) -> Option<String> {
    let digest = text.trim();
    let is_digest = digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| digest.to_ascii_lowercase())
}

/// Whether a state is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is newer than the one applied before, the first, or to be shown once more.
    Read,
    /// It is the one applied before.
    Unchanged,
}

/// Compares a state, as far as it is known yet, with the one applied before.
pub(super) fn judge(
    applied: Option<&Applied>,
    namespace_id: Option<u32>,
    transaction: Option<u64>,
    origin: &str,
) -> Result<Verdict, NamespaceError> {
    let Some(Applied { stamp: applied, show_again }) = applied else {
        return Ok(Verdict::Read);
    };
    if let (Some(found), Some(applied)) = (namespace_id, applied.namespace_id)
        && found != applied
    {
        return Err(NamespaceError::OtherNamespace { origin: origin.to_owned(), found, applied });
    }
    match (transaction, applied.transaction) {
        (Some(found), Some(applied)) if found < applied => {
            Err(NamespaceError::Older { origin: origin.to_owned(), found, applied })
        }
        (Some(found), Some(applied)) if found == applied && !show_again => Ok(Verdict::Unchanged),
        _ => Ok(Verdict::Read),
    }
}

#[cfg(test)]
mod tests {
    use sextant_model::Timestamp;
    use sextant_model::namespace::{IdentityMode, NamespaceStamp};

    use super::*;

    fn applied() -> Applied {
        let stamp = NamespaceStamp {
            namespace_id: Some(7),
            transaction: Some(100),
            taken: Timestamp::from_seconds(1),
            identity: IdentityMode::Inode,
            origin: "before".to_owned(),
        };
        Applied { stamp, show_again: false }
    }

    #[test]
    fn only_a_newer_state_of_the_same_namespace_is_read() {
        let applied = applied();
        let judged = |namespace, transaction| judge(Some(&applied), namespace, transaction, "image");
        assert_eq!(judge(None, Some(8), Some(1), "image").unwrap(), Verdict::Read);
        assert_eq!(judged(Some(7), Some(101)).unwrap(), Verdict::Read);
        assert_eq!(judged(None, Some(100)).unwrap(), Verdict::Unchanged);
        assert!(matches!(judged(Some(7), Some(99)), Err(NamespaceError::Older { found: 99, applied: 100, .. })));
        let other = judged(Some(8), Some(200));
        assert!(matches!(other, Err(NamespaceError::OtherNamespace { found: 8, applied: 7, .. })));
    }

    #[test]
    fn what_is_to_be_shown_again_is_read_and_what_is_older_or_of_another_namespace_still_is_not() {
        let applied = Applied { show_again: true, ..applied() };
        let judged = |namespace, transaction| judge(Some(&applied), namespace, transaction, "image");
        assert_eq!(judged(Some(7), Some(100)).unwrap(), Verdict::Read);
        assert!(matches!(judged(Some(7), Some(99)), Err(NamespaceError::Older { .. })));
        assert!(matches!(judged(Some(8), Some(100)), Err(NamespaceError::OtherNamespace { .. })));
    }

    #[test]
    fn names_and_digests_are_read_or_refused() {
        assert_eq!(transaction_of_name("fsimage_0000000000000001234"), Some(1234));
        for other in
            ["fsimage_", "fsimage_12.md5", "fsimage_+12", "fsimage.ckpt_12", "edits_12", "fsimage_99999999999999999999"]
        {
            assert_eq!(transaction_of_name(other), None, "{other}");
        }
        let digest = "D41D8CD98F00B204E9800998ECF8427E";
        assert_eq!(digest_of_text(digest).as_deref(), Some("d41d8cd98f00b204e9800998ecf8427e"));
        assert_eq!(digest_of_text("d41d8"), None);
    }
}
