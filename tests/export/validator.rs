//! The part of JSON Schema (draft 7) that the topology's schema uses. A keyword that is not known
//! here fails the test, so that nothing in the schema goes unchecked.

use fancy_regex::Regex;
use serde_json::{Map, Value};

/// What is wrong with a document, as `path: keyword`.
pub fn errors(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validator { root: schema }.check(schema, document, "", &mut found);
    found
}

struct Validator<'a> {
    root: &'a Value,
}

impl<'a> Validator<'a> {
    fn is_valid(&self, schema: &'a Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.check(schema, value, "", &mut found);
        found.is_empty()
    }

    fn check(&self, schema: &'a Value, value: &Value, path: &str, found: &mut Vec<String>) {
        let Value::Object(keywords) = schema else { panic!("no schema: {schema}") };
        for (keyword, wanted) in keywords {
            if !self.holds(keywords, keyword, wanted, value, path, found) {
                found.push(format!("{path}: {keyword}"));
            }
        }
    }

    fn holds(
        &self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        wanted: &'a Value,
        value: &Value,
        path: &str,
        found: &mut Vec<String>,
    ) -> bool {
        let length = |text: &str| text.chars().count() as u64;
        let limit = || wanted.as_u64().unwrap();
        let all = || wanted.as_array().unwrap().iter();
        match (keyword, value) {
            ("$schema" | "title" | "description" | "examples" | "default" | "format", _) => true,
            ("definitions", _) => true,
            ("$ref", _) => {
                let pointer = wanted.as_str().unwrap().trim_start_matches('#');
                self.check(
                    self.root.pointer(pointer).expect("it leads somewhere"),
                    value,
                    path,
                    found,
                );
                true
            }
            ("type", _) => match wanted {
                Value::Array(kinds) => kinds.iter().any(|kind| is_a(kind, value)),
                kind => is_a(kind, value),
            },
            ("const", _) => value == wanted,
            ("enum", _) => all().any(|one| one == value),
            ("anyOf", _) => all().any(|schema| self.is_valid(schema, value)),
            ("oneOf", _) => all().filter(|schema| self.is_valid(schema, value)).count() == 1,
            ("allOf", _) => all().all(|schema| self.is_valid(schema, value)),
            ("not", _) => !self.is_valid(wanted, value),
            ("pattern", Value::String(text)) => {
                Regex::new(wanted.as_str().unwrap()).unwrap().is_match(text).unwrap()
            }
            ("minLength", Value::String(text)) => length(text) >= limit(),
            ("maxLength", Value::String(text)) => length(text) <= limit(),
            ("minimum", Value::Number(number)) => number.as_f64() >= wanted.as_f64(),
            ("maximum", Value::Number(number)) => number.as_f64() <= wanted.as_f64(),
            ("minItems", Value::Array(items)) => items.len() as u64 >= limit(),
            ("items", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check(wanted, item, &join(path, &index.to_string()), found);
                }
                true
            }
            ("required", Value::Object(map)) => {
                all().all(|key| map.contains_key(key.as_str().unwrap()))
            }
            ("properties", Value::Object(map)) => {
                for (key, schema) in wanted.as_object().unwrap() {
                    if let Some(value) = map.get(key) {
                        self.check(schema, value, &join(path, key), found);
                    }
                }
                true
            }
            ("additionalProperties", Value::Object(map)) => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let mut rest =
                    map.iter().filter(|(key, _)| !known.is_some_and(|k| k.contains_key(*key)));
                if *wanted == Value::Bool(false) {
                    return rest.next().is_none();
                }
                rest.for_each(|(key, value)| self.check(wanted, value, &join(path, key), found));
                true
            }
            ("propertyNames", Value::Object(map)) => {
                map.keys().all(|key| self.is_valid(wanted, &Value::from(key.as_str())))
            }
            (
                "pattern"
                | "minLength"
                | "maxLength"
                | "minimum"
                | "maximum"
                | "minItems"
                | "items"
                | "required"
                | "properties"
                | "additionalProperties"
                | "propertyNames",
                _,
            ) => true,
            (other, _) => panic!("this validator does not know `{other}`"),
        }
    }
}

fn join(path: &str, part: &str) -> String {
    if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") }
}

fn is_a(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type: {other}"),
    }
}
