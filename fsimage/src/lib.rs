//! A streaming reader of the NameNode's fsimage, and what is made of it.
//!
//! [`Image::open`] reads what an image says about itself, [`Image::read_tree`] its directories,
//! and [`Tree::visit`] streams every inode in the image's order. [`write_delimited`],
//! [`write_json_lines`], [`write_parquet`] and [`Sums`] are made of these.
//!
//! What is guaranteed:
//!
//! - Memory is bounded by the directories and a constant, never by the number of files: the
//!   parents of files are found for some millions of them at a time, in 128 MiB.
//! - An inode that only a snapshot has is not shown at a path of today.
//! - A damaged or cut image is an error that tells the section and the place in it. No length
//!   and no count of an image is believed before its bytes are there.
//! - Sections and fields that are not known are passed, so newer layouts can be read.
//! - [`write_delimited`] writes what `hdfs oiv -p Delimited` writes, byte for byte.
//!
//! What is never done: no image is written or changed, nothing is loaded at random places, edits
//! behind the image are not read.
//!
//! | module | idea |
//! |---|---|
//! | `wire` | the protobuf encoding, by hand: it is the hot path, and errors know their place |
//! | `summary`, `section`, `codec`, `zlib`, `hadoop_blocks` | from the file to the messages of a section |
//! | `image`, `namespace`, `strings`, `erasure_coding` | what is read on opening |
//! | `inode`, `blocks`, `acl`, `xattrs`, `quotas`, `permission`, `storage_policy` | one inode, borrowed |
//! | `inodes`, `children` | the two large sections: all inodes; who is in which directory |
//! | `tree`, `directory`, `id_map`, `id_filter` | the directories |
//! | `saved_order`, `ranks`, `plan`, `visit`, `paths`, `progress` | all inodes with their parents, in bounded memory |
//! | `sums`, `striping` | sums by directory, owner, age and size |
//! | `output`, `minutes`, `delimited`, `json_lines`, `find` | what is written as text |
//! | `parquet`, `columns` | what is written as a table |

mod acl;
mod blocks;
mod children;
mod codec;
mod columns;
mod delimited;
mod directory;
mod erasure_coding;
mod error;
mod find;
mod hadoop_blocks;
mod id_map;
mod id_numbers;
mod image;
mod inode;
mod inodes;
mod json_lines;
mod minutes;
mod namespace;
mod parquet;
mod paths;
mod permission;
mod plan;
mod progress;
mod quotas;
mod ranks;
mod saved_order;
mod section;
mod storage_policy;
mod strings;
mod striping;
mod summary;
mod sums;
mod text;
mod tree;
mod visit;
mod wire;
mod xattrs;
mod zlib;

pub use self::parquet::write_parquet;
pub use acl::{Acl, AclEntry, AclSubject};
pub use blocks::{Block, Blocks};
pub use codec::Codec;
pub use delimited::{Compatibility, DelimitedOptions, write_delimited};
pub use directory::{Directory, DirectorySlot};
pub use erasure_coding::ErasureCodingPolicies;
pub use error::{Error, Place};
pub use find::{Filter, FilterKind, FoundFormat, Pattern, PatternError, write_found};
pub use image::Image;
pub use inode::{DirectoryInode, FileInode, Inode, Kind, ROOT_ID, UnderConstruction};
pub use json_lines::write_json_lines;
pub use minutes::Zone;
pub use namespace::Namespace;
pub use paths::Paths;
pub use progress::Progress;
pub use quotas::{StorageType, TypeQuotas};
pub use section::Section;
pub use storage_policy::storage_policy_name;
pub use sums::{Count, Part, SumOptions, Sums};
pub use text::WriteError;
pub use tree::Tree;
pub use visit::{Entry, Visited};
pub use xattrs::{EncryptionZone, XAttr, XAttrNamespace, XAttrs};
