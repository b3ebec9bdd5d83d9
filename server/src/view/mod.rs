//! The JSON of the API: camelCase, under the names that Navigator's users know.
//!
//! What is shown is made here and nowhere else, so that search, lineage and the single entity
//! look the same. Properties that a source gives never overwrite the fixed keys.

pub mod agent;
pub mod entity;
pub mod execution;
pub mod lineage;
pub mod location;
pub mod namespace;
pub mod operation;
pub mod physical;
pub mod quarantine;
pub mod run;

use serde_json::{Map, Value};
use sextant_model::Timestamp;

/// A JSON object in the making.
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

/// Who ran something: the short name, the name as logged, and whether it is a service whose end
/// user nobody knows.
pub(crate) fn put_user(object: &mut Object, logged: Option<&str>) {
    let Some(logged) = logged.filter(|logged| !logged.is_empty()) else {
        object.insert("principal".to_owned(), Value::Null);
        return;
    };
    let (short, is_service) = sextant_model::operation::short_user(logged);
    object.insert("principal".to_owned(), short.into());
    object.insert("principalOriginal".to_owned(), logged.into());
    object.insert("userIsService".to_owned(), is_service.into());
    if is_service {
        object.insert("userNote".to_owned(), "service, end user unknown".into());
    }
}

/// The text form of anything that serializes without failing.
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

    #[test]
    fn a_service_is_no_person() {
        let mut object = Object::new();
        put_user(&mut object, Some("hive/node-1@REALM"));
        assert_eq!(object["principal"], "hive");
        assert_eq!(object["userIsService"], true);
        assert_eq!(object["userNote"], "service, end user unknown");
    }
}
