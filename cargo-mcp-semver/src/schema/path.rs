//! Places inside arguments and results as findings and settings spell them:
//! `filter.stops[].mode`, `headers.*`, `at[1]`.
//!
//! A name that could be taken for something else stands as JSON text in brackets:
//! `filter["stops.0"]`. So every place has one spelling, and every spelling means one place.

use std::fmt;

use serde_json::Value;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The property of this name.
    Name(String),
    /// Any property that is not declared: `*`.
    Undeclared,
    /// Every item of an array: `[]`.
    Items,
    /// The item at this index of a tuple: `[1]`.
    Item(usize),
}

impl fmt::Display for Step {
    /// As it follows another step; the first one loses its dot.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) if is_plain(name) => write!(f, ".{name}"),
            Self::Name(name) => write!(f, "[{}]", Value::from(name.as_str())),
            Self::Undeclared => f.write_str(".*"),
            Self::Items => f.write_str("[]"),
            Self::Item(index) => write!(f, "[{index}]"),
        }
    }
}

/// Whether a name says by itself where it ends and that it is one.
fn is_plain(name: &str) -> bool {
    let special = |c: char| matches!(c, '.' | '[' | ']' | '"' | '\\') || c.is_whitespace();
    !name.is_empty() && name != "*" && !name.contains(|c: char| special(c) || c.is_control())
}

/// One step down from `path`, which is empty for the whole value.
pub(super) fn join(path: &str, step: Step) -> String {
    under(path, &step.to_string())
}

/// The property `name` of what stands at `path`.
pub(super) fn property(path: &str, name: &str) -> String {
    join(path, Step::Name(name.to_owned()))
}

/// `below` seen from `path`: how a place inside a value is called from further outside.
pub(super) fn under(path: &str, below: &str) -> String {
    match (path.is_empty(), below.strip_prefix('.')) {
        (true, Some(rest)) => rest.to_owned(),
        (false, None) if !below.is_empty() && !below.starts_with('[') => format!("{path}.{below}"),
        _ => format!("{path}{below}"),
    }
}

/// What holds the place at `path`; empty for a property of the whole.
pub(super) fn parent(path: &str) -> String {
    let mut steps = steps(path).unwrap_or_default();
    steps.pop();
    steps.into_iter().fold(String::new(), |path, step| join(&path, step))
}

/// Whether `place` is the one at `path`, or below it; `path` may stand for several.
pub(super) fn is_within(place: &str, path: &str) -> bool {
    let (Some(place), Some(path)) = (steps(place), steps(path)) else { return false };
    let is_one = |(step, of): (&Step, &Step)| {
        matches!(
            (step, of),
            (Step::Name(_), Step::Undeclared)
                | (Step::Items, Step::Item(_))
                | (Step::Item(_), Step::Items)
        ) || step == of
    };
    path.len() <= place.len() && place.iter().zip(&path).all(is_one)
}

/// How many steps lead to `path`.
pub(super) fn depth(path: &str) -> usize {
    steps(path).map_or(usize::MAX, |steps| steps.len())
}

/// The steps of a path; `None` where it is not spelt as one.
pub fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(inside) => bracketed(inside)?,
            None => {
                let name = if steps.is_empty() { rest } else { rest.strip_prefix('.')? };
                let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
                let step = match name {
                    "*" => Step::Undeclared,
                    name if is_plain(name) => Step::Name(name.to_owned()),
                    _ => return None,
                };
                (step, after)
            }
        };
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

/// The step that stands between the bracket before `inside` and its end, and what follows.
fn bracketed(inside: &str) -> Option<(Step, &str)> {
    if inside.starts_with('"') {
        let mut texts = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let name = texts.next()?.ok()?;
        return Some((Step::Name(name), inside.get(texts.byte_offset()..)?.strip_prefix(']')?));
    }
    let (index, after) = inside.split_once(']')?;
    let step = if index.is_empty() { Step::Items } else { Step::Item(index.parse().ok()?) };
    Some((step, after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(steps: &[Step]) -> String {
        steps.iter().cloned().fold(String::new(), |path, step| join(&path, step))
    }

    #[test]
    fn names_that_could_mean_something_else_are_quoted() {
        for (names, expected) in [
            (&["filter", "mode"][..], "filter.mode"),
            (&["filter.mode"], r#"["filter.mode"]"#),
            (&["filter", "stops[0]", "x"], r#"filter["stops[0]"].x"#),
            (&["a\"b"], r#"["a\"b"]"#),
            (&["*"], r#"["*"]"#),
            (&[""], r#"[""]"#),
            (&["größe", "content-type"], "größe.content-type"),
        ] {
            let steps: Vec<Step> = names.iter().map(|name| Step::Name((*name).into())).collect();
            assert_eq!(written(&steps), expected);
        }
        assert_eq!(under("filter", "mode"), "filter.mode");
        assert_eq!(under("list[]", ""), "list[]");
        assert_eq!(parent(r#"filter["a.b"][]"#), r#"filter["a.b"]"#);
        assert!(is_within("a.b[].c", "a.*[2]") && is_within("a", "") && !is_within("ab", "a"));
        assert_eq!((parent("mode").as_str(), depth(r#"["a.b.c"].d"#)), ("", 2));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in [".a", "a.", "a..b", "a[", "a[x]", "a[]b", r#"["a]"#, r#"["a"b]"#, "a b"] {
            assert_eq!(steps(text), None, "{text}");
        }
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            "[a-c.*\\[\\]\"\\\\ é]{0,3}".prop_map(Step::Name),
            Just(Step::Undeclared),
            Just(Step::Items),
            (0..12_usize).prop_map(Step::Item),
        ]
    }

    proptest! {
        #[test]
        fn every_spelling_means_one_place(path in prop::collection::vec(step(), 0..5)) {
            prop_assert_eq!(steps(&written(&path)), Some(path));
        }
    }
}
