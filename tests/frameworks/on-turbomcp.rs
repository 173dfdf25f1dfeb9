//! A server on turbomcp: the tools are methods of the block, and nobody serves the second one.
#![allow(dead_code, unused_variables)] // arguments are there for their schemas

use std::sync::Arc;

use turbomcp::prelude::*;

#[derive(Clone)]
struct Kitchen {
    stoves: Arc<u32>,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Heat {
//   ^ input_enum_narrowed
    Low,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Guest {
    name: String,
}

#[server(name = "kitchen", version = "1.0.0")]
impl Kitchen {
    /// Cook a whole dish.
//  ^ description_changed
    #[tool(title = "Cook", read_only = true)]
//                         ^ annotation_safer
//         ^ title_changed
    async fn cook(
        &self,
        #[description("What to cook.")] dish: u32,
//                    ^ description_changed
//                                      ^ input_type_narrowed
        heat: Option<Heat>,
        minutes: u32,
//      ^ input_required_added
        #[description("Who eats.")]
        guests: Option<Vec<Guest>>,
//      ^ input_property_added
    ) -> McpResult<String> {
        let hot = if heat.is_some() { "hot" } else { "cold" };
        Ok(format!("{hot}, on {} stoves", self.stoves))
    }

    #[tool("Wash up all.")]
//         ^ description_changed
    async fn wash(&self) -> McpResult<String> {
//           ^ input_property_removed
        Ok("clean".to_owned())
    }
}

#[derive(Clone)]
struct Pantry;

#[server(name = "pantry", version = "1.0.0")]
impl Pantry {
    /// Count the jars.
    #[tool]
    async fn count(&self) -> McpResult<String> {
        Ok("3".to_owned())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let kitchen = Kitchen { stoves: Arc::new(2) };
    kitchen.run_stdio().await.unwrap();
}
