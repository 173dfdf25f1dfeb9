//! Schemas as schemars 0.8 generates them.

use super::error::{Result, unresolved};
use super::generator::Settings;
use super::marks::Object;
use super::types::Ty;
use super::world::World;

/// The root schema of a type.
pub(super) fn root<'t>(_: &World<'_, 't>, _: Settings, _: &Ty<'t>, _: bool) -> Result<Object> {
    unresolved("schemars 0.8 is not known yet")
}
