//! The linker over a real store.

mod linking;
mod snapshots;
mod story;
