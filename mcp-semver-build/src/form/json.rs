//! Tools in JSON, read into their form without building values.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::Form;
use crate::canonical::Canonical;
use crate::unique::Met;

/// A tool of a listing.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) form: Form,
    pub(crate) name: String,
    /// Whether [`crate::Contract::rest`] counts.
    pub(crate) has_rest: bool,
    pub(crate) met: Met,
}

/// Reads what is sound and as most tools are; `None` for anything else, which whoever builds values
/// has to read.
pub(crate) fn tool(text: &str) -> Option<Tool> {
    let mut reader = Reader::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let form = Form::with_capacity(text.len());
    let form = Fields(&mut reader, form).deserialize(&mut json).ok()?.without_nulls();
    json.end().ok()?;
    let name: String = serde_json::from_slice(form.field("name")).ok()?;
    let has_types = ["title", "description"].iter().all(|field| form.is(field, b'"'))
        && ["inputSchema", "outputSchema", "annotations", "execution"]
            .iter()
            .all(|field| form.is(field, b'{'));
    let is_sound = has_types && !name.trim().is_empty();
    is_sound.then_some(Tool { form, name, has_rest: reader.has_rest, met: reader.met })
}

#[derive(Default)]
struct Reader {
    met: Met,
    has_rest: bool,
    /// The members of the objects around what is read, those of the outermost first.
    members: Vec<Member>,
    /// Room to put members in order.
    sorted: Vec<u8>,
}

/// Where a member of an object and its key are written, without quotes and comma.
#[derive(Clone)]
struct Member {
    key: Range<usize>,
    end: usize,
}

/// Reads a tool's own fields.
struct Fields<'r>(&'r mut Reader, Form);

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Form;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Form, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Form, A::Error> {
        let Self(reader, mut form) = self;
        reader.met.values += 1;
        let mut others = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if form.is_own(&key) {
                let read = |out: &mut Canonical| map.next_value_seed(Part { reader, out }).ok();
                form.add(&key, read).ok_or_else(odd)?;
            } else if ["_meta", "icons"].contains(&&*key) && !others.contains(&key) {
                map.next_value_seed(Part { reader, out: &mut Canonical::default() })?;
                others.push(key);
            } else {
                return Err(odd());
            }
        }
        reader.has_rest = !others.is_empty();
        Ok(form)
    }
}

/// Reads a value into its canonical form.
struct Part<'r> {
    reader: &'r mut Reader,
    out: &'r mut Canonical,
}

/// Reads a key into its canonical form, and says where it stands.
struct Key<'r>(&'r mut Canonical);

/// The error about what is not read here; nobody hears of it.
fn odd<E: Error>() -> E {
    E::custom("odd")
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Range<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Range<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Range<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Range<usize>, E> {
        let start = self.0.bytes.len() + 1;
        self.0.key(0, key).ok_or_else(odd)?;
        let written = start..self.0.bytes.len() - 2;
        // What is escaped stands in another order.
        if written.len() == key.len() { Ok(written) } else { Err(odd()) }
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.reader.met.values += 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.out.raw("null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.out.raw(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.out.number(&value.into()).ok_or_else(odd)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.out.number(&value.into()).ok_or_else(odd)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.reader.met.doubles = true;
        let number = Number::from_f64(value).ok_or_else(odd)?;
        self.out.number(&number).ok_or_else(odd)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.out.string(value).ok_or_else(odd)
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<(), E> {
        // It stands so in JSON, where what has to be escaped is.
        self.out.verbatim(value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self { reader, out } = self;
        out.raw("[");
        let start = out.bytes.len();
        loop {
            let before = out.bytes.len();
            out.item(usize::from(before > start));
            if seq.next_element_seed(Part { reader, out })?.is_none() {
                out.bytes.truncate(before);
                break;
            }
        }
        out.raw("]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reader, out } = self;
        out.raw("{");
        let (start, numbers, outer) = (out.bytes.len(), out.numbers.len(), reader.members.len());
        loop {
            let before = out.bytes.len();
            out.item(reader.members.len() - outer);
            let Some(key) = map.next_key_seed(Key(out))? else {
                out.bytes.truncate(before);
                break;
            };
            // Kept before the value, whose own members come behind it.
            reader.members.push(Member { key, end: 0 });
            let this = reader.members.len() - 1;
            map.next_value_seed(Part { reader, out })?;
            reader.members[this].end = out.bytes.len();
        }
        let members = &mut reader.members[outer..];
        let key = |member: &Member| &out.bytes[member.key.clone()];
        if !members.is_sorted_by(|one, next| key(one) < key(next)) {
            members.sort_unstable_by(|one, other| key(one).cmp(key(other)));
            let is_twice = members.windows(2).any(|pair| key(&pair[0]) == key(&pair[1]));
            // The numbers would stand in another order.
            if is_twice || out.numbers.len() > numbers {
                return Err(odd());
            }
            reader.sorted.clear();
            for (index, member) in members.iter().enumerate() {
                if index > 0 {
                    reader.sorted.push(b',');
                }
                reader.sorted.extend_from_slice(&out.bytes[member.key.start - 1..member.end]);
            }
            out.bytes[start..].copy_from_slice(&reader.sorted);
        }
        reader.members.truncate(outer);
        out.raw("}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::contract::{Contract, Pinned};

    fn agrees(text: &str) -> bool {
        let read = tool(text);
        let value: Result<Value, _> = serde_json::from_str(text);
        let contract = value.ok().and_then(|value| Contract::from_wire(value).ok());
        let Some(tool) = read else { return false };
        let contract = contract.expect(text);
        assert_eq!((&tool.name, tool.has_rest), (&contract.name, !contract.rest.is_empty()));
        let pinned = Pinned::from(contract);
        assert!(pinned.is(&tool.form, tool.form.digest(pinned.digest.scheme)), "{text}");
        true
    }

    #[test]
    fn what_is_read_is_what_values_say() {
        for (text, is_read) in [
            (r#"{"name": "a"}"#, true),
            (
                r#"{"title": null, "name": "a\u0041\n", "inputSchema": {"b": [], "a": [1, {}]}}"#,
                true,
            ),
            (r#"{"name": "a", "description": "é", "icons": [], "_meta": null}"#, true),
            (
                r#"{"name": "a", "annotations": {"z": 1.0}, "inputSchema": {"a": 2.0, "b": 1}}"#,
                true,
            ),
            (
                r#"{"name": "a", "inputSchema": {"b": [3, {"d": 1, "c": {"f": 1, "e": 2}}], "a": {}}}"#,
                true,
            ),
            (r#"{"name": "a", "inputSchema": {"b": 1.0, "a": 2.0}}"#, false),
            (r#"{"name": "a", "inputSchema": {"\"": 1}}"#, false),
            (r#"{"name": "a", "inputSchema": {"a": 1, "b": 2, "a": 3}}"#, false),
            (r#"{"name": "a", "name": "a"}"#, false),
            (r#"{"name": "a", "title": null, "title": "A"}"#, false),
            (r#"{"name": "a", "icons": 1, "icons": 1}"#, false),
            (r#"{"name": "a", "_meta": {"a": 1, "a": 1}}"#, false),
            (r#"{"name": "a", "other": 1}"#, false),
            (r#"{"name": " "}"#, false),
            (r#"{"name": 1}"#, false),
            (r#"{"name": "a", "title": {}}"#, false),
            (r#"{"name": "a", "inputSchema": "a"}"#, false),
            (r#"{"name": "a", "inputSchema": true}"#, false),
            (r#"{"name": "a"} 1"#, false),
            ("[]", false),
            ("{", false),
        ] {
            assert_eq!(agrees(text), is_read, "{text}");
        }
        let met = |text: &str| tool(text).map(|it| (it.met.values, it.met.doubles));
        assert_eq!(met(r#"{"name": "a", "inputSchema": {"a": [1, {}]}}"#), Some((6, false)));
        assert_eq!(met(r#"{"name": "a", "_meta": 18446744073709551617}"#), Some((3, true)));
    }

    proptest! {
        #[test]
        fn any_schema_is_read_as_values_say(
            keys in proptest::collection::vec(("[a-c]{1,2}", 0..4_usize), 0..12),
        ) {
            let mut text = String::from(r#"{"name": "t", "inputSchema": {"#);
            let mut depth = 0;
            for (index, (key, kind)) in keys.iter().enumerate() {
                let comma = if text.ends_with('{') { "" } else { "," };
                text += &format!("{comma}\"{key}{index}\":");
                match kind {
                    0 => text += "[1, \"x\"]",
                    1 => text += "null",
                    2 => { text += "{"; depth += 1; }
                    _ => {
                        text += "2";
                        if depth > 0 { text += "}"; depth -= 1; }
                    }
                }
            }
            text += &"}".repeat(depth + 2);
            prop_assert!(agrees(&text), "{}", json!(text));
        }
    }
}
