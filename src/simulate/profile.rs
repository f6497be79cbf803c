//! Which broker.

use super::step::Reason;
use crate::strategy::QueueType;

/// What differs between brokers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// RabbitMQ's version, major and minor.
    pub version: (u16, u16),
    /// The type of a queue that names none.
    pub default_type: QueueType,
    /// Whether the delayed-message plugin is there. Without it, an exchange of its type is not.
    pub plugin: bool,
}

impl Default for Profile {
    /// RabbitMQ 4.3, which cannot have the plugin.
    fn default() -> Self {
        Profile::version(4, 3)
    }
}

impl Profile {
    /// A broker of this version with classic queues by default and without the plugin.
    pub fn version(major: u16, minor: u16) -> Self {
        Profile { version: (major, minor), default_type: QueueType::Classic, plugin: false }
    }

    /// The same broker with the plugin, unless it is too new: 4.3 removed the plugin's store.
    #[must_use]
    pub fn with_plugin(self) -> Self {
        Profile { plugin: self.version < (4, 3), ..self }
    }

    /// How many deliveries a quorum queue allows by itself: 20 from 4.0 on (RabbitMQ's
    /// documentation), any number before.
    pub(super) fn default_delivery_limit(self) -> Option<u64> {
        (self.version >= (4, 0)).then_some(20)
    }

    /// Whether a delivery limit of −1 is none (measured on 4.0 and 4.3; not on 3.10).
    pub(super) fn has_unlimited_deliveries(self) -> bool {
        self.version >= (4, 0)
    }

    /// Whether `basic.nack(requeue=true)` counts as a delivery attempt on a quorum queue. On 4.3
    /// it does not (measured); there only `basic.reject(requeue=true)` does.
    pub(super) fn nack_counts(self) -> bool {
        self.version < (4, 3)
    }

    /// Whether quorum queues hold back returned messages (`x-delayed-retry-*`); older brokers
    /// accept the arguments and ignore them (measured).
    pub(super) fn has_delayed_retry(self) -> bool {
        self.version >= (4, 3)
    }

    /// Whether a dead letter that was delivered once is still known to have been. Measured, over
    /// all pairs of queue types: 3.10 forgets it; 4.0 keeps it only from a quorum queue, where a
    /// consumer rejected it, to a quorum queue; 4.3 always keeps it, and marks the message as
    /// redelivered at its first delivery from the new queue.
    pub(super) fn keeps_delivered_from(self, quorum: bool, reason: Reason) -> bool {
        let rejected = matches!(reason, Reason::Rejected | Reason::DeliveryLimit);
        self.version >= (4, 3) || (self.version >= (4, 0) && quorum && rejected)
    }

    /// The other half of [`Profile::keeps_delivered_from`]: the queue that it comes to.
    pub(super) fn keeps_delivered_in(self, quorum: bool) -> bool {
        quorum || self.version >= (4, 3)
    }

    /// Whether the plugin negates `x-delay` when it delivers (measured: 4.0 does, 3.10 does not).
    pub(super) fn plugin_negates(self) -> bool {
        self.version >= (4, 0)
    }
}
