//! Every inode as text: several threads write a block of inodes each, and the blocks are put
//! together in the image's order.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::error::Error;
use crate::id_numbers::IdNumbers;
use crate::inodes::InodeMessages;
use crate::progress::{Progress, Reporter};
use crate::section::Block;
use crate::tree::Tree;
use crate::visit::{Entry, Visited};

/// Why something could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] Error),
    /// The output takes no more; of a closed pipe the kind is `BrokenPipe`.
    #[error("cannot write the output")]
    Output(#[source] std::io::Error),
}

/// Blocks that are under way for each thread: one that it writes, and one that waits for it.
const BLOCKS_A_THREAD: usize = 2;

/// Gives `out` the text of every inode that has a path, in the image's order. `writer` makes what
/// appends the text of one inode, once for each of the `threads`.
pub(crate) fn write_text<W>(
    tree: &Tree<'_>,
    threads: usize,
    out: &mut impl Write,
    progress: &mut dyn FnMut(Progress),
    writer: impl Fn() -> W + Sync,
) -> Result<Visited, WriteError>
where
    W: FnMut(&Entry<'_>, &mut Vec<u8>),
{
    let mut visited = Visited::default();
    tree.with_parents(progress, |count, parents, inodes, reporter| {
        std::thread::scope(|scope| {
            let workers: Vec<Worker<'_>> = (0..threads.max(1))
                .map(|_| {
                    let (to_do, jobs) = sync_channel(BLOCKS_A_THREAD);
                    let (done, results) = sync_channel(BLOCKS_A_THREAD);
                    let writer = &writer;
                    scope.spawn(move || work(tree, parents, writer(), &jobs, &done));
                    Worker { to_do, results }
                })
                .collect();
            let mut queue = Queue { workers, given: 0, taken: 0, visited: &mut visited, out: &mut *out };
            queue.write(count, inodes, reporter)
        })
    })?;
    out.flush().map_err(WriteError::Output)?;
    Ok(visited)
}

/// A block on its way to a thread and back, with the memory for its text.
struct Job<'i> {
    block: Block<'i>,
    text: Vec<u8>,
    outcome: Result<Visited, Error>,
}

struct Worker<'i> {
    to_do: SyncSender<Job<'i>>,
    results: Receiver<Job<'i>>,
}

/// Blocks go to the threads in turn, and their texts come back in the same turn.
struct Queue<'q, 'i, O> {
    workers: Vec<Worker<'i>>,
    given: usize,
    taken: usize,
    visited: &'q mut Visited,
    out: &'q mut O,
}

impl<'i, O: Write> Queue<'_, 'i, O> {
    /// Writes the next `count` inodes.
    fn write(
        &mut self,
        count: u64,
        inodes: &mut InodeMessages<'i>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), WriteError> {
        let mut rest = count;
        while rest > 0 {
            let (memory, text) = if self.given - self.taken == self.workers.len() * BLOCKS_A_THREAD {
                self.take()?
            } else {
                (Vec::new(), Vec::new())
            };
            reporter.at(inodes.read_from_file());
            let Some(block) = inodes.next_block(rest, memory)? else { break };
            rest -= block.count;
            let worker = &self.workers[self.given % self.workers.len()];
            // A thread ends early only by a panic, which the scope passes on.
            let _gone = worker.to_do.send(Job { block, text, outcome: Ok(Visited::default()) });
            self.given += 1;
        }
        while self.taken < self.given {
            self.take()?;
        }
        Ok(())
    }

    /// Writes the text of the oldest block that is under way, and gives back its memory.
    fn take(&mut self) -> Result<(Vec<u8>, Vec<u8>), WriteError> {
        let worker = &self.workers[self.taken % self.workers.len()];
        self.taken += 1;
        let Ok(mut job) = worker.results.recv() else { return Ok((Vec::new(), Vec::new())) };
        let visited = job.outcome?;
        self.out.write_all(&job.text).map_err(WriteError::Output)?;
        self.visited.inodes += visited.inodes;
        self.visited.only_in_snapshots += visited.only_in_snapshots;
        job.text.clear();
        Ok((job.block.into_memory(), job.text))
    }
}

/// What one thread does until no more blocks come, or nobody wants their texts any more.
fn work<'i>(
    tree: &Tree<'_>,
    parents: &IdNumbers,
    mut write: impl FnMut(&Entry<'_>, &mut Vec<u8>),
    jobs: &Receiver<Job<'i>>,
    done: &SyncSender<Job<'i>>,
) {
    while let Ok(mut job) = jobs.recv() {
        job.outcome = write_block(tree, parents, &job.block, |entry| write(entry, &mut job.text));
        if done.send(job).is_err() {
            break;
        }
    }
}

fn write_block(
    tree: &Tree<'_>,
    parents: &IdNumbers,
    block: &Block<'_>,
    mut write: impl FnMut(&Entry<'_>),
) -> Result<Visited, Error> {
    let mut visited = Visited::default();
    for message in block.messages() {
        match tree.entry(message, parents)? {
            Some(entry) => {
                visited.inodes += 1;
                write(&entry);
            }
            None => visited.only_in_snapshots += 1,
        }
    }
    Ok(visited)
}

/// Appends a number in decimal digits.
#[inline]
pub(crate) fn append_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
