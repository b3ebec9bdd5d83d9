//! The reader and what it writes, against images of real NameNodes and made ones.

mod damage;
mod formats;
mod made;
mod samples;
mod threads;

/// Threads that write texts.
const THREADS: usize = 3;
