//! A directory or file of an image, in the words of the model.

use std::borrow::Cow;

use sextant_fsimage::{Directory, Entry, FileInode, Image, Kind, storage_policy_name};
use sextant_model::namespace::{DirectoryTotals, ObservedPath};
use sextant_model::{EntityType, Timestamp};

/// A directory. `parent` is the inode number of the one that holds it.
pub(super) fn observed_directory(
    directory: &Directory<'_>,
    parent: Option<u64>,
    path: String,
    totals: DirectoryTotals,
) -> ObservedPath {
    let xattrs = directory.xattrs();
    ObservedPath {
        inode: Some(directory.id()),
        parent_inode: parent,
        owner: directory.owner().to_owned(),
        group: directory.group().to_owned(),
        mode: directory.mode(),
        has_acl: !directory.acl().is_empty(),
        modified: time(directory.modification_time_ms()),
        storage_policy: xattrs.storage_policy().map(|id| storage_policy(i64::from(id))),
        erasure_coding: xattrs.erasure_coding_policy().map(str::to_owned),
        encryption_key: xattrs.encryption_zone().map(|zone| zone.key_name.to_owned()),
        name_quota: quota(directory.namespace_quota()),
        space_quota: quota(directory.space_quota()),
        totals: Some(totals),
        ..ObservedPath::new(path, EntityType::Directory)
    }
}

/// A file or symbolic link; `None` for a directory.
pub(super) fn observed_file(image: &Image, entry: &Entry<'_>, parent: u64, path: String) -> Option<ObservedPath> {
    let inode = &entry.inode;
    let mut observed = ObservedPath {
        inode: Some(inode.id),
        parent_inode: Some(parent),
        owner: inode.owner.to_owned(),
        group: inode.group.to_owned(),
        mode: inode.mode,
        has_acl: !inode.acl.is_empty(),
        modified: time(inode.modification_time_ms),
        accessed: time(inode.access_time_ms),
        ..ObservedPath::new(path, EntityType::File)
    };
    match &inode.kind {
        Kind::Directory(_) => return None,
        Kind::Symlink { target } => observed.link_target = Some(text(target)),
        Kind::File(file) => {
            observed.size = Some(file.length);
            observed.replication = (!file.is_striped).then(|| file.replication.min(u32::from(u16::MAX)) as u16);
            observed.block_size = Some(file.preferred_block_size);
            observed.storage_policy =
                (file.storage_policy != 0).then(|| storage_policy(i64::from(file.storage_policy)));
            observed.erasure_coding = erasure_coding(image, file).map(Cow::into_owned);
        }
    }
    Some(observed)
}

/// Foreign bytes as text; what is no UTF-8 is replaced.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn erasure_coding<'i>(image: &'i Image, file: &FileInode<'_>) -> Option<Cow<'i, str>> {
    let id = file.erasure_coding_policy.filter(|_| file.is_striped)?;
    let name = image.erasure_coding_policies().name(id);
    Some(name.map_or_else(|| Cow::Owned(format!("policy {id}")), Cow::Borrowed))
}

fn storage_policy(id: i64) -> String {
    storage_policy_name(id).map_or_else(|| format!("policy {id}"), str::to_owned)
}

/// HDFS writes -1, or the largest number, for "no quota", and 0 for a time that it does not keep.
fn quota(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|_| number != i64::MAX)
}

fn time(millis: i64) -> Option<Timestamp> {
    Timestamp::from_millis(millis).plausible()
}
