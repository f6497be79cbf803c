//! What a message carries beside its body.

use std::time::{SystemTime, UNIX_EPOCH};

use lapin::BasicProperties;
use lapin::types::{AMQPValue, ShortString};

use crate::message::{DELAY_HEADER, Outgoing, PLUGIN_DELAY_HEADER, Route, SENT_AT_HEADER};

use super::error::BrokerError;
use super::fault::short;
use super::values::to_table;

/// `delivery-mode` of a message that survives a restart, and of one that does not.
const PERSISTENT: u8 = 2;
const TRANSIENT: u8 = 1;

/// The properties and headers of a message that is sent now on this route.
///
/// # Errors
/// [`BrokerError::TooLong`] for an id, a content type or a header's name.
pub(super) fn properties(
    route: &Route,
    message: &Outgoing,
) -> Result<BasicProperties, BrokerError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut headers = to_table(&message.headers)?;
    let mut add = |name: &str, number: u128| {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        headers.insert(ShortString::from(name), AMQPValue::LongLongInt(number));
    };
    add(SENT_AT_HEADER, now.as_millis());
    add(DELAY_HEADER, route.delay_ms.into());
    if let Some(delay) = route.plugin_delay {
        add(PLUGIN_DELAY_HEADER, delay.into());
    }
    let mut properties = BasicProperties::default()
        .with_headers(headers)
        .with_timestamp(now.as_secs())
        .with_delivery_mode(if message.persistent { PERSISTENT } else { TRANSIENT });
    if !message.message_id.is_empty() {
        properties = properties.with_message_id(short(&message.message_id, "a message id")?);
    }
    if let Some(kind) = &message.content_type {
        properties = properties.with_content_type(short(kind, "a content type")?);
    }
    if let Some(priority) = message.priority {
        properties = properties.with_priority(priority);
    }
    if let Some(expiration) = route.expiration {
        properties = properties.with_expiration(ShortString::from(expiration.to_string()));
    }
    Ok(properties)
}
