//! Why a file system, or a part of it, could not be read.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What went wrong while visiting a file system.
#[derive(Debug, thiserror::Error)]
pub enum NamespaceError {
    /// An address that is none of the allowed ones.
    #[error(
        "`{uri}` is no place of a NameNode's image: {reason} (expected `http://HOST:9870` or `https://HOST:9871`, \
         several separated by commas, or `file:///DIRECTORY`)"
    )]
    BadUri {
        /// As configured.
        uri: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An address of a file system to list that is none of the allowed ones.
    #[error(
        "`{uri}` is no file system that can be listed: {reason} (expected `hdfs://NAMESERVICE`, `hdfs://HOST:8020` or, \
         by Hadoop's Java client, `jni+SCHEME://AUTHORITY`)"
    )]
    BadListingUri {
        /// As configured.
        uri: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An address of WebHDFS that cannot be one.
    #[error("`{address}` is no web address of a NameNode (expected `http://HOST:9870` or `https://HOST:9871`)")]
    BadWebAddress {
        /// As configured.
        address: String,
    },
    /// A configuration of Hadoop that cannot be read.
    #[error("{} cannot be read as a configuration of Hadoop: {reason}", path.display())]
    HadoopConf {
        /// The file.
        path: PathBuf,
        /// Where it is wrong.
        reason: String,
    },
    /// A file system cannot be listed at all, or not to its end.
    #[error("{address} cannot be listed: {reason}")]
    Listing {
        /// The file system.
        address: String,
        /// What happened and what to do.
        reason: String,
    },
    /// Nothing is covered by the include patterns.
    #[error("no directory of {address} is covered by the patterns of `include`: check how they are written")]
    NothingIncluded {
        /// The file system.
        address: String,
    },
    /// Inode numbers were told before and are not now.
    #[error(
        "{address} told inode numbers before and does not now ({reason}): nothing is taken, so that no rename is \
         mistaken; `webhdfs = \"off\"` goes on without them"
    )]
    InodesLost {
        /// The file system.
        address: String,
        /// Why.
        reason: String,
    },
    /// The program with Hadoop's Java client cannot be used.
    #[error("file systems of `jni+` are listed by the program `{program}`, which cannot be used: {reason}")]
    JavaProgram {
        /// As configured or found.
        program: String,
        /// What is missing.
        reason: String,
    },
    /// A pattern for paths that cannot be read.
    #[error("pattern `{pattern}` cannot be read: {reason} (expected a path such as `/data` or `/user/*/tmp`)")]
    BadPattern {
        /// As configured.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A client for HTTP could not be made.
    #[error("cannot prepare connections to the NameNodes: check that this host has certificates of authorities")]
    Client(#[source] reqwest::Error),
    /// Certificates could not be taken from the configured file.
    #[error("cannot take certificates of authorities from {} (`ca_file`): {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// No connection came about, or it broke.
    #[error(
        "the NameNode at {address} cannot be reached, or broke off: check that it runs and that the address is right"
    )]
    Connection {
        /// The NameNode.
        address: String,
        /// The cause.
        source: reqwest::Error,
    },
    /// The NameNode asks who we are.
    #[error(
        "the NameNode at {address} demands a login by Kerberos (SPNEGO), which this version does not speak: \
         let a job fetch the image with `hdfs dfsadmin -fetchImage DIRECTORY` and set `uri` to `file:///DIRECTORY`"
    )]
    LoginRequired {
        /// The NameNode.
        address: String,
    },
    /// The NameNode does not give its image to this user.
    #[error(
        "the NameNode at {address} does not give its image to this user: it takes a user of \
         `dfs.cluster.administrators` (HTTP status {status})"
    )]
    NotAllowed {
        /// The NameNode.
        address: String,
        /// The status of its answer.
        status: u16,
    },
    /// The NameNode could not serve its image.
    #[error("the NameNode at {address} could not give its image (HTTP status {status}): {message}")]
    Refused {
        /// The NameNode.
        address: String,
        /// The status of its answer.
        status: u16,
        /// What it says, shortened.
        message: String,
    },
    /// What answered is not the image service of a NameNode.
    #[error("what answers at {address} is no NameNode that gives its image: {reason}; check the port (HTTP, not RPC)")]
    NotANameNode {
        /// The address.
        address: String,
        /// What is missing.
        reason: String,
    },
    /// Only the active NameNode could be asked, and that is not wanted.
    #[error(
        "no standby NameNode answers, and an image of the active one ({address}) is only taken with \
         `allow_active = true`: {others}"
    )]
    OnlyActive {
        /// The active NameNode.
        address: String,
        /// What the others said.
        others: String,
    },
    /// None of several NameNodes gave an image.
    #[error("none of the configured NameNodes gave an image: {told}")]
    NoneAnswered {
        /// What each of them said.
        told: String,
        /// Whether one of them may do so soon.
        may_pass: bool,
    },
    /// The data directory has no room for the image.
    #[error(
        "the image has {needed_bytes} bytes and {} has room for {free_bytes}: make room there, or put `data_dir` on a larger disk",
        directory.display()
    )]
    NoRoom {
        /// Where it would be kept during the pass.
        directory: PathBuf,
        /// How long the image is, with what is kept free beside it.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
    },
    /// The body ended early or went on.
    #[error(
        "the image from {address} has {received_bytes} of {announced_bytes} bytes: the transfer broke off, and a \
         NameNode cannot go on in the middle"
    )]
    WrongLength {
        /// The NameNode.
        address: String,
        /// Bytes that came.
        received_bytes: u64,
        /// Bytes that were announced.
        announced_bytes: u64,
    },
    /// The bytes are not those that were written.
    #[error("{origin} is damaged: its MD5 is {found} and should be {expected}; the next checkpoint makes a new image")]
    WrongDigest {
        /// Where the image is from.
        origin: String,
        /// Of the bytes.
        found: String,
        /// As noted beside the image, or announced.
        expected: String,
    },
    /// Nothing came for too long.
    #[error("{address} was silent for {} s during `{what}`: it is overloaded, or the network is", waited.as_secs_f64())]
    Silent {
        /// The NameNode.
        address: String,
        /// What was asked for.
        what: &'static str,
        /// For how long it was waited.
        waited: Duration,
    },
    /// A local file cannot be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// `read`, `write`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A directory without an image.
    #[error(
        "{} holds no `fsimage_<transaction>`: name the directory `current` of a NameNode's `dfs.namenode.name.dir`, or \
         the file itself",
        directory.display()
    )]
    NoImage {
        /// The directory.
        directory: PathBuf,
    },
    /// The image is older than the one applied before.
    #[error(
        "{origin} shows transaction {found}, and transaction {applied} was applied before: nothing is taken from an \
         older state (a standby that lags behind after a failover catches up by itself; for a namespace restored from a \
         backup give the extractor a new name)"
    )]
    Older {
        /// Where the image is from.
        origin: String,
        /// Its last transaction.
        found: u64,
        /// The last transaction of the state that was applied.
        applied: u64,
    },
    /// The image is of another namespace than the one applied before.
    #[error(
        "{origin} is of namespace {found}, and extractor states until now are of namespace {applied}: check the address; \
         a namespace that was formatted anew is another file system and wants an extractor with a new name"
    )]
    OtherNamespace {
        /// Where the image is from.
        origin: String,
        /// Its namespace.
        found: u32,
        /// The namespace of the state that was applied.
        applied: u32,
    },
    /// The image was fetched before and could not be used.
    #[error(
        "{reason} (the image of transaction {transaction} from {address} is not fetched again until there is another \
         one, or until `sextant extract` is called for it)"
    )]
    RefusedBefore {
        /// The NameNode.
        address: String,
        /// The image's last transaction.
        transaction: u64,
        /// Why it could not be used.
        reason: String,
    },
    /// The image cannot be understood.
    #[error("{origin} cannot be read as an image of a NameNode")]
    Image {
        /// Where the image is from.
        origin: String,
        /// The cause.
        source: sextant_fsimage::Error,
    },
    /// Nobody takes the steps of the pass any more.
    #[error("the pass was abandoned: nobody takes its steps")]
    Abandoned,
}

impl NamespaceError {
    /// Whether asking again soon may help.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::WrongLength { .. } | Self::WrongDigest { .. } | Self::Silent { .. } => true,
            // 410 is what a NameNode answers to any trouble of its own, such as a checkpoint that moved the file away.
            Self::NoneAnswered { may_pass, .. } => *may_pass,
            Self::Refused { status, .. } => *status == 410 || *status >= 500,
            _ => false,
        }
    }

    /// The error and its causes in one line.
    pub fn in_words(&self) -> String {
        let mut words = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let _ = write!(words, ": {error}");
            cause = error.source();
        }
        words
    }
}
