//! `tool-versions.lock.yaml`: the committed record of a server's tool contracts.
