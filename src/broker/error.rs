//! What can go wrong between here and a broker.

use std::path::PathBuf;
use std::time::Duration;

use super::management::ManagementError;
use crate::objects::SHORT_STRING_MAX;

/// What can go wrong between here and a broker. `words` are the broker's own and untrusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokerError {
    /// The URI is not an AMQP URI.
    #[error("the broker's URI is wrong: {reason}")]
    Uri {
        /// What is wrong with it.
        reason: String,
    },
    /// A certificate or key cannot be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// No connection could be made.
    #[error("cannot reach the broker at `{endpoint}`: {obstacle}")]
    Unreachable {
        /// The address, without a password.
        endpoint: String,
        /// What is in the way.
        obstacle: Obstacle,
    },
    /// The broker does not know the user, or the user may not do this.
    #[error("user `{user}` is refused{}: `{words}`", on(object))]
    AccessRefused {
        /// The user.
        user: String,
        /// What was asked for; empty for the login itself.
        object: String,
        /// What the broker said.
        words: String,
    },
    /// The vhost does not exist.
    #[error("there is no vhost `{vhost}`: `{words}`")]
    VhostMissing {
        /// The vhost.
        vhost: String,
        /// What the broker said.
        words: String,
    },
    /// A queue or an exchange does not exist.
    #[error("{object} cannot be used: `{words}`")]
    NotFound {
        /// What was asked for.
        object: String,
        /// What the broker said.
        words: String,
    },
    /// Something of this name exists and differs.
    #[error("{object} is there already, and not as wanted: `{words}`")]
    Conflict {
        /// What was declared.
        object: String,
        /// What the broker said.
        words: String,
    },
    /// A queue belongs to another connection.
    #[error("{object} belongs to another connection: `{words}`")]
    ResourceLocked {
        /// What was asked for.
        object: String,
        /// What the broker said.
        words: String,
    },
    /// The broker has no such exchange type: a plugin is missing, or the version is too old or
    /// too new for it.
    #[error("the broker has no exchange type `{kind}`: `{words}`")]
    ExchangeTypeUnknown {
        /// The type.
        kind: String,
        /// What the broker said.
        words: String,
    },
    /// The broker refused something for another reason.
    #[error("{object} is refused with code {code}: `{words}`")]
    Refused {
        /// What was asked for.
        object: String,
        /// The AMQP reply code.
        code: u16,
        /// What the broker said.
        words: String,
    },
    /// A name does not fit an AMQP short string.
    #[error("{what} has {bytes} bytes, and AMQP allows {SHORT_STRING_MAX}")]
    TooLong {
        /// What it names.
        what: String,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The broker ended a consumer, as it does when its queue is deleted.
    #[error("the broker cancelled the consumer of queue `{queue}`")]
    ConsumerCancelled {
        /// The queue.
        queue: String,
    },
    /// Publisher confirms stay out.
    #[error(
        "no publisher confirm within {}, {waiting} outstanding{}",
        seconds(within),
        because(blocked)
    )]
    ConfirmsOverdue {
        /// Messages without a confirm.
        waiting: u64,
        /// How long nothing was confirmed.
        within: Duration,
        /// Why the broker blocks publishers, when it does.
        blocked: Option<String>,
    },
    /// The management API is needed, and something is in the way.
    #[error(transparent)]
    Management(#[from] ManagementError),
    /// The connection was lost.
    #[error("the connection to the broker was lost: {reason}")]
    Lost {
        /// What is known of it.
        reason: String,
    },
}

/// What is in the way of a connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Nobody listens on that port.
    #[error("nobody listens there")]
    NobodyListens,
    /// The host's name cannot be resolved.
    #[error("no address for the host: {0}")]
    NoAddress(String),
    /// Connected, or trying to, and no answer came in time.
    #[error("no answer within {}", seconds(.0))]
    NoAnswer(Duration),
    /// The TLS handshake failed.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// A TLS listener answered a plain connection.
    #[error("it answers with TLS")]
    WantsTls,
    /// Something answered that is not AMQP 0-9-1.
    #[error("it answers `{0}`, which is not AMQP 0-9-1")]
    NotAmqp(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

fn on(object: &str) -> String {
    if object.is_empty() { String::new() } else { format!(" on {object}") }
}

fn because(blocked: &Option<String>) -> String {
    blocked
        .as_ref()
        .map(|why| format!("; the broker blocks publishers: `{why}`"))
        .unwrap_or_default()
}

fn seconds(duration: &Duration) -> String {
    humantime::format_duration(*duration).to_string()
}
