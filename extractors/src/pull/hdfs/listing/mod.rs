//! A file system by listing its directories, where its NameNode's image is not to be had.
//!
//! - `address`, `hadoop_conf`, `scope`: what is listed.
//! - `lister`: what answers: `native` (the RPC of a NameNode) or `java` (another program, through a pipe).
//! - `webhdfs`: the inode numbers, which neither of the two tells.
//! - `reading`, `walk`, `listed`: one directory; all of them, some at a time; what is kept of them.
//! - `extractor`: a pass.
//!
//! What a pass guarantees, besides what every pass over a file system does:
//!
//! - No more listings at the same time, and no more requests a second, than configured.
//! - Memory grows with the number of directories, not of files.
//! - A NameNode that goes away is waited for; the walk goes on with the directories still to do.
//! - A directory that may not be listed is named as unread, so that nothing below it is deleted.
//!
//! What a listing is not: one moment. What is moved during the walk may be shown at its old place,
//! or, by path, at both or none; the next pass corrects that.

mod address;
mod extractor;
mod hadoop_conf;
mod java;
mod listed;
mod lister;
mod native;
mod reading;
mod scope;
#[cfg(test)]
mod tests;
mod walk;
mod webhdfs;

pub use address::ListingAddress;
pub use extractor::{ListingConfig, ListingExtractor, WebHdfs};
pub use scope::PathScope;
