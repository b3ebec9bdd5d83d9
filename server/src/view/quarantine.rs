//! What could not be read.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use sextant_store::StoredQuarantined;

use super::{Object, json};

/// A quarantined stretch as the API shows it; bytes that are no text become U+FFFD.
pub fn quarantined(stored: &StoredQuarantined) -> Object {
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", json(stored.id));
    put("kind", stored.problem.kind.as_str().into());
    put("reason", json(&stored.problem.reason));
    put("host", json(&stored.host));
    put("file", json(&stored.file));
    put("offset", json(stored.problem.offset));
    put("length", json(stored.problem.length));
    put("kept", json(stored.kept));
    put("replayable", stored.is_whole().into());
    put("format", json(&stored.format));
    put("cluster", json(&stored.cluster));
    put("received", json(stored.received));
    put("text", String::from_utf8_lossy(&stored.bytes).into());
    object
}

/// The same with its bytes as they were.
pub fn whole(stored: &StoredQuarantined) -> Object {
    let mut object = quarantined(stored);
    object.insert("base64".to_owned(), BASE64_STANDARD.encode(&stored.bytes).into());
    object
}
