//! Macros in scope, and what they may declare.

use super::*;

/// Everything that a type mentions, in derives, attributes and fields.
const INPUT: &str =
    "\n#[derive(Serialize, Deserialize, JsonSchema)] #[serde(rename_all = \"camelCase\")]
struct Input { a: Option<String>, b: Vec<Kind> }
#[derive(Serialize, Deserialize, JsonSchema)] enum Kind { A }";

#[test]
fn macros_that_declare_other_names_leave_a_type_as_it_is() {
    for macros in [
        // Defined and not called.
        "macro_rules! m { () => { pub struct String; pub use other::serde; } }",
        // Derives, attributes, traits and types are mentioned only.
        "macro_rules! m { ($(#[$meta:meta])* $vis:vis $name:ident) => {
            $(#[$meta])* #[derive(serde::Serialize, JsonSchema)] #[serde(transparent)]
            $vis struct $name(String);
            impl From<String> for $name { fn from(it: String) -> Self { Self(it) } }
            impl serde::de::Expecting for $name where String: Kind { type Kind = Kind; }
            const _: () = { struct Kind; };
            mod inner { pub struct String; use serde::Serialize; }
        } }
        m!(pub Other); mod n { use super::*; }",
        "macro_rules! m { ($($name:ident: $ty:ty),* $(,)?) => { $(static $name: $ty = 0;)* } }
        m! { FIRST: Option<String>, SECOND: Kind }",
        "macro_rules! m { (struct $name:ident { $($field:ident: $ty:ty,)* }) => {
            #[derive(Serialize)] struct $name { $($field: $ty,)* } } }
        m! { struct Other { serde: String, a: Vec<Kind>, } }",
        "macro_rules! m { ($ty:ident) => { impl Named for $ty {} } } m!(String); trait Named {}",
        "macro_rules! m { () => { use serde::{Serialize as S, de}; extern crate other as o; } } m!();",
        "thread_local! { static LAST: std::cell::RefCell<Option<String>> = Default::default(); }",
        "#[cfg(feature = \"off\")] m! { struct String; }",
    ] {
        assert_eq!(properties(&format!("{macros}{INPUT}"))["a"]["type"][0], "string", "{macros}");
    }
}

#[test]
fn a_name_that_a_macro_may_declare_is_not_guessed() {
    for (macros, name) in [
        ("macro_rules! m { () => { struct String; } } m!();", "String"),
        ("macro_rules! m { () => { pub(crate) type Vec<T> = T; } } m!();", "Vec"),
        ("macro_rules! m { () => { use other::serde; } } m!();", "serde"),
        ("macro_rules! m { () => { use other::{a, b as Option}; } } m!();", "Option"),
        ("macro_rules! m { () => { use other::serde::{self, A}; } } m!();", "serde"),
        ("macro_rules! m { ($a:ident) => { use other::{$($a)? serde}; } } m!(a);", "serde"),
        (
            "#[cfg(feature = \"off\")] macro_rules! m { (fn $a:ident, $b:ty) => { fn $a() {} } }
          m!(fn a, String);",
            "String",
        ),
        ("macro_rules! m { () => { use other::*; } } m!();", "serde"),
        ("macro_rules! m { () => { extern \"C\" { fn serde(); } } } m!();", "serde"),
        ("macro_rules! m { () => { macro_rules! serde { () => {} } } } m!();", "serde"),
        ("macro_rules! m { ($kind:tt) => { pub $kind String; } } m!(struct);", "String"),
        ("macro_rules! m { ($($it:item)*) => { $($it)* } } m! { struct String; }", "String"),
        ("macro_rules! m { ($($it:tt)*) => { pub $($it)* } } m! { struct String; }", "String"),
        (
            "macro_rules! m { ($($it:tt)*) => { impl $($it)* } } m! { T {} struct String; }",
            "String",
        ),
        ("macro_rules! m { ($a:ident, $b:ident) => { struct $b; } } m!(A, String);", "String"),
        ("macro_rules! m { ($(#[$m:meta])* $b:ident) => { struct $b; } } m!(String);", "String"),
        ("macro_rules! m { ($($a:ident),*) => { $(struct $a;)* } } m!(A, String);", "String"),
        ("macro_rules! m { ($($a:ident)*) => { $(struct $a;)* } } m!(A String);", "String"),
        ("macro_rules! m { ({ $a:ident }) => { struct $a; } } m!({ String });", "String"),
        (
            "macro_rules! m { ($a:ident) => { n!($a); } } macro_rules! n { ($a:ident) => { struct $a; } } m!(String);",
            "String",
        ),
        (
            "macro_rules! m { () => { n!(); } } macro_rules! n { () => { struct String; } } m!();",
            "String",
        ),
        ("macro_rules! m { () => { struct String; } } use m as n; n!();", "String"),
        (
            "macro_rules! m { ($a:ident) => { paste::paste! { struct [<Str $a>]; } } } m!(ing);",
            "String",
        ),
        ("macro_rules! m { ($n:ident) => { $n!(); } } m!(n);", "serde"),
        ("other::make!(struct String;);", "String"),
        ("include!(\"other.rs\");", "serde"),
        ("thread_local! { static Vec: u8 = 0; }", "Vec"),
        ("#[cfg(tokio_unstable)] m! { struct String; }", "String"),
        (
            "macro_rules! d { ($n:ident) => { macro_rules! $n { () => { struct String; } } } } d!(m); m!();",
            "serde",
        ),
    ] {
        let (why, _) = reason(&format!("{macros}{INPUT}"));
        let may_be = |name| format!("`{name}` may be made by a macro");
        assert!(["rmcp", "serde", name].map(may_be).contains(&why), "{macros}: {why}");
    }
}

#[test]
fn macros_of_a_whole_crate_may_have_the_name_of_a_known_one() {
    let source = "#[derive(JsonSchema)] struct Input { #[serde(default = \"f\")] a: Vec<u8> }
fn f() -> Vec<u8> { vec![1] }\n";
    let with = |krate: &str| one(&format!("{source}#[macro_use] extern crate {krate};"));
    assert_eq!(with("serde").unresolved, []);
    let why = with("other").unresolved[0].why.reason.clone();
    assert_eq!(why, "what the macro `vec` makes is not known");
}

#[test]
fn a_macro_under_the_name_of_a_known_one_is_not_taken_for_it() {
    let source = "#[derive(JsonSchema)] struct Input {\n#[schemars(description = concat!(\"a\", \"b\"))] a: u8 }\n";
    for macros in [
        "macro_rules! r#concat { ($($t:tt)*) => { \"own\" } }",
        "macro_rules! own { ($($t:tt)*) => { \"own\" } } use own as concat;",
        "mod m { macro_rules! own { ($($t:tt)*) => { \"own\" } } pub(crate) use own as other; }
use m::other as concat;",
        "use std::stringify as concat;",
    ] {
        let (why, _) = reason(&format!("{source}{macros}"));
        assert_eq!(why, "what the macro `concat` makes is not known", "{macros}");
    }
    for macros in ["mod concat {} use crate::concat as other;", "use std::concat;"] {
        let input = properties(&format!("{source}{macros}"));
        assert_eq!(input["a"]["description"], "ab", "{macros}");
    }
}

#[test]
fn macros_that_nest_and_call_each_other_are_read_once() {
    let nested = format!("{}$a:ident{}", "$(".repeat(500), ")*".repeat(500));
    let many: String = (0..500)
        .map(|at| format!("macro_rules! m{at} {{ () => {{ m{}!(); m{}!(); }} }}\n", at + 1, at + 2))
        .collect();
    let nested = format!("macro_rules! m {{ ({nested}) => {{ {nested} }} }}\nm!(a);");
    assert_eq!(one(&format!("{nested}{many}m0!();{INPUT}")).unresolved, []);
}
