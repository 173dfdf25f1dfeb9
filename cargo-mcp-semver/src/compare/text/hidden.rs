//! Characters that a person does not see.

use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup as Group, UnicodeGeneralCategory as _,
};

use crate::character::{Ink, ink};

/// The emoji that tags spell and that Unicode recommends for interchange (UTS #51, RGI): the flags
/// of England, Scotland and Wales. Any others would carry text.
const TAGGED: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// So many characters from a letter a mark of direction may stand: that of `C++` in Hebrew.
const BESIDE: usize = 4;

/// The characters of a text that are not seen, change the order of what is seen, or drive a
/// terminal; those that a script or an emoji needs are let be where it needs them, one at a time.
pub(super) fn hidden(text: &str) -> Vec<char> {
    // The space keeps apart what would make another flag.
    let text = TAGGED.iter().fold(text.to_owned(), |text, flag| text.replace(flag, "\u{1f3f4} "));
    let hidden = text.char_indices().filter(|(_, it)| ink(*it) == Ink::Hidden);
    let unneeded = hidden.filter(|(at, it)| {
        let (before, rest) = text.split_at(*at);
        !is_needed(*it, before, rest.strip_prefix(*it).unwrap_or_default())
    });
    unneeded.map(|(_, it)| it).collect()
}

/// Whether the text around it needs a character.
fn is_needed(character: char, before: &str, after: &str) -> bool {
    let previous = before.chars().next_back().unwrap_or(' ');
    let next = after.chars().next().unwrap_or(' ');
    match character {
        '\u{200d}' if is_pictograph(previous) || previous == '\u{fe0f}' => is_pictograph(next),
        '\u{200c}' | '\u{200d}' => is_joined(previous),
        '\u{200b}' => is_unspaced(previous) && is_unspaced(next),
        '\u{200e}' | '\u{200f}' => is_beside(is_right_to_left, before, after),
        '\u{61c}' => is_beside(is_arabic, before, ""),
        '\u{fe00}'..='\u{fe0d}' => is_varied(previous),
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictograph(previous)
                || matches!(
                    previous,
                    '0'..='9' | '#' | '*' | '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | '〰'
                )
        }
        '\u{180b}'..='\u{180d}' | '\u{180f}' => is_mongolian(previous),
        '\u{180e}' => is_mongolian(previous) && matches!(next, '\u{1820}' | '\u{1821}'),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(previous),
        _ => false,
    }
}

/// Whether the nearest letter on either side is one of a script, and nothing hidden comes before.
fn is_beside(script: fn(char) -> bool, before: &str, after: &str) -> bool {
    let letter = |it: &char| it.is_alphabetic();
    let hidden = before.chars().next_back().is_some_and(|it| ink(it) == Ink::Hidden);
    let left = before.chars().rev().take(BESIDE).find(letter);
    let right = after.chars().take(BESIDE).find(letter);
    !hidden && left.into_iter().chain(right).any(script)
}

/// Emoji, and the symbols that have a form as one.
fn is_pictograph(it: char) -> bool {
    let is_symbol = || {
        matches!(it.general_category(), GeneralCategory::OtherSymbol | GeneralCategory::MathSymbol)
    };
    matches!(it, '\u{1f000}'..='\u{1faff}') || it >= '\u{2190}' && is_symbol()
}

/// Letters and marks that take another form beside the next one: those of Arabic and its
/// relatives, of the scripts of India and South East Asia, and of Mongolian.
fn is_joined(it: char) -> bool {
    let joins = matches!(
        it,
        '\u{600}'..='\u{77f}' | '\u{7c0}'..='\u{7ff}' | '\u{840}'..='\u{dff}'
            | '\u{f00}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1a00}'..='\u{1c4f}'
            | '\u{a800}'..='\u{a9df}' | '\u{aa00}'..='\u{aa5f}' | '\u{aae0}'..='\u{aaff}'
            | '\u{abc0}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{10aff}' | '\u{10d00}'..='\u{11dff}' | '\u{1e900}'..='\u{1e95f}'
    );
    joins && matches!(it.general_category_group(), Group::Letter | Group::Mark)
}

/// Thai, Lao, Burmese and Khmer, which write no spaces between words.
fn is_unspaced(it: char) -> bool {
    matches!(it, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn is_right_to_left(it: char) -> bool {
    is_arabic(it)
        || matches!(
            it,
            '\u{590}'..='\u{5ff}' | '\u{7c0}'..='\u{85f}' | '\u{fb1d}'..='\u{fb4f}'
                | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
        )
}

/// Arabic, Syriac and Thaana.
fn is_arabic(it: char) -> bool {
    matches!(
        it,
        '\u{600}'..='\u{7bf}' | '\u{860}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
    )
}

fn is_mongolian(it: char) -> bool {
    matches!(it, '\u{1820}'..='\u{18aa}')
}

fn is_ideograph(it: char) -> bool {
    matches!(
        it,
        '\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// What has forms by StandardizedVariants.txt: ideographs, East Asian and quotation marks,
/// mathematical symbols, and letters of Burmese, 'Phags-pa, Manichaean and hieroglyphs.
fn is_varied(it: char) -> bool {
    is_ideograph(it)
        || matches!(
            it,
            '\u{1000}'..='\u{109f}' | '\u{2018}'..='\u{201d}' | '\u{2190}'..='\u{2aff}'
                | '\u{3001}'..='\u{3002}' | '\u{a840}'..='\u{a877}' | '\u{aa60}'..='\u{aa7f}'
                | '\u{ff01}'..='\u{ff1f}' | '\u{10ac0}'..='\u{10aff}' | '\u{13000}'..='\u{143ff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_and_emoji_need_is_not_hidden() {
        for text in [
            "👩‍💻 writes",
            "👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥 🧑‍⚕️",
            "1️⃣ first\n\tsecond",
            "❤️ ©️",
            "naïve — “quoted”",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "ශ\u{dca}\u{200d}රී ලංකා",
            "ᠰᠠᠶᠢᠨ\u{180b} ᠪᠠᠢᠨ\u{180e}ᠠ",
            "葛\u{e0100}城市、辻\u{e0101}さん",
            "שלום!\u{200f} C++\u{200e} שפת",
            "\u{200f}مرحبا",
            "العدد\u{61c} 12",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "ភាសា\u{200b}ខ្មែរ",
            "∩\u{fe00} 、\u{fe01}",
        ] {
            assert_eq!(hidden(text), [' '; 0], "{text:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is() {
        for (text, character) in [
            ("a\u{200b}b", '\u{200b}'),
            ("a\u{200d}b", '\u{200d}'),
            ("é\u{200d}b", '\u{200d}'),
            ("שלום \u{202e}b", '\u{202e}'),
            ("שלום\u{2067}b", '\u{2067}'),
            ("Opens.\u{200f}", '\u{200f}'),
            ("Opens\u{61c} 12", '\u{61c}'),
            ("a\u{1b}[2Jb", '\u{1b}'),
            ("a\u{e0061}b", '\u{e0061}'),
            ("a\u{fe01}b", '\u{fe01}'),
            ("é\u{fe0f}", '\u{fe0f}'),
            ("é\u{180b}", '\u{180b}'),
            ("葛\u{e0100}\u{e0101}", '\u{e0101}'),
            ("😀\u{e0100}b", '\u{e0100}'),
            ("😀\u{200d} opens", '\u{200d}'),
            ("a\u{9b}b", '\u{9b}'),
        ] {
            assert_eq!(hidden(text), [character], "{text:?}");
        }
    }

    #[test]
    fn no_run_of_them_is_needed() {
        for (text, count) in [
            ("Café\u{200c}\u{200d}\u{200d}\u{200c}\u{200c}\u{200d} opens.", 6),
            ("é\u{200c}é\u{200d}é\u{200c}", 3),
            ("می\u{200c}\u{200c}\u{200d}\u{200c}خواهم", 3),
            ("😀\u{200d}\u{200d}\u{200d}😀", 3),
            ("∩\u{fe00}\u{fe01}\u{fe02}", 2),
            ("א\u{200f}\u{200e}\u{200f}\u{200f}ב", 3),
            ("ก\u{200b}\u{200b}\u{200b}ก", 3),
            ("🏴\u{e0067}\u{e0062}\u{e0074}\u{e0065}\u{e0073}\u{e007f}", 6),
        ] {
            assert_eq!(hidden(text).len(), count, "{text:?}");
        }
        let flag = TAGGED[0];
        let (_, tags) = flag.split_at(4);
        assert_eq!(hidden(&format!("{flag}{tags}")).len(), 6, "two sets of tags, one flag");
    }
}
