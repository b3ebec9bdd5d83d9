//! The index on disk: opening, following the feed, answering.
//!
//! The directory holds `format` (which version wrote it), `lock` (held while it is open), and
//! `index/` (tantivy's files). An index of another format, or one that cannot be opened, is
//! thrown away and begun anew at position 0: the store is the truth, the feed fills it again.
//! The position is written together with the documents, so that it is never ahead of them.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use sextant_model::{EntityId, Viewer};
use tantivy::directory::MmapDirectory;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, TantivyError, Term};
use tracing::{info, warn};

use crate::document::Document;
use crate::entities::EntityNumbers;
use crate::query::Query;
use crate::schema::IndexSchema;
use crate::search::{self, Effort, Found, Options};
use crate::snapshot::Snapshot;
use crate::values::ValuesPlugin;
use crate::{Error, tokenizers};

/// Changes whenever an older index would be read wrongly: with fields, tokenizers, or layout.
const FORMAT: &str = "sextant-search 3\n";

const WRITER_THREADS: usize = 2;
/// Of all writer threads together; a full one writes a segment.
const WRITER_MEMORY_BYTES: usize = 192 << 20;

/// A segment with a larger share of replaced and deleted documents is written anew.
const MOST_DELETED_BEFORE_MERGE: f32 = 0.3;

/// The search index. It may be used from many threads; changes are made one at a time.
pub struct Index {
    schema: IndexSchema,
    reader: IndexReader,
    snapshot: RwLock<Arc<Snapshot>>,
    writer: Mutex<Writer>,
    /// Held as long as the index is open.
    _lock: File,
}

/// What changes the index.
struct Writer {
    documents: IndexWriter,
    entities: EntityNumbers,
}

/// An index that was opened.
pub struct Opened {
    /// The index.
    pub index: Index,
    /// The feed position of its last commit; 0 for a new one.
    pub position: u64,
}

/// Segments of about the same size that are merged into one.
const SEGMENTS_PER_MERGE: usize = 8;
/// The same while much is to follow. Merging then would take the time that the rest needs, and what is merged later is
/// merged in fewer steps.
const SEGMENTS_PER_LATE_MERGE: usize = 32;

fn merge_policy(segments_per_merge: usize) -> LogMergePolicy {
    let mut merging = LogMergePolicy::default();
    merging.set_min_num_segments(segments_per_merge);
    merging.set_del_docs_ratio_before_merge(MOST_DELETED_BEFORE_MERGE);
    merging
}

fn commit_with_position(writer: &mut IndexWriter, position: u64) -> Result<(), Error> {
    let mut prepared = writer.prepare_commit()?;
    prepared.set_payload(&position.to_string());
    prepared.commit()?;
    Ok(())
}

/// A writer that failed (a full disk) has lost its worker and would take documents for ever
/// without writing them: it is made anew from the last commit.
fn roll_back(writer: &mut IndexWriter) {
    match writer.rollback() {
        Ok(_) => writer.set_merge_policy(Box::new(merge_policy(SEGMENTS_PER_MERGE))),
        Err(error) => {
            tracing::warn!(error = %error, "the index writer could not be made anew; the next attempt tries again");
        }
    }
}

impl Index {
    /// Opens the index in `directory`, or makes one. The directory belongs to the index alone.
    pub fn open(directory: &Path) -> Result<Opened, Error> {
        fs::create_dir_all(directory).map_err(in_directory(directory))?;
        let lock = locked(directory)?;
        let files = directory.join("index");
        let format = directory.join("format");
        let written = match fs::read(&format) {
            Ok(written) => written,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(in_directory(&format)(error)),
        };
        if written != FORMAT.as_bytes() {
            if !written.is_empty() || files.exists() {
                info!(directory = %directory.display(), "the search index has another format and is rebuilt");
            }
            return Self::begin_anew(&files, &format, lock);
        }
        match Self::open_files(&files) {
            Ok(files) => Ok(files.opened(lock)),
            Err(TantivyError::LockFailure(..)) => Err(Error::InUse { path: directory.to_owned() }),
            Err(error) => {
                warn!(directory = %directory.display(), %error, "the search index cannot be read and is rebuilt");
                Self::begin_anew(&files, &format, lock)
            }
        }
    }

    fn begin_anew(files: &Path, format: &Path, lock: File) -> Result<Opened, Error> {
        if files.exists() {
            fs::remove_dir_all(files).map_err(in_directory(files))?;
        }
        fs::create_dir(files).map_err(in_directory(files))?;
        let opened = Self::open_files(files)?.opened(lock);
        fs::write(format, FORMAT).map_err(in_directory(format))?;
        Ok(opened)
    }

    fn open_files(files: &Path) -> tantivy::Result<Files> {
        let schema = IndexSchema::new();
        let index = tantivy::Index::builder()
            .schema(schema.schema.clone())
            .tokenizers(tokenizers::manager())
            .register_plugin(Arc::new(ValuesPlugin))
            .open_or_create(MmapDirectory::open(files)?)?;
        let position = index.load_metas()?.payload.and_then(|payload| payload.parse().ok()).unwrap_or(0);
        let writer = index.writer_with_num_threads(WRITER_THREADS, WRITER_MEMORY_BYTES)?;
        writer.set_merge_policy(Box::new(merge_policy(SEGMENTS_PER_MERGE)));
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let mut entities = EntityNumbers::default();
        let snapshot = Snapshot::open(reader.searcher(), None, &mut entities)?;
        Ok(Files { schema, reader, snapshot, writer: Writer { documents: writer, entities }, position })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds `documents`, each in place of the one with its key, and takes out those with the
    /// keys in `deletions`. Nothing is searchable before [`Index::commit`].
    pub fn update(&self, documents: &[Document], deletions: &[EntityId]) -> Result<(), Error> {
        {
            let writer = self.writer();
            for key in deletions {
                self.delete(&writer.documents, *key);
            }
        }
        self.write(documents, |writer, document| self.delete(writer, document.key))
    }

    /// Adds `documents` whose keys the index does not have, which nobody checks. It saves looking
    /// for each of them in every segment.
    pub fn add(&self, documents: &[Document]) -> Result<(), Error> {
        self.write(documents, |_, _| ())
    }

    fn write(&self, documents: &[Document], make_room: impl Fn(&IndexWriter, &Document)) -> Result<(), Error> {
        let laid_out =
            documents.iter().map(|document| self.schema.laid_out(document)).collect::<Result<Vec<_>, _>>()?;
        let writer = &mut self.writer().documents;
        for (document, laid_out) in documents.iter().zip(laid_out) {
            make_room(writer, document);
            if let Err(error) = writer.add_document(laid_out) {
                roll_back(writer);
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn delete(&self, writer: &IndexWriter, key: EntityId) {
        for field in [self.schema.only, self.schema.key] {
            writer.delete_term(Term::from_field_bytes(field, key.as_bytes()));
        }
    }

    /// Makes the updates durable together with `position`. After an error, here or in
    /// [`Index::update`], everything since the last commit is to be given again. Searches that begin after the return
    /// see them.
    pub fn commit(&self, position: u64) -> Result<(), Error> {
        self.commit_and_merge(position, SEGMENTS_PER_MERGE)
    }

    /// [`Index::commit`] while much more is to follow soon: merging is put off, within limits, until a commit that is
    /// none of these.
    pub fn commit_midway(&self, position: u64) -> Result<(), Error> {
        self.commit_and_merge(position, SEGMENTS_PER_LATE_MERGE)
    }

    fn commit_and_merge(&self, position: u64, segments_per_merge: usize) -> Result<(), Error> {
        let mut writer = self.writer();
        writer.documents.set_merge_policy(Box::new(merge_policy(segments_per_merge)));
        if let Err(error) = commit_with_position(&mut writer.documents, position) {
            roll_back(&mut writer.documents);
            return Err(error);
        }
        self.reader.reload()?;
        let snapshot = Snapshot::open(self.reader.searcher(), Some(&self.snapshot()), &mut writer.entities)?;
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        Ok(())
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes everything out; the position is 0 afterwards.
    pub fn clear(&self) -> Result<(), Error> {
        self.writer().documents.delete_all_documents()?;
        self.commit(0)
    }

    /// How many documents are searchable.
    pub fn documents(&self) -> u64 {
        self.snapshot().searcher.num_docs()
    }

    /// Answers a query with what `viewer` may see.
    pub fn search(&self, viewer: &Viewer, query: &Query, options: &Options) -> Result<Found, Error> {
        self.search_with(viewer, query, options, Effort::NORMAL)
    }

    pub(crate) fn search_with(
        &self,
        viewer: &Viewer,
        query: &Query,
        options: &Options,
        effort: Effort,
    ) -> Result<Found, Error> {
        search::search(&self.snapshot(), &self.schema, viewer, query, options, effort)
    }
}

/// The opened files of an index.
struct Files {
    schema: IndexSchema,
    reader: IndexReader,
    snapshot: Snapshot,
    writer: Writer,
    position: u64,
}

impl Files {
    fn opened(self, lock: File) -> Opened {
        let index = Index {
            schema: self.schema,
            reader: self.reader,
            snapshot: RwLock::new(Arc::new(self.snapshot)),
            writer: Mutex::new(self.writer),
            _lock: lock,
        };
        Opened { index, position: self.position }
    }
}

/// The lock that keeps a second process out; it ends with the process.
fn locked(directory: &Path) -> Result<File, Error> {
    let path = directory.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(in_directory(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse { path: directory.to_owned() }),
        Err(TryLockError::Error(error)) => Err(in_directory(&path)(error)),
    }
}

fn in_directory(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path: PathBuf = path.to_owned();
    move |source| Error::Directory { path, source }
}
