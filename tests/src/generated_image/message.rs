//! The protobuf encoding, written.

/// A message that is being made.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    pub(super) fn fixed64(&mut self, field: u64, value: u64) {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    /// A message in this one. It is made in place and moved when its length is known.
    pub(super) fn nested(&mut self, field: u64, make: impl FnOnce(&mut Self)) {
        self.varint(field << 3 | 2);
        let begin = self.0.len();
        make(self);
        self.length_at(begin);
    }

    pub(super) fn packed(&mut self, field: u64, values: impl Iterator<Item = u64>) {
        self.nested(field, |packed| {
            for value in values {
                packed.varint(value);
            }
        });
    }

    /// The fields of another message.
    pub(super) fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Puts the length of what begins at `begin` before it.
    fn length_at(&mut self, begin: usize) {
        let (length, bytes) = varint((self.0.len() - begin) as u64);
        self.0.splice(begin..begin, length[..bytes].iter().copied());
    }

    fn varint(&mut self, value: u64) {
        let (encoded, bytes) = varint(value);
        self.0.extend_from_slice(&encoded[..bytes]);
    }
}

/// A number in groups of seven bits, and how many bytes they are.
pub(super) fn varint(mut value: u64) -> ([u8; 10], usize) {
    let mut encoded = [0; 10];
    let mut bytes = 0;
    while value >= 0x80 {
        encoded[bytes] = value as u8 | 0x80;
        value >>= 7;
        bytes += 1;
    }
    encoded[bytes] = value as u8;
    (encoded, bytes + 1)
}
