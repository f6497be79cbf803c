//! What to do about an error.

use crate::objects::DELAYED_MESSAGE_TYPE;

use super::error::{BrokerError, Obstacle};

impl BrokerError {
    /// What to do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            BrokerError::Uri { .. } => "write it as `amqp://user:password@host:5672/vhost`",
            BrokerError::Unreachable { obstacle, .. } => return obstacle.hint(),
            BrokerError::AccessRefused { object, .. } if object.is_empty() => {
                "check the user and password; `guest` may log in from the broker's own machine only"
            }
            BrokerError::AccessRefused { .. } => "ask for the permission on that name and vhost",
            BrokerError::VhostMissing { .. } => {
                "`declare --create-vhost` makes it; or choose another with `--vhost`"
            }
            BrokerError::Management(error) => error.hint()?,
            BrokerError::ExchangeTypeUnknown { kind, .. } if kind == DELAYED_MESSAGE_TYPE => {
                "the plugin `rabbitmq_delayed_message_exchange` is not enabled on this broker, and \
                 RabbitMQ 4.3 cannot run it; a ladder or tiers need no plugin"
            }
            BrokerError::ExchangeTypeUnknown { .. } => {
                "every broker has direct, fanout, headers and topic"
            }
            BrokerError::ResourceLocked { .. } => "wait for that connection to close, or close it",
            BrokerError::ConfirmsOverdue { blocked: Some(_), .. } => {
                "free memory or disk on the broker; it takes no messages until then"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

impl Obstacle {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Obstacle::NobodyListens => "is RabbitMQ running, and is the port right",
            Obstacle::NoAddress(_) => "check the host's name",
            Obstacle::WantsTls => "use the scheme `amqps`",
            Obstacle::NotAmqp(_) | Obstacle::NoAnswer(_) => {
                "AMQP is at port 5672, with TLS at 5671; 15672 is the management API"
            }
            Obstacle::Tls(reason) if reason.contains("InvalidContentType") => {
                "nothing there speaks TLS: use the scheme `amqp`, or the port for TLS"
            }
            Obstacle::Tls(reason) if reason.contains("not valid for name") => {
                "name the host as its certificate does"
            }
            Obstacle::Tls(reason) if reason.contains("UnknownIssuer") => {
                "give the authority that signed the broker's certificate with `--ca-cert`"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
