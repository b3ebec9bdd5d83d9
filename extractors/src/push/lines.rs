//! Finding records in the bytes of a spool file.
//!
//! The usual case is one record a line. The others, all of which exist: records behind a logger's
//! prefix, records over several indented lines (HIVE-11139), lines that are no lineage, records
//! that were cut by a crash or a full disk with the next one on a line of its own or glued to
//! them, holes of NUL bytes.
//!
//! Everything is decided from the left, by bytes that are there: a piece more or less at the end
//! of the input changes no decision that was taken. All steps together are linear in the input.

use std::ops::Range;

use memchr::{memchr, memrchr};
use serde::de::IgnoredAny;
use sextant_model::delivery::MAX_LINE_BYTES;
use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::record::{Parsed, PushRecord};

use super::markers::Markers;
use super::resemblance::resemblance;
use super::{Format, Refusal};

/// The longest reason that is kept, in characters: parts of it come from the record.
const MAX_REASON_CHARS: usize = 300;

pub(super) fn read(format: Format, input: &[u8], at_end: bool) -> Parsed {
    let whole_lines = memrchr(b'\n', input).map_or(0, |line_feed| line_feed + 1);
    let last_line_is_too_long = input.len() - whole_lines > MAX_LINE_BYTES;
    let end = if at_end || last_line_is_too_long { input.len() } else { whole_lines };
    let mut reading = Reading {
        format,
        input: &input[..end],
        at_end,
        markers: Markers::new(format, &input[..end]),
        line: 0..0,
        parsed: Parsed::default(),
    };
    let mut position = 0;
    while position < end {
        match reading.read_line(position) {
            Step::To(next) => position = next,
            Step::NeedsMore(rest) => {
                position = rest;
                break;
            }
        }
    }
    reading.parsed.consumed = position;
    reading.parsed
}

/// Where reading goes on.
enum Step {
    To(usize),
    /// What begins there cannot be judged without what follows the input.
    NeedsMore(usize),
}

/// How far a JSON object reaches.
enum Extent {
    /// Up to there.
    Whole(usize),
    /// Beyond the bytes that were looked at.
    Unfinished,
    /// It is not JSON, because of the byte there.
    Broken(usize, serde_json::Error),
}

struct Reading<'a> {
    format: Format,
    input: &'a [u8],
    at_end: bool,
    markers: Markers<'a>,
    /// The line that is being read, so that its end is looked for once however many objects it has.
    line: Range<usize>,
    parsed: Parsed,
}

impl Reading<'_> {
    /// Reads the line, or the rest of a line, that begins at `start`.
    fn read_line(&mut self, start: usize) -> Step {
        let line_end = self.end_of_line(start);
        if !self.line.contains(&start) {
            self.line = start..line_end;
        }
        let next_line = (line_end + 1).min(self.input.len());
        let begins_line = start == 0 || self.input[start - 1] == b'\n';
        let text = without_mark(self.input[start..line_end].trim_ascii_start()).trim_ascii_start();
        let first = line_end - text.len();
        let last = first + text.trim_ascii_end().len();
        if first == last {
            return Step::To(next_line);
        }
        if last - first > MAX_LINE_BYTES {
            let reason = format!("the line is {} bytes long; at most {MAX_LINE_BYTES} are read", last - first);
            self.report(first, last, ProblemKind::TooLong, reason);
            return Step::To(next_line);
        }
        if self.input[first] == b'{' {
            return if begins_line { self.read_whole_line(first, last) } else { self.read_object(first, last, true) };
        }
        if let Some(marker) = self.markers.next_from(first)
            && marker < last
        {
            // What stands in front is a logger's prefix, or the end of what was lost in a hole.
            self.report_hole(first, marker);
            return Step::To(marker);
        }
        self.read_other_line(start, first, last, begins_line)
    }

    /// A line that begins with `{`: nearly always one record.
    fn read_whole_line(&mut self, first: usize, last: usize) -> Step {
        let line = &self.input[first..last];
        match self.format.read(line) {
            Ok(record) => self.accept(first, last, record),
            Err(Refusal::Form(_)) if serde_json::from_slice::<IgnoredAny>(line).is_err() => {
                return self.read_object(first, last, false);
            }
            Err(refusal) => self.refuse(first, last, refusal),
        }
        Step::To((self.line.end + 1).min(self.input.len()))
    }

    /// An object that begins at `first` and ends before or behind the end of its line, or not at
    /// all.
    fn read_object(&mut self, first: usize, last: usize, follows_on_line: bool) -> Step {
        let is_marked = self.markers.next_from(first) == Some(first);
        let mut limit = self.markers.next_from(first + 1).unwrap_or(self.input.len());
        let mut extent = self.extent(first, limit);
        let reach = match extent {
            Extent::Whole(end) => end,
            Extent::Unfinished => limit,
            Extent::Broken(at, _) => at,
        };
        if let Some(record_line) = self.first_record_line(first, reach) {
            limit = record_line;
            extent = self.extent(first, limit);
        }
        match extent {
            Extent::Whole(end) => match self.format.read(&self.input[first..end]) {
                Ok(record) => {
                    self.accept(first, end, record);
                    Step::To(end)
                }
                // Not even the beginning of a record: whatever follows on the line goes with it.
                Err(refusal) if follows_on_line && !is_marked && end < last => {
                    let problem_end = limit.min(last);
                    self.refuse(first, problem_end, refusal);
                    Step::To(problem_end)
                }
                Err(refusal) => {
                    self.refuse(first, end, refusal);
                    Step::To(end)
                }
            },
            Extent::Unfinished => self.leave_unfinished(first, limit),
            Extent::Broken(at, error) => self.skip_broken(first, last, limit, at, &error),
        }
    }

    fn leave_unfinished(&mut self, first: usize, limit: usize) -> Step {
        if limit < self.input.len() {
            // The next record's prefix is not part of this one.
            let end = self.last_line_start(first, limit).unwrap_or(limit);
            self.report(
                first,
                end,
                ProblemKind::CutOff,
                "the record has not ended where another one begins".to_owned(),
            );
            return Step::To(end);
        }
        if limit - first > MAX_LINE_BYTES {
            let end = (self.end_of_line(first + MAX_LINE_BYTES) + 1).min(limit);
            let reason = format!("the record has not ended after {MAX_LINE_BYTES} bytes, which is the limit");
            self.report(first, end, ProblemKind::TooLong, reason);
            return Step::To(end);
        }
        if !self.at_end {
            return Step::NeedsMore(first);
        }
        self.report(first, limit, ProblemKind::CutOff, "the file ends before the record does".to_owned());
        Step::To(limit)
    }

    /// Goes on behind what is not JSON because of the byte `at`.
    fn skip_broken(&mut self, first: usize, last: usize, limit: usize, at: usize, error: &serde_json::Error) -> Step {
        let line_end = self.end_of_line(at);
        let lines = self.input[first..line_end].trim_ascii_end();
        let text_end = first + lines.len();
        if at >= text_end || (at + 1 == text_end && ends_inside_string(lines)) {
            self.report(first, line_end, ProblemKind::CutOff, format!("the line ends before the record does: {error}"));
            return Step::To((line_end + 1).min(self.input.len()));
        }
        let Some(error_line) = self.last_line_start(first, at) else {
            let end = limit.min(last);
            self.report(first, end, ProblemKind::Malformed, format!("not JSON: {error}"));
            return Step::To(end);
        };
        if !continues_object(self.input[error_line]) {
            let reason = format!("the record has not ended, and the next line does not go on with it: {error}");
            self.report(first, error_line, ProblemKind::CutOff, reason);
            return Step::To(error_line);
        }
        // The remaining lines of an indented record mean nothing by themselves.
        let mut end = error_line;
        while end < limit && continues_object(self.input[end]) {
            end = (self.end_of_line(end) + 1).min(self.input.len());
        }
        if end == self.input.len() && !self.at_end {
            return Step::NeedsMore(first);
        }
        let end = end.min(limit);
        self.report(first, end, ProblemKind::Malformed, format!("not JSON: {error}"));
        Step::To(end)
    }

    /// A line without a marker that does not begin with `{`.
    fn read_other_line(&mut self, start: usize, first: usize, last: usize, begins_line: bool) -> Step {
        let line = &self.input[first..last];
        let next_line = (self.line.end + 1).min(self.input.len());
        let brace = memchr(b'{', line);
        if brace.is_some() && line.ends_with(b"{") && !self.at_end && self.is_blank_from(next_line) {
            return Step::NeedsMore(start);
        }
        if !begins_line {
            let reason = match count_nul_bytes(line) {
                0 => "this follows the end of a record on its line and is not a record".to_owned(),
                count => hole(count),
            };
            self.report(first, last, ProblemKind::Malformed, reason);
        } else if let Some(brace) = brace {
            let record_start = first + brace;
            match self.format.read(&self.input[record_start..last]) {
                Ok(record) => self.accept(record_start, last, record),
                Err(refusal) => self.refuse(first, last, refusal),
            }
        } else if memchr(0, line).is_some() {
            self.report_hole(first, last);
        } else {
            self.parsed.ignored_lines += 1;
        }
        Step::To(next_line)
    }

    /// How far the object reaches that begins at `start`, looking no further than `limit`.
    fn extent(&self, start: usize, limit: usize) -> Extent {
        let window = &self.input[start..limit.min(start + MAX_LINE_BYTES)];
        let mut values = serde_json::Deserializer::from_slice(window).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(IgnoredAny)) => Extent::Whole(start + values.byte_offset()),
            Some(Err(error)) if !error.is_eof() => Extent::Broken(start + place_of(&error, window), error),
            _ => Extent::Unfinished,
        }
    }

    /// The first line behind the one of `start` and before `reach` that is a whole record: then
    /// what begins at `start` has been cut, even if the lines happen to fit into it.
    fn first_record_line(&self, start: usize, reach: usize) -> Option<usize> {
        let mut line = self.end_of_line(start) + 1;
        while line < reach {
            let end = self.end_of_line(line);
            if self.input[line] == b'{' {
                let verdict = self.format.read(self.input[line..end].trim_ascii_end());
                if !matches!(verdict, Err(Refusal::Form(_))) {
                    return Some(line);
                }
            }
            line = end + 1;
        }
        None
    }

    fn end_of_line(&self, position: usize) -> usize {
        if self.line.contains(&position) {
            return self.line.end;
        }
        memchr(b'\n', &self.input[position..]).map_or(self.input.len(), |distance| position + distance)
    }

    /// Where the line of `position` begins, if that is behind `first`.
    fn last_line_start(&self, first: usize, position: usize) -> Option<usize> {
        memrchr(b'\n', &self.input[first..position]).map(|distance| first + distance + 1)
    }

    fn is_blank_from(&self, position: usize) -> bool {
        self.input[position..].trim_ascii_start().is_empty()
    }

    fn accept(&mut self, first: usize, end: usize, mut record: PushRecord) {
        record.offset = first as u64;
        record.length = (end - first) as u64;
        self.parsed.records.push(record);
    }

    fn refuse(&mut self, first: usize, end: usize, refusal: Refusal) {
        let engine = self.format.engine();
        let (kind, reason) = match refusal {
            Refusal::Form(error) if error.is_data() => {
                let reason = match resemblance(&self.input[first..end]) {
                    Some(other) => format!("no {engine} lineage record: it looks like {other}"),
                    None => format!("no {engine} lineage record: {error}"),
                };
                (ProblemKind::NotARecord, reason)
            }
            Refusal::Form(error) => (ProblemKind::Malformed, format!("not JSON: {error}")),
            Refusal::OtherFormat(other) => {
                (ProblemKind::NotARecord, format!("no {engine} lineage record: it looks like {other}"))
            }
            Refusal::Inconsistent(reason) => (ProblemKind::Inconsistent, reason),
            Refusal::TooWide(reason) => (ProblemKind::TooLong, reason),
            Refusal::Failed => (
                ProblemKind::Failed,
                format!("the reader of {engine} records failed inside sextant; please report it with these bytes"),
            ),
        };
        self.report(first, end, kind, reason);
    }

    /// Reports the NUL bytes of a stretch, if it has any.
    fn report_hole(&mut self, first: usize, end: usize) {
        let stretch = &self.input[first..end];
        if let (Some(from), Some(to)) = (memchr(0, stretch), memrchr(0, stretch)) {
            let reason = hole(count_nul_bytes(stretch));
            self.report(first + from, first + to + 1, ProblemKind::Malformed, reason);
        }
    }

    /// Line ends and blanks behind the stretch are not part of it.
    fn report(&mut self, first: usize, end: usize, kind: ProblemKind, reason: String) {
        let length = self.input[first..end].trim_ascii_end().len() as u64;
        let reason = if reason.chars().count() > MAX_REASON_CHARS {
            reason.chars().take(MAX_REASON_CHARS).chain(['…']).collect()
        } else {
            reason
        };
        self.parsed.problems.push(Problem { offset: first as u64, length, kind, reason });
    }
}

fn count_nul_bytes(stretch: &[u8]) -> usize {
    memchr::memchr_iter(0, stretch).count()
}

fn hole(nul_bytes: usize) -> String {
    format!("{nul_bytes} NUL bytes, as a crash or a full disk leaves them: what stood there is lost")
}

/// Whether JSON text that is sound so far stops in the middle of a string.
fn ends_inside_string(json: &[u8]) -> bool {
    let mut inside = false;
    let mut escaped = false;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ => {}
        }
    }
    inside
}

/// Without a byte order mark in front.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// Whether a line that begins with `byte` can be a further line of an indented record.
fn continues_object(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'}' | b']')
}

/// Which byte of `window` the error is about.
fn place_of(error: &serde_json::Error, window: &[u8]) -> usize {
    let line_start = match error.line().checked_sub(2) {
        None => 0,
        Some(skipped) => memchr::memchr_iter(b'\n', window).nth(skipped).map_or(0, |line_feed| line_feed + 1),
    };
    (line_start + error.column()).saturating_sub(1).min(window.len().saturating_sub(1))
}
