//! Foreign bytes: any, cut, in pieces, and with absurd lengths.

use proptest::prelude::*;

use super::boundary::Boundary;
use super::decode::Reader;
use super::encode::{write_bytes, write_value};
use super::message::{Reply, VERSION_1, decode_reply, encode_call};
use super::transport::{Framing, Transport};
use super::{MAX_DEPTH, Malformed, Value, wire_type};

/// Values as a writer makes them: the elements of a container are of one type.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i8>().prop_map(Value::Byte),
        any::<i16>().prop_map(Value::I16),
        any::<i32>().prop_map(Value::I32),
        any::<i64>().prop_map(Value::I64),
        (-1e9..1e9).prop_map(Value::Double),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Value::Text),
        prop::collection::vec(any::<i32>().prop_map(Value::I32), 0..5).prop_map(Value::List),
        prop::collection::vec(("[a-z]{0,3}", any::<bool>()), 0..5).prop_map(|pairs| {
            Value::Map(pairs.iter().map(|(key, value)| (Value::text_of(key), Value::Bool(*value))).collect())
        }),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec((any::<i16>(), inner), 0..5).prop_map(Value::Struct),
            prop::collection::vec(
                prop::collection::vec((any::<i16>(), any::<i64>().prop_map(Value::I64)), 0..3).prop_map(Value::Struct),
                0..5
            )
            .prop_map(Value::List),
        ]
    })
}

fn reply_bytes(kind: u32, method: &str, sequence: i32, body: &Value) -> Vec<u8> {
    let mut bytes = (VERSION_1 | kind).to_be_bytes().to_vec();
    write_bytes(method.as_bytes(), &mut bytes);
    bytes.extend(sequence.to_be_bytes());
    write_value(body, &mut bytes);
    bytes
}

fn result_of(value: Value) -> Value {
    Value::Struct(vec![(0, value)])
}

proptest! {
    #[test]
    fn what_was_written_is_read_back(value in any_value(), sequence: i32) {
        let bytes = reply_bytes(2, "m", sequence, &result_of(value.clone()));
        prop_assert_eq!(decode_reply(&bytes, "m", sequence), Ok(Reply::Success(Some(value))));
    }

    #[test]
    fn a_cut_message_is_an_error_and_has_no_end(value in any_value(), cut in 0.0..1.0) {
        let bytes = reply_bytes(2, "m", 1, &result_of(value));
        let part = &bytes[..(bytes.len() as f64 * cut) as usize];
        prop_assert_eq!(decode_reply(part, "m", 1).is_err(), true);
        prop_assert_eq!(Boundary::new().find(part), Ok(None));
    }

    #[test]
    fn the_end_of_a_message_is_found_whatever_the_pieces(
        value in any_value(),
        behind in prop::collection::vec(any::<u8>(), 0..9),
        step in 1_usize..40,
    ) {
        let mut bytes = reply_bytes(2, "get_table", 7, &result_of(value));
        let length = bytes.len();
        bytes.extend(behind);
        let mut boundary = Boundary::new();
        let mut arrived = 0;
        let found = loop {
            arrived = (arrived + step).min(bytes.len());
            if let Some(end) = boundary.find(&bytes[..arrived]).unwrap() {
                break end;
            }
            prop_assert!(arrived < length, "the message has arrived");
        };
        prop_assert_eq!(found, length);
    }

    #[test]
    fn any_bytes_are_an_answer_or_an_error(
        head in prop_oneof![
            Just(vec![]),
            Just(reply_bytes(2, "m", 1, &Value::Struct(vec![]))[..13].to_vec()),
        ],
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0_u8..16], 0..300),
    ) {
        let message = [head, bytes].concat();
        let _ = decode_reply(&message, "m", 1);
        let _ = Boundary::new().find(&message);
    }
}

#[test]
fn a_call_is_written_as_thrift_writes_it() {
    let bytes = encode_call("getStatus", 3, &[Value::text_of("a")]);
    let expected = b"\x80\x01\x00\x01\x00\x00\x00\x09getStatus\x00\x00\x00\x03\x0b\x00\x01\x00\x00\x00\x01a\x00";
    assert_eq!(bytes, expected);
}

#[test]
fn exceptions_are_told_apart() {
    let application = |kind| Value::Struct(vec![(1, Value::text_of("why")), (2, Value::I32(kind))]);
    let read = |kind, body: &Value| decode_reply(&reply_bytes(kind, "m", 1, body), "m", 1).unwrap();
    assert_eq!(read(3, &application(1)), Reply::UnknownMethod);
    assert_eq!(read(3, &application(6)), Reply::Failed { message: "why".to_owned() });
    let declared = Value::Struct(vec![(2, Value::Struct(vec![(1, Value::text_of("gone"))]))]);
    assert_eq!(read(2, &declared), Reply::Declared { number: 2, message: "gone".to_owned() });
    assert_eq!(read(2, &Value::Struct(vec![])), Reply::Success(None));
}

#[test]
fn an_answer_to_another_question_is_refused() {
    let bytes = reply_bytes(2, "m", 1, &Value::Struct(vec![]));
    assert!(matches!(decode_reply(&bytes, "m", 2), Err(Malformed::OtherReply { .. })));
    assert!(matches!(decode_reply(&bytes, "n", 1), Err(Malformed::OtherReply { .. })));
}

#[test]
fn a_field_of_another_type_is_absent() {
    let record = Value::Struct(vec![(1, Value::I64(5)), (2, Value::text_of("name")), (3, Value::I32(9))]);
    assert_eq!(record.text(1), None);
    assert_eq!(record.text(2).as_deref(), Some("name"));
    assert_eq!(record.i32(2), None);
    assert_eq!(record.list(3), []);
    assert_eq!(Value::Bool(true).text(1), None);
}

#[test]
fn lengths_beyond_the_message_reserve_nothing() {
    for container in [wire_type::LIST, wire_type::SET, wire_type::MAP] {
        let mut bytes = vec![wire_type::STRUCT];
        if container == wire_type::MAP {
            bytes.push(wire_type::STRUCT);
        }
        bytes.extend(i32::MAX.to_be_bytes());
        assert_eq!(Reader::new(&bytes).value(container, 0), Err(Malformed::Length(i64::from(i32::MAX))));
    }
    let text = i32::MIN.to_be_bytes();
    assert_eq!(Reader::new(&text).value(wire_type::STRING, 0), Err(Malformed::Length(i64::from(i32::MIN))));
}

#[test]
fn an_empty_container_may_have_no_element_type() {
    let bytes = [0, 0, 0, 0, 0];
    assert_eq!(Reader::new(&bytes).value(wire_type::LIST, 0), Ok(Value::List(vec![])));
    let bytes = [0, 0, 0, 0, 0, 0];
    assert_eq!(Reader::new(&bytes).value(wire_type::MAP, 0), Ok(Value::Map(vec![])));
}

#[test]
fn deep_nesting_ends() {
    let mut nested = Value::Bool(true);
    for _ in 0..10_000 {
        nested = Value::Struct(vec![(0, nested)]);
    }
    let bytes = reply_bytes(2, "m", 1, &nested);
    assert_eq!(decode_reply(&bytes, "m", 1), Err(Malformed::TooDeep));
    assert_eq!(Boundary::new().find(&bytes), Err(Malformed::TooDeep));
    let lists = [wire_type::LIST, 0, 0, 0, 1].repeat(MAX_DEPTH + 2);
    assert_eq!(Reader::new(&lists).value(wire_type::LIST, 0), Err(Malformed::TooDeep));
}

#[test]
fn what_is_no_thrift_is_said_at_once() {
    assert_eq!(Boundary::new().find(b"HTTP/1.1 400"), Err(Malformed::NotThrift(0x4854_5450)));
    assert_eq!(decode_reply(b"HTTP/1.1 400", "m", 1), Err(Malformed::NotThrift(0x4854_5450)));
}

#[tokio::test]
async fn both_framings_carry_messages_one_after_the_other() {
    for framing in [Framing::Buffered, Framing::Framed] {
        let (near, far) = tokio::io::duplex(16);
        let (mut near, mut far) = (Transport::new(near, framing), Transport::new(far, framing));
        let messages = [encode_call("one", 1, &[Value::I32(5)]), encode_call("two", 2, &[])];
        let sending = async {
            for message in &messages {
                near.send(message).await.unwrap();
            }
        };
        let receiving = async { [far.receive().await.unwrap(), far.receive().await.unwrap()] };
        let ((), received) = tokio::join!(sending, receiving);
        assert_eq!(received, messages, "{framing:?}");
    }
}
