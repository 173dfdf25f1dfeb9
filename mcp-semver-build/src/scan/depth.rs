//! How deep source may nest: a parser, and whatever walks what it made, goes down one call after
//! the other.

use std::io;

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree};
use syn::LitStr;
use syn::parse::Parse;

use super::walk::mask_prelude;
use crate::stack;

/// More than any real source nests, operators in a row included.
const MAX_DEPTH: usize = 3000;
/// Enough for [`MAX_DEPTH`] in an unoptimised build, in bytes; only what is used is taken.
const STACK: usize = 256 << 20;

/// Words with which an expression, a pattern or a type stands inside another.
const NESTING: [&str; 25] = [
    "as", "async", "await", "break", "const", "do", "dyn", "else", "extern", "fn", "for", "if",
    "impl", "in", "let", "loop", "match", "move", "mut", "raw", "ref", "return", "unsafe", "while",
    "yield",
];

/// Runs `work` where [`MAX_DEPTH`] fits the stack; a panic of it goes on here.
///
/// # Errors
/// The system gave no thread.
pub(crate) fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    stack::of(STACK, work)
}

/// Parses text that is no deeper than a stack holds; see [`with_stack`].
pub(crate) fn parse<T: Parse>(text: &str) -> syn::Result<T> {
    let tokens = lexed(text)?;
    check(&tokens)?;
    syn::parse2(tokens)
}

/// Calls `work` with the syntax of a source file, where there is room for whatever goes down it.
/// Places are those of the text, a byte order mark and a shebang line included.
///
/// # Errors
/// The system gave no thread.
pub fn with_parsed<T: Send>(
    text: &str,
    work: impl FnOnce(syn::Result<syn::File>) -> T + Send,
) -> io::Result<T> {
    with_stack(|| work(parse(&mask_prelude(text))))
}

/// As [`parse`], of the text in a string.
pub(crate) fn parse_within<T: Parse>(text: &LitStr) -> syn::Result<T> {
    check(&lexed(&text.value())?)?;
    text.parse()
}

fn lexed(text: &str) -> syn::Result<TokenStream> {
    const WHAT: &str = "this is no token, or a bracket without the other one";
    text.parse().map_err(|error: LexError| syn::Error::new(error.span(), WHAT))
}

/// One level of brackets, or of `<` that may be one.
struct Level {
    tokens: proc_macro2::token_stream::IntoIter,
    /// What was met on this level that the next token may stand inside of.
    chain: usize,
    /// Those of the `<` that are open on this level.
    angles: Vec<usize>,
    /// Whether a `|` was met: a comma may stand between the parameters of a closure.
    has_pipe: bool,
    /// Whether the last token closed a block, behind which something new may begin.
    is_after_block: bool,
    /// The last token, where it is a sign; `#` for both of `#!`, `0` for a literal.
    last: char,
}

impl Level {
    fn new(tokens: TokenStream) -> Self {
        Self {
            tokens: tokens.into_iter(),
            chain: 1,
            angles: Vec::new(),
            has_pipe: false,
            is_after_block: false,
            last: ' ',
        }
    }

    /// Something new begins: what stood before is not around it.
    fn reset(&mut self) -> usize {
        let gone = self.chain + self.angles.drain(..).sum::<usize>();
        self.chain = 1;
        self.has_pipe = false;
        gone - 1
    }
}

/// Requires that nothing nests deeper than [`MAX_DEPTH`]: an upper bound, as what a token means is
/// known to the parser alone.
fn check(tokens: &TokenStream) -> syn::Result<()> {
    let mut levels = vec![Level::new(tokens.clone())];
    let mut depth = 1;
    while let Some(level) = levels.last_mut() {
        let Some(tree) = level.tokens.next() else {
            depth -= level.reset() + 1;
            levels.pop();
            continue;
        };
        // `{ .. }.a`, `{ .. } + 1` and `{ .. } else` go on; other things begin.
        let is_new = std::mem::take(&mut level.is_after_block)
            && match &tree {
                TokenTree::Ident(word) => *word != "else" && *word != "as" && *word != "in",
                TokenTree::Punct(sign) => sign.as_char() == '#',
                TokenTree::Literal(_) => true,
                TokenTree::Group(_) => false,
            };
        if is_new {
            depth -= level.reset();
        }
        let last = std::mem::replace(&mut level.last, ' ');
        let span = tree.span();
        match tree {
            TokenTree::Punct(sign) => {
                level.last = sign.as_char();
                level.has_pipe |= level.last == '|';
                match (last, level.last) {
                    (_, ';') | ('=', '>') => depth -= level.reset(),
                    (_, ',') if !level.has_pipe => {
                        depth -= std::mem::replace(&mut level.chain, 1) - 1;
                    }
                    // Attributes stand beside each other.
                    (_, '#') => {}
                    ('#', '!') => level.last = '#',
                    // The first half of `::`.
                    (_, ':') if sign.spacing() == Spacing::Joint => {}
                    // What is compared or shifted opens nothing, nor does the second half of `<<`.
                    ('0', '<') => {
                        level.last = if sign.spacing() == Spacing::Joint { '0' } else { '<' };
                        level.chain += 1;
                        depth += 1;
                    }
                    (_, '<') => {
                        level.angles.push(std::mem::replace(&mut level.chain, 1));
                        depth += 1;
                    }
                    (before, '>') if before != '-' && !level.angles.is_empty() => {
                        // It may also be an operator, with the other side around it.
                        let outer = level.angles.pop().unwrap_or(1) + 1;
                        depth -= std::mem::replace(&mut level.chain, outer) - 1;
                    }
                    _ => {
                        level.chain += 1;
                        depth += 1;
                    }
                }
            }
            TokenTree::Ident(word) if NESTING.iter().any(|nesting| word == nesting) => {
                level.chain += 1;
                depth += 1;
            }
            TokenTree::Group(group) => {
                level.is_after_block = group.delimiter() == Delimiter::Brace;
                let own = usize::from(last != '#');
                level.chain += own;
                depth += own + 1;
                levels.push(Level::new(group.stream()));
            }
            TokenTree::Ident(_) => {}
            TokenTree::Literal(_) => level.last = '0',
        }
        if depth > MAX_DEPTH {
            let what = format!("it is nested more than {MAX_DEPTH} deep");
            return Err(syn::Error::new(span, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(text: &str) -> bool {
        let told = || parse::<syn::File>(text).err().map(|error| error.to_string());
        with_stack(told).unwrap().is_some_and(|told| told.contains("nested more than"))
    }

    #[test]
    fn whatever_nests_is_bounded() {
        for (before, opens, middle, closes, after) in [
            ("fn f() { let a = ", "!", "x", "", "; }"),
            ("fn f() { let a = ", "- ", "x", "", "; }"),
            ("fn f() { let a = ", "&mut ", "x", "", "; }"),
            ("fn f() { let a = ", "(", "x", ")", "; }"),
            ("fn f() { let a = ", "1 + ", "x", "", "; }"),
            ("fn f() { let a = ", "S {} + ", "x", "", "; }"),
            ("fn f() { let a = ", "a << b >> ", "x", "", "; }"),
            ("fn f() { let a = ", "1 << 2 >> ", "x", "", "; }"),
            ("fn f() { let a = ", "1 << <u8>::A >> ", "x", "", "; }"),
            ("fn f() { let a = ", "{ a }(1) + ", "x", "", "; }"),
            ("fn f() { let a = x", "", "", "()", "; }"),
            ("fn f() { let a = x", "", "", ".a", "; }"),
            ("fn f() { let a = x", "", "", ".await", "; }"),
            ("fn f() { let a = x", "", "", "?", "; }"),
            ("fn f() { let a = x", "", "", " as u8", "; }"),
            ("fn f() { let a = x", "", "", " .a(|| {})", "; }"),
            ("fn f() { ", "if a {} else ", "{}", "", " }"),
            ("fn f() { ", "a = ", "x", "", "; }"),
            ("fn f() { ", "a..", "x", "", "; }"),
            ("fn f() { ", "|a, b| ", "x", "", "; }"),
            ("fn f() { ", "return ", "x", "", "; }"),
            ("fn f() { ", "break 'a ", "x", "", "; }"),
            ("fn f() { ", "'a: ", "{}", "", " }"),
            ("fn f() { ", "- |a, b| - ", "x", "", "; }"),
            ("fn f() { ", "match a { _ => ", "x", "}", " }"),
            ("fn f() { ", "match ", "x", " {}", " }"),
            ("fn f() { ", "for S {} in ", "{}", "{}", " }"),
            ("fn f() { let ", "&", "x", "", "; }"),
            ("fn f() { let ", "x @ ", "x", "", "; }"),
            ("type A = ", "Vec<", "u8", ">", ";"),
            ("type A = ", "Map<u8, ", "u8", ">", ";"),
            ("type A = ", "Map<&'static u8, ", "u8", ">", ";"),
            ("type A = ", "*const ", "u8", "", ";"),
            ("type A = ", "fn() -> ", "u8", "", ";"),
            ("type A = ", "<", "u8", " as T>::A", ";"),
            ("type A = ", "[", "u8", "; 1]", ";"),
            ("type A = ", "impl Fn(", "u8", ")", ";"),
            ("use ", "a::", "b", "", ";"),
            ("", "mod a { ", "", "}", ""),
            ("", "#[a(", "", ")]", "fn f() {}"),
        ] {
            let text = |times| {
                format!("{before}{}{middle}{}{after}", opens.repeat(times), closes.repeat(times))
            };
            assert!(is_refused(&text(20_000)), "{before}{opens}");
            let deepest = (1..12).map(|power| 1 << power).take_while(|it| !is_refused(&text(*it)));
            assert!(deepest.count() > 6, "{before}{opens}");
        }
    }

    #[test]
    fn what_stands_beside_each_other_does_not_nest() {
        for (before, what, after) in [
            ("", "pub fn f(a: &u8) -> Vec<u8> { a < b }", ""),
            ("", "/// A.\n#[a(b = \"c\")] impl<T: A<B>> S<T> where T: C { }", ""),
            ("", "const A: u8 = 1 << 2;", ""),
            ("const A: &[u8] = &[", "1 << 2, 3 < 4,", "];"),
            ("struct S(", "Vec<Vec<u8>>, <A<B> as C>::D,", ");"),
            ("", "a! { b }", ""),
            ("fn f() { match a { ", "(a, b) => { c() }", " } }"),
            ("fn f() { match a { ", "&a => b < c,", " } }"),
            ("fn f() { ", "if a { b } for c in d { e }", " }"),
            ("fn f() { ", "a.b().c()?;", " }"),
            ("", "//! A.\n", ""),
            ("", "/// A.\n", "fn f() {}"),
            ("fn f() { a!(", "'a' ..= 'b', c | d => e,", "); }"),
            ("const A: &[S] = &[", "S { a: -1, b: &[(2, Some(3))] },", "];"),
            ("struct S { ", "pub a: Option<Vec<&'static str>>,", " }"),
        ] {
            let text = format!("{before}{}{after}", what.repeat(20_000));
            assert!(!is_refused(&text), "{what}");
        }
    }
}
