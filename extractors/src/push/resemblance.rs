//! What a JSON object looks like that is no record of the format it was found under.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

/// In words which known format the object's keys are those of.
pub(super) fn resemblance(bytes: &[u8]) -> Option<&'static str> {
    let Keys(found) = serde_json::from_str(&String::from_utf8_lossy(bytes)).ok()?;
    let has = |key: Key| found[key as usize];
    if has(Key::ApplicationId) {
        Some("a Spark lineage record")
    } else if has(Key::EventTime) && has(Key::Producer) {
        Some("an OpenLineage event")
    } else if has(Key::Vertices) && has(Key::Version) {
        Some("a Hive lineage record")
    } else if has(Key::Vertices) && has(Key::QueryText) {
        Some("an Impala lineage record")
    } else if has(Key::MsgCompressionKind) || has(Key::Message) {
        Some("an Atlas notification")
    } else {
        None
    }
}

#[derive(Clone, Copy, Deserialize)]
enum Key {
    #[serde(rename = "applicationID")]
    ApplicationId,
    #[serde(rename = "eventTime")]
    EventTime,
    #[serde(rename = "producer")]
    Producer,
    #[serde(rename = "vertices")]
    Vertices,
    #[serde(rename = "version")]
    Version,
    #[serde(rename = "queryText")]
    QueryText,
    #[serde(rename = "msgCompressionKind")]
    MsgCompressionKind,
    #[serde(rename = "message")]
    Message,
    #[serde(other)]
    Other,
}

/// Which keys an object has at its top level.
struct Keys([bool; Key::Other as usize + 1]);

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut found = [false; Key::Other as usize + 1];
        while let Some((key, IgnoredAny)) = map.next_entry::<Key, IgnoredAny>()? {
            found[key as usize] = true;
        }
        Ok(Keys(found))
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeysVisitor)
    }
}
