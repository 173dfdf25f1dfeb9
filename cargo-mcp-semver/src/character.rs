//! Which characters a person does not see: the one list that findings about texts and everything
//! printed go by.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// What of a character shows on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Ink of its own, or the plain space.
    Shown,
    /// White space that is not told from a space, a box in place of ink, or nothing on most
    /// terminals; but ordinary in texts of some languages.
    Odd,
    /// Nothing: it cannot be seen, reorders what can be, or drives the terminal.
    Hidden,
}

/// What of `character` shows.
pub(crate) fn ink(character: char) -> Ink {
    if character.is_ascii() {
        return match character {
            '\n' | '\r' | '\t' => Ink::Odd,
            _ if character.is_ascii_control() => Ink::Hidden,
            _ => Ink::Shown,
        };
    }
    match character.general_category() {
        _ if is_ignorable(character) => Ink::Hidden,
        GeneralCategory::Control => Ink::Hidden,
        GeneralCategory::Format
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::SpaceSeparator
        | GeneralCategory::Surrogate
        | GeneralCategory::PrivateUse
        | GeneralCategory::Unassigned => Ink::Odd,
        _ => Ink::Shown,
    }
}

/// `Default_Ignorable_Code_Point` of Unicode's DerivedCoreProperties.txt, the blank Braille
/// pattern, and the marks that take their text out of sight (interlinear annotation).
fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_keep_their_letters_marks_and_spaces() {
        for character in "aß大नी\u{301}\u{600}\u{3000}\u{a0}\u{2028}\u{e000}🚀\n".chars() {
            assert_ne!(ink(character), Ink::Hidden, "{character:?}");
        }
        assert_eq!("a ß\u{301}🚀".chars().find(|it| ink(*it) != Ink::Shown), None);
    }

    #[test]
    fn what_reorders_vanishes_or_drives_is_hidden() {
        for character in "\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{202e}\u{2065}\u{2066}\u{2800}\u{3164}\
            \u{fe0f}\u{feff}\u{fff9}\u{1bca0}\u{e0001}\u{e0041}\u{e01ef}"
            .chars()
        {
            assert_eq!(ink(character), Ink::Hidden, "{character:?}");
        }
    }
}
