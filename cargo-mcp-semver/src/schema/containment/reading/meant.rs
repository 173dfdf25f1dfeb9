//! Formats as they are meant, where a reading is to tell them.

use serde_json::{Map, Value, json};

use super::join;
use crate::schema::formats::{MEANT, narrower, of_text};

/// What stands around the name of a format in a text that has it.
const MARK: char = '\u{e000}';

/// Writes down that a text has a format as if it said so itself. That is in place of what else is
/// said of its characters: the format is what a server goes by. Listed texts speak for themselves.
pub(super) fn mark(map: &Map<String, Value>, written: &mut Map<String, Value>) {
    if map.contains_key("enum") || map.contains_key("const") {
        return;
    }
    let said = MEANT.iter().filter_map(|it| Some((it, narrower(of_text(map.get(*it)?)?))));
    let marks: Vec<Value> = said.map(|(keyword, formats)| of(keyword, &formats)).collect();
    if marks.is_empty() {
        return;
    }
    for keyword in ["pattern", "minLength", "maxLength"] {
        written.remove(keyword);
    }
    let all = marks.into_iter().fold(std::mem::take(written), join);
    *written = all;
}

fn of(keyword: &str, formats: &[&str]) -> Value {
    let plain = |it: char| it.is_alphanumeric() || it == '-';
    let spelt = |name: &str| -> String {
        let spelt = name.chars().map(|it| match plain(it) {
            true => it.to_string(),
            false => format!("_{:x}_", u32::from(it)),
        });
        spelt.collect()
    };
    let names: Vec<String> = formats.iter().map(|it| spelt(it)).collect();
    json!({ "pattern": format!("{MARK}{keyword} (?:{}){MARK}", names.join("|")) })
}
