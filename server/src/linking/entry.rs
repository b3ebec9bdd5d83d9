//! One inbox entry becomes records, quarantined stretches, and an unfinished end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sextant_extractors::push::{self, Format, Formats};
use sextant_linker::operations::SourcedRecord;
use sextant_model::delivery::MAX_LINE_BYTES;
use sextant_model::operation::Evidence;
use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::record::Parsed;
use sextant_model::{EntityId, Timestamp};
use sextant_store::{Carry, InboxEntry, Quarantined, StoredQuarantined};

use crate::clusters::Clusters;

/// How much is kept of what is longer than any record may be, bytes.
const BEGINNING_BYTES: usize = 64 << 10;
/// The longest reason of a failure that is kept, in characters.
const MAX_REASON_CHARS: usize = 500;

/// Reads entries; every record and problem gets its place in the spool file.
pub(super) struct EntryReader {
    clusters: Clusters,
    formats: Formats,
}

/// Where bytes come from.
struct Origin<'a> {
    host: &'a str,
    generation: &'a str,
    file: &'a str,
    format: &'a str,
    cluster: &'a str,
    received: Timestamp,
}

/// What an entry or a quarantined stretch came to.
#[derive(Debug, Default)]
pub(super) struct ReadEntry {
    pub(super) records: Vec<SourcedRecord>,
    pub(super) quarantined: Vec<Quarantined>,
    pub(super) ignored_lines: u64,
    /// What waits for the next entry of the generation; empty when nothing does.
    rest: Vec<u8>,
    /// Where in the file it begins.
    rest_offset: u64,
}

impl ReadEntry {
    /// The unfinished end that the next entry of the generation goes on with.
    pub(super) fn carry(&self, entry: &InboxEntry) -> Carry {
        Carry {
            host: entry.header.host.clone(),
            generation: entry.header.generation.0.clone(),
            offset: self.rest_offset,
            bytes: self.rest.clone(),
        }
    }
}

impl EntryReader {
    pub(super) fn new(clusters: Clusters, formats: Formats) -> Self {
        Self { clusters, formats }
    }

    /// Whether the entry has to wait for a server that reads its format.
    pub(super) fn lets_wait(&self, entry: &InboxEntry) -> bool {
        entry.damage.is_none() && self.formats.find(&entry.header.format).is_none()
    }

    /// Reads an entry behind the unfinished end that the entries before it left. Of an entry whose
    /// format is not known nothing is read.
    pub(super) fn read(&self, entry: &InboxEntry, carry: Option<Carry>) -> ReadEntry {
        let header = &entry.header;
        let origin = Origin::of_entry(entry);
        let mut read = ReadEntry { rest_offset: header.end, ..ReadEntry::default() };
        let carry = carry.filter(|carry| !carry.bytes.is_empty());
        if let Some(damage) = &entry.damage {
            self.set_aside(entry, damage, carry, &mut read);
            return read;
        }
        let Some(format) = self.formats.find(&header.format) else {
            return read;
        };
        if let Some(skipped) = &header.skipped {
            if let Some(carry) = carry {
                self.parse(&origin, format, carry.offset, &carry.bytes, true, &mut read);
            }
            let problem = Problem {
                offset: header.start,
                length: skipped.length,
                kind: ProblemKind::TooLong,
                reason: format!(
                    "the line has {} bytes, more than the {MAX_LINE_BYTES} that are delivered (BLAKE3 {}): only its \
                     beginning is kept",
                    skipped.length,
                    skipped.hash.chars().take(64).collect::<String>()
                ),
            };
            read.quarantined.push(origin.quarantined(problem, entry.bytes.clone()));
            return read;
        }
        match carry {
            None => self.parse(&origin, format, header.start, &entry.bytes, header.last, &mut read),
            Some(carry) if carry.offset + carry.bytes.len() as u64 == header.start => {
                let mut joined = carry.bytes;
                joined.extend_from_slice(&entry.bytes);
                self.parse(&origin, format, carry.offset, &joined, header.last, &mut read);
            }
            Some(carry) => {
                self.parse(&origin, format, carry.offset, &carry.bytes, true, &mut read);
                self.parse(&origin, format, header.start, &entry.bytes, header.last, &mut read);
            }
        }
        read
    }

    /// A damaged entry goes to the quarantine as it is. What was unfinished before it stays unfinished.
    fn set_aside(&self, entry: &InboxEntry, damage: &str, carry: Option<Carry>, read: &mut ReadEntry) {
        let header = &entry.header;
        let origin = Origin::of_entry(entry);
        match (carry, self.formats.find(&header.format)) {
            (None, _) => {}
            (Some(carry), Some(format)) => self.parse(&origin, format, carry.offset, &carry.bytes, true, read),
            (Some(carry), None) => {
                let (offset, length) = (carry.offset, carry.bytes.len() as u64);
                let reason = "what follows the beginning of this record is damaged".to_owned();
                let problem = Problem { offset, length, kind: ProblemKind::CutOff, reason };
                read.quarantined.push(origin.quarantined(problem, carry.bytes));
            }
        }
        let problem = Problem {
            offset: header.start,
            length: header.end - header.start,
            kind: ProblemKind::Failed,
            reason: format!(
                "entry {} of the inbox is damaged on the server's disk ({damage}); what its host still has of the file \
                 can be given to `sextant import`",
                entry.seq
            ),
        };
        read.quarantined.push(origin.quarantined(problem, entry.bytes.clone()));
    }

    /// Reads a quarantined stretch again, as if nothing followed it; `None` when its format is not
    /// known.
    pub(super) fn read_again(&self, stretch: &StoredQuarantined) -> Option<ReadEntry> {
        let format = self.formats.find(&stretch.format)?;
        let mut read = ReadEntry::default();
        self.parse(&Origin::of_stretch(stretch), format, stretch.problem.offset, &stretch.bytes, true, &mut read);
        Some(read)
    }

    fn parse(&self, origin: &Origin<'_>, format: Format, base: u64, bytes: &[u8], at_end: bool, read: &mut ReadEntry) {
        let parsed =
            catch_unwind(AssertUnwindSafe(|| push::parse(format, bytes, at_end))).unwrap_or_else(|_| given_up(bytes));
        for record in parsed.records {
            let evidence =
                Evidence { host: origin.host.to_owned(), file: origin.file.to_owned(), offset: base + record.offset };
            let cluster = self.clusters.canonical(origin.cluster).to_owned();
            read.records.push(SourcedRecord { record, evidence, cluster, received: origin.received });
        }
        for problem in parsed.problems {
            let stretch = part_of(bytes, 0, problem.offset, problem.length).to_vec();
            let problem = Problem { offset: base + problem.offset, ..problem };
            read.quarantined.push(origin.quarantined(problem, stretch));
        }
        read.ignored_lines += parsed.ignored_lines;
        let rest = bytes.get(parsed.consumed..).unwrap_or_default();
        let rest_offset = base + parsed.consumed as u64;
        if rest.len() > MAX_LINE_BYTES {
            let problem = Problem {
                offset: rest_offset,
                length: rest.len() as u64,
                kind: ProblemKind::TooLong,
                reason: format!("a record that has not ended after {MAX_LINE_BYTES} bytes"),
            };
            read.quarantined.push(origin.quarantined(problem, rest.to_vec()));
        } else if !at_end {
            read.rest_offset = rest_offset;
            read.rest = rest.to_vec();
        }
    }
}

impl<'a> Origin<'a> {
    fn of_entry(entry: &'a InboxEntry) -> Self {
        let header = &entry.header;
        Self {
            host: &header.host,
            generation: &header.generation.0,
            file: &header.path,
            format: &header.format,
            cluster: &header.cluster,
            received: entry.received,
        }
    }

    fn of_stretch(stretch: &'a StoredQuarantined) -> Self {
        Self {
            host: &stretch.host,
            generation: &stretch.generation,
            file: &stretch.file,
            format: &stretch.format,
            cluster: &stretch.cluster,
            received: stretch.received,
        }
    }

    /// Of what is longer than any record may be only the beginning stays.
    fn quarantined(&self, mut problem: Problem, mut bytes: Vec<u8>) -> Quarantined {
        if bytes.len() > MAX_LINE_BYTES {
            let hash = blake3::hash(&bytes).to_hex();
            problem.reason = format!("{} (BLAKE3 {hash}): only its beginning is kept", problem.reason);
            bytes.truncate(BEGINNING_BYTES);
        }
        let parts: [&[u8]; 3] = [self.host.as_bytes(), self.generation.as_bytes(), &problem.offset.to_be_bytes()];
        Quarantined {
            id: EntityId::derive("quarantined", &parts),
            host: self.host.to_owned(),
            generation: self.generation.to_owned(),
            file: self.file.to_owned(),
            format: self.format.to_owned(),
            cluster: self.cluster.to_owned(),
            problem,
            bytes,
            received: self.received,
        }
    }

    fn failed(&self, offset: u64, length: u64, reason: &str, bytes: Vec<u8>) -> Quarantined {
        let reason = format!("understood, but not linked: {reason}").chars().take(MAX_REASON_CHARS).collect();
        self.quarantined(Problem { offset, length, kind: ProblemKind::Failed, reason }, bytes)
    }
}

/// The stretch of a record of an entry that linking or storing fails over.
pub(super) fn quarantine_failed(
    entry: &InboxEntry,
    carry: Option<&Carry>,
    record: &SourcedRecord,
    reason: &str,
) -> Quarantined {
    let (start, length) = (record.evidence.offset, record.record.length);
    let mut bytes = Vec::new();
    if let Some(carry) = carry {
        bytes.extend_from_slice(part_of(&carry.bytes, carry.offset, start, length));
    }
    bytes.extend_from_slice(part_of(&entry.bytes, entry.header.start, start, length));
    Origin::of_entry(entry).failed(start, length, reason, bytes)
}

/// The same for a record of a stretch that is read again.
pub(super) fn quarantine_failed_again(
    stretch: &StoredQuarantined,
    record: &SourcedRecord,
    reason: &str,
) -> Quarantined {
    let (start, length) = (record.evidence.offset, record.record.length);
    let bytes = part_of(&stretch.bytes, stretch.problem.offset, start, length).to_vec();
    Origin::of_stretch(stretch).failed(start, length, reason, bytes)
}

/// The extractor failed inside sextant: the whole stretch is kept, what follows goes on.
fn given_up(bytes: &[u8]) -> Parsed {
    Parsed {
        problems: vec![Problem {
            offset: 0,
            length: bytes.len() as u64,
            kind: ProblemKind::Failed,
            reason: "the extractor failed inside sextant; please report it with these bytes".to_owned(),
        }],
        consumed: bytes.len(),
        ..Parsed::default()
    }
}

/// The part of `bytes`, which begin at `base`, that lies in a stretch.
fn part_of(bytes: &[u8], base: u64, offset: u64, length: u64) -> &[u8] {
    let place = |position: u64| usize::try_from(position.saturating_sub(base)).unwrap_or(usize::MAX).min(bytes.len());
    &bytes[place(offset)..place(offset.saturating_add(length))]
}
