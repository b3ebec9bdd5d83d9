//! Listing by the RPC of a NameNode.

use std::path::Path;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use hdfs_native::client::FileStatus;
use hdfs_native::{Client, ClientBuilder, HdfsError};

use super::super::NamespaceError;
use super::lister::{EntryKind, ListFailure, ListedEntry, Lister, permission};

/// How often the client itself goes from one NameNode to the next before it gives up a call; the
/// walk then waits longer and asks again.
const FAILOVERS_PER_CALL: &str = "4";

/// The client of one nameservice.
pub(super) struct NativeLister {
    client: Client,
    address: String,
    call_timeout: Duration,
}

impl NativeLister {
    /// Reads the Hadoop configuration; connects to nothing yet.
    pub(super) fn new(
        address: &str,
        hadoop_conf: Option<&Path>,
        user: Option<&str>,
        call_timeout: Duration,
    ) -> Result<Self, NamespaceError> {
        let mut builder = ClientBuilder::new().with_url(address).with_config([
            ("dfs.client.failover.max.attempts", FAILOVERS_PER_CALL.to_owned()),
            ("dfs.client.socket-timeout", call_timeout.as_millis().max(1).to_string()),
        ]);
        if let Some(directory) = hadoop_conf {
            builder = builder.with_config_dir(directory.display().to_string());
        }
        if let Some(user) = user {
            builder = builder.with_user(user);
        }
        let client = builder.build().map_err(|error| NamespaceError::Listing {
            address: address.to_owned(),
            reason: match error {
                HdfsError::InvalidArgument(_) => format!(
                    "{error}; a nameservice stands in hdfs-site.xml (`hadoop_conf` names its directory), or name \
                     hdfs://HOST:8020"
                ),
                error => error.to_string(),
            },
        })?;
        Ok(Self { client, address: address.to_owned(), call_timeout })
    }

    fn failure(&self, error: &HdfsError) -> ListFailure {
        match error {
            HdfsError::FileNotFound(_) | HdfsError::IsADirectoryError(_) => ListFailure::Gone,
            HdfsError::IOError(_) | HdfsError::InvalidRPCResponse(_) => ListFailure::Passing(error.to_string()),
            HdfsError::RPCError(class, message) => self.refusal(class, message),
            HdfsError::SASLError(_) | HdfsError::GSSAPIError(..) | HdfsError::NoSASLMechanism => self
                .ended(format!("the login failed: {error} (a ticket is taken from the cache that KRB5CCNAME names)")),
            HdfsError::FatalRPCError(class, message) => {
                self.ended(format!("the NameNode refuses this client: {}: {}", short_class(class), first_line(message)))
            }
            _ => ListFailure::Unreadable(error.to_string()),
        }
    }

    fn refusal(&self, class: &str, message: &str) -> ListFailure {
        let told = format!("{}: {}", short_class(class), first_line(message));
        match short_class(class) {
            "FileNotFoundException" | "ParentNotDirectoryException" | "PathIsNotDirectoryException" => {
                ListFailure::Gone
            }
            "StandbyException"
            | "RetriableException"
            | "SafeModeException"
            | "ServerTooBusyException"
            | "ObserverRetryOnActiveException" => ListFailure::Passing(told),
            "AuthorizationException" | "InvalidToken" => self.ended(format!("the login failed: {told}")),
            _ => ListFailure::Unreadable(told),
        }
    }

    fn ended(&self, reason: String) -> ListFailure {
        ListFailure::Ended(NamespaceError::Listing { address: self.address.clone(), reason })
    }

    fn silent(&self) -> ListFailure {
        ListFailure::Passing(format!("it was silent for {} s", self.call_timeout.as_secs_f64()))
    }
}

impl Lister for NativeLister {
    fn entry<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<ListedEntry, ListFailure>> {
        Box::pin(async move {
            match tokio::time::timeout(self.call_timeout, self.client.get_file_info(path)).await {
                Ok(Ok(status)) => Ok(entry_of(status)),
                Ok(Err(error)) => Err(self.failure(&error)),
                Err(_) => Err(self.silent()),
            }
        })
    }

    fn list<'a>(&'a self, path: &'a str) -> BoxStream<'a, Result<ListedEntry, ListFailure>> {
        let statuses = self.client.list_status_iter(path, false);
        stream::unfold(Some(statuses), move |statuses| async move {
            let statuses = statuses?;
            match tokio::time::timeout(self.call_timeout, statuses.next()).await {
                Ok(None) => None,
                // The listing of a file is the file.
                Ok(Some(Ok(status))) if status.path == path => Some((Err(ListFailure::Gone), None)),
                Ok(Some(Ok(status))) => Some((Ok(entry_of(status)), Some(statuses))),
                Ok(Some(Err(error))) => Some((Err(self.failure(&error)), None)),
                Err(_) => Some((Err(self.silent()), None)),
            }
        })
        .boxed()
    }
}

fn entry_of(status: FileStatus) -> ListedEntry {
    let (mode, has_acl) = permission(status.permission);
    ListedEntry {
        name: status.path.rsplit('/').next().unwrap_or_default().to_owned(),
        // A symbolic link cannot be told from an empty file here.
        kind: if status.isdir { EntryKind::Directory } else { EntryKind::File },
        owner: status.owner,
        group: status.group,
        mode,
        has_acl,
        modified_ms: i64::try_from(status.modification_time).unwrap_or_default(),
        accessed_ms: i64::try_from(status.access_time).unwrap_or_default(),
        size: status.length as u64,
        replication: status.replication.unwrap_or_default().min(u32::from(u16::MAX)) as u16,
        block_size: status.blocksize.unwrap_or_default(),
        inode: None,
        link_target: None,
    }
}

/// `org.apache.hadoop.ipc.StandbyException` and `…SecretManager$InvalidToken` without what stands before.
fn short_class(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}
