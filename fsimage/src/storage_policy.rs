//! Storage policies by number.

/// The name of a policy, which says on which kinds of storage the copies of a block are kept.
pub const fn storage_policy_name(id: i64) -> Option<&'static str> {
    Some(match id {
        1 => "PROVIDED",
        2 => "COLD",
        5 => "WARM",
        7 => "HOT",
        10 => "ONE_SSD",
        12 => "ALL_SSD",
        14 => "ALL_NVDIMM",
        15 => "LAZY_PERSIST",
        _ => return None,
    })
}
