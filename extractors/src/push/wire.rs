//! What the records of Hive and Impala have in common on the wire.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// A string that is borrowed from the record where it holds no escapes.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Text<'_> {
    fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }
}

/// The string of an optional field; an empty one says nothing.
pub(super) fn said(text: Option<Text<'_>>) -> Option<String> {
    text.map(|text| text.0.into_owned()).filter(|text| !text.is_empty())
}

/// A hyperedge over vertex ids.
#[derive(Debug, Deserialize)]
pub(super) struct Edge<'a> {
    pub(super) sources: Vec<i64>,
    pub(super) targets: Vec<i64>,
    #[serde(borrow, default)]
    pub(super) expression: Option<Text<'a>>,
    #[serde(rename = "edgeType")]
    pub(super) kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum EdgeKind {
    Projection,
    Predicate,
}

#[derive(Debug, Deserialize)]
pub(super) struct Vertex<'a> {
    pub(super) id: i64,
    #[serde(rename = "vertexType")]
    pub(super) kind: VertexKind,
    /// The name, or a result's label. Nothing in it is ever quoted.
    #[serde(borrow, rename = "vertexId")]
    pub(super) name: Text<'a>,
    /// Impala's, since 3.3.
    #[serde(borrow, default)]
    pub(super) metadata: Option<Metadata<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum VertexKind {
    Column,
    Table,
}

/// Which table a vertex belongs to.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata<'a> {
    #[serde(borrow)]
    pub(super) table_name: Text<'a>,
    /// Seconds since the epoch; -1 when unknown.
    #[serde(default)]
    pub(super) table_create_time: Option<Number>,
}

/// An element of `edges` or `vertices`: an object, or (Impala builds of 2015 and 2016, CDH-34514)
/// a string that holds the object's text.
#[derive(Debug)]
pub(super) struct Element<T>(pub(super) T);

/// What can be read from a string that will not outlive it.
pub(super) trait FromShortLivedText: Sized {
    fn from_short_lived_text(text: &str) -> serde_json::Result<Self>;
}

impl FromShortLivedText for Edge<'_> {
    fn from_short_lived_text(text: &str) -> serde_json::Result<Self> {
        let edge: Edge<'_> = serde_json::from_str(text)?;
        Ok(Edge { expression: edge.expression.map(Text::into_owned), ..edge })
    }
}

impl FromShortLivedText for Vertex<'_> {
    fn from_short_lived_text(text: &str) -> serde_json::Result<Self> {
        let vertex: Vertex<'_> = serde_json::from_str(text)?;
        let metadata = vertex.metadata.map(|metadata| Metadata {
            table_name: metadata.table_name.into_owned(),
            table_create_time: metadata.table_create_time,
        });
        Ok(Vertex { name: vertex.name.into_owned(), metadata, ..vertex })
    }
}

struct ElementVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + FromShortLivedText> Visitor<'de> for ElementVisitor<T> {
    type Value = Element<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, or a string that holds one")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Element)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        T::from_short_lived_text(text).map(Element).map_err(E::custom)
    }
}

impl<'de, T: Deserialize<'de> + FromShortLivedText> Deserialize<'de> for Element<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor(PhantomData))
    }
}

/// A number of seconds or milliseconds, whatever its size and however it is written. Times are
/// judged later: an absurd one must not cost the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(pub(super) i64);

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
        Ok(Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
        Ok(Number(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
        // The cast saturates.
        Ok(Number(number as i64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        text.trim().parse().map(Number).map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

/// The fields of an execution's key, as logged; a missing one is empty.
pub(super) fn as_logged(number: Option<Number>) -> String {
    number.map(|number| number.0.to_string()).unwrap_or_default()
}

/// Whether the statement is a plain query, whose targets are labels of its own result.
pub(super) fn is_plain_query(query_text: &str) -> bool {
    let first_word = query_text.trim_start().split(|character: char| !character.is_ascii_alphanumeric()).next();
    first_word.is_some_and(|word| word.eq_ignore_ascii_case("select"))
}
