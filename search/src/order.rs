//! The order of results, and cursors into it.
//!
//! Every order is total: its last criterion is the entity's id. So a cursor, which holds the
//! criteria of the last result of a page, means the same place whatever was added or removed
//! since, and pages neither repeat nor skip.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::str::FromStr;

use tantivy::DocId;
use tantivy::columnar::StrColumn;

use crate::Error;
use crate::bits::BLOCK;
use crate::snapshot::Segment;
use crate::walk::Block;

/// What results are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The best matches first; then tables, views, databases and so on, each by name.
    #[default]
    Relevance,
    /// From A to Z, from old to new. What lacks the field comes last.
    Ascending(SortField),
    /// From Z to A, from new to old. What lacks the field comes last.
    Descending(SortField),
}

/// A field that results can be ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SortField {
    /// `originalName`, in any case.
    Name,
    /// `created`.
    Created,
    /// `started`.
    Started,
    /// `lastSeen`.
    LastSeen,
}

impl SortField {
    const ALL: [Self; 4] = [Self::Name, Self::Created, Self::Started, Self::LastSeen];

    /// The word used in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Created => "created",
            Self::Started => "started",
            Self::LastSeen => "lastSeen",
        }
    }
}

/// A word that names no order.
#[derive(Debug, thiserror::Error)]
#[error("not an order: {0}; write relevance, name, created, started or lastSeen, with a `-` before it for the reverse")]
pub struct UnknownSort(String);

impl FromStr for Sort {
    type Err = UnknownSort;

    /// Reads `relevance`, or a field's word, with a `-` before it for descending.
    fn from_str(text: &str) -> Result<Self, UnknownSort> {
        if text.eq_ignore_ascii_case("relevance") {
            return Ok(Self::Relevance);
        }
        let (word, is_descending) = text.strip_prefix('-').map_or((text, false), |word| (word, true));
        let field = SortField::ALL.into_iter().find(|field| field.as_str().eq_ignore_ascii_case(word));
        match field {
            Some(field) if is_descending => Ok(Self::Descending(field)),
            Some(field) => Ok(Self::Ascending(field)),
            None => Err(UnknownSort(text.chars().take(64).collect())),
        }
    }
}

impl Sort {
    fn field(self) -> Option<SortField> {
        match self {
            Self::Relevance => None,
            Self::Ascending(field) | Self::Descending(field) => Some(field),
        }
    }

    fn is_descending(self) -> bool {
        matches!(self, Self::Descending(_))
    }

    /// The byte that begins a cursor of this order.
    fn code(self) -> u8 {
        let field = self.field().map_or(0, |field| field as u8 + 1);
        field * 2 + u8::from(self.is_descending())
    }
}

/// The order of types where nothing else decides, in folded case.
const TYPE_ORDER: &[&str] =
    &["table", "view", "database", "field", "partition", "directory", "file", "operation", "operation_execution"];

/// A result's place in the order, comparable between segments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) score: f32,
    pub(crate) time: Option<i64>,
    pub(crate) type_rank: u8,
    pub(crate) name: Option<String>,
    pub(crate) entity: u128,
}

impl Place {
    pub(crate) fn compare(&self, other: &Self, sort: Sort) -> Ordering {
        let by_name = || missing_last(self.name.as_ref(), other.name.as_ref(), sort.is_descending());
        let by_type = || self.type_rank.cmp(&other.type_rank);
        let criteria = match sort.field() {
            None => other.score.total_cmp(&self.score).then_with(by_type).then_with(by_name),
            Some(SortField::Name) => by_name().then_with(by_type),
            Some(_) => missing_last(self.time.as_ref(), other.time.as_ref(), sort.is_descending()),
        };
        criteria.then_with(|| self.entity.cmp(&other.entity))
    }

    /// The place as an opaque text.
    pub(crate) fn to_cursor(&self, sort: Sort) -> String {
        let mut bytes = vec![sort.code()];
        bytes.extend(self.score.to_bits().to_be_bytes());
        bytes.push(u8::from(self.time.is_some()));
        bytes.extend(self.time.unwrap_or_default().to_be_bytes());
        bytes.push(self.type_rank);
        bytes.extend(self.entity.to_be_bytes());
        bytes.push(u8::from(self.name.is_some()));
        bytes.extend(self.name.as_deref().unwrap_or_default().as_bytes());
        let mut cursor = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(cursor, "{byte:02x}");
        }
        cursor
    }

    pub(crate) fn from_cursor(cursor: &str, sort: Sort) -> Result<Self, Error> {
        Self::read(cursor, sort).ok_or(Error::Cursor)
    }

    fn read(cursor: &str, sort: Sort) -> Option<Self> {
        let is_hexadecimal = cursor.len().is_multiple_of(2) && cursor.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hexadecimal {
            return None;
        }
        let digits = cursor.as_bytes().chunks_exact(2);
        let bytes: Vec<u8> =
            digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect::<Option<_>>()?;
        let (&code, rest) = bytes.split_first()?;
        let (score, rest) = rest.split_first_chunk::<4>()?;
        let (&has_time, rest) = rest.split_first()?;
        let (time, rest) = rest.split_first_chunk::<8>()?;
        let (&type_rank, rest) = rest.split_first()?;
        let (entity, rest) = rest.split_first_chunk::<16>()?;
        let (&has_name, name) = rest.split_first()?;
        let place = Self {
            score: f32::from_bits(u32::from_be_bytes(*score)),
            time: (has_time == 1).then_some(i64::from_be_bytes(*time)),
            type_rank,
            entity: u128::from_be_bytes(*entity),
            name: if has_name == 1 { Some(String::from_utf8(name.to_vec()).ok()?) } else { None },
        };
        (code == sort.code() && place.score >= 0.0).then_some(place)
    }
}

fn missing_last<T: Ord>(left: Option<&T>, right: Option<&T>, is_descending: bool) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) if is_descending => right.cmp(left),
        (Some(left), Some(right)) => left.cmp(right),
        (left, right) => left.is_none().cmp(&right.is_none()),
    }
}

/// A document's place within its segment, up to the entity's id: two numbers, the smaller the
/// earlier.
pub(crate) type LocalKey = (u64, u64);

/// The place behind every other: the field is missing.
const MISSING: u64 = u64::MAX;

/// The order within one segment.
pub(crate) struct LocalOrder<'a> {
    segment: &'a Segment,
    sort: Sort,
}

impl<'a> LocalOrder<'a> {
    pub(crate) fn new(segment: &'a Segment, sort: Sort) -> Self {
        Self { segment, sort }
    }

    /// The places of the documents of a block in their segment.
    pub(crate) fn keys(&self, block: &Block, keys: &mut [LocalKey; BLOCK]) {
        let mut names = [None; BLOCK];
        let mut type_ranks = [0; BLOCK];
        let mut times = [None; BLOCK];
        let length = block.documents.len();
        match self.sort.field() {
            None | Some(SortField::Name) => {
                self.segment.name_ordinals(block.documents, &mut names[..length]);
                self.segment.type_ranks(block.documents, &mut type_ranks[..length]);
            }
            Some(field) => self.segment.times(block.documents, field, &mut times[..length]),
        }
        for index in 0..length {
            // Odd numbers are names of the segment; the even ones between them are left to cursors.
            let name = names[index].map(|ordinal: u64| 2 * ordinal + 1);
            keys[index] = self.key(block.scores[index], type_ranks[index], name, times[index]);
        }
    }

    fn key(&self, score: f32, type_rank: u8, name: Option<u64>, time: Option<i64>) -> LocalKey {
        let directed = |value: u64| if self.sort.is_descending() { MISSING - 1 - value } else { value };
        match self.sort.field() {
            None => (u64::from(!score.to_bits()) << 8 | u64::from(type_rank), name.unwrap_or(MISSING)),
            Some(SortField::Name) => (name.map_or(MISSING, directed), u64::from(type_rank)),
            Some(_) => {
                let ascending = |time: i64| (time as u64 ^ 1 << 63).min(MISSING - 1);
                (time.map_or(MISSING, |time| directed(ascending(time))), 0)
            }
        }
    }

    /// Where `place` lies between the documents of this segment.
    pub(crate) fn key_of_place(&self, place: &Place) -> tantivy::Result<LocalKey> {
        let name = match (&place.name, &self.segment.names) {
            (None, _) => None,
            // No document of the segment has a name, so this one stands before all of them.
            (Some(_), None) => Some(0),
            (Some(name), Some(names)) => Some(between_names(names, name)?),
        };
        Ok(self.key(place.score, place.type_rank, name, place.time))
    }

    /// The place of a document among all segments.
    pub(crate) fn place(&self, document: DocId, score: f32) -> Place {
        let mut type_rank = [0];
        let mut time = [None];
        self.segment.type_ranks(&[document], &mut type_rank);
        if let Some(field) = self.sort.field() {
            self.segment.times(&[document], field, &mut time);
        }
        Place {
            score,
            time: time[0],
            type_rank: type_rank[0],
            name: self.segment.name(document).map(str::to_owned),
            entity: self.segment.entity(document),
        }
    }
}

/// The odd number of a name that the segment has, else the even one between its neighbours.
fn between_names(names: &StrColumn, name: &str) -> tantivy::Result<u64> {
    let names = names.dictionary();
    let (mut low, mut high) = (0, names.num_terms() as u64);
    let mut bytes = Vec::new();
    while low < high {
        let middle = low + (high - low) / 2;
        names.ord_to_term(middle, &mut bytes)?;
        match bytes.as_slice().cmp(name.as_bytes()) {
            Ordering::Equal => return Ok(2 * middle + 1),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    Ok(2 * low)
}

/// The rank of an unknown type: the last one.
pub(crate) const UNKNOWN_TYPE: u8 = TYPE_ORDER.len() as u8;

/// The rank of a type in the order of types.
pub(crate) fn rank_of_type(name: &str) -> u8 {
    let position = TYPE_ORDER.iter().position(|known| known.eq_ignore_ascii_case(name));
    position.map_or(UNKNOWN_TYPE, |position| position as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn orders_have_words() {
        assert_eq!("relevance".parse::<Sort>().ok(), Some(Sort::Relevance));
        assert_eq!("-lastseen".parse::<Sort>().ok(), Some(Sort::Descending(SortField::LastSeen)));
        assert_eq!("name".parse::<Sort>().ok(), Some(Sort::Ascending(SortField::Name)));
        assert!("size".parse::<Sort>().is_err());
    }

    #[test]
    fn a_cursor_of_another_order_is_refused() {
        let place = Place { score: 16.0, time: None, type_rank: 2, name: Some("größe".to_owned()), entity: 7 };
        let cursor = place.to_cursor(Sort::Relevance);
        assert_eq!(Place::from_cursor(&cursor, Sort::Relevance).ok(), Some(place));
        assert!(Place::from_cursor(&cursor, Sort::Ascending(SortField::Name)).is_err());
        assert!(Place::from_cursor(&cursor[2..], Sort::Relevance).is_err());
    }

    proptest! {
        #[test]
        fn any_cursor_is_read_or_refused(cursor in "[0-9a-fé]{0,90}") {
            let _ = Place::from_cursor(&cursor, Sort::Relevance);
        }
    }
}
