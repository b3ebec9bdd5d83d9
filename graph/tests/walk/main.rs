//! Walks over small stores.

mod columns;
mod drawing;
mod folding;
mod histories;
mod incarnations;
mod lake;
mod limits;
mod paths;
mod physical;
mod reference;
mod unlinked;
