//! Text of others does nothing but be read.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::{GITHUB, MARKDOWN, SARIF, hostile};
use crate::report::human::{self, Detail};
use crate::report::json;
use crate::report::sources::Sources;
use crate::report::visible::visible;

/// What a report in Markdown holds of HTML.
const OURS: &[&str] = &[
    "<!-- cargo-mcp-semver -->",
    "<!---->",
    "<span>",
    "</span>",
    "<code>",
    "</code>",
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
];

/// Fails where a report in Markdown has more than text, code and the HTML of its own.
fn assert_harmless_markdown(report: &str) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH;
    let (mut text, mut cells, mut code, mut lists) = (String::new(), 0, false, 0);
    for event in Parser::new_ext(report, options) {
        match event {
            Event::Text(part) if !code => text.push_str(&part),
            Event::Html(html) | Event::InlineHtml(html) => {
                let mut rest = html.to_string();
                if let Some((before, inside)) = rest.split_once("<code>") {
                    let (name, after) = inside.split_once("</code>").unwrap_or((inside, ""));
                    assert!(!name.contains(['<', '>']), "{html}");
                    rest = format!("{before}{after}");
                }
                OURS.iter().for_each(|ours| rest = rest.replace(ours, ""));
                assert!(!rest.contains('<'), "{html:?} in\n{report}");
                text.push('\u{0}');
            }
            Event::Start(Tag::List(_)) => {
                lists += 1;
                assert_eq!(lists, 1, "{report}");
            }
            Event::End(pulldown_cmark::TagEnd::List(_)) => lists -= 1,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => code = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => code = false,
            Event::Start(Tag::TableHead | Tag::TableRow) => cells = 0,
            Event::Start(Tag::TableCell) => cells += 1,
            Event::End(pulldown_cmark::TagEnd::TableRow) => assert_eq!(cells, 4, "{report}"),
            Event::Start(
                Tag::CodeBlock(CodeBlockKind::Indented)
                | Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::FootnoteDefinition(_)
                | Tag::Emphasis
                | Tag::Strikethrough,
            )
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::Rule => panic!("{event:?} in\n{report}"),
            Event::Start(_) | Event::End(_) | Event::SoftBreak | Event::HardBreak => {
                text.push('\u{0}');
            }
            _ => {}
        }
    }
    let follows = |sign: char, next: fn(char) -> bool| {
        text.match_indices(sign).any(|(at, _)| text[at + 1..].starts_with(next))
    };
    assert!(!follows('@', char::is_alphanumeric), "a mention in\n{text}");
    assert!(!follows('#', |next| next.is_ascii_digit()), "an issue in\n{text}");
    assert!(!follows(':', char::is_alphanumeric), "an emoji in\n{text}");
    assert!(!text.to_lowercase().contains("gh-"), "an issue in\n{text}");
    assert!(!text.contains("://") && !text.contains("www."), "an address in\n{text}");
}

fn assert_harmless(text: &str) {
    let run = hostile(text);
    let markdown = MARKDOWN(&run);
    assert_harmless_markdown(&markdown);
    let github = GITHUB(&run);
    for line in github.lines() {
        let (head, message) = line[2..].split_once("::").expect("a command");
        assert!(["error ", "warning ", "notice "].iter().any(|name| head.starts_with(name)));
        assert!(!message.contains('\r'));
    }
    for report in [SARIF(&run), json::render(&run)] {
        assert!(!report.contains("##["), "{report}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&SARIF(&run)).unwrap();
    let messages = sarif["runs"][0]["results"].as_array().unwrap().iter();
    for message in messages.map(|result| result["message"]["text"].as_str().unwrap()) {
        assert!(!message.contains("]("));
        assert!(!message.replace("{{", "").replace("}}", "").contains(['{', '}']), "{message}");
    }
    let human = human::render(&run, Detail::Verbose, &Sources::none());
    let human = anstream::adapter::strip_str(&human).to_string();
    for (report, command) in [(markdown, ""), (human, ""), (github, "::")] {
        for line in report.lines() {
            let line = line.strip_prefix(command).unwrap_or(line);
            assert_eq!(visible(line).to_string(), line);
        }
    }
}

#[test]
fn markup_is_shown() {
    let texts = [
        "<img src=x onerror=alert(1)><!-- \u{202e}",
        "</code></summary></details><script>",
        "@someone #1 GH-1 owner/repo#2 :tada: https://example.com www.example.com a@b.c",
        "`` ` ``` a` | b \\| c \\",
        "| a | b |\n| --- | --- |\n# h\n- [ ] x\n***\n![a](b)[^1]",
        "$a$ $$b$$ $`c`$ ~~d~~ *e* _f_ &lt; &#64;x \\@y",
        "::error::a\r\n::stop-commands::x ##[error]b %0A::c,d:e",
        "```\n```diff\n~~~",
        "--",
        "- -",
        "+ a",
        "12) a",
        "     a",
        " ",
        "|",
        "`",
        "0`:",
        "\\",
    ];
    texts.iter().for_each(|text| assert_harmless(text));
    let nasty = "`<b>` @a [x](https://y) | #1\u{202e}\n::error::z";
    insta::assert_snapshot!("harmless_markdown", MARKDOWN(&hostile(nasty)));
    insta::assert_snapshot!("harmless_github", GITHUB(&hostile(nasty)));
}

#[test]
fn a_report_fits_into_a_comment() {
    let long = MARKDOWN(&hostile(&"`x| ".repeat(100_000)));
    assert!(long.len() < 65_536, "{}", long.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_does_anything(text in "[-+)a@#`|\\\\<>&$*_\\[\\]()!~^:/.w{}%,\\n\\r 0\u{202e}]{1,24}") {
        assert_harmless(&text);
    }
}
