//! Lists of tools in other forms than the wire's.

use super::*;

fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
}

#[test]
fn a_schema_under_another_name_is_not_passed_over() {
    let tool = ": tool number 1 of the list: tool `weather`: ";
    let wire = "write the wire form, in Python with `model_dump(by_alias=True)`";
    let listed = "give the tools as MCP's `tools/list` has them";
    // `ListToolsResult.model_dump()` of Python's `mcp`.
    let dumped = json!({"meta": null, "next_cursor": null, "tools": [{
        "name": "weather", "title": null, "description": "Tells.", "input_schema": schema(),
        "output_schema": null, "icons": null, "annotations": null, "meta": {"x": 1},
        "execution": null,
    }]});
    // The tools of Anthropic's Messages API, and of OpenAI's Responses API.
    let messages = json!([{"name": "weather", "description": "Tells.", "input_schema": schema()}]);
    let responses = json!([
        {"type": "function", "name": "weather", "parameters": schema(), "strict": true}
    ]);
    let null = json!([{"name": "weather", "inputSchema": null, "input_schema": "{}"}]);
    let output =
        json!([{"name": "weather", "inputSchema": schema(), "output_schema": {"type": "object"}}]);
    for (list, missing, key, advice) in [
        (dumped, "inputSchema", "input_schema", wire),
        (messages, "inputSchema", "input_schema", wire),
        (responses, "inputSchema", "parameters", listed),
        (null, "inputSchema", "input_schema", wire),
        (output, "outputSchema", "output_schema", wire),
    ] {
        let expected =
            format!("{tool}no `{missing}`, but `{key}`, which may stand for it; {advice}");
        assert_eq!(complaint(&list.to_string()), expected);
        // In a batch the tools are looked at later.
        let list = list.get("tools").cloned().unwrap_or(list);
        let batch = json!([response(1, json!({"tools": list}))]);
        assert_eq!(complaint(&batch.to_string()), expected);
    }
}

#[test]
fn a_cursor_under_another_name_is_not_passed_over() {
    let page = json!({"tools": [{"name": "a"}], "next_cursor": "2"});
    let expected = ": no `nextCursor`, but `next_cursor`; write the wire form, in Python with \
                    `model_dump(by_alias=True)`";
    assert_eq!(complaint(&page.to_string()), expected);
    let pages = [response(1, page), response(2, json!({"tools": [{"name": "b"}]}))];
    let error = session(&pages).unwrap_err().to_string();
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn tools_without_a_schema_are_read() {
    for tool in [
        json!({"name": "a"}),
        json!({"name": "a", "_meta": {"x": 1}, "icons": {}, "tags": ["x"], "version": "1"}),
        json!({"name": "a", "inputSchema": schema(), "parameters": schema(), "input_schema": {}}),
        json!({"name": "a", "input_schema": null, "output_schema": null}),
    ] {
        assert_eq!(names(&session(&[json!([tool])]).unwrap()), ["a"], "{tool}");
    }
    let whole = json!({"tools": [{"name": "a"}], "nextCursor": null, "next_cursor": null});
    assert_eq!(names(&session(&[whole]).unwrap()), ["a"]);
}
