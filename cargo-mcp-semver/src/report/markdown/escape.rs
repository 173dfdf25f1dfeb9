//! Text of others inside Markdown: it can be read, and does nothing.
//!
//! GitHub looks for mentions, issue numbers, addresses, formulas and emoji after it has undone
//! backslashes and entities, so escaping alone does not stop them. It leaves code alone, where
//! all quoted text goes; elsewhere an empty comment in the middle breaks them.

use crate::report::visible::visible;

/// What ends a word for GitHub and shows nothing.
const BREAK: &str = "<!---->";

/// A sentence in which names stand in backticks, as findings write them: those become code, the
/// rest plain words. It may stand where a block begins.
pub(super) fn sentence(text: &str) -> String {
    let mut text = text.trim_start();
    let mut out = String::new();
    // At the beginning, `-`, `+`, `1.` and `1)` are signs of a list, and `---` is a rule.
    let word = text.split(char::is_whitespace).next().unwrap_or(text);
    let sign = word.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let number = word.len() - sign.len();
    if matches!(sign, "." | ")") || number == 0 && sign.starts_with(['-', '+']) {
        out.extend([&text[..number], "\\", &text[number..=number]]);
        text = &text[number + 1..];
    }
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        // The last of an even number of parts follows a backtick that nothing closes.
        if index % 2 == 1 && index + 1 < parts.len() {
            // Two pieces of code side by side would be one.
            if out.ends_with('`') {
                out.push_str(BREAK);
            }
            out.push_str(&code(part));
        } else {
            out.push_str(&words(part));
        }
    }
    out
}

/// Text as code, in a table too.
pub(super) fn code(text: &str) -> String {
    // Inside a table a bar ends even code, and a backslash before it does not always help.
    if text.contains('|') {
        return format!("<code>{}</code>", words(text));
    }
    let text = visible(text).to_string();
    if text.is_empty() {
        return text;
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // Where both sides have a space beside the backticks, it is no part of the code.
    let touches = |end: Option<char>| matches!(end, Some('`' | ' '));
    let pad = if touches(text.chars().next()) || touches(text.chars().last()) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Text as code inside an HTML block, where Markdown means nothing.
pub(super) fn html_code(text: &str) -> String {
    let text = visible(text).to_string();
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<code>{text}</code>")
}

/// A fence that no line of `content` closes.
pub(super) fn fence(content: &str) -> String {
    "`".repeat(longest_run(content).max(2) + 1)
}

fn longest_run(text: &str) -> usize {
    text.split(|other| other != '`').map(str::len).max().unwrap_or(0)
}

/// Text as plain words.
fn words(text: &str) -> String {
    let text = visible(text).to_string();
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' => out.push_str("&#124;"),
            '$' => out.push_str("<span>&#36;</span>"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '^' => out.extend(['\\', character]),
            '.' if out.ends_with("www") => out.extend([BREAK, "."]),
            '@' | '#' => {
                out.push(character);
                out.push_str(BREAK);
            }
            // `https://` and `:emoji:`; before a space a colon is punctuation, and at the end
            // nobody knows what follows.
            ':' if characters.peek().is_none_or(|next| *next != ' ') => {
                out.push(character);
                out.push_str(BREAK);
            }
            '-' if out.to_ascii_lowercase().ends_with("gh") => {
                out.push_str(BREAK);
                out.push(character);
            }
            character => out.push(character),
        }
    }
    out
}
