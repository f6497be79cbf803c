//! Whose names and arguments a ladder's objects have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;

/// Whose names and arguments a ladder's objects have.
///
/// The foreign layouts are those that the projects declare themselves, read from their sources:
/// `DelayInfrastructure.cs` of NServiceBus.RabbitMQ and `native_delayed_delivery.py` of kombu. Both
/// have 28 binary digits of seconds, bind addresses as `#.address`, and park nothing: what is
/// unroutable there stalls the levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// `{prefix}.level-07`, its queues `{prefix}.level-07.1`, and `{prefix}.deliver-17`, where 17
    /// is the number of digits before the address.
    #[default]
    Delayctl,
    /// `nsb.v2.delay-level-07` and `nsb.v2.delay-delivery`, quorum queues only. The address is an
    /// endpoint's name. An exchange as the target is bound as NServiceBus' conventional topology
    /// binds an endpoint's fanout exchange.
    Nservicebus,
    /// `celery_delayed_7` and `celery_delayed_delivery`, after `{prefix}_` if there is a prefix.
    /// The address is a task queue's routing key. An exchange as the target is bound with
    /// `#.routing_key`, gets the key with its digits, and must bind its queues the same way: Celery
    /// does not support direct exchanges here.
    Celery,
}

impl Names {
    /// 28 binary digits of seconds.
    pub const FOREIGN_SHAPE: Shape =
        Shape { resolution_ms: 1000, radix: 2, top: (1 << 28) - 1, levels: 28 };

    /// Whether another project says what there is.
    pub fn is_foreign(self) -> bool {
        self != Names::Delayctl
    }

    /// The topic exchange of a level.
    pub fn exchange(self, prefix: &str, level: u32) -> String {
        match self {
            Names::Delayctl => format!("{prefix}.level-{level:02}"),
            Names::Nservicebus => format!("nsb.v2.delay-level-{level:02}"),
            Names::Celery => celery(prefix, &level.to_string()),
        }
    }

    /// The queue of a level's digit. A foreign level has one, named like its exchange.
    pub fn queue(self, prefix: &str, level: u32, digit: u64) -> String {
        let exchange = self.exchange(prefix, level);
        if self.is_foreign() { exchange } else { format!("{exchange}.{digit}") }
    }

    /// The exchange that addresses are bound to. delayctl's says how many digits there are: the
    /// lowest queues dead-letter to it, so that ladders of one prefix with different numbers of
    /// levels cannot silently mix.
    pub fn last_exchange(self, prefix: &str, levels: u32) -> String {
        match self {
            Names::Delayctl => format!("{prefix}.deliver-{levels}"),
            Names::Nservicebus => "nsb.v2.delay-delivery".to_owned(),
            Names::Celery => celery(prefix, "delivery"),
        }
    }

    /// The topic pattern that binds an address.
    pub fn address_pattern(self, shape: &Shape, address: &str) -> String {
        match self {
            Names::Delayctl => shape.address_pattern(address),
            // kombu leaves a key that begins with `#` as it is.
            Names::Celery if address.starts_with('#') => address.to_owned(),
            Names::Nservicebus | Names::Celery => format!("#.{address}"),
        }
    }
}

fn celery(prefix: &str, end: &str) -> String {
    let dash = if prefix.is_empty() { "" } else { "_" };
    format!("{prefix}{dash}celery_delayed_{end}")
}
