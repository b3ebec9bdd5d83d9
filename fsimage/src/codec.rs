//! How sections are compressed.
//!
//! Every section is a stream of its own. With sub-sections each of them is one, and their parent
//! section is all of them after another; so every decoder here goes on with what follows the end
//! of a stream.

use std::io::{BufRead, Read, Result};

use crate::error::Error;
use crate::hadoop_blocks::{BlockFormat, HadoopBlocks};
use crate::zlib::ConcatenatedZlib;

pub(crate) const KNOWN_CODECS: &str =
    "DefaultCodec, DeflateCodec, GzipCodec, BZip2Codec, SnappyCodec, Lz4Codec, ZStandardCodec";

/// How the sections of an image are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// Not at all.
    None,
    /// `DefaultCodec` and its other name `DeflateCodec`: zlib.
    Zlib,
    /// `GzipCodec`.
    Gzip,
    /// `BZip2Codec`.
    Bzip2,
    /// `SnappyCodec`: raw Snappy in Hadoop's block framing.
    Snappy,
    /// `Lz4Codec`: raw LZ4 in Hadoop's block framing.
    Lz4,
    /// `ZStandardCodec`.
    Zstandard,
}

impl Codec {
    /// The codec of a Java class as the image names it; an empty name is no compression.
    pub(crate) fn of_class(class: &str) -> std::result::Result<Self, Error> {
        match class.rsplit('.').next().unwrap_or_default() {
            "" => Ok(Self::None),
            "DefaultCodec" | "DeflateCodec" => Ok(Self::Zlib),
            "GzipCodec" => Ok(Self::Gzip),
            "BZip2Codec" => Ok(Self::Bzip2),
            "SnappyCodec" => Ok(Self::Snappy),
            "Lz4Codec" => Ok(Self::Lz4),
            "ZStandardCodec" => Ok(Self::Zstandard),
            _ => Err(Error::UnknownCodec { codec: class.to_owned() }),
        }
    }

    /// The name without its package; nothing for an image that is not compressed.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Zlib => Some("DefaultCodec"),
            Self::Gzip => Some("GzipCodec"),
            Self::Bzip2 => Some("BZip2Codec"),
            Self::Snappy => Some("SnappyCodec"),
            Self::Lz4 => Some("Lz4Codec"),
            Self::Zstandard => Some("ZStandardCodec"),
        }
    }

    /// The content of a section.
    pub(crate) fn decoder<'a>(self, compressed: impl BufRead + 'a) -> Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Self::None => Box::new(compressed),
            Self::Zlib => Box::new(ConcatenatedZlib::new(compressed)),
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(compressed)),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(compressed)),
            Self::Snappy => Box::new(HadoopBlocks::new(compressed, BlockFormat::Snappy)),
            Self::Lz4 => Box::new(HadoopBlocks::new(compressed, BlockFormat::Lz4)),
            Self::Zstandard => Box::new(zstd::Decoder::with_buffer(compressed)?),
        })
    }
}
