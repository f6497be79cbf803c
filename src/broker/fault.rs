//! How lapin's errors become [`BrokerError`]s.

use lapin::ErrorKind;
use lapin::protocol::{AMQPError, AMQPHardError, AMQPSoftError};
use lapin::types::ShortString;

use crate::objects::SHORT_STRING_MAX;

use super::error::BrokerError;

/// All that is known when a closed channel is used. Whoever waited on it when it was closed heard
/// the reason.
pub(super) const CHANNEL_CLOSED: &str = "the channel is closed";

/// An error, and whether the connection ended with it. The protocol closes a channel for a soft
/// error and the whole connection for a hard one.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// What happened.
    pub error: BrokerError,
    /// Whether the connection is gone.
    pub connection_gone: bool,
}

impl From<BrokerError> for Fault {
    fn from(error: BrokerError) -> Self {
        let connection_gone = matches!(error, BrokerError::Lost { .. });
        Fault { error, connection_gone }
    }
}

impl Fault {
    /// What `error` means for the user `user` who asked for `object`.
    pub fn of(error: &lapin::Error, user: &str, object: &str) -> Self {
        match error.kind() {
            ErrorKind::ProtocolError(amqp) => Fault {
                error: refusal(amqp, user, object),
                connection_gone: error.is_amqp_hard_error(),
            },
            ErrorKind::InvalidChannelState(..) | ErrorKind::InvalidChannel(_) => {
                Fault { error: lost(CHANNEL_CLOSED.to_owned()), connection_gone: false }
            }
            ErrorKind::ChannelsLimitReached => Fault {
                error: lost("the broker allows no more channels".to_owned()),
                connection_gone: false,
            },
            _ => Fault { error: lost(loss(error)), connection_gone: true },
        }
    }
}

/// Whether an error only tells that something happened before.
pub(super) fn is_aftermath(error: &BrokerError) -> bool {
    matches!(error, BrokerError::Lost { reason } if reason == CHANNEL_CLOSED)
}

/// The reason of a lost connection, as a person would say it.
pub(super) fn loss(error: &lapin::Error) -> String {
    match error.kind() {
        ErrorKind::IOError(io) if io.kind() == std::io::ErrorKind::ConnectionAborted => {
            "the broker closed it without a word".to_owned()
        }
        ErrorKind::IOError(io) => io.to_string(),
        ErrorKind::MissingHeartbeatError => "no heartbeat came for too long".to_owned(),
        ErrorKind::ProtocolError(amqp) => format!("`{}`", one_line(amqp.get_message().as_str())),
        ErrorKind::InvalidConnectionState(_) => "it is closed".to_owned(),
        _ => error.to_string(),
    }
}

fn lost(reason: String) -> BrokerError {
    BrokerError::Lost { reason }
}

fn refusal(amqp: &AMQPError, user: &str, object: &str) -> BrokerError {
    let words = one_line(amqp.get_message().as_str());
    let object = object.to_owned();
    // RabbitMQ 3.x answers 503 and closes the connection, 4.x answers 406 and closes the channel.
    if let Some(kind) = quoted_after(&words, "unknown exchange type '") {
        return BrokerError::ExchangeTypeUnknown { kind, words };
    }
    let code = amqp.get_id();
    if code == AMQPSoftError::ACCESSREFUSED.get_id() {
        BrokerError::AccessRefused { user: user.to_owned(), object, words }
    } else if code == AMQPSoftError::NOTFOUND.get_id() {
        BrokerError::NotFound { object, words }
    } else if code == AMQPSoftError::RESOURCELOCKED.get_id() {
        BrokerError::ResourceLocked { object, words }
    } else if code == AMQPSoftError::PRECONDITIONFAILED.get_id() && words.contains("inequivalent") {
        BrokerError::Conflict { object, words }
    } else if code == AMQPHardError::CONNECTIONFORCED.get_id() {
        lost(format!("`{words}`"))
    } else {
        BrokerError::Refused { object, code, words }
    }
}

/// Erlang breaks the terms that it prints into lines.
fn one_line(words: &str) -> String {
    words.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// What stands between `opening` and the next quotation mark.
fn quoted_after(words: &str, opening: &str) -> Option<String> {
    let (_, rest) = words.split_once(opening)?;
    Some(rest.split('\'').next().unwrap_or(rest).to_owned())
}

/// A name as the protocol's short string. lapin's own conversion panics when it does not fit.
pub(super) fn short(text: &str, what: &str) -> Result<ShortString, BrokerError> {
    if text.len() > SHORT_STRING_MAX {
        return Err(BrokerError::TooLong { what: what.to_owned(), bytes: text.len() });
    }
    Ok(ShortString::from(text))
}
