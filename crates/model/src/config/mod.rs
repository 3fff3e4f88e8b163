//! What a user may set. `settings.rs` is the one registry; `value.rs` says how a setting's type is read and shown;
//! `schema.rs` makes the JSON Schema from the registry. Finding and layering files is `state::config`'s work.

mod floor;
mod profile;
mod schema;
mod settings;
mod value;

pub use floor::{Floor, stricter};
pub use profile::Profile;
pub use schema::json_schema;
pub use settings::{Bound, Config, RETIRED, Retired, SETTINGS, Setting, find, nearest};
pub use value::{
    Engine, EngineChoice, Formatting, JsRuntime, Kind, LevelMap, ListMap, Nursery, Pace, PackageManager,
    Unconfigured, Value,
};
