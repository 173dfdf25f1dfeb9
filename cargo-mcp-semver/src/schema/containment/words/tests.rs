//! Words against what they were looked for by.

use super::*;

/// Both ends of every range that UTF-8 reads differently (RFC 3629, section 4), and the separators
/// that end a line.
const CHARACTERS: [char; 23] = [
    'a',
    '~',
    '\u{a0}',
    'é',
    '\u{7ff}',
    '\u{800}',
    '\u{fff}',
    '\u{1000}',
    '\u{1fff}',
    '\u{2000}',
    '…',
    '\u{2027}',
    '\u{202a}',
    '\u{2040}',
    '€',
    '\u{2fff}',
    '日',
    '\u{d7ff}',
    '\u{e000}',
    '\u{10000}',
    '😀',
    '\u{40000}',
    '\u{10ffff}',
];

fn budget() -> Budget {
    Budget::new(1_000_000)
}

fn found_by(patterns: &[(&str, bool)]) -> Wanted {
    let read = |(pattern, finds): &(&str, bool)| {
        (Rc::new(Pattern::of(pattern, &budget()).unwrap()), *finds)
    };
    Wanted { patterns: patterns.iter().map(read).collect(), ..Wanted::default() }
}

fn word(wanted: &Wanted) -> Words {
    wanted.shortest_word(&budget())
}

#[test]
fn every_character_is_a_word_of_its_own() {
    for character in CHARACTERS {
        let text = character.to_string();
        let mut wanted = found_by(&[(&format!("^{character}+$"), true)]);
        wanted.at_most(1);
        assert_eq!(word(&wanted), Words::Word(text.clone()), "{character:?}");
        wanted.excluded.insert(text.clone());
        assert_eq!(word(&wanted), Words::Empty, "{character:?}");
        wanted.longest = Some(2);
        wanted.at_least(2);
        assert_eq!(word(&wanted), Words::Word(text.repeat(2)), "{character:?}");
    }
}

#[test]
fn lengths_are_counted_to_the_last_character() {
    for letter in ["a", "é", "…", "😀"] {
        for length in 0..4 {
            let mut wanted = found_by(&[(&format!("^{letter}{{{length}}}$"), true)]);
            wanted.at_least(length as u64);
            wanted.at_most(length as u64);
            assert_eq!(word(&wanted), Words::Word(letter.repeat(length)), "{letter} {length}");
            wanted.at_least(length as u64 + 1);
            wanted.longest = None;
            assert_eq!(word(&wanted), Words::Empty, "{letter} {length}");
            let mut wanted = found_by(&[(&format!("^{letter}{{{}}}$", length + 1), true)]);
            wanted.at_most(length as u64);
            assert_eq!(word(&wanted), Words::Empty, "{letter} {length}");
        }
    }
}

/// Engines do not agree on what ends a line, see [`Wanted::shortest_word`].
#[test]
fn a_text_is_not_offered_for_the_line_breaks_in_it() {
    for line_break in ["\n", "\r", "\u{2028}", "\u{2029}"] {
        let wanted = found_by(&[(&format!("^{line_break}$"), true)]);
        assert_eq!(word(&wanted), Words::Unknown, "{line_break:?}");
    }
}

#[test]
fn letters_that_are_excluded_are_not_all_there_are() {
    let excluded = ('0'..='z').map(String::from).collect();
    let mut wanted = Wanted { excluded, ..Wanted::default() };
    wanted.at_least(1);
    wanted.at_most(1);
    assert_eq!(word(&wanted), Words::Unknown);
    wanted.longest = Some(2);
    assert_eq!(word(&wanted), Words::Word("aa".to_owned()));
}
