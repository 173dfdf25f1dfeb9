//! A contract's fields in canonical form, one by one.

mod json;

use std::ops::Range;

use sha2::Digest as _;

use crate::canonical::Canonical;
use crate::contract::{Contract, Field};
use crate::digest::{Digest, Scheme};

pub(crate) use json::{Tool, tool};

/// The fields of [`Contract::fields`] in canonical order.
const FIELDS: [&str; 7] =
    ["annotations", "description", "execution", "inputSchema", "name", "outputSchema", "title"];

/// Tells a contract without [`Contract::rest`]: its digest, and what the digest does not reach.
#[derive(Debug, Default)]
pub(crate) struct Form {
    written: Canonical,
    fields: [Written; FIELDS.len()],
}

/// Where a field and its numbers are written.
#[derive(Debug, Default)]
struct Written {
    value: Range<usize>,
    numbers: Range<usize>,
}

impl Form {
    /// One with room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        let mut form = Self::default();
        form.written.bytes.reserve(bytes);
        form
    }

    /// `None` where the canonical form takes sorting.
    pub(crate) fn of<'n, 'a>(
        fields: impl IntoIterator<Item = (&'n str, Field<'a>)>,
    ) -> Option<Self> {
        let mut form = Self::default();
        for (field, value) in fields {
            form.add(field, |written| match value {
                Field::Text(text) => written.string(text),
                Field::Json(value) => written.value(value),
            })?;
        }
        Some(form)
    }

    /// Whether a field is one of the contract's own.
    pub(crate) fn is_own(&self, field: &str) -> bool {
        FIELDS.binary_search(&field).is_ok()
    }

    /// Adds a field by writing its value; one that is not the contract's own is left out.
    ///
    /// `None` where `write` gives that, or the field is there.
    pub(crate) fn add(
        &mut self,
        field: &str,
        write: impl FnOnce(&mut Canonical) -> Option<()>,
    ) -> Option<()> {
        let Ok(index) = FIELDS.binary_search(&field) else { return Some(()) };
        let Canonical { bytes, numbers } = &self.written;
        let (value, number) = (bytes.len(), numbers.len());
        write(&mut self.written)?;
        let Canonical { bytes, numbers } = &self.written;
        let written = Written { value: value..bytes.len(), numbers: number..numbers.len() };
        let before = std::mem::replace(&mut self.fields[index], written);
        before.value.is_empty().then_some(())
    }

    /// Without the fields that are `null`, which count as absent.
    pub(crate) fn without_nulls(mut self) -> Self {
        for Written { value, .. } in &mut self.fields {
            if &self.written.bytes[value.clone()] == b"null" {
                *value = 0..0;
            }
        }
        self
    }

    /// Whether the canonical form of a field, if there is one, begins so.
    pub(crate) fn is(&self, field: &str, start: u8) -> bool {
        self.field(field).first().is_none_or(|first| *first == start)
    }

    /// The canonical form of a field; empty where it is absent.
    pub(crate) fn field(&self, field: &str) -> &[u8] {
        let index = FIELDS.binary_search(&field);
        index.map_or(&[], |index| &self.written.bytes[self.fields[index].value.clone()])
    }

    /// As [`Digest::of`].
    pub(crate) fn digest(&self, scheme: Scheme) -> Digest {
        let mut hasher = scheme.hasher();
        self.object(|field| scheme.covers(field), |part| hasher.update(part));
        Digest::by(scheme, hasher)
    }

    /// What the contract says beyond its digest under the default scheme.
    pub(crate) fn beyond(&self) -> Box<str> {
        let mut beyond = Vec::new();
        self.object(
            |field| !Scheme::default().covers(field),
            |part| beyond.extend_from_slice(part),
        );
        if beyond == b"{}" && self.written.numbers.is_empty() {
            return Box::default();
        }
        let mut beyond = String::from_utf8_lossy(&beyond).into_owned();
        beyond.extend(self.fields.iter().map(|it| &self.written.numbers[it.numbers.clone()]));
        beyond.into()
    }

    /// The contract, if it is sound and its canonical form is all that it says.
    pub(crate) fn contract(&self) -> Option<Contract> {
        let mut json = Vec::with_capacity(self.written.bytes.len() + (1 << 7));
        self.object(|_| true, |part| json.extend_from_slice(part));
        let value = serde_json::from_slice(&json).ok().filter(|_| self.written.numbers.is_empty());
        Contract::from_wire(value?).ok()
    }

    /// The parts of an object with some of the fields.
    fn object(&self, holds: impl Fn(&str) -> bool, mut each: impl FnMut(&[u8])) {
        let mut separator: &[u8] = b"{\"";
        for (field, Written { value, .. }) in FIELDS.iter().zip(&self.fields) {
            let value = &self.written.bytes[value.clone()];
            if !value.is_empty() && holds(field) {
                [separator, field.as_bytes(), b"\":", value].into_iter().for_each(&mut each);
                separator = b",\"";
            }
        }
        each(if separator == b",\"" { b"}" } else { b"{}" });
    }
}
