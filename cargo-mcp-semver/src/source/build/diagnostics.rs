//! What the compiler said, with the paths a person knows.

use std::path::Path;

use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};

use super::overlay::Overlay;

/// The text of a diagnostic that stops a build; `None` for warnings, which the instrumented copy
/// is not asked for, and for the closing remarks that cargo leaves out too.
pub(super) fn error_text(diagnostic: &Diagnostic) -> Option<&str> {
    let stops = matches!(diagnostic.level, DiagnosticLevel::Error | DiagnosticLevel::Ice);
    let closing = diagnostic.message.starts_with("aborting due to");
    diagnostic.rendered.as_deref().filter(|_| stops && !closing)
}

/// Puts the user's paths in the place of the overlays': relative to the workspace where cargo
/// would write them so.
pub(super) fn mapped<'o>(
    text: &str,
    overlays: impl IntoIterator<Item = &'o Overlay>,
    workspace: &Path,
) -> String {
    let mut text = text.to_owned();
    for overlay in overlays {
        let mut inside = overlay.mirror(workspace).into_os_string();
        inside.push(std::path::MAIN_SEPARATOR_STR);
        text = text.replace(&*inside.to_string_lossy(), "");
        // What remains is above the workspace; its path starts where the overlay's ends.
        text = text.replace(&*overlay.root().to_string_lossy(), "");
    }
    text
}

#[cfg(test)]
#[path = "tests/diagnostics.rs"]
mod tests;
