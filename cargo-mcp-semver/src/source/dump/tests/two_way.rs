//! Recorded sessions that show who asked for what.

use super::*;

fn ask(id: u64, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}})
}

fn listed(id: u64, name: &str) -> Value {
    response(id, json!({"tools": [{"name": name}]}))
}

#[test]
fn the_answer_to_another_request_is_no_list() {
    for method in ["tools/call", "my/x"] {
        let alone = [ask(0, "initialize"), ask(1, method), listed(1, "z")];
        let error = session(&alone).unwrap_err().to_string();
        assert!(
            error.ends_with("found the answer to another request than `tools/list`"),
            "{error}"
        );
        // Before the list and after it, alone and in a batch with it.
        for log in [
            vec![ask(1, method), listed(1, "z"), ask(2, "tools/list"), listed(2, "a")],
            vec![ask(2, "tools/list"), listed(2, "a"), ask(3, method), listed(3, "z")],
            vec![ask(3, method), ask(2, "tools/list"), json!([listed(2, "a"), listed(3, "z")])],
        ] {
            assert_eq!(names(&session(&log).unwrap()), ["a"], "{log:?}");
        }
    }
    let unasked = [ask(2, "tools/list"), listed(2, "a"), listed(9, "z")];
    let error = session(&unasked).unwrap_err().to_string();
    assert!(error.ends_with("the answer to a request that the session does not show"), "{error}");
    // Who recorded the server alone has its requests and no others.
    let one_way = [ask(0, "ping"), ask(1, "roots/list"), listed(2, "a")];
    assert_eq!(names(&session(&one_way).unwrap()), ["a"]);
}

#[test]
fn a_second_answer_to_one_request_for_tools_still_counts() {
    for log in [
        vec![ask(1, "tools/list"), listed(1, "a"), listed(1, "b")],
        vec![ask(1, "tools/list"), ask(2, "tools/list"), listed(1, "a"), listed(2, "b")],
    ] {
        let error = session(&log).unwrap_err().to_string();
        assert!(error.contains("2 whole lists of tools that are not the same"), "{error}");
    }
}

#[test]
fn the_clients_answer_to_the_server_is_no_answer_of_the_servers() {
    let asked = || ask(1, "tools/list");
    let done = || response(1, json!({}));
    let refused = || json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "not me"}});
    for method in
        ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "their/own"]
    {
        let theirs = || ask(1, method);
        for log in [
            vec![asked(), theirs(), done(), listed(1, "a")],
            vec![asked(), theirs(), refused(), listed(1, "a")],
            vec![asked(), theirs(), listed(1, "a"), done()],
        ] {
            assert_eq!(names(&session(&log).unwrap()), ["a"], "{log:?}");
        }
        // Neither takes the place of the list that was asked for.
        for (answer, expected) in [(done(), "out of date"), (refused(), "not me")] {
            assert!(session(&[asked(), theirs(), answer.clone()]).is_err(), "{method}");
            let before = [ask(7, "tools/list"), listed(7, "a"), asked(), theirs(), answer];
            assert!(session(&before).unwrap_err().to_string().contains(expected), "{method}");
        }
        let error = session(&[asked(), theirs(), done(), done()]).unwrap_err().to_string();
        assert!(error.ends_with("found an empty object"), "{error}");
    }
    let before = [ask(1, "ping"), asked(), done(), listed(1, "a")];
    assert_eq!(names(&session(&before).unwrap()), ["a"]);
}

#[test]
fn two_listings_at_once_say_so() {
    let page = |id| response(id, json!({"tools": [{"name": "a"}], "nextCursor": "2"}));
    let log = [ask(1, "tools/list"), ask(2, "tools/list"), page(1), page(2)];
    let error = session(&log).unwrap_err().to_string();
    assert!(error.ends_with("was a page put in twice, or listed twice at once?"), "{error}");
}
