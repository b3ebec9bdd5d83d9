//! From an image to the steps of a pass.
//!
//! The image is read up to three times: its directories, which are the only thing kept in memory;
//! every file, to sum up what lies below each directory; and once more the files that are wanted.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sextant_fsimage::{DirectorySlot, Error as ImageError, Image, Kind, Paths, Progress, Tree, Visited};
use sextant_model::Timestamp;
use sextant_model::namespace::{IdentityMode, NamespaceStamp, NamespaceStep, NamespaceSummary, ObservedPath};
use sextant_model::snapshot::PassProblem;
use tokio::sync::mpsc::Sender;

use super::observed::{observed_directory, observed_file, text};
use super::offer::{Verdict, judge};
use super::totals::{FileCounter, Totals, top_down};
use super::wanted::WantedDirectories;
use super::{Applied, NamespaceError, WantedFiles};

/// Paths in one step: enough for one transaction of the store.
pub(super) const PATHS_PER_STEP: usize = 2_000;
/// How often reading a large image says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// An image on this host and what is known of it from outside.
#[derive(Debug)]
pub(super) struct ImageFile {
    pub(super) path: PathBuf,
    /// Where it is from, for people.
    pub(super) origin: String,
    /// When its checkpoint was.
    pub(super) taken: Timestamp,
    /// Whether its bytes were compared with an MD5.
    pub(super) is_checked: bool,
}

/// Shows what is in an image. Blocks while `steps` is full.
pub(super) fn show(
    file: &ImageFile,
    applied: Option<&Applied>,
    wanted: &WantedFiles,
    small_file_bytes: u64,
    steps: &Sender<NamespaceStep>,
) -> Result<NamespaceSummary, NamespaceError> {
    let unreadable = |source: ImageError| NamespaceError::Image { origin: file.origin.clone(), source };
    let image = Image::open(&file.path).map_err(unreadable)?;
    let namespace = image.namespace();
    let verdict = judge(applied, Some(namespace.id), Some(namespace.transaction_id), &file.origin)?;
    if verdict == Verdict::Unchanged {
        return Ok(NamespaceSummary { unchanged: true, unread: Vec::new() });
    }
    let stamp = NamespaceStamp {
        namespace_id: Some(namespace.id),
        transaction: Some(namespace.transaction_id),
        taken: file.taken,
        identity: IdentityMode::Inode,
        origin: file.origin.clone(),
    };
    steps.blocking_send(NamespaceStep::Opened(stamp)).map_err(|_| NamespaceError::Abandoned)?;
    let tell = |reason: String| {
        let problem = PassProblem { object: None, reason };
        steps.blocking_send(NamespaceStep::Problem(problem)).map_err(|_| NamespaceError::Abandoned)
    };
    if !file.is_checked {
        tell(format!("no MD5 is told of {}: it was read unchecked", file.origin))?;
    }
    if image.is_newer_than_known() {
        tell(format!(
            "the layout of the image, {}, is newer than what was tried: what is not known in it was passed over",
            image.layout_version()
        ))?;
    }
    let tree = image.read_tree(&mut teller("directories")).map_err(unreadable)?;
    let shown = show_tree(&tree, wanted, small_file_bytes, steps);
    let only_in_snapshots = shown.map_err(|ended| match ended {
        Ended::Image(source) => unreadable(source),
        Ended::Abandoned => NamespaceError::Abandoned,
    })?;
    if only_in_snapshots > 0 {
        tell(format!(
            "{only_in_snapshots} directories and files are only in snapshots: they have no path of today and are not \
             shown"
        ))?;
    }
    Ok(NamespaceSummary::default())
}

/// Answers with the number of inodes that only snapshots have.
fn show_tree(
    tree: &Tree<'_>,
    wanted: &WantedFiles,
    small_file_bytes: u64,
    steps: &Sender<NamespaceStep>,
) -> Result<u64, Ended> {
    let order = top_down(tree);
    let (totals, visited) = summed_up(tree, &order, small_file_bytes)?;
    let mut holders = WantedDirectories::new(wanted, tree.len());
    let mut batch = Batch { paths: Vec::new(), steps };
    let mut paths = Paths::of(tree);
    for slot in order {
        let directory = tree.directory(slot);
        let path = match paths.directory(slot) {
            b"" => "/".to_owned(),
            path => text(path),
        };
        holders.note(slot.index(), &path);
        let parent = directory.parent().map(|above| tree.directory(above).id());
        batch.add(observed_directory(&directory, parent, path, totals.directory(slot.index())))?;
    }
    drop(totals);
    if holders.is_any() {
        show_files(tree, &holders, &mut paths, &mut batch)?;
    }
    batch.send()?;
    Ok(visited.only_in_snapshots)
}

/// Counts every file in its directory, then every directory in the one above; answers with what was met, too.
fn summed_up(tree: &Tree<'_>, order: &[DirectorySlot], small_file_bytes: u64) -> Result<(Totals, Visited), Ended> {
    let counter = FileCounter::new(small_file_bytes);
    let mut totals = Totals::of(tree.len());
    let visited = tree.visit(&mut teller("sums"), |entry| {
        if let Some(holder) = entry.parent {
            match &entry.inode.kind {
                Kind::Directory(_) => {}
                Kind::Symlink { .. } => totals.sum(holder.index()).link(),
                Kind::File(file) => {
                    let with_copies = file.bytes_on_disks(tree.image().erasure_coding_policies());
                    let holder = totals.sum(holder.index());
                    counter.file(holder, file.length, with_copies, entry.inode.modification_time_ms);
                }
            }
        }
        Ok::<(), Ended>(())
    })?;
    let bottom_up = order.iter().rev().filter_map(|slot| {
        let above = tree.directory(*slot).parent()?;
        Some((slot.index(), above.index()))
    });
    totals.sum_up(bottom_up);
    Ok((totals, visited))
}

fn show_files(
    tree: &Tree<'_>,
    holders: &WantedDirectories<'_>,
    paths: &mut Paths<'_>,
    batch: &mut Batch<'_>,
) -> Result<(), Ended> {
    let mut path = Vec::new();
    tree.visit(&mut teller("files"), |entry| {
        let Some(holder) = entry.parent.filter(|holder| holders.may_hold(holder.index())) else {
            return Ok(());
        };
        path.clear();
        paths.append(entry, &mut path);
        let path = text(&path);
        if !holders.wants(holder.index(), &path) {
            return Ok(());
        }
        match observed_file(tree.image(), entry, tree.directory(holder).id(), path) {
            Some(observed) => batch.add(observed),
            None => Ok(()),
        }
    })?;
    Ok(())
}

/// Paths on their way into one step.
struct Batch<'s> {
    paths: Vec<ObservedPath>,
    steps: &'s Sender<NamespaceStep>,
}

impl Batch<'_> {
    fn add(&mut self, path: ObservedPath) -> Result<(), Ended> {
        self.paths.push(path);
        if self.paths.len() >= PATHS_PER_STEP { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Ended> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let paths = std::mem::take(&mut self.paths);
        self.steps.blocking_send(NamespaceStep::Paths(paths)).map_err(|_| Ended::Abandoned)
    }
}

/// Why reading ended early.
enum Ended {
    Image(ImageError),
    Abandoned,
}

impl From<ImageError> for Ended {
    fn from(error: ImageError) -> Self {
        Self::Image(error)
    }
}

/// Says now and then how far the image is read.
fn teller(what: &'static str) -> impl FnMut(Progress) {
    let mut last = Instant::now();
    move |progress| {
        if last.elapsed() >= PROGRESS_EVERY {
            last = Instant::now();
            tracing::info!(
                phase = "read",
                what,
                done_bytes = progress.done,
                of_bytes = progress.total,
                "the image is read"
            );
        }
    }
}
