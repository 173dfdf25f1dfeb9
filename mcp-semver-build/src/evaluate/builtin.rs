//! The types that schemars 1 implements `JsonSchema` for, without parameters.

use serde_json::{Value, json};

use super::error::{Result, unresolved};

/// What schemars says of such a type.
pub(super) struct Leaf {
    pub(super) name: &'static str,
    pub(super) id: &'static str,
    pub(super) inline: bool,
}

const fn simple(name: &'static str) -> Leaf {
    Leaf { name, id: name, inline: true }
}

const fn known(name: &'static str, id: &'static str) -> Leaf {
    Leaf { name, id, inline: true }
}

/// The names of a type.
pub(super) fn leaf(name: &str) -> Result<Leaf> {
    Ok(match name {
        "String" | "Path" | "SocketAddr" => simple("string"),
        "bool" => simple("boolean"),
        "()" => simple("null"),
        "f32" => simple("float"),
        "f64" => simple("double"),
        "i8" => simple("int8"),
        "i16" => simple("int16"),
        "i32" => simple("int32"),
        "i64" => simple("int64"),
        "i128" => simple("int128"),
        "isize" => simple("int"),
        "u8" => simple("uint8"),
        "u16" => simple("uint16"),
        "u32" => simple("uint32"),
        "u64" => simple("uint64"),
        "u128" => simple("uint128"),
        "usize" => simple("uint"),
        "Ipv4Addr" => simple("ipv4"),
        "Ipv6Addr" => simple("ipv6"),
        "IpAddr" => simple("ip"),
        "char" => known("Character", "char"),
        "Value" => simple("AnyValue"),
        "Number" => simple("Number"),
        "Uuid" => known("Uuid", "uuid::Uuid"),
        "Url" => known("Url", "url::Url"),
        "Weekday" => known("Weekday", "chrono::Weekday"),
        "NaiveDate" => known("NaiveDate", "chrono::NaiveDate"),
        "NaiveTime" => known("NaiveTime", "chrono::NaiveTime"),
        "NaiveDateTime" => known("NaiveDateTime", "chrono::NaiveDateTime"),
        "DateTime" => known("DateTime", "chrono::DateTime"),
        "Duration" => Leaf { name: "Duration", id: "std::time::Duration", inline: false },
        "SystemTime" => Leaf { name: "SystemTime", id: "std::time::SystemTime", inline: false },
        "NonZeroI8" => known("NonZeroI8", "std::num::NonZeroI8"),
        "NonZeroI16" => known("NonZeroI16", "std::num::NonZeroI16"),
        "NonZeroI32" => known("NonZeroI32", "std::num::NonZeroI32"),
        "NonZeroI64" => known("NonZeroI64", "std::num::NonZeroI64"),
        "NonZeroI128" => known("NonZeroI128", "std::num::NonZeroI128"),
        "NonZeroIsize" => known("NonZeroIsize", "std::num::NonZeroIsize"),
        "NonZeroU8" => known("NonZeroU8", "std::num::NonZeroU8"),
        "NonZeroU16" => known("NonZeroU16", "std::num::NonZeroU16"),
        "NonZeroU32" => known("NonZeroU32", "std::num::NonZeroU32"),
        "NonZeroU64" => known("NonZeroU64", "std::num::NonZeroU64"),
        "NonZeroU128" => known("NonZeroU128", "std::num::NonZeroU128"),
        "NonZeroUsize" => known("NonZeroUsize", "std::num::NonZeroUsize"),
        other => return unresolved(format!("the schema of `{other}` is not known")),
    })
}

/// The schema of a type.
pub(super) fn schema(name: &str) -> Result<Value> {
    let text = |format: &str| json!({ "type": "string", "format": format });
    Ok(match name {
        "String" | "Path" | "SocketAddr" => json!({ "type": "string" }),
        "bool" => json!({ "type": "boolean" }),
        "()" => json!({ "type": "null" }),
        "f32" => json!({ "type": "number", "format": "float" }),
        "f64" => json!({ "type": "number", "format": "double" }),
        "Ipv4Addr" => text("ipv4"),
        "Ipv6Addr" => text("ipv6"),
        "IpAddr" => text("ip"),
        "char" => json!({ "type": "string", "minLength": 1, "maxLength": 1 }),
        "Value" => Value::Bool(true),
        "Number" => json!({ "type": "number" }),
        "Uuid" => text("uuid"),
        "Url" => text("uri"),
        "NaiveDate" => text("date"),
        "NaiveTime" => text("partial-time"),
        "NaiveDateTime" => text("partial-date-time"),
        "DateTime" => text("date-time"),
        "Weekday" => json!({
            "type": "string", "enum": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        }),
        "Duration" => json!({
            "type": "object",
            "required": ["secs", "nanos"],
            "properties": { "secs": schema("u64")?, "nanos": schema("u32")? },
        }),
        "SystemTime" => json!({
            "type": "object",
            "required": ["secs_since_epoch", "nanos_since_epoch"],
            "properties": {
                "secs_since_epoch": schema("u64")?,
                "nanos_since_epoch": schema("u32")?,
            },
        }),
        _ => match name.strip_prefix("NonZero") {
            Some(bits) => non_zero(bits)?,
            None => integer(name)?,
        },
    })
}

fn integer(name: &str) -> Result<Value> {
    let format = leaf(name)?.name;
    let mut schema = json!({ "type": "integer", "format": format });
    let range: (Option<i64>, Option<i64>) = match name {
        "i8" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "i16" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "u8" => (Some(0), Some(u8::MAX.into())),
        "u16" => (Some(0), Some(u16::MAX.into())),
        _ if name.starts_with('u') => (Some(0), None),
        _ => (None, None),
    };
    if let Some(minimum) = range.0 {
        schema["minimum"] = minimum.into();
    }
    if let Some(maximum) = range.1 {
        schema["maximum"] = maximum.into();
    }
    Ok(schema)
}

/// `bits` is `U8` of `NonZeroU8`.
fn non_zero(bits: &str) -> Result<Value> {
    let mut schema = integer(&bits.to_ascii_lowercase())?;
    if bits.starts_with('U') {
        schema["minimum"] = 1.into();
    } else {
        schema["not"] = json!({ "const": 0 });
    }
    Ok(schema)
}
