//! A server on poem-mcpserver: every method of the block is a tool; one block is not served.
#![allow(dead_code, unused_variables)] // arguments are there for their schemas

use poem_mcpserver::content::Text;
use poem_mcpserver::tool::StructuredContent;
use poem_mcpserver::{McpServer, Tools, stdio::stdio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

struct Garden {
    beds: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Season {
//   ^ input_enum_narrowed
    Spring,
}

#[derive(Serialize, JsonSchema)]
struct Bed {
//     ^ output_property_removed
    metres: String,
//  ^ output_property_added
}

/// Plans a garden.
#[Tools]
impl Garden {
//   ^ tool_removed
    /// Plant something new.
//  ^ description_changed
    ///
    /// In the next free bed.
    async fn plant(
        &self,
        /// What to plant there.
//      ^ description_changed
        plant: u32,
//      ^ input_type_narrowed
        season: Option<Season>,
        depth: u32,
//      ^ input_required_added
    ) -> StructuredContent<Bed> {
        StructuredContent(Bed { metres: self.beds.to_string() })
    }
}

struct Shed;

#[Tools]
impl Shed {
    /// Fetch a tool.
    async fn fetch(&self, name: String) -> Text<String> {
        Text(name)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    stdio(McpServer::new().tools(Garden { beds: 2 })).await
}
