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
    let settings = SchemaSettings::draft07();
    let made = settings.into_generator().into_root_schema_for::<File>().to_value();
    let mut schema = json!({
        "$schema": made["$schema"],
        "title": "A delayctl topology file",
        "description": made["description"],
    });
    if let (Some(schema), Value::Object(made)) = (schema.as_object_mut(), made) {
        made.into_iter().for_each(|(key, value)| _ = schema.entry(key).or_insert(value));
    }
    unfold(&mut schema);
    schema
}

/// Joins the lines of descriptions: doc comments are folded where the source is.
fn unfold(value: &mut Value) {
    match value {
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| match value {
            Value::String(text) if key == "description" => {
                let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
                *text = paragraphs.collect::<Vec<_>>().join("\n\n");
            }
            _ => unfold(value),
        }),
        Value::Array(items) => items.iter_mut().for_each(unfold),
        _ => {}
    }
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
