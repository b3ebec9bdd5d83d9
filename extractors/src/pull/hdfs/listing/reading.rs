//! One directory: what lies in it, and the inode numbers of its directories.

use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt;
use sextant_model::namespace::{NamespaceStep, ObservedPath};
use tokio::sync::mpsc::Sender;

use super::super::NamespaceError;
use super::super::steps::PATHS_PER_STEP;
use super::super::totals::{FileCounter, Sum};
use super::listed::observed_file;
use super::lister::{EntryKind, ListFailure, ListedEntry, Lister, path_in};
use super::scope::{PathScope, Place};
use super::webhdfs::{self, WebNameNodes};
use crate::pull::pace::Pace;

/// From so many entries for each directory among them on, directories are asked for one by one.
const ENTRIES_PER_DIRECTORY: u64 = 64;

/// Whom a pass asks, and for what. Shared by everything that runs at the same time.
pub(super) struct Reading {
    pub(super) lister: Box<dyn Lister>,
    /// Where inode numbers come from; without them identity is by path.
    pub(super) inodes: Option<WebNameNodes>,
    pub(super) pace: Pace,
    pub(super) scope: PathScope,
    pub(super) counter: FileCounter,
}

/// What a directory holds.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) directories: Vec<ListedEntry>,
    /// Its own files.
    pub(super) own: Sum,
    pub(super) entries: u64,
}

/// Which files of a directory are shown.
#[derive(Debug, Clone)]
pub(super) enum OwnFiles {
    All,
    /// Those at these paths.
    At(Arc<Vec<String>>),
}

impl Reading {
    /// The root, with its inode number.
    pub(super) async fn root(&self) -> Result<ListedEntry, ListFailure> {
        self.pace.wait().await;
        let mut root = self.lister.entry("/").await?;
        if let Some(inodes) = &self.inodes {
            root.inode = inodes.entry("/").await?.inode;
        }
        root.name.clear();
        Ok(root)
    }

    /// Lists a directory, and counts its files.
    pub(super) async fn content(&self, path: &str) -> Result<Content, ListFailure> {
        self.pace.wait().await;
        let mut content = Content::default();
        let own_files_count = self.scope.place(path) == Place::Inside;
        let mut entries = self.lister.list(path);
        while let Some(entry) = entries.next().await {
            let entry = entry?;
            content.entries += 1;
            match entry.kind {
                EntryKind::Directory => {
                    if self.scope.place(&path_in(path, &entry.name)) != Place::Outside {
                        content.directories.push(entry);
                    }
                }
                EntryKind::Link if own_files_count => content.own.link(),
                EntryKind::File if own_files_count => {
                    let with_copies = entry.size.saturating_mul(u64::from(entry.replication.max(1)));
                    self.counter.file(&mut content.own, entry.size, with_copies, entry.modified_ms);
                }
                EntryKind::File | EntryKind::Link => {}
            }
        }
        if let Some(inodes) = &self.inodes
            && !content.directories.is_empty()
        {
            self.number(inodes, path, &mut content).await?;
        }
        Ok(content)
    }

    /// Shows files of a directory.
    pub(super) async fn show_files(
        &self,
        path: &str,
        inode: Option<u64>,
        own_files: u64,
        files: OwnFiles,
        steps: &Sender<NamespaceStep>,
    ) -> Result<(), ListFailure> {
        self.pace.wait().await;
        let mut batch = Vec::new();
        if let Some(inodes) = &self.inodes {
            if own_files > webhdfs::MAX_ENTRIES {
                let limit = webhdfs::MAX_ENTRIES;
                let reason = format!("it has more than {limit} files, too many for one answer of WebHDFS");
                return Err(ListFailure::Unreadable(reason));
            }
            for entry in inodes.list(path).await? {
                keep_file(entry, path, inode, &files, &mut batch);
                send_full(&mut batch, steps).await?;
            }
        } else {
            let mut listed = self.lister.list(path);
            while let Some(entry) = listed.next().await {
                keep_file(entry?, path, inode, &files, &mut batch);
                send_full(&mut batch, steps).await?;
            }
        }
        if batch.is_empty() { Ok(()) } else { send(batch, steps).await }
    }

    /// Adds inode numbers. A directory that went meanwhile is left out.
    async fn number(&self, inodes: &WebNameNodes, path: &str, content: &mut Content) -> Result<(), ListFailure> {
        let directories = content.directories.len() as u64;
        let one_by_one =
            content.entries > webhdfs::MAX_ENTRIES || content.entries > directories * ENTRIES_PER_DIRECTORY;
        let mut numbers: HashMap<String, u64> = HashMap::new();
        if one_by_one {
            for directory in &content.directories {
                self.pace.wait().await;
                let entry = inodes.entry(&path_in(path, &directory.name)).await?;
                numbers.extend(entry.inode.map(|inode| (directory.name.clone(), inode)));
            }
        } else {
            self.pace.wait().await;
            let entries = inodes.list(path).await?.into_iter().filter(|entry| entry.kind == EntryKind::Directory);
            numbers.extend(entries.filter_map(|entry| Some((entry.name, entry.inode?))));
        }
        content.directories.retain_mut(|directory| {
            directory.inode = numbers.get(&directory.name).copied();
            directory.inode.is_some()
        });
        Ok(())
    }
}

impl OwnFiles {
    fn wants(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::At(paths) => paths.binary_search_by(|wanted| wanted.as_str().cmp(path)).is_ok(),
        }
    }
}

fn keep_file(
    entry: ListedEntry,
    directory: &str,
    parent_inode: Option<u64>,
    files: &OwnFiles,
    batch: &mut Vec<ObservedPath>,
) {
    if entry.kind == EntryKind::Directory {
        return;
    }
    let path = path_in(directory, &entry.name);
    if files.wants(&path) {
        batch.push(observed_file(entry, parent_inode, path));
    }
}

async fn send_full(batch: &mut Vec<ObservedPath>, steps: &Sender<NamespaceStep>) -> Result<(), ListFailure> {
    if batch.len() < PATHS_PER_STEP {
        return Ok(());
    }
    send(std::mem::take(batch), steps).await
}

async fn send(batch: Vec<ObservedPath>, steps: &Sender<NamespaceStep>) -> Result<(), ListFailure> {
    let sent = steps.send(NamespaceStep::Paths(batch)).await;
    sent.map_err(|_| ListFailure::Ended(NamespaceError::Abandoned))
}
