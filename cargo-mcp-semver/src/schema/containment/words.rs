//! Texts that satisfy several conditions at once: whether there are any, and the shortest.
//!
//! Patterns are taken in the sense of the validator that confirms witnesses: translated from
//! ECMA 262 by the same crate and searched for anywhere in the text. Each becomes a deterministic
//! automaton over UTF-8 bytes; all of them run in step, together with counters for the length and
//! a tree of excluded texts, and the reachable combinations are searched breadth first
//! (Hopcroft, Motwani, Ullman: Introduction to Automata Theory, section 4.2: closure of regular
//! languages under intersection and complement, and the test for emptiness).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

use super::budget::Budget;

/// Automata larger than this, in bytes, are not built.
const MAX_AUTOMATON: usize = 256 << 10;
/// Longer patterns are not read.
const MAX_PATTERN: usize = 2_000;
/// Lengths are counted up to here where a pattern has to be looked at as well.
const MAX_LENGTH: u64 = 2_000;
/// The longest text worth building.
const MAX_TEXT: u64 = 1_100;

/// The texts in which a pattern finds something.
#[derive(Debug)]
pub(crate) struct Pattern {
    automaton: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Pattern {
    /// `None` when it is not regular, not valid or too large.
    pub(crate) fn of(pattern: &str, budget: &Budget) -> Option<Self> {
        // What the engines of the validator read differently from each other.
        let unusual = ["\\<", "\\>", "\\b{", "(?", "&&"];
        let plain = pattern.replace("(?:", "(").replace("\\\\", "");
        let is_unusual = unusual.iter().any(|it| plain.contains(it)) || repeats_twice(pattern);
        if pattern.len() > MAX_PATTERN || is_unusual {
            return None;
        }
        let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
        // Even an automaton that turns out too large is paid for.
        if !budget.spend(200 + 4 * translated.len()) {
            return None;
        }
        let config = dense::Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .start_kind(StartKind::Unanchored)
            .dfa_size_limit(Some(MAX_AUTOMATON))
            .determinize_size_limit(Some(4 * MAX_AUTOMATON));
        let built = dense::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().nest_limit(50))
            .thompson(thompson::Config::new().nfa_size_limit(Some(2 * MAX_AUTOMATON)))
            .build(&translated);
        let cost = built.as_ref().map_or(MAX_AUTOMATON, dense::DFA::memory_usage) / 16;
        if !budget.spend(cost) {
            return None;
        }
        let automaton = built.ok()?;
        let start = automaton.start_state(&start::Config::new().anchored(Anchored::No)).ok()?;
        Some(Self { automaton, start })
    }

    /// Whether it finds something in `text`.
    pub(crate) fn finds(&self, text: &str) -> bool {
        let mut state = self.start;
        for byte in text.bytes() {
            state = self.automaton.next_state(state, byte);
            if self.automaton.is_match_state(state) {
                return true;
            }
        }
        self.ends(state)
    }

    /// Whether something was found once the text ends in `state`.
    fn ends(&self, state: StateID) -> bool {
        self.automaton.is_match_state(state)
            || self.automaton.is_match_state(self.automaton.next_eoi_state(state))
    }
}

/// What a text has to be.
#[derive(Debug, Default, Clone)]
pub(crate) struct Wanted {
    /// Code points at least.
    pub(crate) shortest: u64,
    /// Code points at most.
    pub(crate) longest: Option<u64>,
    /// Patterns that find something, or find nothing.
    pub(crate) patterns: Vec<(Rc<Pattern>, bool)>,
    /// One of these.
    pub(crate) listed: Option<BTreeSet<String>>,
    /// None of these.
    pub(crate) excluded: BTreeSet<String>,
}

/// What a text may be made of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Alphabet {
    /// Neither control characters nor line breaks.
    Readable,
    /// No line breaks.
    OneLine,
    Everything,
}

/// Whether there is such a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Words {
    /// There is none.
    Empty,
    /// There is this one.
    Word(String),
    /// It is not known.
    Unknown,
}

impl Wanted {
    pub(crate) fn at_least(&mut self, count: u64) {
        self.shortest = self.shortest.max(count);
    }

    pub(crate) fn at_most(&mut self, count: u64) {
        self.longest = Some(self.longest.map_or(count, |known| known.min(count)));
    }

    /// Looks for a shortest text.
    ///
    /// A text that is only refused because of the line breaks in it is not offered: engines do
    /// not agree on what a dot stands for, and whoever writes `.+` means "not empty".
    pub(crate) fn shortest_word(&self, budget: &Budget) -> Words {
        if self.longest.is_some_and(|longest| longest < self.shortest) {
            return Words::Empty;
        }
        if let Some(listed) = &self.listed {
            let word = listed.iter().find(|word| self.holds(word)).cloned();
            return word.map_or(Words::Empty, Words::Word);
        }
        if self.patterns.is_empty() {
            return self.any();
        }
        match self.searched(Alphabet::Everything, budget) {
            Words::Word(word) if word.chars().any(char::is_control) || has_separator(&word) => {}
            other => return other,
        }
        for alphabet in [Alphabet::Readable, Alphabet::OneLine] {
            match self.searched(alphabet, budget) {
                Words::Empty => {}
                other => return other,
            }
        }
        Words::Unknown
    }

    fn holds(&self, text: &str) -> bool {
        let length = text.chars().count() as u64;
        length >= self.shortest
            && self.longest.is_none_or(|longest| length <= longest)
            && !self.excluded.contains(text)
            && self.patterns.iter().all(|(pattern, finds)| pattern.finds(text) == *finds)
    }

    /// Without patterns only finitely many texts are excluded from infinitely many, or from the
    /// million of one code point; only the empty text stands alone.
    fn any(&self) -> Words {
        if self.shortest > MAX_TEXT {
            return Words::Unknown;
        }
        let shortest = self.shortest as usize;
        let lengths = [shortest.max(1), shortest, shortest + 1];
        let letters = ('a'..='z').chain('0'..='9').chain('A'..='Z');
        let mut texts = letters.flat_map(|letter| {
            lengths.map(|length| std::iter::repeat_n(letter, length).collect::<String>())
        });
        match texts.find(|text| self.holds(text)) {
            Some(text) => Words::Word(text),
            None if self.longest == Some(0) => Words::Empty,
            None => Words::Unknown,
        }
    }

    fn searched(&self, alphabet: Alphabet, budget: &Budget) -> Words {
        let most = self.shortest.max(self.longest.map_or(0, |longest| longest + 1));
        if most > MAX_LENGTH {
            return Words::Unknown;
        }
        let tree = Tree::of(&self.excluded);
        let bytes = self.bytes(&tree, alphabet);
        let first = State {
            found: vec![false; self.patterns.len()],
            states: self.patterns.iter().map(|(pattern, _)| pattern.start).collect(),
            length: 0,
            excluded: Some(0),
            character: Character::Whole,
        };
        let mut known = HashMap::from([(first.clone(), 0)]);
        let mut trail: Vec<(usize, u8)> = vec![(0, 0)];
        let mut queue = VecDeque::from([(0, first)]);
        while let Some((index, state)) = queue.pop_front() {
            if self.accepts(&state, &tree) {
                return Words::Word(spelt(&trail, index));
            }
            if !budget.spend(1 + bytes.len() / 4) {
                return Words::Unknown;
            }
            for &byte in &bytes {
                let next = match self.next(&state, byte, &tree, most, alphabet) {
                    Some(next) if !known.contains_key(&next) => next,
                    _ => continue,
                };
                known.insert(next.clone(), trail.len());
                queue.push_back((trail.len(), next));
                trail.push((index, byte));
            }
        }
        Words::Empty
    }

    /// One byte of each kind that no condition tells apart, the most readable first.
    fn bytes(&self, tree: &Tree, alphabet: Alphabet) -> Vec<u8> {
        let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~');
        let mut kinds = BTreeSet::new();
        readable
            // An accented letter before whatever else is not ASCII.
            .chain([0xc3, 0xa9])
            .chain(0x80..=0xff)
            .chain(0..b' ')
            .chain([0x7f])
            .filter(|byte| alphabet != Alphabet::Readable || !byte.is_ascii_control())
            .filter(|byte| {
                let classes: Vec<u8> = self
                    .patterns
                    .iter()
                    .map(|(pattern, _)| pattern.automaton.byte_classes().get(*byte))
                    .collect();
                let own = tree.bytes.contains(byte).then_some(*byte);
                kinds.insert((classes, own, kind_of(*byte)))
            })
            .collect()
    }

    fn accepts(&self, state: &State, tree: &Tree) -> bool {
        state.character == Character::Whole
            && state.length >= self.shortest
            && self.longest.is_none_or(|longest| state.length <= longest)
            && !state.excluded.is_some_and(|node| tree.nodes[node].ends)
            && self.patterns.iter().enumerate().all(|(index, (pattern, finds))| {
                (state.found[index] || pattern.ends(state.states[index])) == *finds
            })
    }

    /// The state after one more byte; `None` when nothing wanted can follow.
    fn next(
        &self,
        state: &State,
        byte: u8,
        tree: &Tree,
        most: u64,
        alphabet: Alphabet,
    ) -> Option<State> {
        let character = state.character.next(byte)?;
        if character == Character::LineBreak && alphabet != Alphabet::Everything {
            return None;
        }
        let mut next = state.clone();
        next.character =
            if character == Character::LineBreak { Character::Whole } else { character };
        if byte & 0xc0 != 0x80 {
            next.length = (state.length + 1).min(most);
            if self.longest.is_some_and(|longest| next.length > longest) {
                return None;
            }
        }
        next.excluded = state.excluded.and_then(|node| tree.nodes[node].next.get(&byte).copied());
        for (index, (pattern, finds)) in self.patterns.iter().enumerate() {
            if next.found[index] {
                continue;
            }
            let automaton = &pattern.automaton;
            let after = automaton.next_state(state.states[index], byte);
            if automaton.is_match_state(after) {
                next.found[index] = true;
                next.states[index] = pattern.start;
            } else {
                next.states[index] = after;
            }
            let lost = !next.found[index] && automaton.is_dead_state(after);
            if (*finds && lost) || (!*finds && next.found[index]) {
                return None;
            }
        }
        Some(next)
    }
}

/// Whether a quantifier follows another one: ECMA 262 has no such thing, and to some engines `a*+`
/// is possessive.
fn repeats_twice(pattern: &str) -> bool {
    let (mut rest, mut is_listed, mut is_repeated) = (pattern, false, false);
    while let Some(letter) = rest.chars().next() {
        let quantifier = if is_listed { 0 } else { quantifier(rest) };
        if quantifier > 0 && is_repeated {
            return true;
        }
        is_repeated = quantifier > 0;
        let read = match letter {
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            _ => quantifier.max(letter.len_utf8()),
        };
        is_listed = letter == '[' || (is_listed && letter != ']');
        rest = rest.split_at(read).1;
    }
    false
}

/// The length of the quantifier that a pattern begins with, if it begins with one.
fn quantifier(pattern: &str) -> usize {
    let counted = || {
        let (counts, _) = pattern.strip_prefix('{')?.split_once('}')?;
        let is_count = counts.bytes().all(|it| it.is_ascii_digit() || it == b',');
        (is_count && !counts.is_empty()).then_some(counts.len() + 2)
    };
    let length = match pattern.chars().next() {
        Some('*' | '+' | '?') => 1,
        _ => counted().unwrap_or(0),
    };
    length + usize::from(length > 0 && pattern.split_at(length).1.starts_with('?'))
}

/// Line and paragraph separators, which `char::is_control` leaves out.
fn has_separator(text: &str) -> bool {
    text.contains(['\u{2028}', '\u{2029}'])
}

fn spelt(trail: &[(usize, u8)], mut index: usize) -> String {
    let mut bytes = Vec::new();
    while index != 0 {
        bytes.push(trail[index].1);
        index = trail[index].0;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    /// Which patterns have found something.
    found: Vec<bool>,
    states: Vec<StateID>,
    /// Code points, counted as far as it matters.
    length: u64,
    /// Where in the tree of excluded texts, while it is in there.
    excluded: Option<usize>,
    character: Character,
}

/// How much of a code point was read (RFC 3629, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Character {
    Whole,
    /// Whole, and a line break.
    LineBreak,
    /// So many bytes are to come, the first of them within a range.
    Part(u8, u8, u8),
    /// `E2` was read, and `E2 80`, which line and paragraph separators begin with.
    Separator(u8),
}

impl Character {
    fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Whole, b'\n' | b'\r') => Self::LineBreak,
            (Self::Whole, 0..=0x7f) => Self::Whole,
            (Self::Whole, 0xc2..=0xdf) => Self::Part(1, 0x80, 0xbf),
            (Self::Whole, 0xe0) => Self::Part(2, 0xa0, 0xbf),
            (Self::Whole, 0xe2) => Self::Separator(2),
            (Self::Whole, 0xed) => Self::Part(2, 0x80, 0x9f),
            (Self::Whole, 0xe1..=0xef) => Self::Part(2, 0x80, 0xbf),
            (Self::Whole, 0xf0) => Self::Part(3, 0x90, 0xbf),
            (Self::Whole, 0xf1..=0xf3) => Self::Part(3, 0x80, 0xbf),
            (Self::Whole, 0xf4) => Self::Part(3, 0x80, 0x8f),
            (Self::Separator(2), 0x80) => Self::Separator(1),
            (Self::Separator(2), 0x81..=0xbf) => Self::Part(1, 0x80, 0xbf),
            (Self::Separator(1), 0xa8 | 0xa9) => Self::LineBreak,
            (Self::Separator(1), 0x80..=0xbf) => Self::Whole,
            (Self::Part(1, low, high), byte) if (low..=high).contains(&byte) => Self::Whole,
            (Self::Part(left, low, high), byte) if (low..=high).contains(&byte) => {
                Self::Part(left - 1, 0x80, 0xbf)
            }
            _ => return None,
        })
    }
}

/// Bytes that [`Character::next`] takes alike.
fn kind_of(byte: u8) -> u8 {
    match byte {
        b'\n' | b'\r' => 1,
        0..=0x7f => 0,
        0x80 => 2,
        0x81..=0x8f => 3,
        0x90..=0x9f => 4,
        0xa8 | 0xa9 => 5,
        0xa0..=0xbf => 6,
        0xc0..=0xc1 | 0xf5..=0xff => 7,
        0xc2..=0xdf => 8,
        0xe0 => 9,
        0xe2 => 10,
        0xed => 11,
        0xe1..=0xef => 12,
        0xf0 => 13,
        0xf1..=0xf3 => 14,
        0xf4 => 15,
    }
}

/// Texts by their first bytes.
struct Tree {
    nodes: Vec<Node>,
    bytes: BTreeSet<u8>,
}

#[derive(Default)]
struct Node {
    next: BTreeMap<u8, usize>,
    ends: bool,
}

impl Tree {
    fn of(texts: &BTreeSet<String>) -> Self {
        let mut tree = Self { nodes: vec![Node::default()], bytes: BTreeSet::new() };
        for text in texts {
            let mut at = 0;
            for byte in text.bytes() {
                tree.bytes.insert(byte);
                let fresh = tree.nodes.len();
                let next = *tree.nodes[at].next.entry(byte).or_insert(fresh);
                if next == fresh {
                    tree.nodes.push(Node::default());
                }
                at = next;
            }
            tree.nodes[at].ends = true;
        }
        tree
    }
}

#[cfg(test)]
mod tests;
