use proptest::prelude::*;

use super::*;
use crate::contract::Pinned;

/// Texts that some reader of YAML takes for something else.
const TRAPS: &[&str] = &[
    "",
    " ",
    "  ",
    "~",
    "null",
    "NULL",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "true",
    "True",
    "FALSE",
    "1.0",
    "1",
    "-1",
    "+1",
    "0x1F",
    "0o17",
    "017",
    "1e3",
    "1_000",
    ".5",
    "5.",
    ".inf",
    "-.INF",
    ".nan",
    "12:30:45",
    "190:20:30",
    "2024-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "=",
    "<<",
    "-",
    "- a",
    "?",
    "? a",
    ":",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#b",
    "&a",
    "*a",
    "!a",
    "!!int 1",
    "|",
    ">",
    "%YAML",
    "@a",
    "`a",
    "'",
    "\"",
    "'a'",
    "\"a\"",
    "[a]",
    "{a}",
    ",",
    "---",
    "...",
    "--- a",
    "a\nb",
    "a\n",
    "a\n\n",
    "\na",
    "\n",
    "\n\n",
    "\n\n\n",
    " a",
    "a ",
    "  a\nb",
    "a\n  b\n",
    "a \nb",
    "a\n \nb",
    " \n a",
    "\ta",
    "a\t",
    "a\tb",
    "\t\na",
    "a\n\t",
    "a\rb",
    "a\r\nb",
    "\r",
    "\0",
    "a\0b",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "\u{feff}a",
    "a\u{feff}",
    "a\u{2028}b",
    "a\u{2029}b\n",
    "\u{fffe}",
    "\u{ffff}",
    "😀",
    "\u{10ffff}",
    "\u{200b}",
    "\\",
    "\\n",
    "a\\",
    "a\n---\nb",
    "---\na",
    "a\n...\n",
    "<<<<<<< ours",
    "a\n<<<<<<< ours\n=======\n>>>>>>> theirs\n",
    "a\n# b",
    "a,b",
    "é",
    "\u{301}",
];

#[test]
fn traps_survive_as_values_and_keys() {
    for trap in TRAPS {
        survives(&json!(trap));
        survives(&json!({*trap: {*trap: [trap, {*trap: trap}]}}));
    }
    let all: Map<String, Value> = TRAPS.iter().map(|t| ((*t).to_owned(), json!([t]))).collect();
    survives(&Value::Object(all));
    let long = "word ".repeat(2000);
    survives(&json!({long.clone(): [long.clone(), format!("{long}\n{long}")]}));
}

#[test]
fn numbers_survive() {
    for number in [
        json!(u64::MAX),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(1),
        json!(-0.0),
        json!(0.1),
        json!(1e300),
        json!(-1e-300),
        json!(f64::MAX),
        json!(f64::MIN_POSITIVE),
        json!(5e-324),
        json!(1e20),
        json!(1e16),
        json!(123456789.125),
        json!(9007199254740993_u64),
    ] {
        survives(&number);
    }
    let text = lockfile([tool(json!({"name": "t", "inputSchema": {"a": 1.0, "b": 1, "c": -0.0}}))]);
    let text = text.to_yaml().unwrap();
    assert!(text.contains("a: 1.0\n") && text.contains("b: 1\n"), "{text}");
}

#[test]
fn deep_schemas_survive_or_are_refused() {
    let deep = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({"a": [inner]}));
    survives(&deep(60));
    survives(&json!([[], {}, [[]], [{}], {"a": []}, {"a": {}}, [[[{"b": [[]]}]]]]));
    let written = lockfile([tool(json!({"name": "t", "inputSchema": deep(200)}))]);
    assert!(matches!(written.to_yaml(), Err(LockfileError::Unwritable { .. })));
}

/// Whether a contract is read in plain words, and then so that the reader of YAML agrees.
fn agrees(fields: &str) -> bool {
    let Some(form) = plain::contract(fields, 6) else { return false };
    let yaml = format!("tool:\n{fields}");
    let read: Map<String, Value> = serde_saphyr::from_str_with_options(&yaml, parse::options())
        .unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    let contract = Contract::from_wire(read["tool"].clone());
    let Ok(contract) = contract else {
        // Whoever builds the contract hears of it.
        return form.contract().is_none();
    };
    let pinned = Pinned::from(contract);
    assert!(pinned.is(&form, form.digest(Scheme::ContractV2)), "{yaml}");
    true
}

#[test]
fn plain_words_are_what_yaml_takes_them_for() {
    let mut read = 0;
    for trap in TRAPS {
        let quoted = [
            trap,
            &&*format!("\"{trap}\""),
            &&*format!("'{trap}'"),
            &&*format!("|-\n          {trap}"),
        ]
        .map(|text| (*text).to_owned());
        for written in quoted {
            for fields in [
                format!("      name: t\n      title: {written}\n"),
                format!("      name: t\n      inputSchema:\n        a: {written}\n        b: 1\n"),
                format!(
                    "      name: t\n      inputSchema:\n        a:\n        - {written}\n        - c: 1\n"
                ),
                format!("      name: t\n      inputSchema:\n        {written}: 1\n"),
                format!("      name: t\n      inputSchema:\n        a:\n        - {written}: 1\n"),
            ] {
                read += usize::from(agrees(&fields));
            }
        }
    }
    assert!(read > 300, "{read}");
}

#[test]
fn what_readers_tell_apart_is_left_to_the_reader_of_yaml() {
    for written in [
        "18446744073709551617",
        "18446744073709552000",
        "-0",
        "1e5",
        "1.0e5",
        "0.1000000000000000055511151231257827",
        "0x10",
        "\"\\x+f\"",
        "\"\\u+123\"",
        "\"\\uD800\"",
        "\"\\U00110000\"",
        "\"\\x\"",
        "\"\\x1\"",
        "\"\\q\"",
    ] {
        let fields = format!("      name: t\n      inputSchema:\n        a: {written}\n");
        assert!(plain::contract(&fields, 6).is_none(), "{written}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(TRAPS).prop_map(str::to_owned),
        prop::collection::vec(prop::sample::select(TRAPS), 0..4).prop_map(|parts| parts.concat()),
        prop::collection::vec(
            prop::sample::select(&[" ", "\n", "a", ":", "#", "-", "\t", "'"][..]),
            0..12
        )
        .prop_map(|parts| parts.concat()),
        any::<String>(),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_survives(value in any_json()) {
        survives(&value);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), cut in any::<prop::sample::Index>()) {
        let _ = parse(&text);
        let mut damaged = lockfile([tool(search())]).to_yaml().unwrap();
        damaged.insert_str(cut.index(damaged.len()), &text);
        let _ = parse(&damaged);
    }

    #[test]
    fn an_edited_file_reads_the_same_beside_what_was_locked(
        value in any_json(),
        at in any::<prop::sample::Index>(),
        removed in 0..4_usize,
        inserted in prop::sample::select(&["", " ", "  ", "\n", ":", "#", "\"", "-", "\t", "'", "|"][..]),
    ) {
        let wire = json!({"name": "t", "inputSchema": {"default": value, "list": [value]}});
        let text = lockfile([tool(wire.clone())]).to_yaml().unwrap();
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        chars.splice(at..chars.len().min(at + removed), inserted.chars());
        let text: String = chars.into_iter().collect();
        let path = Path::new("lockfile");
        let known = Catalogue::new([Contract::from_wire(wire).unwrap()]).unwrap();
        let beside = Lockfile::parse_beside(&text, path, &known);
        prop_assert_eq!(format!("{beside:?}"), format!("{:?}", Lockfile::parse(&text, path)));
    }

    #[test]
    fn edited_words_are_what_yaml_takes_them_for(
        value in any_json(),
        edits in prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                0..4_usize,
                prop::sample::select(&["", " ", "  ", "\n", ":", ": ", "#", " #", "\"", "- ", "\t", "'", "|", "1", "\\"][..]),
            ),
            0..4,
        ),
    ) {
        let wire = json!({"name": "t", "inputSchema": {"default": value, "list": [value]}});
        let text = lockfile([tool(wire)]).to_yaml().unwrap();
        let mut chars: Vec<char> = text.split_once("    contract:\n").unwrap().1.chars().collect();
        for (at, removed, inserted) in edits {
            let at = at.index(chars.len() + 1);
            chars.splice(at..chars.len().min(at + removed), inserted.chars());
        }
        agrees(&chars.into_iter().collect::<String>());
    }

    #[test]
    fn half_a_file_never_reads_as_the_whole(cut in any::<prop::sample::Index>()) {
        let whole = lockfile([tool(search()), tool(json!({"name": "z", "inputSchema": {"type": "object"}}))]);
        let text = whole.to_yaml().unwrap();
        let cut = cut.index(text.trim_end().len());
        if let Ok(read) = parse(&text[..cut]) {
            prop_assert_ne!(read, whole);
        }
    }
}
