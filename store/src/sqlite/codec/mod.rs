//! How values are written inside a column: compact, and read back without trust.
//!
//! Every decoder answers [`Unreadable`] for bytes that no encoder wrote; none panics, and none
//! makes more of them than its limit allows.

mod codes;
mod flows;
mod packed;
mod small_lists;
mod varint;

pub(super) use codes::{
    entity_state, entity_state_code, entity_type, entity_type_code, name_kind, name_kind_code, role, role_code,
    source_type, source_type_code,
};
pub(super) use flows::{decode_flows, encode_flows};
pub(super) use packed::{pack, unpack, unpack_text};
pub(super) use small_lists::{
    KeyedPair, decode_job_ids, decode_pairs, decode_table_created, encode_job_ids, encode_pairs, encode_table_created,
};

/// A stored value that this version cannot read.
#[derive(Debug, thiserror::Error)]
#[error("a stored value cannot be read: {0}")]
pub(super) struct Unreadable(pub(super) &'static str);
