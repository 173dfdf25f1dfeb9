//! The default source: build the crate with a probe and run the probe.
