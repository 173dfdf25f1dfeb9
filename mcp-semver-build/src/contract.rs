//! Tool contracts and the catalogue that holds them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::digest::{Digest, Scheme};
use crate::form::{self, Form, Tool};
use crate::held::Held;
use crate::unique::Met;

/// What an agent sees of one tool.
///
/// The fields are those of a `tools/list` entry. A field that is JSON `null` counts as absent.
/// `_meta`, `icons` and fields this crate does not know are kept in [`Contract::rest`], so that a
/// catalogue can be written out whole, but they take no part in digests or comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// The name an agent calls the tool by; never empty.
    pub name: String,
    /// A human-readable title.
    pub title: Option<String>,
    /// The text a model reads to choose and use the tool.
    pub description: Option<String>,
    /// JSON Schema of the arguments, a JSON object.
    pub input_schema: Option<Value>,
    /// JSON Schema of the structured result, a JSON object.
    pub output_schema: Option<Value>,
    /// Behavioural hints, a JSON object.
    pub annotations: Option<Value>,
    /// Task support (2025-11-25 revision only), a JSON object.
    pub execution: Option<Value>,
    /// `_meta`, `icons` and unknown fields: carried, not compared.
    pub rest: Map<String, Value>,
}

/// Why a JSON value is not a contract, or contracts are not a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// The value is not a JSON object.
    #[error("a tool must be a JSON object, found {found}")]
    NotAnObject {
        /// JSON type of what was found.
        found: &'static str,
    },
    /// `name` is missing, empty or not a string.
    #[error("a tool needs a `name` that is a non-empty string, found {found}")]
    BadName {
        /// What stood there.
        found: String,
    },
    /// A known field has the wrong JSON type.
    #[error("tool `{tool}`: `{field}` must be {expected}, found {found}")]
    BadField {
        /// The tool's name.
        tool: String,
        /// The field's wire name.
        field: &'static str,
        /// What the MCP specification asks for.
        expected: &'static str,
        /// JSON type of what was found.
        found: &'static str,
    },
    /// Two tools share a name, so a call cannot tell them apart.
    #[error("two tools are named `{name}`")]
    Duplicate {
        /// The name.
        name: String,
    },
}

impl Contract {
    /// Reads one entry of a `tools/list` result.
    ///
    /// # Errors
    /// [`ContractError`] when the value is no object, has no usable name, or a known field has the
    /// wrong JSON type.
    pub fn from_wire(value: Value) -> Result<Self, ContractError> {
        let Value::Object(mut map) = value else {
            return Err(ContractError::NotAnObject { found: type_name(&value) });
        };
        let name = match map.remove("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name,
            Some(Value::String(_)) => {
                return Err(ContractError::BadName { found: "an empty string".into() });
            }
            Some(other) => return Err(ContractError::BadName { found: type_name(&other).into() }),
            None => return Err(ContractError::BadName { found: "nothing".into() }),
        };
        let title = string(&name, &mut map, "title")?;
        let description = string(&name, &mut map, "description")?;
        let input_schema = object(&name, &mut map, "inputSchema")?;
        let output_schema = object(&name, &mut map, "outputSchema")?;
        let annotations = object(&name, &mut map, "annotations")?;
        let execution = object(&name, &mut map, "execution")?;
        Ok(Self {
            name,
            title,
            description,
            input_schema,
            output_schema,
            annotations,
            execution,
            rest: map,
        })
    }

    /// The contract's own fields in the order the specification lists them, without
    /// [`Contract::rest`].
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Field<'_>)> + Clone {
        [
            ("name", Some(Field::Text(&self.name))),
            ("title", self.title.as_deref().map(Field::Text)),
            ("description", self.description.as_deref().map(Field::Text)),
            ("inputSchema", self.input_schema.as_ref().map(Field::Json)),
            ("outputSchema", self.output_schema.as_ref().map(Field::Json)),
            ("annotations", self.annotations.as_ref().map(Field::Json)),
            ("execution", self.execution.as_ref().map(Field::Json)),
        ]
        .into_iter()
        .filter_map(|(field, value)| Some((field, value?)))
    }

    /// The same as JSON values.
    pub fn to_fields(&self) -> Vec<(&'static str, Value)> {
        self.fields().map(|(field, value)| (field, value.to_json())).collect()
    }

    /// The contract as a JSON object, without [`Contract::rest`].
    pub fn to_json(&self) -> Value {
        Value::Object(
            self.to_fields().into_iter().map(|(field, value)| (field.to_owned(), value)).collect(),
        )
    }

    /// The tool in the wire's own form, [`Contract::rest`] included.
    pub fn to_wire(&self) -> Value {
        let mut map = self.rest.clone();
        map.extend(self.to_fields().into_iter().map(|(field, value)| (field.to_owned(), value)));
        Value::Object(map)
    }
}

/// The value of a contract's field.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Field<'a> {
    /// The name, the title or the description.
    Text(&'a str),
    /// A JSON object.
    Json(&'a Value),
}

impl Field<'_> {
    fn to_json(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Json(value) => value.clone(),
        }
    }
}

/// Every contract of one server, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalogue {
    tools: BTreeMap<String, Pinned>,
}

/// A contract with its digest, which is computed once.
#[derive(Debug, Clone, PartialEq)]
pub struct Pinned {
    /// The contract.
    pub contract: Held,
    /// Its digest under the default scheme.
    pub digest: Digest,
    /// What the contract says beyond that, where it was found out.
    beyond: Option<Box<str>>,
}

impl Pinned {
    /// Reads the tool at `range` of a text, of which only the text is kept, and says what it met.
    /// `None` where it is not sound, or not as most tools are, with what other fields but
    /// `_meta` and `icons`: then [`Pinned::as_text`] does it.
    pub fn read(whole: &Arc<String>, range: Range<usize>) -> Option<(Self, Met)> {
        let Tool { form, name, has_rest, met } = form::tool(whole.get(range.clone())?)?;
        let contract = Held::as_text(name, has_rest, whole, range);
        Some((Self::of_form(contract, &form), met))
    }

    /// The same where the contract has been read.
    pub fn as_text(contract: &Contract, whole: &Arc<String>, range: Range<usize>) -> Self {
        let has_rest = !contract.rest.is_empty();
        let held = Held::as_text(contract.name.clone(), has_rest, whole, range);
        Self::new(contract, held)
    }

    fn new(contract: &Contract, held: Held) -> Self {
        match Form::of(contract.fields()) {
            Some(form) => Self::of_form(held, &form),
            None => Self {
                contract: held,
                digest: Digest::of(Scheme::default(), contract),
                beyond: None,
            },
        }
    }

    fn of_form(contract: Held, form: &Form) -> Self {
        Self { contract, digest: form.digest(Scheme::default()), beyond: Some(form.beyond()) }
    }

    /// Whether a form, of which one digest is known, tells this contract.
    pub(crate) fn is(&self, form: &Form, digest: Digest) -> bool {
        let is_default = digest.scheme == Scheme::default();
        let digest = if is_default { digest } else { form.digest(Scheme::default()) };
        self.digest == digest && self.beyond == Some(form.beyond())
    }
}

impl From<Contract> for Pinned {
    fn from(contract: Contract) -> Self {
        let held = Held::from(contract);
        Self::new(&held.clone(), held)
    }
}

impl Catalogue {
    /// Collects contracts.
    ///
    /// # Errors
    /// [`ContractError::Duplicate`] when two share a name.
    pub fn new(
        contracts: impl IntoIterator<Item = impl Into<Pinned>>,
    ) -> Result<Self, ContractError> {
        let mut tools = BTreeMap::new();
        for pinned in contracts.into_iter().map(Into::into) {
            let name = pinned.contract.name().to_owned();
            if tools.insert(name.clone(), pinned).is_some() {
                return Err(ContractError::Duplicate { name });
            }
        }
        Ok(Self { tools })
    }

    /// The contract of the tool called `name`.
    pub fn get(&self, name: &str) -> Option<&Contract> {
        self.pinned(name).map(|pinned| &*pinned.contract)
    }

    /// The same, to be kept without a copy, with its digest.
    pub fn pinned(&self, name: &str) -> Option<&Pinned> {
        self.tools.get(name)
    }

    /// All contracts, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Contract> {
        self.iter_pinned().map(|pinned| &*pinned.contract)
    }

    /// The same, to be kept without a copy, with their digests.
    pub fn iter_pinned(&self) -> impl ExactSizeIterator<Item = &Pinned> {
        self.tools.values()
    }

    /// The names of all tools, sorted.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is no tool at all.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

fn string(
    tool: &str,
    map: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<String>, ContractError> {
    match map.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(bad_field(tool, field, "a string", &other)),
    }
}

fn object(
    tool: &str,
    map: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<Value>, ContractError> {
    match map.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value @ Value::Object(_)) => Ok(Some(value)),
        Some(other) => Err(bad_field(tool, field, "a JSON object", &other)),
    }
}

fn bad_field(
    tool: &str,
    field: &'static str,
    expected: &'static str,
    found: &Value,
) -> ContractError {
    ContractError::BadField { tool: tool.to_owned(), field, expected, found: type_name(found) }
}

/// The JSON type of a value, with its article, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn full() -> Value {
        json!({
            "name": "a", "title": "A", "description": "", "inputSchema": {"type": "object"},
            "outputSchema": {}, "annotations": {"readOnlyHint": true}, "execution": {},
            "icons": [], "_meta": {"x": null}, "later": 1,
        })
    }

    #[test]
    fn every_field_comes_back() {
        let contract = Contract::from_wire(full()).unwrap();
        assert_eq!(contract.to_wire(), full());
        let fields: Vec<_> = contract.to_fields().into_iter().map(|(field, _)| field).collect();
        let order = [
            "name",
            "title",
            "description",
            "inputSchema",
            "outputSchema",
            "annotations",
            "execution",
        ];
        assert_eq!(fields, order);
        assert!(contract.to_json().get("icons").is_none());
        assert_eq!(contract.description.as_deref(), Some(""), "empty is not absent");
    }

    #[test]
    fn null_is_absent() {
        let nulls = json!({
            "name": "a", "title": null, "description": null, "inputSchema": null,
            "outputSchema": null, "annotations": null, "execution": null,
        });
        assert_eq!(
            Contract::from_wire(nulls).unwrap(),
            Contract::from_wire(json!({"name": "a"})).unwrap()
        );
    }

    #[test]
    fn wrong_types_are_named() {
        for (value, expected) in [
            (json!([]), "a tool must be a JSON object, found an array"),
            (json!({}), "a tool needs a `name` that is a non-empty string, found nothing"),
            (json!({"name": null}), "a tool needs a `name` that is a non-empty string, found null"),
            (
                json!({"name": " "}),
                "a tool needs a `name` that is a non-empty string, found an empty string",
            ),
            (
                json!({"name": "a", "title": 1}),
                "tool `a`: `title` must be a string, found a number",
            ),
            (
                json!({"name": "a", "description": {}}),
                "tool `a`: `description` must be a string, found an object",
            ),
            (
                json!({"name": "a", "inputSchema": true}),
                "tool `a`: `inputSchema` must be a JSON object, found a boolean",
            ),
            (
                json!({"name": "a", "outputSchema": "x"}),
                "tool `a`: `outputSchema` must be a JSON object, found a string",
            ),
            (
                json!({"name": "a", "annotations": []}),
                "tool `a`: `annotations` must be a JSON object, found an array",
            ),
            (
                json!({"name": "a", "execution": 1}),
                "tool `a`: `execution` must be a JSON object, found a number",
            ),
        ] {
            assert_eq!(Contract::from_wire(value).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_catalogue_has_each_name_once_and_sorted() {
        let named = |name: &str| Contract::from_wire(json!({"name": name})).unwrap();
        let catalogue = Catalogue::new([named("b"), named("a"), named("B")]).unwrap();
        assert_eq!(
            catalogue.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
            ["B", "a", "b"]
        );
        assert_eq!((catalogue.len(), catalogue.is_empty()), (3, false));
        assert!(catalogue.get("a").is_some() && catalogue.get("c").is_none());
        let twice = Catalogue::new([named("a"), named("a")]).unwrap_err();
        assert_eq!(twice, ContractError::Duplicate { name: "a".into() });
    }
}
