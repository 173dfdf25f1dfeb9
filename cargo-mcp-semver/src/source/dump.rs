//! A `tools/list` dump as a source.
