//! Tells the server that nothing will follow in a generation whose bytes it has.
//!
//! A record may span several lines: its beginning waits at the server for the rest until it hears
//! that there is none. An empty batch at the generation's end says so. The file is not needed for
//! it and may be gone.

use serde::{Deserialize, Serialize};

use sextant_model::delivery::BatchHeader;

use crate::delivery::{Answer, Trouble};
use crate::generation::{Identity, Inode};
use crate::reader;
use crate::turn::Surroundings;

/// A generation that is at its end, and where that is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) identity: Identity,
    /// Kept by the server; nothing follows.
    pub(crate) position: u64,
}

/// What is to be said about one file.
#[derive(Debug)]
pub(crate) struct Closing {
    pub(crate) inode: Inode,
    /// The file's path when it was last seen.
    pub(crate) path: String,
    pub(crate) ended: Ended,
}

/// What the server said to it.
#[derive(Debug)]
pub(crate) struct ClosingReport {
    pub(crate) inode: Inode,
    pub(crate) ended: Ended,
    pub(crate) result: Result<Answer, Trouble>,
}

/// Sends the empty batch. `format` and `cluster` are those of the file's spool.
pub(crate) async fn send(
    closing: Closing,
    format: String,
    cluster: String,
    surroundings: Surroundings,
) -> ClosingReport {
    let Closing { inode, path, ended } = closing;
    let header = BatchHeader {
        agent: surroundings.agent,
        host: surroundings.host,
        generation: ended.identity.generation(),
        path,
        format,
        cluster,
        start: ended.position,
        end: ended.position,
        skipped: None,
        last: true,
    };
    let result = match reader::pack_nothing(&header) {
        Ok(body) => surroundings.server.deliver(body).await,
        Err(error) => Err(surroundings.server.strange(&error.to_string())),
    };
    ClosingReport { inode, ended, result }
}
