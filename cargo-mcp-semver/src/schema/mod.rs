//! JSON Schema: resolution and comparison.
