//! A server on pmcp, which hands its tools to a builder while it starts: one with a schema of its own,
//! one with that of a type.

use async_trait::async_trait;
use pmcp::server::typed_tool::TypedTool;
use pmcp::types::ToolInfo;
use pmcp::{RequestHandlerExtra, Server, ToolHandler};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Tells the height of the tide.
struct Tide;

#[async_trait]
impl ToolHandler for Tide {
    async fn handle(&self, arguments: Value, _: RequestHandlerExtra) -> pmcp::Result<Value> {
        Ok(json!({ "harbour": arguments["harbour"], "metres": 2.5 }))
    }

    fn metadata(&self) -> Option<ToolInfo> {
        let schema = json!({
            "type": "object",
            "properties": { "harbour": { "type": "integer" } },
            "required": ["harbour"],
        });
        Some(ToolInfo::new("tide", Some("The height of the tide.".into()), schema))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Berth {
//   ^ input_enum_narrowed
    Quay,
}

#[derive(Deserialize, JsonSchema)]
struct Moor {
    /// What the ship is called.
//  ^ description_changed
    ship: u32,
//  ^ input_type_narrowed
    berth: Option<Berth>,
    hours: u32,
//  ^ input_required_added
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> pmcp::Result<()> {
    let moor = TypedTool::new("moor", |moor: Moor, _| {
        Box::pin(async move { Ok(json!(moor.ship)) })
    })
    .with_description("Moor a ship for hours.")
//   ^ description_changed
    .read_only();
//   ^ annotation_safer
    let server = Server::builder()
        .name("harbours")
        .version("1.0.0")
        .tool("tide", Tide)
//            ^ input_type_narrowed
        .tool("moor", moor)
        .build()?;
    server.run_stdio().await
}
