//! What can go wrong, and where in the image.

use std::fmt;
use std::path::PathBuf;

use crate::codec::KNOWN_CODECS;

/// Why an image could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file itself cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The image.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file does not begin or end as an image does.
    #[error("{} is no fsimage: {reason}", path.display())]
    NotAnImage {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The image is compressed in a way that is not known.
    #[error("the image is compressed with {codec}, which is not known; known are {KNOWN_CODECS}")]
    UnknownCodec {
        /// The Java class that the image names.
        codec: String,
    },
    /// A section that every image has is not there.
    #[error("the image has no section {section}; it is cut, or another tool's")]
    MissingSection {
        /// The section's name.
        section: &'static str,
    },
    /// A section does not hold what its format asks for.
    #[error("section {section} is damaged at {place}: {what}")]
    Damaged {
        /// The section's name.
        section: String,
        /// Where the message that cannot be read begins.
        place: Place,
        /// What does not fit.
        what: String,
    },
}

/// A place in an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Bytes from the beginning of the file.
    File(u64),
    /// Bytes from the beginning of the section's uncompressed content.
    Uncompressed(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(offset) => write!(formatter, "byte {offset} of the file"),
            Self::Uncompressed(offset) => write!(formatter, "byte {offset} of its uncompressed content"),
        }
    }
}
