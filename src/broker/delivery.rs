//! A delivery, decoded.

use lapin::types::{AMQPValue, FieldTable};

use crate::message::{Death, Delivered};
use crate::objects::Value;

use super::values::{from_table, from_wire};

/// The header with a message's dead-lettering history.
const DEATHS: &str = "x-death";

/// Decodes a delivery from `queue`, seen at `seen_at_us`.
pub(super) fn decode(
    queue: &str,
    seen_at_us: u64,
    delivery: lapin::message::Delivery,
) -> Delivered {
    let properties = &delivery.properties;
    let (headers, deaths) = match properties.headers() {
        Some(table) => (headers(table), deaths(table)),
        None => Default::default(),
    };
    Delivered {
        queue: queue.to_owned(),
        seen_at_us,
        exchange: delivery.exchange.to_string(),
        routing_key: delivery.routing_key.to_string(),
        redelivered: delivery.redelivered,
        message_id: properties.message_id().as_ref().map(ToString::to_string),
        timestamp_s: *properties.timestamp(),
        headers,
        deaths,
        body: delivery.data,
    }
}

fn headers(table: &FieldTable) -> std::collections::BTreeMap<String, Value> {
    let mut headers = from_table(table);
    headers.remove(DEATHS);
    headers
}

/// Reads `x-death`. A publisher may set that header to anything, so nothing is taken for granted.
fn deaths(table: &FieldTable) -> Vec<Death> {
    let Some(AMQPValue::FieldArray(entries)) = table.inner().get(DEATHS) else {
        return Vec::new();
    };
    let tables = entries.as_slice().iter().filter_map(|entry| match entry {
        AMQPValue::FieldTable(table) => Some(death(table)),
        _ => None,
    });
    tables.collect()
}

fn death(table: &FieldTable) -> Death {
    let field = |name: &str| table.inner().get(name).and_then(from_wire);
    let text = |name| match field(name) {
        Some(Value::Str(text)) => text,
        _ => String::new(),
    };
    let number = |name| field(name).as_ref().and_then(Value::as_u64);
    let keys = match field("routing-keys") {
        Some(Value::List(keys)) => keys,
        _ => Vec::new(),
    };
    Death {
        queue: text("queue"),
        reason: text("reason"),
        count: number("count").unwrap_or(0),
        time_s: number("time"),
        exchange: text("exchange"),
        routing_keys: keys.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        original_expiration_ms: text("original-expiration").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(fields: Vec<(&str, AMQPValue)>) -> FieldTable {
        let mut table = FieldTable::default();
        for (name, value) in fields {
            table.insert(name.into(), value);
        }
        table
    }

    #[test]
    fn a_history_is_read() {
        let text = |text: &str| AMQPValue::LongString(text.into());
        let entry = table(vec![
            ("count", AMQPValue::LongLongInt(2)),
            ("reason", text("expired")),
            ("queue", text("delay.5s.q")),
            ("time", AMQPValue::Timestamp(1_700_000_000)),
            ("exchange", text("")),
            ("routing-keys", AMQPValue::FieldArray(vec![text("a"), text("b")].into())),
            ("original-expiration", text("5000")),
        ]);
        let list = vec![AMQPValue::FieldTable(entry), AMQPValue::FieldTable(table(vec![]))];
        let read = deaths(&table(vec![(DEATHS, AMQPValue::FieldArray(list.into()))]));
        let expected = Death {
            queue: "delay.5s.q".to_owned(),
            reason: "expired".to_owned(),
            count: 2,
            time_s: Some(1_700_000_000),
            exchange: String::new(),
            routing_keys: vec!["a".to_owned(), "b".to_owned()],
            original_expiration_ms: Some(5000),
        };
        assert_eq!(read, [expected, Death::default()]);
    }

    #[test]
    fn a_history_of_another_kind_is_none() {
        for value in [AMQPValue::Void, AMQPValue::LongString("x".into())] {
            assert_eq!(deaths(&table(vec![(DEATHS, value)])), []);
        }
    }
}
