//! How far reading is.

/// Bytes of the file that a pass has read, and that it will read in all. Compressed sections
/// count as they are in the file; a section that is read twice counts twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub done: u64,
    /// Bytes to read in all.
    pub total: u64,
}

/// Tells a caller of progress, seldom enough to cost nothing.
pub(crate) struct Reporter<'c> {
    callback: &'c mut dyn FnMut(Progress),
    /// Bytes of the sections that are done.
    before: u64,
    /// Bytes of a section that is read at the same time.
    beside: u64,
    total: u64,
    told: u64,
}

const STEP_BYTES: u64 = 4 << 20;

impl<'c> Reporter<'c> {
    pub(crate) fn new(total: u64, callback: &'c mut dyn FnMut(Progress)) -> Self {
        Self { callback, before: 0, beside: 0, total, told: 0 }
    }

    /// So many bytes of the current sections are read.
    #[inline]
    pub(crate) fn at(&mut self, read: u64) {
        let done = self.before + self.beside + read;
        if done >= self.told + STEP_BYTES {
            self.tell(done);
        }
    }

    /// Sections of so many bytes are done.
    pub(crate) fn section_done(&mut self, length: u64) {
        self.before += length;
        self.tell(self.before + self.beside);
    }

    /// Bytes of a section whose reading stands still while others are read.
    pub(crate) fn beside(&mut self, read: u64) {
        self.beside = read;
    }

    #[cold]
    fn tell(&mut self, done: u64) {
        self.told = done;
        (self.callback)(Progress { done: done.min(self.total), total: self.total });
    }
}
