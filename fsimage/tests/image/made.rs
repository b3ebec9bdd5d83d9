//! Images made for a test: a writer of the format, as small as the tests allow.

use std::io::Write;

/// A protobuf message.
#[derive(Default, Clone)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn varint(bytes: &mut Vec<u8>, mut value: u64) {
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }

    pub(crate) fn number(mut self, field: u64, value: u64) -> Self {
        Self::varint(&mut self.0, field << 3);
        Self::varint(&mut self.0, value);
        self
    }

    pub(crate) fn fixed64(mut self, field: u64, value: u64) -> Self {
        Self::varint(&mut self.0, field << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn fixed32(mut self, field: u64, value: u32) -> Self {
        Self::varint(&mut self.0, field << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn bytes(mut self, field: u64, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        Self::varint(&mut self.0, field << 3 | 2);
        Self::varint(&mut self.0, value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    pub(crate) fn packed(self, field: u64, values: &[u64]) -> Self {
        let mut bytes = Vec::new();
        for value in values {
            Self::varint(&mut bytes, *value);
        }
        self.bytes(field, bytes)
    }

    /// With its length before it, as messages stand in sections.
    pub(crate) fn delimited(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        Self::varint(&mut bytes, self.0.len() as u64);
        bytes.extend_from_slice(&self.0);
        bytes
    }
}

/// Owner, group and mode in one number.
pub(crate) fn permission(user: u64, group: u64, mode: u64) -> u64 {
    user << 40 | group << 16 | mode
}

/// An image to be written. Each section is a list of parts, which are compressed one by one.
#[derive(Clone)]
pub(crate) struct MadeImage {
    pub(crate) layout: i32,
    pub(crate) codec: Option<&'static str>,
    pub(crate) sections: Vec<(String, Vec<Vec<u8>>)>,
}

impl MadeImage {
    pub(crate) fn new() -> Self {
        let namespace = Message::new().number(1, 7).number(5, 1_073_741_825).number(6, 42);
        Self { layout: -67, codec: None, sections: vec![("NS_INFO".to_owned(), vec![namespace.delimited()])] }
    }

    pub(crate) fn section(mut self, name: &str, messages: &[Message]) -> Self {
        self.sections.push((name.to_owned(), vec![messages.iter().flat_map(Message::delimited).collect()]));
        self
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut image = b"HDFSIMG1".to_vec();
        let mut summary = Message::new().number(1, 1).number(2, u64::from(self.layout as u32));
        if let Some(codec) = self.codec {
            summary = summary.bytes(3, format!("org.apache.hadoop.io.compress.{codec}"));
        }
        for (name, parts) in &self.sections {
            let offset = image.len() as u64;
            for part in parts {
                image.extend_from_slice(&compressed(self.codec, part));
            }
            let length = image.len() as u64 - offset;
            let section = Message::new().bytes(1, name).number(2, length).number(3, offset);
            summary = summary.message(4, &section);
        }
        let summary = summary.delimited();
        image.extend_from_slice(&summary);
        image.extend_from_slice(&(summary.len() as u32).to_be_bytes());
        image
    }
}

fn compressed(codec: Option<&str>, content: &[u8]) -> Vec<u8> {
    match codec {
        None => content.to_vec(),
        Some("DefaultCodec") => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        Some("GzipCodec") => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        Some("BZip2Codec") => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        Some("ZStandardCodec") => zstd::encode_all(content, 1).unwrap(),
        Some("SnappyCodec") => hadoop_blocks(content, |chunk| snap::raw::Encoder::new().compress_vec(chunk).unwrap()),
        Some("Lz4Codec") => hadoop_blocks(content, lz4_flex::block::compress),
        Some(other) => panic!("no writer for {other}"),
    }
}

/// Blocks of two chunks, so that both lengths matter.
fn hadoop_blocks(content: &[u8], compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut framed = Vec::new();
    for block in content.chunks(1000) {
        framed.extend_from_slice(&(block.len() as u32).to_be_bytes());
        for chunk in block.chunks(600) {
            let chunk = compress(chunk);
            framed.extend_from_slice(&(chunk.len() as u32).to_be_bytes());
            framed.extend_from_slice(&chunk);
        }
    }
    // What Hadoop's stream writes when it is finished without anything left.
    framed.extend_from_slice(&0_u32.to_be_bytes());
    framed
}
