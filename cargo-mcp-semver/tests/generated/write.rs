//! Models as schemars writes them.

use serde_json::{Map, Value, json};

use super::model::{Enum, FORMATS, Field, Int, List, Model, PATTERNS, Payload, Presence, Spelling};
use super::model::{Struct, Tagging, Text, Type};

impl Model {
    /// The schema of the argument object.
    pub fn schema(&self) -> Value {
        let mut schema = self.object(&self.root);
        let (dialect, definitions) = match self.spelling {
            Spelling::Old => ("http://json-schema.org/draft-07/schema#", "definitions"),
            Spelling::New => ("https://json-schema.org/draft/2020-12/schema", "$defs"),
        };
        schema["$schema"] = json!(dialect);
        schema["title"] = json!("Arguments");
        if !self.named.is_empty() {
            let named = self.named.iter().map(|(name, of)| (name.clone(), self.of(of)));
            schema[definitions] = Value::Object(named.collect());
        }
        schema
    }

    fn is_new(&self) -> bool {
        self.spelling == Spelling::New
    }

    fn of(&self, of: &Type) -> Value {
        match of {
            Type::Bool => json!({"type": "boolean"}),
            Type::Any => json!(true),
            Type::Float => json!({"type": "number", "format": "double"}),
            Type::Int(int) => self.int(int),
            Type::Text(it) => text(it),
            Type::Option(inner) => self.option(inner),
            Type::Vec(list) => self.list(list),
            Type::Map(inner) => json!({"type": "object", "additionalProperties": self.of(inner)}),
            Type::Tuple(items) => {
                let items: Vec<Value> = items.iter().map(|it| self.of(it)).collect();
                let keyword = if self.is_new() { "prefixItems" } else { "items" };
                json!({
                    "type": "array", "minItems": items.len(), "maxItems": items.len(),
                    keyword: items,
                })
            }
            Type::Struct(it) => self.object(it),
            Type::Enum(it) => self.sum(it),
            Type::Named(number) => match self.resolve(*number) {
                Some((name, _)) if self.is_new() => json!({ "$ref": format!("#/$defs/{name}") }),
                Some((name, _)) => json!({ "$ref": format!("#/definitions/{name}") }),
                None => json!(true),
            },
        }
    }

    fn int(&self, int: &Int) -> Value {
        let (format, low, high) = FORMATS[int.format];
        let mut schema = json!({"type": "integer", "format": format});
        let small = matches!(format, "uint8" | "uint16" | "int8") && self.is_new();
        let unsigned = format.starts_with('u');
        if let Some(low) = int.low.or((small || unsigned).then_some(low)) {
            schema["minimum"] = json!(low);
        }
        if let Some(high) = int.high.or(small.then_some(high)) {
            schema["maximum"] = json!(high);
        }
        schema
    }

    fn list(&self, list: &List) -> Value {
        let mut schema = json!({"type": "array", "items": self.of(&list.item)});
        let counts = [("minItems", list.fewest), ("maxItems", list.most)];
        for (keyword, count) in counts.into_iter().filter_map(|(key, it)| Some((key, it?))) {
            schema[keyword] = json!(count);
        }
        if list.unique {
            schema["uniqueItems"] = json!(true);
        }
        schema
    }

    fn option(&self, inner: &Type) -> Value {
        let mut schema = self.of(inner);
        match schema.get("type") {
            None if schema == json!(true) => schema,
            Some(Value::String(name)) => {
                schema["type"] = json!([name, "null"]);
                if let Some(Value::Array(values)) = schema.get_mut("enum") {
                    values.push(Value::Null);
                }
                if let Some(only) = schema.get("const").cloned() {
                    schema["enum"] = json!([only, null]);
                    schema.as_object_mut().unwrap().remove("const");
                }
                schema
            }
            Some(Value::Array(_)) => schema,
            _ => json!({"anyOf": [schema, {"type": "null"}]}),
        }
    }

    fn object(&self, of: &Struct) -> Value {
        let mut schema = self.fields(&of.fields, None);
        if let Some(inner) = &of.flattened {
            let branches = self.sum(inner);
            schema.as_object_mut().unwrap().extend(branches.as_object().unwrap().clone());
        }
        if of.closed {
            schema["additionalProperties"] = json!(false);
        }
        schema
    }

    /// An object with these fields and a tag.
    fn fields(&self, fields: &[Field], tag: Option<(&str, &str)>) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        if let Some((tag, name)) = tag {
            properties.insert(tag.to_owned(), self.constant(name));
            required.push(tag.to_owned());
        }
        for field in fields {
            let mut schema = self.described(self.of(&field.of), &field.name);
            match field.presence {
                Presence::Required => required.push(field.name.clone()),
                Presence::Optional => {}
                Presence::Default(seed) => {
                    if let Some(default) = self.default(&field.of, seed) {
                        schema["default"] = default;
                    }
                }
            }
            properties.insert(field.name.clone(), schema);
        }
        let mut schema = json!({"type": "object"});
        if !properties.is_empty() {
            schema["properties"] = Value::Object(properties);
        }
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    /// A schema with the description that a doc comment gives it.
    fn described(&self, schema: Value, name: &str) -> Value {
        let mut schema = match schema {
            Value::Bool(_) => json!({}),
            schema if schema.get("$ref").is_some() && !self.is_new() => {
                json!({ "allOf": [schema] })
            }
            schema => schema,
        };
        schema["description"] = json!(format!("The {name}."));
        schema
    }

    /// A text that can only be this one.
    fn constant(&self, name: &str) -> Value {
        match self.spelling {
            Spelling::Old => json!({"type": "string", "enum": [name]}),
            Spelling::New => json!({"type": "string", "const": name}),
        }
    }

    fn sum(&self, of: &Enum) -> Value {
        let units: Vec<&String> = of
            .variants
            .iter()
            .filter(|(_, payload)| *payload == Payload::Unit)
            .map(|(name, _)| name)
            .collect();
        let mut branches = Vec::new();
        if of.tagging == Tagging::External && !units.is_empty() {
            let listed = json!({"type": "string", "enum": units});
            if units.len() == of.variants.len() {
                return listed;
            }
            branches.push(listed);
        }
        for (name, payload) in &of.variants {
            let content = match payload {
                Payload::Unit => None,
                Payload::One(inner) => Some(self.of(inner)),
                Payload::Fields(fields) => Some(self.fields(fields, None)),
            };
            branches.push(match (of.tagging, content, payload) {
                (Tagging::External, None, _) => continue,
                (Tagging::External, Some(content), _) => json!({
                    "type": "object", "properties": {name: content}, "required": [name],
                    "additionalProperties": false,
                }),
                (Tagging::Internal, _, Payload::Fields(fields)) => {
                    self.fields(fields, Some(("type", name)))
                }
                (Tagging::Internal, _, _) => self.fields(&[], Some(("type", name))),
                (Tagging::Adjacent, None, _) => self.fields(&[], Some(("t", name))),
                (Tagging::Adjacent, Some(content), _) => {
                    let mut branch = self.fields(&[], Some(("t", name)));
                    branch["properties"]["c"] = content;
                    branch["required"] = json!(["t", "c"]);
                    branch
                }
                (Tagging::Untagged, content, _) => content.unwrap_or(json!({"type": "null"})),
            });
        }
        let keyword = if of.tagging == Tagging::Untagged { "anyOf" } else { "oneOf" };
        json!({ keyword: branches })
    }
}

fn text(text: &Text) -> Value {
    let mut schema = json!({"type": "string"});
    let keywords = [
        ("minLength", text.shortest.map(|it| json!(it))),
        ("maxLength", text.longest.map(|it| json!(it))),
        ("pattern", text.pattern.map(|it| json!(PATTERNS[it].0))),
        ("format", text.format.map(|it| json!(it))),
    ];
    for (keyword, value) in keywords.into_iter().filter_map(|(key, it)| Some((key, it?))) {
        schema[keyword] = value;
    }
    schema
}
