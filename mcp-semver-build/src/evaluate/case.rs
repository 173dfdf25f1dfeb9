//! serde's rules for renaming fields and variants (serde documentation, "rename_all").

/// A rule of `rename_all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Rule {
    /// The rule that an attribute names.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// The name of a field, which Rust writes in snake case.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
            Self::Pascal => pascal(name),
            Self::Camel => lower_first(&pascal(name)),
        }
    }

    /// The name of a variant, which Rust writes in Pascal case.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(field: &str) -> String {
    let mut after_underscore = true;
    let mut name = String::with_capacity(field.len());
    for character in field.chars() {
        match character {
            '_' => after_underscore = true,
            _ if std::mem::take(&mut after_underscore) => name.push(character.to_ascii_uppercase()),
            _ => name.push(character),
        }
    }
    name
}

fn snake(variant: &str) -> String {
    let mut name = String::with_capacity(variant.len() + 4);
    for (at, character) in variant.char_indices() {
        if at > 0 && character.is_uppercase() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}

fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    match characters.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_renames_fields_and_variants() {
        for (rule, field, variant) in [
            ("lowercase", "first_seen_at", "firstseenat"),
            ("UPPERCASE", "FIRST_SEEN_AT", "FIRSTSEENAT"),
            ("PascalCase", "FirstSeenAt", "FirstSeenAt"),
            ("camelCase", "firstSeenAt", "firstSeenAt"),
            ("snake_case", "first_seen_at", "first_seen_at"),
            ("SCREAMING_SNAKE_CASE", "FIRST_SEEN_AT", "FIRST_SEEN_AT"),
            ("kebab-case", "first-seen-at", "first-seen-at"),
            ("SCREAMING-KEBAB-CASE", "FIRST-SEEN-AT", "FIRST-SEEN-AT"),
        ] {
            let named = Rule::named(rule).unwrap();
            assert_eq!(named.field("first_seen_at"), field, "{rule}");
            assert_eq!(named.variant("FirstSeenAt"), variant, "{rule}");
        }
        assert_eq!(Rule::named("Title Case"), None);
        assert_eq!(Rule::Camel.field("_"), "");
        assert_eq!(Rule::Snake.variant("HTTPServer2"), "h_t_t_p_server2");
    }
}
