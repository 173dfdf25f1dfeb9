//! The generated Rust module.

use std::fmt::Write as _;

use super::versions::Tool;

/// Its text: constants alone, which compile in every edition and crate.
pub(super) fn text(tools: &[Tool]) -> String {
    let mut text = String::from(
        "/// Name, version and contract digest of each tool, sorted by name. A tool whose contract\n\
         /// the source does not tell is not among them.\n\
         #[allow(dead_code)]\n\
         pub const TOOLS: &[(&str, &str, &str)] = &[\n",
    );
    for Tool { name, version, digest } in tools {
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "    ({name:?}, {version:?}, \"{digest}\"),");
    }
    text.push_str(
        "];\n\n\
         /// Version and contract digest of a tool.\n\
         #[allow(dead_code)]\n\
         pub fn tool(name: &str) -> Option<(&'static str, &'static str)> {\n    \
             TOOLS.iter().find(|tool| tool.0 == name).map(|tool| (tool.1, tool.2))\n\
         }\n",
    );
    text
}
