use std::path::PathBuf;

use super::*;

fn overlays() -> [Overlay; 2] {
    ["/ws/target/o/1", "/ws/target/o/2"].map(|root| Overlay::new(root.into(), PathBuf::from("/ws")))
}

#[test]
fn paths_are_the_users() {
    let text =
        "error: x\n  --> /ws/target/o/1/ws/src/main.rs:3:5\n  ::: /ws/target/o/2/above/a.rs:1:1\n";
    let expected = "error: x\n  --> src/main.rs:3:5\n  ::: /above/a.rs:1:1\n";
    assert_eq!(mapped(text, &overlays(), Path::new("/ws")), expected);
}

#[test]
fn only_what_stops_a_build_is_shown() {
    let diagnostic = |level: &str, message: &str| -> Diagnostic {
        serde_json::from_value(serde_json::json!({
            "message": message, "code": null, "level": level, "spans": [], "children": [],
            "rendered": format!("{level}: {message}"),
        }))
        .unwrap()
    };
    assert_eq!(error_text(&diagnostic("error", "no")), Some("error: no"));
    assert!(error_text(&diagnostic("error: internal compiler error", "bug")).is_some());
    assert_eq!(error_text(&diagnostic("warning", "unused")), None);
    assert_eq!(error_text(&diagnostic("error", "aborting due to 1 previous error")), None);
}
