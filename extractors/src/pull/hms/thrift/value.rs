//! A decoded value, and accessors that check its wire type.

use std::borrow::Cow;

/// A Thrift value. Sets are lists here: the metastore's callers never need the difference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    Byte(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    Double(f64),
    /// Text or bytes: the wire does not tell them apart.
    Text(Vec<u8>),
    /// Fields by number, in the order of the wire.
    Struct(Vec<(i16, Value)>),
    /// A list or a set.
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// A text value.
    pub(crate) fn text_of(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }

    /// A list of text values.
    pub(crate) fn list_of_texts<T: AsRef<str>>(texts: &[T]) -> Self {
        Self::List(texts.iter().map(|text| Self::text_of(text.as_ref())).collect())
    }

    /// The field of that number, if this is a struct that has it.
    pub(crate) fn field(&self, number: i16) -> Option<&Self> {
        match self {
            Self::Struct(fields) => fields.iter().find(|(id, _)| *id == number).map(|(_, value)| value),
            _ => None,
        }
    }

    /// This value as text; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    /// The elements, if this is a list or set.
    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// The text elements of this list or set; elements of another type are left out.
    pub(crate) fn to_texts(&self) -> Vec<String> {
        let elements = self.as_list().unwrap_or_default();
        elements.iter().filter_map(Self::as_text).map(Cow::into_owned).collect()
    }

    /// The number, if this is an `i32`.
    pub(crate) fn as_i32(&self) -> Option<i32> {
        match self {
            Self::I32(number) => Some(*number),
            _ => None,
        }
    }

    /// The text in a field, if the field is there, is text, and is not empty.
    pub(crate) fn text(&self, number: i16) -> Option<Cow<'_, str>> {
        self.field(number).and_then(Self::as_text).filter(|text| !text.is_empty())
    }

    /// The `i32` in a field (enumerations too).
    pub(crate) fn i32(&self, number: i16) -> Option<i32> {
        self.field(number).and_then(Self::as_i32)
    }

    /// The boolean in a field.
    pub(crate) fn bool(&self, number: i16) -> Option<bool> {
        match self.field(number) {
            Some(Self::Bool(truth)) => Some(*truth),
            _ => None,
        }
    }

    /// The elements of a list or set in a field; nothing when it is absent.
    pub(crate) fn list(&self, number: i16) -> &[Self] {
        self.field(number).and_then(Self::as_list).unwrap_or_default()
    }

    /// The text elements of a list or set in a field; elements of another type are left out.
    pub(crate) fn texts(&self, number: i16) -> Vec<String> {
        self.field(number).map(Self::to_texts).unwrap_or_default()
    }

    /// The pairs of text of a map in a field; pairs of another type are left out.
    pub(crate) fn text_pairs(&self, number: i16) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let Some(Self::Map(pairs)) = self.field(number) else {
            return Vec::new();
        };
        pairs.iter().filter_map(|(key, value)| Some((key.as_text()?, value.as_text()?))).collect()
    }
}
