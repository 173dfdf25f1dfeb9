//! Two tools that are served, and one that nothing routes to.

use mcp_attr::server::builder::Route;
use mcp_attr::server::{McpServer, RequestContext, mcp_server, route, tool};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) struct Library {
    pub(super) shelves: u32,
}

/// How a book is bound.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Binding {
//              ^ input_enum_narrowed
    Hard,
}

#[mcp_server]
impl McpServer for Library {
    /// Find one book.
//  ^ description_changed
    ///
    /// By any word of its title.
    #[tool]
    async fn find_book(
//           ^ input_property_removed
        &self,
        /// One word of the title.
//      ^ description_changed
        word: u32,
//      ^ input_type_narrowed
//      ^ title_changed
        #[arg("bound_as")] binding: Option<Binding>,
        _skip: Option<Vec<String>>,
//      ^ input_property_added
    ) -> mcp_attr::Result<String> {
        let bound = if binding.is_some() { " as bound" } else { "" };
        Ok(format!("{word}{bound} on {} shelves", self.shelves))
    }

    #[tool("lend")]
    async fn lend_book(id: String, context: &RequestContext) -> mcp_attr::Result<String> {
//                     ^ input_type_narrowed
//                     ^ title_changed
        Ok(format!("{id} to {}", context.client_info().name))
    }
}

/// Burn a book.
#[tool]
async fn burn_book(id: u64) -> mcp_attr::Result<String> {
    Ok(format!("{id} is safe"))
}

/// What a server would be built of that is put together while it runs.
pub(super) fn routes() -> mcp_attr::Result<Route> {
    Ok(route![burn_book].into())
}
