//! The tools: two in the box that is served, one in a box that nothing serves.

use rust_mcp_sdk::macros::{JsonSchema, mcp_tool};
use rust_mcp_sdk::tool_box;
use serde::{Deserialize, Serialize};

#[mcp_tool(
    name = "find_train",
    title = "Find a train",
    description = "Find trains between two stations.",
//  ^ description_changed
    read_only_hint = false
//  ^ annotation_less_safe
)]
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct FindTrain {
//         ^ input_property_removed
    /// Where it starts.
//  ^ description_changed
    from: u32,
//  ^ input_type_narrowed
    /// At most this many.
    limit: Option<u32>,
    class: Option<Class>,
    stops: Vec<u32>,
//  ^ input_required_added
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub enum Class {
//       ^ input_enum_narrowed
    First,
}

#[mcp_tool(name = "book_seat", description = "Book a seat.", idempotent_hint = false)]
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct BookSeat {
    train: String,
    #[json_schema(min_length = 2, max_length = 3)]
//                                ^ input_constraint_tightened
    seat: String,
}

#[mcp_tool(name = "cancel_train", description = "Cancel a train.")]
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct CancelTrain {
    train: String,
}

tool_box!(Counter, [FindTrain, BookSeat]);
tool_box!(BackOffice, [CancelTrain]);
