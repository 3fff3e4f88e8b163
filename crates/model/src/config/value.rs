//! How the type of a setting is read from JSON, shown, and described.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::config::Profile;
use crate::meta::Level;

/// What a setting accepts, for messages, docs and the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Number,
    NumberOrNull,
    Text,
    TextOrNull,
    Choice(&'static [&'static str]),
    /// One of these, or `false`.
    ChoiceOrFalse(&'static [&'static str]),
    List,
    /// An object whose values are lists of strings.
    Lists,
    /// An object whose values are one of these.
    Choices(&'static [&'static str]),
    /// One of these for everything, or an object whose values are.
    ChoiceOrChoices(&'static [&'static str]),
}

impl Kind {
    /// What was expected, as the end of a sentence.
    pub fn expected(self) -> String {
        match self {
            Kind::Bool => "true or false".into(),
            Kind::Number => "a whole number".into(),
            Kind::NumberOrNull => "a whole number or null".into(),
            Kind::Text => "a string".into(),
            Kind::TextOrNull => "a string or null".into(),
            Kind::Choice(names) => format!("one of {}", quoted(names)),
            Kind::ChoiceOrFalse(names) => format!("one of {}, or false", quoted(names)),
            Kind::List => "a list of strings".into(),
            Kind::Lists => "an object of lists of strings".into(),
            Kind::Choices(names) => format!("an object whose values are one of {}", quoted(names)),
            Kind::ChoiceOrChoices(names) => {
                format!("one of {0}, or an object whose values are one of {0}", quoted(names))
            }
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// The type of a setting.
pub trait Value: Sized {
    const KIND: Kind;
    /// `None` when the JSON is of another type; `Kind::expected` then says which was wanted.
    fn read(json: &Json) -> Option<Self>;
    fn show(&self) -> Json;
}

impl Value for bool {
    const KIND: Kind = Kind::Bool;

    /// The original compared toggles as text, so `"false"` in an existing file means what its author meant.
    fn read(json: &Json) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(*value),
            Json::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn show(&self) -> Json {
        Json::Bool(*self)
    }
}

impl Value for u64 {
    const KIND: Kind = Kind::Number;

    fn read(json: &Json) -> Option<Self> {
        json.as_u64()
    }

    fn show(&self) -> Json {
        Json::from(*self)
    }
}

impl Value for Option<u64> {
    const KIND: Kind = Kind::NumberOrNull;

    fn read(json: &Json) -> Option<Self> {
        if json.is_null() { Some(None) } else { json.as_u64().map(Some) }
    }

    fn show(&self) -> Json {
        self.map_or(Json::Null, Json::from)
    }
}

impl Value for String {
    const KIND: Kind = Kind::Text;

    fn read(json: &Json) -> Option<Self> {
        json.as_str().map(str::to_owned)
    }

    fn show(&self) -> Json {
        Json::String(self.clone())
    }
}

impl Value for Option<String> {
    const KIND: Kind = Kind::TextOrNull;

    fn read(json: &Json) -> Option<Self> {
        if json.is_null() { Some(None) } else { String::read(json).map(Some) }
    }

    fn show(&self) -> Json {
        self.clone().map_or(Json::Null, Json::String)
    }
}

impl Value for Vec<String> {
    const KIND: Kind = Kind::List;

    fn read(json: &Json) -> Option<Self> {
        json.as_array()?.iter().map(String::read).collect()
    }

    fn show(&self) -> Json {
        Json::Array(self.iter().map(Value::show).collect())
    }
}

/// Lists by name, such as the allowed subcommands of each package manager.
pub type ListMap = BTreeMap<String, Vec<String>>;

impl Value for ListMap {
    const KIND: Kind = Kind::Lists;

    fn read(json: &Json) -> Option<Self> {
        json.as_object()?.iter().map(|(name, list)| Some((name.clone(), Vec::read(list)?))).collect()
    }

    fn show(&self) -> Json {
        Json::Object(self.iter().map(|(name, list)| (name.clone(), list.show())).collect())
    }
}

/// Levels by check id.
pub type LevelMap = BTreeMap<String, Level>;

impl Value for LevelMap {
    const KIND: Kind = Kind::Choices(Level::NAMES);

    fn read(json: &Json) -> Option<Self> {
        json.as_object()?
            .iter()
            .map(|(id, level)| Some((id.clone(), Level::parse(level.as_str()?)?)))
            .collect()
    }

    fn show(&self) -> Json {
        Json::Object(self.iter().map(|(id, level)| (id.clone(), level.as_str().into())).collect())
    }
}

impl Value for Profile {
    const KIND: Kind = Kind::Choice(Profile::NAMES);

    fn read(json: &Json) -> Option<Self> {
        Profile::parse(json.as_str()?)
    }

    fn show(&self) -> Json {
        self.as_str().into()
    }
}

/// Which package manager a project wants, and how firmly: `"uv"`, `"uv:warn"`, `"auto"`, `false`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PackageManager {
    /// Enforced where the project shows that it uses the tool.
    #[default]
    Auto,
    Enforce(String),
    Warn(String),
    Off,
}

impl Value for PackageManager {
    const KIND: Kind = Kind::ChoiceOrFalse(&[
        "auto",
        "uv",
        "uv:warn",
        "poetry",
        "poetry:warn",
        "bun",
        "bun:warn",
        "npm",
        "npm:warn",
        "pnpm",
        "pnpm:warn",
        "yarn",
        "yarn:warn",
        "off",
    ]);

    fn read(json: &Json) -> Option<Self> {
        match json {
            Json::Bool(false) => Some(PackageManager::Off),
            Json::String(text) => match text.as_str() {
                "auto" => Some(PackageManager::Auto),
                // The original's wizard wrote `False` when asked for none.
                "off" | "false" | "False" => Some(PackageManager::Off),
                _ => {
                    let (tool, warn) = match text.strip_suffix(":warn") {
                        Some(tool) => (tool, true),
                        None => (text.as_str(), false),
                    };
                    let known = matches!(tool, "uv" | "poetry" | "bun" | "npm" | "pnpm" | "yarn");
                    known.then(|| {
                        if warn {
                            PackageManager::Warn(tool.into())
                        } else {
                            PackageManager::Enforce(tool.into())
                        }
                    })
                }
            },
            _ => None,
        }
    }

    fn show(&self) -> Json {
        match self {
            PackageManager::Auto => "auto".into(),
            PackageManager::Enforce(tool) => tool.as_str().into(),
            PackageManager::Warn(tool) => format!("{tool}:warn").into(),
            PackageManager::Off => Json::Bool(false),
        }
    }
}

macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),* $(,)? } default $default:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl Default for $name {
            fn default() -> Self { $name::$default }
        }

        impl Value for $name {
            const KIND: Kind = Kind::Choice(&[$($text),*]);

            fn read(json: &Json) -> Option<Self> {
                match json.as_str()? {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }

            fn show(&self) -> Json {
                match self { $($name::$variant => $text.into(),)* }
            }
        }
    };
}

choice! {
    /// Who runs JavaScript tools.
    JsRuntime { Auto = "auto", Node = "node", Npm = "npm", Pnpm = "pnpm", Bun = "bun" } default Auto
}

choice! {
    /// What Biome's nursery rules count for.
    Nursery { Off = "off", Warn = "warn", Error = "error" } default Warn
}

choice! {
    /// Who lints: what is linked into this program, or the tools on the machine.
    EngineChoice { Auto = "auto", Embedded = "embedded", External = "external" } default Auto
}

choice! {
    /// How much of the linting an edit waits for.
    Pace { Fast = "fast", Thorough = "thorough" } default Fast
}

choice! {
    /// What counts of a linter that a project has not chosen.
    Unconfigured { All = "all", Faults = "faults" } default Faults
}

choice! {
    /// Which edited files are formatted.
    Formatting { Chosen = "chosen", All = "all" } default Chosen
}

/// The choice of engine: one for all languages, or by language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engine {
    all: EngineChoice,
    by_language: BTreeMap<String, EngineChoice>,
}

impl Engine {
    pub fn of(&self, language: &str) -> EngineChoice {
        self.by_language.get(language).copied().unwrap_or(self.all)
    }
}

impl Value for Engine {
    const KIND: Kind = Kind::ChoiceOrChoices(&["auto", "embedded", "external"]);

    fn read(json: &Json) -> Option<Self> {
        let Some(object) = json.as_object() else {
            return Some(Self { all: EngineChoice::read(json)?, by_language: BTreeMap::new() });
        };
        let entries = object.iter().map(|(name, value)| Some((name.clone(), EngineChoice::read(value)?)));
        Some(Self { all: EngineChoice::Auto, by_language: entries.collect::<Option<_>>()? })
    }

    fn show(&self) -> Json {
        if self.by_language.is_empty() {
            return self.all.show();
        }
        Json::Object(self.by_language.iter().map(|(name, choice)| (name.clone(), choice.show())).collect())
    }
}
