//! The JSON Schema of the topology file, for editors.
//!
//! It is made from the very types that the file is read into, and its descriptions are their doc
//! comments. What it cannot say, such as references between objects, `parse` checks.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map as JsonMap, Value, json};

use super::file::{DelaySpec, File, Map, TargetSpec};
use crate::strategy::Strategy;

/// The schema.
pub fn schema() -> Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<File>();
    schema.insert("title".to_owned(), "A delayctl topology file".into());
    schema.to_value()
}

impl<T: JsonSchema> JsonSchema for Map<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("MapOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["object", "null"],
            "propertyNames": { "minLength": 1, "maxLength": 255, "not": { "pattern": "^amq\\." } },
            "additionalProperties": generator.subschema_for::<T>(),
        })
    }
}

impl JsonSchema for DelaySpec {
    fn schema_name() -> Cow<'static, str> {
        "Delay".into()
    }

    /// A target, and exactly one strategy under its key.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = JsonMap::new();
        properties.insert("target".to_owned(), generator.subschema_for::<TargetSpec>().to_value());
        let mut one_of = Vec::new();
        for (key, schema) in Strategy::schemas(generator) {
            properties.insert(key.to_owned(), schema.to_value());
            one_of.push(json!({ "required": [key] }));
        }
        json_schema!({
            "description": "A delay: where messages arrive, and the one strategy that holds them \
                            back until then.",
            "type": "object",
            "properties": properties,
            "required": ["target"],
            "oneOf": one_of,
            "additionalProperties": false,
        })
    }
}
