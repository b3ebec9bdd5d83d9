//! Inode numbers, which WebHDFS tells and the RPC client does not.
//!
//! `GET /webhdfs/v1/PATH?op=LISTSTATUS` answers with a whole directory, `op=GETFILESTATUS` with one
//! entry; both have `fileId`. A standby answers with a `RemoteException` of `StandbyException`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::{StatusCode, Url};
use serde::Deserialize;

use super::super::NamespaceError;
use super::super::namenode::WebClient;
use super::lister::{EntryKind, ListFailure, ListedEntry, permission};

/// More entries than this are not asked for in one answer, which is kept whole.
pub(super) const MAX_ENTRIES: u64 = 200_000;
/// An entry takes about 300 bytes and its name; an answer beyond this is refused.
const MAX_ENTRY_BYTES: u64 = 2 << 10;
const MAX_ANSWER_BYTES: u64 = MAX_ENTRIES * MAX_ENTRY_BYTES;

/// The NameNodes of one file system, by HTTP.
pub(super) struct WebNameNodes {
    client: WebClient,
    addresses: Vec<Url>,
    user: Option<String>,
    /// The one that answered last.
    active: AtomicUsize,
}

/// Why inode numbers are not to be had.
#[derive(Debug)]
pub(super) enum NoInodes {
    /// It does not tell them, or not to us.
    NotTold(String),
    /// It may tell them when it runs again.
    NotReached(String),
}

#[derive(Deserialize)]
enum Answer {
    FileStatuses {
        #[serde(rename = "FileStatus")]
        statuses: Vec<Status>,
    },
    FileStatus(Box<Status>),
    RemoteException {
        exception: String,
        #[serde(default)]
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    path_suffix: String,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    file_id: u64,
    owner: String,
    group: String,
    /// In octal digits.
    permission: String,
    #[serde(default)]
    acl_bit: bool,
    modification_time: i64,
    access_time: i64,
    length: u64,
    replication: u16,
    block_size: u64,
    symlink: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Kind {
    Directory,
    File,
    Symlink,
}

impl WebNameNodes {
    /// Prepares connections; makes none.
    pub(super) fn new(
        addresses: &[String],
        user: Option<String>,
        connect_timeout: Duration,
        call_timeout: Duration,
        ca_file: Option<&Path>,
    ) -> Result<Self, NamespaceError> {
        let mut urls = Vec::new();
        for address in addresses {
            let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            urls.push(url.ok_or_else(|| NamespaceError::BadWebAddress { address: address.clone() })?);
        }
        let client = WebClient::new(connect_timeout, call_timeout, ca_file)?;
        Ok(Self { client, addresses: urls, user, active: AtomicUsize::new(0) })
    }

    /// Asks for the root: whether inode numbers are told at all.
    pub(super) async fn probe(&self) -> Result<(), NoInodes> {
        match self.entry("/").await {
            Ok(root) if root.inode.is_some() => Ok(()),
            Ok(_) => Err(NoInodes::NotTold("its answers have no fileId".to_owned())),
            Err(ListFailure::Passing(reason)) => Err(NoInodes::NotReached(reason)),
            Err(ListFailure::Gone) => Err(NoInodes::NotTold("it has no root".to_owned())),
            Err(ListFailure::Unreadable(reason)) => Err(NoInodes::NotTold(reason)),
            Err(ListFailure::Ended(error)) => Err(NoInodes::NotTold(error.in_words())),
        }
    }

    /// What is in a directory.
    pub(super) async fn list(&self, path: &str) -> Result<Vec<ListedEntry>, ListFailure> {
        match self.ask(path, "LISTSTATUS").await? {
            Answer::FileStatuses { statuses } => statuses.into_iter().map(entry_of).collect(),
            _ => Err(ListFailure::Unreadable("WebHDFS answers with something that is no listing".to_owned())),
        }
    }

    /// One path itself.
    pub(super) async fn entry(&self, path: &str) -> Result<ListedEntry, ListFailure> {
        match self.ask(path, "GETFILESTATUS").await? {
            Answer::FileStatus(status) => entry_of(*status),
            _ => Err(ListFailure::Unreadable("WebHDFS answers with something that is no entry".to_owned())),
        }
    }

    /// Asks the NameNode that answered last, then the others.
    async fn ask(&self, path: &str, operation: &str) -> Result<Answer, ListFailure> {
        let first = self.active.load(Ordering::Relaxed);
        let mut passing = None;
        for distance in 0..self.addresses.len() {
            let index = (first + distance) % self.addresses.len();
            match self.ask_one(&self.addresses[index], path, operation).await {
                Err(ListFailure::Passing(reason)) => passing = Some(reason),
                ended => {
                    self.active.store(index, Ordering::Relaxed);
                    return ended;
                }
            }
        }
        Err(ListFailure::Passing(passing.unwrap_or_else(|| "no web address is known".to_owned())))
    }

    async fn ask_one(&self, address: &Url, path: &str, operation: &str) -> Result<Answer, ListFailure> {
        let url = url_of(address, path, operation, self.user.as_deref());
        let (status, bytes) = self.client.answer(url, MAX_ANSWER_BYTES).await.map_err(|error| {
            if error.may_pass() { ListFailure::Passing(error.in_words()) } else { ListFailure::Ended(error) }
        })?;
        answer_of(address, status, &bytes)
    }
}

/// Every name is encoded by itself, so that no character of it means something.
fn url_of(address: &Url, path: &str, operation: &str, user: Option<&str>) -> Url {
    let mut url = address.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.clear().extend(["webhdfs", "v1"]).extend(path.split('/').skip(1));
    }
    url.query_pairs_mut().clear().append_pair("op", operation);
    if let Some(user) = user {
        url.query_pairs_mut().append_pair("user.name", user);
    }
    url
}

fn answer_of(address: &Url, status: StatusCode, bytes: &[u8]) -> Result<Answer, ListFailure> {
    match serde_json::from_slice(bytes) {
        Ok(Answer::RemoteException { exception, message }) => {
            let told = format!("WebHDFS: {exception}: {}", message.lines().next().unwrap_or_default());
            Err(match exception.as_str() {
                "StandbyException" | "RetriableException" => ListFailure::Passing(told),
                _ => ListFailure::Unreadable(told),
            })
        }
        Ok(answer) if status.is_success() => Ok(answer),
        _ if status == StatusCode::UNAUTHORIZED => {
            Err(ListFailure::Ended(NamespaceError::LoginRequired { address: origin(address) }))
        }
        _ if status.is_server_error() => {
            Err(ListFailure::Passing(format!("WebHDFS at {} answers {status}", origin(address))))
        }
        Ok(_) => Err(ListFailure::Unreadable(format!("WebHDFS at {} answers {status}", origin(address)))),
        Err(error) => Err(ListFailure::Unreadable(format!(
            "what answers at {} is not WebHDFS (HTTP status {status}: {error})",
            origin(address)
        ))),
    }
}

fn origin(address: &Url) -> String {
    address.as_str().trim_end_matches('/').to_owned()
}

fn entry_of(status: Status) -> Result<ListedEntry, ListFailure> {
    let number = u16::from_str_radix(&status.permission, 8)
        .map_err(|_| ListFailure::Unreadable(format!("WebHDFS tells `{}` as a permission", status.permission)))?;
    let (mode, bit_of_acl) = permission(number);
    Ok(ListedEntry {
        name: status.path_suffix,
        kind: match status.kind {
            Kind::Directory => EntryKind::Directory,
            Kind::File => EntryKind::File,
            Kind::Symlink => EntryKind::Link,
        },
        owner: status.owner,
        group: status.group,
        mode,
        has_acl: status.acl_bit || bit_of_acl,
        modified_ms: status.modification_time,
        accessed_ms: status.access_time,
        size: status.length,
        replication: status.replication,
        block_size: status.block_size,
        // 0 is what a file system without inodes, such as behind a gateway, tells.
        inode: Some(status.file_id).filter(|inode| *inode != 0),
        link_target: status.symlink,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address() -> Url {
        Url::parse("http://nn1:9870").unwrap()
    }

    fn read(status: u16, text: &str) -> Result<Answer, ListFailure> {
        answer_of(&address(), StatusCode::from_u16(status).unwrap(), text.as_bytes())
    }

    #[test]
    fn a_listing_is_read_with_inodes_and_bits() {
        let text = r#"{"FileStatuses":{"FileStatus":[
            {"accessTime":0,"aclBit":true,"blockSize":0,"childrenNum":1,"fileId":16387,"group":"g","length":0,
             "modificationTime":1480000000000,"owner":"o","pathSuffix":"a","permission":"1750","replication":0,
             "storagePolicy":0,"type":"DIRECTORY"},
            {"accessTime":2,"blockSize":134217728,"fileId":0,"group":"g","length":5,"modificationTime":1,"owner":"o",
             "pathSuffix":"b","permission":"644","replication":3,"symlink":"/x","type":"SYMLINK"}]}}"#;
        let Ok(Answer::FileStatuses { statuses }) = read(200, text) else { panic!("it is a listing") };
        let entries: Vec<ListedEntry> = statuses.into_iter().map(|status| entry_of(status).unwrap()).collect();
        assert_eq!((entries[0].inode, entries[0].mode, entries[0].has_acl), (Some(16_387), 0o1750, true));
        assert_eq!((entries[1].inode, entries[1].kind), (None, EntryKind::Link));
    }

    #[test]
    fn refusals_are_told_apart() {
        let refused = |exception: &str| {
            read(403, &format!(r#"{{"RemoteException":{{"exception":"{exception}","message":"no\n\tat x"}}}}"#))
        };
        assert!(matches!(refused("StandbyException"), Err(ListFailure::Passing(_))));
        let Err(ListFailure::Unreadable(told)) = refused("AccessControlException") else { panic!("it is refused") };
        assert_eq!(told, "WebHDFS: AccessControlException: no");
        assert!(matches!(read(401, "<html>"), Err(ListFailure::Ended(NamespaceError::LoginRequired { .. }))));
        assert!(matches!(read(404, "<html>"), Err(ListFailure::Unreadable(_))));
        assert!(matches!(read(503, ""), Err(ListFailure::Passing(_))));
    }

    #[test]
    fn names_are_encoded_one_by_one() {
        let url = url_of(&address(), "/a b/50%/x?y#z", "LISTSTATUS", Some("hdfs"));
        assert_eq!(url.as_str(), "http://nn1:9870/webhdfs/v1/a%20b/50%25/x%3Fy%23z?op=LISTSTATUS&user.name=hdfs");
        assert_eq!(url_of(&address(), "/", "GETFILESTATUS", None).path(), "/webhdfs/v1/");
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused(status in 200_u16..600, text in ".{0,200}") {
            let _ = read(status, &text);
        }
    }
}
