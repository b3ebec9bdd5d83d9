//! One inbox entry becomes records, quarantined stretches, and an unfinished end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sextant_extractors::push::{self, Format};
use sextant_linker::operations::SourcedRecord;
use sextant_model::EntityId;
use sextant_model::delivery::{BatchHeader, MAX_LINE_BYTES};
use sextant_model::operation::Evidence;
use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::record::Parsed;
use sextant_store::{Carry, InboxEntry, Quarantined};

use crate::clusters::Clusters;

/// Reads entries; every record and problem gets its place in the spool file.
pub(super) struct EntryReader {
    clusters: Clusters,
}

/// What an entry came to.
#[derive(Debug)]
pub(super) struct ReadEntry {
    pub(super) records: Vec<SourcedRecord>,
    pub(super) quarantined: Vec<Quarantined>,
    pub(super) ignored_lines: u64,
    /// What waits for the next entry of the generation; empty bytes when nothing does.
    pub(super) carry: Carry,
}

impl EntryReader {
    pub(super) fn new(clusters: Clusters) -> Self {
        Self { clusters }
    }

    /// Reads an entry behind the unfinished end that the entries before it left.
    pub(super) fn read(&self, entry: &InboxEntry, carry: Option<Carry>) -> ReadEntry {
        let header = &entry.header;
        let mut read = ReadEntry {
            records: Vec::new(),
            quarantined: Vec::new(),
            ignored_lines: 0,
            carry: Carry {
                host: header.host.clone(),
                generation: header.generation.0.clone(),
                offset: header.end,
                bytes: Vec::new(),
            },
        };
        let carry = carry.filter(|carry| !carry.bytes.is_empty());
        let Ok(format) = header.format.parse::<Format>() else {
            if let Some(carry) = carry {
                quarantine_unknown(entry, carry.offset, &carry.bytes, &mut read);
            }
            quarantine_unknown(entry, header.start, &entry.bytes, &mut read);
            return read;
        };
        if let Some(skipped) = &header.skipped {
            if let Some(carry) = carry {
                self.parse(entry, format, carry.offset, &carry.bytes, true, &mut read);
            }
            let problem = Problem {
                offset: header.start,
                length: skipped.length,
                kind: ProblemKind::TooLong,
                reason: format!(
                    "the line has {} bytes, more than the {MAX_LINE_BYTES} that are delivered (BLAKE3 {})",
                    skipped.length,
                    skipped.hash.chars().take(64).collect::<String>()
                ),
            };
            read.quarantined.push(quarantined(entry, problem, entry.bytes.clone()));
            return read;
        }
        match carry {
            None => self.parse(entry, format, header.start, &entry.bytes, header.last, &mut read),
            Some(carry) if carry.offset + carry.bytes.len() as u64 == header.start => {
                let mut joined = carry.bytes;
                joined.extend_from_slice(&entry.bytes);
                self.parse(entry, format, carry.offset, &joined, header.last, &mut read);
            }
            Some(carry) => {
                self.parse(entry, format, carry.offset, &carry.bytes, true, &mut read);
                self.parse(entry, format, header.start, &entry.bytes, header.last, &mut read);
            }
        }
        read
    }

    fn parse(&self, entry: &InboxEntry, format: Format, base: u64, bytes: &[u8], at_end: bool, read: &mut ReadEntry) {
        let parsed =
            catch_unwind(AssertUnwindSafe(|| push::parse(format, bytes, at_end))).unwrap_or_else(|_| given_up(bytes));
        for record in parsed.records {
            let evidence = Evidence {
                host: entry.header.host.clone(),
                file: entry.header.path.clone(),
                offset: base + record.offset,
            };
            let cluster = self.clusters.canonical(&entry.header.cluster).to_owned();
            read.records.push(SourcedRecord { record, evidence, cluster, received: entry.received });
        }
        for problem in parsed.problems {
            let stretch = stretch_of(bytes, problem.offset, problem.length).to_vec();
            let problem = Problem { offset: base + problem.offset, ..problem };
            read.quarantined.push(quarantined(entry, problem, stretch));
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
            read.quarantined.push(quarantined(entry, problem, rest.to_vec()));
        } else if !at_end {
            read.carry.offset = rest_offset;
            read.carry.bytes = rest.to_vec();
        }
    }
}

fn quarantine_unknown(entry: &InboxEntry, offset: u64, bytes: &[u8], read: &mut ReadEntry) {
    let format: String = entry.header.format.chars().take(80).collect();
    let known = Format::ALL.iter().map(|format| format.as_str()).collect::<Vec<_>>().join(", ");
    let problem = Problem {
        offset,
        length: bytes.len() as u64,
        kind: ProblemKind::UnknownFormat,
        reason: format!("the spool's format is {format:?}; this version reads {known}"),
    };
    read.quarantined.push(quarantined(entry, problem, bytes.to_vec()));
}

/// The extractor failed inside sextant: the whole stretch is kept, what follows goes on.
fn given_up(bytes: &[u8]) -> Parsed {
    Parsed {
        problems: vec![Problem {
            offset: 0,
            length: bytes.len() as u64,
            kind: ProblemKind::Malformed,
            reason: "the extractor failed inside sextant; please report it with these bytes".to_owned(),
        }],
        consumed: bytes.len(),
        ..Parsed::default()
    }
}

fn quarantined(entry: &InboxEntry, problem: Problem, bytes: Vec<u8>) -> Quarantined {
    let header: &BatchHeader = &entry.header;
    let parts: [&[u8]; 3] = [header.host.as_bytes(), header.generation.0.as_bytes(), &problem.offset.to_be_bytes()];
    Quarantined {
        id: EntityId::derive("quarantined", &parts),
        host: header.host.clone(),
        generation: header.generation.0.clone(),
        file: header.path.clone(),
        format: header.format.clone(),
        cluster: header.cluster.clone(),
        problem,
        bytes,
        received: entry.received,
    }
}

fn stretch_of(bytes: &[u8], offset: u64, length: u64) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let end = usize::try_from(offset.saturating_add(length)).unwrap_or(usize::MAX).min(bytes.len());
    &bytes[start..end]
}
