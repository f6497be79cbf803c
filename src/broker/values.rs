//! Argument and header values, to and from the wire.

use std::collections::BTreeMap;

use lapin::types::{AMQPValue, FieldTable, ShortString};

use crate::objects::{Arguments, Float, Value};

use super::error::BrokerError;
use super::fault::short;

/// A table for the wire. Every integer goes as 64 bits wide: RabbitMQ compares widths as equal.
///
/// # Errors
/// [`BrokerError::TooLong`] for a name.
pub(super) fn to_table(arguments: &Arguments) -> Result<FieldTable, BrokerError> {
    let mut table = FieldTable::default();
    for (name, value) in arguments {
        table.insert(short(name, "an argument's name")?, to_wire(value)?);
    }
    Ok(table)
}

fn to_wire(value: &Value) -> Result<AMQPValue, BrokerError> {
    Ok(match value {
        Value::Bool(flag) => AMQPValue::Boolean(*flag),
        Value::Int(number) => AMQPValue::LongLongInt(*number),
        Value::Float(number) => AMQPValue::Double(number.0),
        Value::Str(text) => AMQPValue::LongString(text.as_str().into()),
        Value::List(items) => {
            AMQPValue::FieldArray(items.iter().map(to_wire).collect::<Result<Vec<_>, _>>()?.into())
        }
        Value::Table(table) => AMQPValue::FieldTable(to_table(table)?),
    })
}

/// A table from the wire. A void value is left out: it says that there is none.
pub(super) fn from_table(table: &FieldTable) -> BTreeMap<String, Value> {
    let known =
        |(name, value): (&ShortString, &AMQPValue)| Some((name.to_string(), from_wire(value)?));
    table.into_iter().filter_map(known).collect()
}

/// A value from the wire. Bytes that are no text become text with replacement characters, a time
/// its seconds since the Unix epoch.
pub(super) fn from_wire(value: &AMQPValue) -> Option<Value> {
    Some(match value {
        AMQPValue::Boolean(flag) => Value::Bool(*flag),
        AMQPValue::ShortShortInt(number) => Value::Int((*number).into()),
        AMQPValue::ShortShortUInt(number) => Value::Int((*number).into()),
        AMQPValue::ShortInt(number) => Value::Int((*number).into()),
        AMQPValue::ShortUInt(number) => Value::Int((*number).into()),
        AMQPValue::LongInt(number) => Value::Int((*number).into()),
        AMQPValue::LongUInt(number) => Value::Int((*number).into()),
        AMQPValue::LongLongInt(number) => Value::Int(*number),
        AMQPValue::Float(number) => Value::Float(Float((*number).into())),
        AMQPValue::Double(number) => Value::Float(Float(*number)),
        AMQPValue::DecimalValue(decimal) => {
            let scale = 10_f64.powi(decimal.scale.into());
            Value::Float(Float(f64::from(decimal.value) / scale))
        }
        AMQPValue::ShortString(text) => Value::Str(text.to_string()),
        AMQPValue::LongString(text) => Value::Str(text.to_string()),
        AMQPValue::ByteArray(bytes) => {
            Value::Str(String::from_utf8_lossy(bytes.as_slice()).into_owned())
        }
        AMQPValue::Timestamp(seconds) => Value::from(*seconds),
        AMQPValue::FieldArray(items) => {
            Value::List(items.as_slice().iter().filter_map(from_wire).collect())
        }
        AMQPValue::FieldTable(table) => Value::Table(from_table(table)),
        AMQPValue::Void => return None,
    })
}
