//! Images that were fetched whole and could not be used.
//!
//! A NameNode goes on offering the same image until its next checkpoint. One that is damaged, is of another
//! namespace or cannot be kept is not fetched again and again meanwhile: a transfer costs the NameNode more than
//! anything else that is asked of it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::NamespaceError;

/// What came of the images of one extractor. It outlives the passes.
#[derive(Debug, Default)]
pub struct RefusedImages(Mutex<Images>);

#[derive(Debug, Default)]
struct Images {
    /// By the NameNode that gave it: the transaction, and why the image could not be used.
    refused: HashMap<String, (u64, String)>,
    /// NameNodes and transactions of what this pass fetched.
    fetched: Vec<(String, u64)>,
}

impl RefusedImages {
    /// Whatever was refused may be fetched again: somebody asked for it.
    pub fn forget(&self) {
        *self.images() = Images::default();
    }

    /// How a pass ended: `failure` says why nothing that it fetched could be used.
    pub fn pass_ended(&self, failure: Option<&str>) {
        let mut images = self.images();
        let fetched = std::mem::take(&mut images.fetched);
        match failure {
            Some(reason) => {
                for (address, transaction) in fetched {
                    images.refused.insert(address, (transaction, reason.to_owned()));
                }
            }
            None => images.refused.clear(),
        }
    }

    /// An image is here, whatever comes of it.
    pub(super) fn fetched(&self, address: &str, transaction: Option<u64>) {
        if let Some(transaction) = transaction {
            self.images().fetched.push((address.to_owned(), transaction));
        }
    }

    /// Refuses the image that could not be used before.
    pub(super) fn check(&self, address: &str, transaction: Option<u64>) -> Result<(), NamespaceError> {
        match self.images().refused.get(address) {
            Some((refused, reason)) if Some(*refused) == transaction => Err(NamespaceError::RefusedBefore {
                address: address.to_owned(),
                transaction: *refused,
                reason: reason.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn images(&self) -> MutexGuard<'_, Images> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
