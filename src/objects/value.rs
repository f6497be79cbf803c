//! The values of arguments.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The value of an argument. An integer and a string that looks like one are different values to
/// the broker, and so they are here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer; integer widths compare equal in RabbitMQ, so one width is enough.
    Int(i64),
    /// A floating-point number.
    Float(Float),
    /// A string.
    Str(String),
    /// A list of values.
    List(Vec<Value>),
    /// A table of named values.
    Table(BTreeMap<String, Value>),
}

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inner = generator.subschema_for::<Value>();
        json_schema!({
            "description": "The value of an argument, as it is: `10000` and `\"10000\"` differ.",
            "type": ["boolean", "integer", "number", "string", "array", "object"],
            "items": inner,
            "additionalProperties": inner,
        })
    }
}

/// A float that is equal to itself bit by bit, so that arguments can be compared and hashed.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct Float(pub f64);

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Value {
    /// The AMQP kind of this value, as an error message names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Bool(_) => "boolean",
            Value::Int(_) => "integer",
            Value::Float(_) => "float",
            Value::Str(_) => "string",
            Value::List(_) => "list",
            Value::Table(_) => "table",
        }
    }

    /// The string inside, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer inside, if it is one that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    /// JSON, so that `10000` and `"10000"` look different.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&json)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl ValueVisitor {
    fn integer<N: Copy + TryInto<i64> + fmt::Display, E: de::Error>(number: N) -> Result<Value, E> {
        number.try_into().map(Value::Int).map_err(|_| {
            let (min, max) = (i64::MIN, i64::MAX);
            E::custom(format!("{number} is out of range: AMQP takes integers from {min} to {max}"))
        })
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean, a number, a string, a list or a mapping")
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Int(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Self::integer(number)
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Value, E> {
        Self::integer(number)
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Value, E> {
        Self::integer(number)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        if number.is_finite() {
            Ok(Value::Float(Float(number)))
        } else {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Str(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut table = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if table.contains_key(&name) {
                return Err(de::Error::custom(format!("`{name}` is given twice")));
            }
            table.insert(name, map.next_value()?);
        }
        Ok(Value::Table(table))
    }
}

impl From<u64> for Value {
    /// Numbers beyond 2^63 − 1 saturate: AMQP has no larger signed integer.
    fn from(number: u64) -> Self {
        Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Str(text)
    }
}
