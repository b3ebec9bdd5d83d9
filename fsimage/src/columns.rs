//! Columns of a Parquet file, while their row group is collected.

use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;

/// How many values are given to the writer at once: a text takes more there than here.
const BATCH: usize = 8192;

/// The values of a column.
pub(crate) trait Column {
    /// Writes them and forgets them.
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError>;
}

/// Which rows have a value: 1, or 0 for null. A required column has none of these.
struct Presence(Option<Vec<i16>>);

impl Presence {
    fn push(&mut self, is_present: bool) {
        if let Some(levels) = &mut self.0 {
            levels.push(i16::from(is_present));
        }
    }

    fn clear(&mut self) {
        if let Some(levels) = &mut self.0 {
            levels.clear();
        }
    }

    /// The rows in batches: of each their levels, and which values are theirs.
    fn batches(&self, values: usize) -> Vec<(Option<&[i16]>, std::ops::Range<usize>)> {
        let Some(levels) = &self.0 else {
            return (0..values).step_by(BATCH).map(|start| (None, start..values.min(start + BATCH))).collect();
        };
        let mut batches = Vec::with_capacity(levels.len().div_ceil(BATCH));
        let mut start = 0;
        for batch in levels.chunks(BATCH) {
            let end = start + batch.iter().filter(|level| **level == 1).count();
            batches.push((Some(batch), start..end));
            start = end;
        }
        batches
    }
}

/// Numbers of one width.
pub(crate) struct NumberColumn<T: DataType> {
    values: Vec<T::T>,
    presence: Presence,
}

pub(crate) type Int32Column = NumberColumn<Int32Type>;
pub(crate) type Int64Column = NumberColumn<Int64Type>;

impl<T: DataType> NumberColumn<T> {
    /// Every row has a value.
    pub(crate) const fn required() -> Self {
        Self { values: Vec::new(), presence: Presence(None) }
    }

    /// A row may be null.
    pub(crate) const fn optional() -> Self {
        Self { values: Vec::new(), presence: Presence(Some(Vec::new())) }
    }

    pub(crate) fn push(&mut self, value: Option<T::T>) {
        self.presence.push(value.is_some());
        self.values.extend(value);
    }

    /// How many values it has; of a required column that is how many rows.
    pub(crate) const fn len(&self) -> usize {
        self.values.len()
    }
}

impl<T: DataType> Column for NumberColumn<T> {
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let writer = writer.typed::<T>();
        for (levels, values) in self.presence.batches(self.values.len()) {
            writer.write_batch(&self.values[values], levels, None)?;
        }
        self.values.clear();
        self.presence.clear();
        Ok(())
    }
}

/// Texts, one behind the other. One that equals the last one is not kept again: most neighbours
/// have the same parent, owner and permission.
pub(crate) struct TextColumn {
    bytes: Vec<u8>,
    /// Where each value begins and ends in the bytes.
    places: Vec<(usize, usize)>,
    presence: Presence,
}

impl TextColumn {
    /// Every row has a value.
    pub(crate) const fn required() -> Self {
        Self { bytes: Vec::new(), places: Vec::new(), presence: Presence(None) }
    }

    /// A row may be null.
    pub(crate) const fn optional() -> Self {
        Self { bytes: Vec::new(), places: Vec::new(), presence: Presence(Some(Vec::new())) }
    }

    pub(crate) fn push(&mut self, value: Option<&str>) {
        self.presence.push(value.is_some());
        let Some(value) = value else { return };
        let last = self.places.last().copied();
        if let Some((start, end)) = last
            && &self.bytes[start..end] == value.as_bytes()
        {
            self.places.push((start, end));
            return;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value.as_bytes());
        self.places.push((start, self.bytes.len()));
    }

    /// What it takes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl Column for TextColumn {
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let writer = writer.typed::<ByteArrayType>();
        let bytes = ByteArray::from(std::mem::take(&mut self.bytes));
        let mut texts = Vec::with_capacity(BATCH);
        for (levels, values) in self.presence.batches(self.places.len()) {
            texts.clear();
            for (start, end) in &self.places[values] {
                texts.push(bytes.slice(*start, end - start));
            }
            writer.write_batch(&texts, levels, None)?;
        }
        self.places.clear();
        self.presence.clear();
        Ok(())
    }
}
