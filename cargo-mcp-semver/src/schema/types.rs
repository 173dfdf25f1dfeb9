//! Sets of JSON types.

use serde_json::Value;

/// A set of JSON types; `integer` is the part of `number` without a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Types(u8);

const NAMES: [(&str, u8); 7] = [
    ("null", 1),
    ("boolean", 2),
    ("object", 4),
    ("array", 8),
    ("string", 16),
    ("integer", 32),
    ("number", 64 | 32),
];

impl Types {
    pub(crate) const ALL: Self = Self(127);
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const OBJECT: Self = Self(4);
    pub(crate) const ARRAY: Self = Self(8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const INTEGER: Self = Self(32);
    pub(crate) const NUMBER: Self = Self(96);

    /// What the `type` keyword names; `None` when it is not a valid one.
    pub(crate) fn named(keyword: &Value) -> Option<Self> {
        let one = |name: &str| NAMES.iter().find(|(known, _)| *known == name).map(|it| Self(it.1));
        match keyword {
            Value::String(name) => one(name),
            Value::Array(names) => names
                .iter()
                .map(|name| name.as_str().and_then(one))
                .try_fold(Self::NONE, |all, one| Some(all.or(one?))),
            _ => None,
        }
    }

    /// The narrowest type of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Object(_) => Self::OBJECT,
            Value::Array(_) => Self::ARRAY,
            Value::String(_) => Self::STRING,
            Value::Number(number) if number.as_f64().is_some_and(|n| n.fract() == 0.0) => {
                Self::INTEGER
            }
            Value::Number(_) => Self(64),
        }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The types of the values that a keyword asks something of.
pub(super) fn types_of(keyword: &str) -> Types {
    match keyword {
        "items" | "prefixItems" | "additionalItems" | "contains" | "minContains"
        | "maxContains" | "unevaluatedItems" => Types::ARRAY,
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "propertyNames"
        | "required"
        | "unevaluatedProperties" => Types::OBJECT,
        it if it.starts_with("depend") => Types::OBJECT,
        _ => Types::ALL,
    }
}

impl std::fmt::Display for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::ALL {
            return f.write_str("anything");
        }
        let mut names: Vec<&str> = NAMES
            .iter()
            .filter(|(_, bits)| self.0 & bits == *bits)
            .map(|(name, _)| *name)
            .collect();
        if Self::NUMBER.within(*self) {
            names.retain(|name| *name != "integer");
        } else if self.0 & 64 != 0 {
            names.push("fraction");
        }
        match names.split_last() {
            None => f.write_str("nothing"),
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} or {last}", rest.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_are_numbers_and_whole_floats_are_integers() {
        assert!(Types::INTEGER.within(Types::NUMBER));
        assert_eq!(Types::of(&json!(1.0)), Types::INTEGER);
        assert!(!Types::of(&json!(1.5)).within(Types::INTEGER));
    }

    #[test]
    fn they_read_as_text() {
        let named = |keyword| Types::named(&keyword).unwrap().to_string();
        assert_eq!(named(json!("number")), "number");
        assert_eq!(named(json!(["string", "null", "integer"])), "null, string or integer");
        assert_eq!(Types::ALL.to_string(), "anything");
        assert_eq!(Types::named(&json!("text")), None);
    }
}
