//! A Parquet file with a row for each inode, for Spark, Trino, DuckDB and all that read tables.
//!
//! Times are UTC, what an inode does not have is null, and no column's name must be quoted in SQL.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::columns::{Column, Int32Column, Int64Column, TextColumn};
use crate::inode::{DirectoryInode, FileInode, Kind};
use crate::paths::Paths;
use crate::permission::append_mode;
use crate::progress::Progress;
use crate::storage_policy::storage_policy_name;
use crate::text::WriteError;
use crate::tree::Tree;
use crate::visit::{Entry, Visited};

/// The columns, in the order of [`Rows::columns`].
const SCHEMA: &str = "message inode {
    required binary path (STRING);
    optional binary parent (STRING);
    required int64 inode_id;
    required binary type (STRING);
    optional int64 size;
    optional int32 replication;
    optional int64 block_size;
    optional int32 block_count;
    required binary owner (STRING);
    required binary owner_group (STRING);
    required binary permission (STRING);
    required int64 modified (TIMESTAMP(MILLIS, true));
    optional int64 accessed (TIMESTAMP(MILLIS, true));
    optional binary storage_policy (STRING);
    optional binary erasure_coding_policy (STRING);
    optional int64 namespace_quota;
    optional int64 space_quota;
    optional binary encryption_key (STRING);
    optional binary link_target (STRING);
}";

/// A row group is as large as the first of these allows: readers share out row groups, and one is
/// held in memory until it is whole.
const ROW_GROUP_ROWS: usize = 1 << 19;
const ROW_GROUP_TEXT_BYTES: usize = 128 << 20;

/// Writes every inode that has a path, in the image's order, in row groups of at most half a million
/// rows.
/// A text that is not UTF-8 has U+FFFD where it is not.
pub fn write_parquet(
    tree: &Tree<'_>,
    out: impl Write + Send,
    progress: &mut dyn FnMut(Progress),
) -> Result<Visited, WriteError> {
    write_in_groups(tree, out, ROW_GROUP_ROWS, progress)
}

/// `group_rows` is the length of a row group, smaller only in tests.
fn write_in_groups(
    tree: &Tree<'_>,
    out: impl Write + Send,
    group_rows: usize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Visited, WriteError> {
    let schema = parse_message_type(SCHEMA).map_err(unwritten)?;
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties()?)).map_err(unwritten)?;
    let mut rows = Rows::of(tree);
    let visited = tree.visit(progress, |entry| {
        rows.add(entry);
        if rows.len() >= group_rows || rows.text_bytes() >= ROW_GROUP_TEXT_BYTES {
            rows.write(&mut writer)?;
        }
        Ok::<(), WriteError>(())
    })?;
    if rows.len() > 0 {
        rows.write(&mut writer)?;
    }
    writer.finish().map_err(unwritten)?;
    writer.inner_mut().flush().map_err(WriteError::Output)?;
    Ok(visited)
}

fn properties() -> Result<WriterProperties, WriteError> {
    let level = ZstdLevel::try_new(1).map_err(unwritten)?;
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("sextant version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(level));
    // No two rows have the same: a dictionary would be tried in vain.
    for unique in ["path", "inode_id"] {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(unique), false);
    }
    Ok(properties.build())
}

/// The rows of a row group, by column.
struct Rows<'t> {
    tree: &'t Tree<'t>,
    paths: Paths<'t>,
    /// For a path or a permission, while it is made.
    text: Vec<u8>,
    path: TextColumn,
    parent: TextColumn,
    inode_id: Int64Column,
    kind: TextColumn,
    size: Int64Column,
    replication: Int32Column,
    block_size: Int64Column,
    block_count: Int32Column,
    owner: TextColumn,
    group: TextColumn,
    permission: TextColumn,
    modified: Int64Column,
    accessed: Int64Column,
    storage_policy: TextColumn,
    erasure_coding_policy: TextColumn,
    namespace_quota: Int64Column,
    space_quota: Int64Column,
    encryption_key: TextColumn,
    link_target: TextColumn,
}

impl<'t> Rows<'t> {
    fn of(tree: &'t Tree<'t>) -> Self {
        Self {
            tree,
            paths: Paths::of(tree),
            text: Vec::new(),
            path: TextColumn::required(),
            parent: TextColumn::optional(),
            inode_id: Int64Column::required(),
            kind: TextColumn::required(),
            size: Int64Column::optional(),
            replication: Int32Column::optional(),
            block_size: Int64Column::optional(),
            block_count: Int32Column::optional(),
            owner: TextColumn::required(),
            group: TextColumn::required(),
            permission: TextColumn::required(),
            modified: Int64Column::required(),
            accessed: Int64Column::optional(),
            storage_policy: TextColumn::optional(),
            erasure_coding_policy: TextColumn::optional(),
            namespace_quota: Int64Column::optional(),
            space_quota: Int64Column::optional(),
            encryption_key: TextColumn::optional(),
            link_target: TextColumn::optional(),
        }
    }

    /// In the order of [`SCHEMA`].
    fn columns(&mut self) -> [&mut dyn Column; 19] {
        [
            &mut self.path,
            &mut self.parent,
            &mut self.inode_id,
            &mut self.kind,
            &mut self.size,
            &mut self.replication,
            &mut self.block_size,
            &mut self.block_count,
            &mut self.owner,
            &mut self.group,
            &mut self.permission,
            &mut self.modified,
            &mut self.accessed,
            &mut self.storage_policy,
            &mut self.erasure_coding_policy,
            &mut self.namespace_quota,
            &mut self.space_quota,
            &mut self.encryption_key,
            &mut self.link_target,
        ]
    }

    fn len(&self) -> usize {
        self.inode_id.len()
    }

    fn text_bytes(&self) -> usize {
        let texts = [&self.path, &self.parent, &self.kind, &self.owner, &self.group, &self.permission];
        let rare_texts = [&self.storage_policy, &self.erasure_coding_policy, &self.encryption_key, &self.link_target];
        texts.iter().chain(&rare_texts).map(|column| column.bytes()).sum()
    }

    fn add(&mut self, entry: &Entry<'_>) {
        let inode = &entry.inode;
        self.text.clear();
        self.paths.append(entry, &mut self.text);
        self.path.push(Some(&utf8(&self.text)));
        match entry.parent {
            Some(parent) => match self.paths.directory(parent) {
                [] => self.parent.push(Some("/")),
                path => self.parent.push(Some(&utf8(path))),
            },
            None => self.parent.push(None),
        }
        self.inode_id.push(Some(inode.id as i64));
        self.owner.push(Some(inode.owner));
        self.group.push(Some(inode.group));
        self.text.clear();
        append_mode(&mut self.text, inode.mode);
        self.permission.push(Some(&utf8(&self.text)));
        self.modified.push(Some(inode.modification_time_ms));
        match &inode.kind {
            Kind::File(file) => {
                self.kind.push(Some("FILE"));
                self.file(Some(file));
                self.directory(entry, None, Some(file));
            }
            Kind::Directory(directory) => {
                self.kind.push(Some("DIRECTORY"));
                self.file(None);
                self.directory(entry, Some(directory), None);
            }
            Kind::Symlink { .. } => {
                self.kind.push(Some("SYMLINK"));
                self.file(None);
                self.directory(entry, None, None);
            }
        }
        // HDFS keeps no access time of a directory.
        let is_directory = matches!(inode.kind, Kind::Directory(_));
        self.accessed.push((!is_directory).then_some(inode.access_time_ms));
        match &inode.kind {
            Kind::Symlink { target } => self.link_target.push(Some(&utf8(target))),
            Kind::File(_) | Kind::Directory(_) => self.link_target.push(None),
        }
    }

    /// What only files have.
    fn file(&mut self, file: Option<&FileInode<'_>>) {
        self.size.push(file.map(|file| file.length as i64));
        self.replication.push(file.map(|file| file.replication as i32));
        self.block_size.push(file.map(|file| file.preferred_block_size as i64));
        self.block_count.push(file.map(|file| file.block_count as i32));
    }

    /// What only directories have, and the policies, which files have too but elsewhere.
    fn directory(&mut self, entry: &Entry<'_>, directory: Option<&DirectoryInode<'_>>, file: Option<&FileInode<'_>>) {
        let quota = |quota: i64| (quota >= 0).then_some(quota);
        self.namespace_quota.push(directory.and_then(|directory| quota(directory.namespace_quota)));
        self.space_quota.push(directory.and_then(|directory| quota(directory.space_quota)));
        let xattrs = &entry.inode.xattrs;
        let zone = directory.and_then(|_| xattrs.encryption_zone());
        self.encryption_key.push(zone.map(|zone| zone.key_name));
        let storage_policy = match file {
            Some(file) => i64::from(file.storage_policy),
            None => directory.and_then(|_| xattrs.storage_policy()).map_or(0, i64::from),
        };
        self.storage_policy.push(policy_or_id(storage_policy).as_deref());
        let policies = self.tree.image().erasure_coding_policies();
        let policy = match file.and_then(|file| file.erasure_coding_policy) {
            Some(id) => Some(policies.name(id).map_or_else(|| Cow::Owned(id.to_string()), Cow::Borrowed)),
            None => directory.and_then(|_| xattrs.erasure_coding_policy()).map(Cow::Borrowed),
        };
        self.erasure_coding_policy.push(policy.as_deref());
    }

    /// Writes the rows as a row group and forgets them.
    fn write(&mut self, writer: &mut SerializedFileWriter<impl Write + Send>) -> Result<(), WriteError> {
        let mut group = writer.next_row_group().map_err(unwritten)?;
        for column in self.columns() {
            let Some(mut column_writer) = group.next_column().map_err(unwritten)? else { break };
            column.write(&mut column_writer).map_err(unwritten)?;
            column_writer.close().map_err(unwritten)?;
        }
        group.close().map_err(unwritten)?;
        Ok(())
    }
}

/// Its name, or its number where it is not known; nothing for none.
fn policy_or_id(id: i64) -> Option<Cow<'static, str>> {
    (id != 0).then(|| storage_policy_name(id).map_or_else(|| Cow::Owned(id.to_string()), Cow::Borrowed))
}

fn utf8(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text)
}

/// An error of the output keeps its kind, so that a closed pipe can be told.
fn unwritten(error: ParquetError) -> WriteError {
    WriteError::Output(match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;
    use crate::json_lines::write_json_lines;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::{Value, json};
    use std::path::Path;

    const SAMPLES: [&str; 6] = [
        "plain.fsimage",
        "compressed.fsimage",
        "snapshots.fsimage",
        "stack.fsimage",
        "hadoop3-tree.fsimage",
        "hadoop3-snapshots.fsimage",
    ];

    fn tree_of(image: &Image) -> Tree<'_> {
        image.read_tree(&mut |_| {}).unwrap()
    }

    fn image(name: &str) -> Image {
        Image::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
    }

    fn read_back(bytes: &[u8], folder: &Path) -> (usize, Vec<Value>) {
        let path = folder.join("inodes.parquet");
        std::fs::write(&path, bytes).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let rows = reader.get_row_iter(None).unwrap().map(|row| {
            let row = row.unwrap();
            let columns = row.get_column_iter().map(|(name, field)| {
                let value = match field {
                    Field::Null => Value::Null,
                    Field::Int(number) => json!(number),
                    Field::Long(number) | Field::TimestampMillis(number) => json!(number),
                    Field::Str(text) => json!(text),
                    other => panic!("{name} is {other:?}"),
                };
                (name.clone(), value)
            });
            Value::Object(columns.collect())
        });
        (reader.num_row_groups(), rows.collect())
    }

    /// What the columns must hold, by the objects of the other format.
    fn expected(object: &Value) -> Value {
        let path = object["path"].as_str().unwrap();
        let parent = match path.rsplit_once('/').unwrap() {
            ("", "") => None,
            ("", _) => Some("/"),
            (parent, _) => Some(parent),
        };
        let octal = u16::from_str_radix(object["permission"].as_str().unwrap(), 8).unwrap();
        let mut permission = Vec::new();
        append_mode(&mut permission, octal);
        let name_or_id = |key: &str| match (&object[key], &object[format!("{key}Id")]) {
            (Value::Null, Value::Number(id)) => json!(id.to_string()),
            (name, _) => name.clone(),
        };
        json!({
            "path": path,
            "parent": parent,
            "inode_id": object["id"],
            "type": object["type"],
            "size": object["length"],
            "replication": object["replication"],
            "block_size": object["preferredBlockSize"],
            "block_count": object["blocks"].as_array().map(Vec::len),
            "owner": object["owner"],
            "owner_group": object["group"],
            "permission": String::from_utf8(permission).unwrap(),
            "modified": object["modificationTime"],
            "accessed": object["accessTime"],
            "storage_policy": name_or_id("storagePolicy"),
            "erasure_coding_policy": name_or_id("erasureCodingPolicy"),
            "namespace_quota": object["namespaceQuota"],
            "space_quota": object["spaceQuota"],
            "encryption_key": object["encryptionZone"]["keyName"],
            "link_target": object["target"],
        })
    }

    /// Through row groups of one, seven and all rows.
    #[test]
    fn rows_hold_what_the_objects_hold() {
        let folder = tempfile::tempdir().unwrap();
        for name in SAMPLES {
            let image = image(name);
            let tree = tree_of(&image);
            let mut objects = Vec::new();
            write_json_lines(&tree, 1, &mut objects, &mut |_| {}).unwrap();
            let objects = String::from_utf8(objects).unwrap();
            let expected: Vec<Value> =
                objects.lines().map(|line| expected(&serde_json::from_str(line).unwrap())).collect();
            for group_rows in [1, 7, ROW_GROUP_ROWS] {
                let mut bytes = Vec::new();
                write_in_groups(&tree, &mut bytes, group_rows, &mut |_| {}).unwrap();
                let (groups, rows) = read_back(&bytes, folder.path());
                assert_eq!(groups, expected.len().div_ceil(group_rows), "{name}");
                assert_eq!(rows.len(), expected.len(), "{name}");
                for (row, expected) in rows.iter().zip(&expected) {
                    assert_eq!(row, expected, "{name}");
                }
            }
        }
    }

    struct ClosedPipe;

    impl Write for ClosedPipe {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_told() {
        let image = image("plain.fsimage");
        let error = write_parquet(&tree_of(&image), ClosedPipe, &mut |_| {}).unwrap_err();
        assert!(
            matches!(&error, WriteError::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe),
            "{error:?}"
        );
    }
}
