//! Impala's lineage records.
