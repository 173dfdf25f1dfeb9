//! What somebody may have meant who misspelt a name.

/// The known name that looks most like `typed`, if one does.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |known: &str| strsim::damerau_levenshtein(typed, known);
    known
        .into_iter()
        .map(|known| (distance(known), known))
        .filter(|(distance, known)| {
            let longest = known.chars().count().max(typed.chars().count());
            *distance <= longest / 3
        })
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_and_a_stranger_is_not() {
        let known = ["input_enum_narrowed", "input_enum_widened", "títulos"];
        assert_eq!(nearest("input-enum-narowed", known), Some("input_enum_narrowed"));
        assert_eq!(nearest("titulos", known), Some("títulos"));
        assert_eq!(nearest("tool_removed", known), None);
        assert_eq!(nearest("a", ["b"]), None);
    }
}
