//! Permission bits as people read them.

const SYMBOLS: [&str; 8] = ["---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"];

/// Three bits: `r-x`.
pub(crate) const fn symbols(bits: u8) -> &'static str {
    SYMBOLS[(bits & 7) as usize]
}

/// A mode: `rwxr-xr-t`. The sticky bit takes the last place, as `t` where others may execute and
/// as `T` where not; HDFS knows no set-user and set-group bits.
pub(crate) fn append_mode(out: &mut Vec<u8>, mode: u16) {
    for shift in [6, 3, 0] {
        out.extend_from_slice(symbols((mode >> shift) as u8).as_bytes());
    }
    if mode & 0o1000 != 0
        && let Some(last) = out.last_mut()
    {
        *last = if *last == b'x' { b't' } else { b'T' };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_written_as_hdfs_does() {
        for (mode, text) in [(0o755, "rwxr-xr-x"), (0o1777, "rwxrwxrwt"), (0o1770, "rwxrwx--T"), (0, "---------")] {
            let mut out = Vec::new();
            append_mode(&mut out, mode);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
