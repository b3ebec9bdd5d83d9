//! The JSON of the API: camelCase, under the names that Navigator's users know.
//!
//! What is shown is made here and nowhere else, so that search, lineage and the single entity
//! look the same. Properties that a source gives never overwrite the fixed keys.

pub mod agent;
pub mod change;
pub mod entity;
pub mod evidence;
pub mod execution;
pub mod flow;
pub mod lineage;
pub mod location;
pub mod namespace;
pub mod operation;
pub mod physical;
pub mod quarantine;
pub mod run;
pub mod run_log;
pub mod single;
pub mod status;
pub mod thing;
pub mod usage;
pub mod user;
pub mod using;
pub mod words;

use serde_json::{Map, Value};
use sextant_model::Timestamp;

/// A JSON object.
pub type Object = Map<String, Value>;

/// A text on one line, shortened to `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut taken = 0;
    let mut blank_before = true;
    for character in text.chars() {
        let blank = character.is_whitespace() || character.is_control();
        if blank && blank_before {
            continue;
        }
        if taken == limit {
            line.push('…');
            break;
        }
        line.push(if blank { ' ' } else { character });
        taken += 1;
        blank_before = blank;
    }
    line.truncate(line.trim_end().len());
    line
}

/// A time without the milliseconds that are none.
pub(crate) fn in_seconds(time: Timestamp) -> String {
    time.to_string().replace(".000Z", "Z")
}

/// The fields of an answer.
pub(crate) fn object<T: serde::Serialize>(answer: T) -> Object {
    match json(answer) {
        Value::Object(fields) => fields,
        _ => Object::new(),
    }
}

/// The JSON of anything that serializes without failing.
pub(crate) fn json<T: serde::Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened_on_one_line() {
        assert_eq!(one_line("  SELECT\n\t 1  ", 80), "SELECT 1");
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("", 3), "");
    }
}
