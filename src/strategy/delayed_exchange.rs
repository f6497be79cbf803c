//! `delayed_exchange`: an exchange of the `rabbitmq_delayed_message_exchange` plugin.
//!
//! The plugin keeps messages in a table sorted by due time and routes each when it is due. It was
//! archived in January 2026 and cannot run on RabbitMQ 4.3.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CannotDelay, Contract, Rounding, Target, names};
use crate::duration::Millis;
use crate::message::Route;
use crate::objects::{Binding, Clash, DELAYED_MESSAGE_TYPE, Exchange, Objects, argument};

/// The longest delay that the plugin keeps, in milliseconds. One more and it delivers at once,
/// without an error (measured on RabbitMQ 3.10 and 4.0).
pub const PLUGIN_DELAY_MAX_MS: u64 = 4_294_967_295;

/// `delayed_exchange`: an exchange of the delayed-message plugin, which was archived in January 2026
/// and cannot run on RabbitMQ 4.3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a mapping of its fields, like `{exchange: delay.ex}` or `{}`"
)]
pub struct DelayedExchange {
    /// The exchange's name; default `{name}.delay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
    /// The inner type, by which a due message is routed; default `direct`.
    #[serde(default = "direct")]
    pub r#type: String,
    /// The routing key that messages carry to a queue; default the queue's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing_key: Option<String>,
}

impl Default for DelayedExchange {
    fn default() -> Self {
        DelayedExchange { exchange: None, r#type: direct(), routing_key: None }
    }
}

fn direct() -> String {
    "direct".to_owned()
}

impl DelayedExchange {
    fn key<'a>(&'a self, target: &'a Target) -> &'a str {
        self.routing_key.as_deref().unwrap_or(target.routing_key())
    }
}

impl Contract for DelayedExchange {
    fn problems(&self, _name: &str, target: &Target) -> Vec<(String, String)> {
        let mut found = names::problems(&[("exchange", self.exchange.as_ref(), names::DELAY)]);
        if !["direct", "fanout", "topic", "headers"].contains(&self.r#type.as_str()) {
            let message = format!(
                "`{}` is no inner type: take `direct`, `fanout`, `topic` or `headers`",
                self.r#type
            );
            found.push(("type".to_owned(), message));
        }
        if self.exchange.as_deref() == Some("") {
            let message = "the default exchange cannot delay: name another".to_owned();
            found.push(("exchange".to_owned(), message));
        }
        if self.routing_key.is_some() && matches!(target, Target::Exchange { .. }) {
            let message =
                "goes with a target that is a queue; a target that is an exchange has its own"
                    .to_owned();
            found.push(("routing_key".to_owned(), message));
        }
        found
    }

    fn compile(&self, name: &str, target: &Target) -> Result<Objects, Clash> {
        let mut objects = Objects::default();
        let exchange = names::exchange(self.exchange.as_ref(), name);
        let kind = Exchange::durable(DELAYED_MESSAGE_TYPE)
            .with(argument::DELAYED_TYPE, self.r#type.as_str());
        objects.add_exchange(&exchange, kind)?;
        let key = self.key(target);
        objects.add_binding(match target {
            Target::Queue(queue) => Binding::to_queue(&exchange, queue, key),
            Target::Exchange { exchange: to, .. } => Binding::to_exchange(&exchange, to, key),
        });
        Ok(objects)
    }

    fn route(
        &self,
        name: &str,
        target: &Target,
        delay: Millis,
        _rounding: Rounding,
    ) -> Result<Route, CannotDelay> {
        let max = Millis(PLUGIN_DELAY_MAX_MS);
        if delay > max {
            let why = "beyond which the plugin delivers at once";
            return Err(CannotDelay::TooLong { delay, max, why });
        }
        let exchange = names::exchange(self.exchange.as_ref(), name);
        let route = Route::plain(&exchange, self.key(target), delay);
        Ok(Route { plugin_delay: Some(delay.0), mandatory: false, ..route })
    }

    fn offers(&self) -> String {
        format!("any up to {}", Millis(PLUGIN_DELAY_MAX_MS))
    }
}
