//! Everything that a vhost holds, in the form of its definitions.

use serde_json::{Value as Json, json};

use crate::broker::error::BrokerError;

use super::client::Management;
use super::json::rows;

/// What definitions say of a queue, and what only the API does.
const QUEUE: &str = "name,durable,auto_delete,exclusive,arguments,consumers";

impl Management {
    /// Everything that the vhost holds, in the form of its definitions, and how many consumers each
    /// queue has, as far as it has reported them.
    ///
    /// It is put together from the lists of the vhost's objects: the definitions themselves are for
    /// administrators only; RabbitMQ 4.0 and 4.3 answer nothing, or half a document, for a vhost
    /// whose name is not ASCII; and 4.3 leaves internal exchanges out (all measured).
    ///
    /// # Errors
    /// [`BrokerError::VhostMissing`], or what is in the way of the API.
    pub async fn definitions(&self) -> Result<Json, BrokerError> {
        let quick = "disable_stats=true";
        let exchanges = self.get(&["exchanges", &self.vhost], quick, "exchanges").await?;
        let Some(exchanges) = exchanges else {
            let words = "Not Found".to_owned();
            return Err(BrokerError::VhostMissing { vhost: self.vhost.clone(), words });
        };
        let queues = self.pages(QUEUE).await?;
        let bindings = self.get(&["bindings", &self.vhost], "", "bindings").await?;
        let policies = self.get(&["policies", &self.vhost], "", "policies").await?;
        Ok(json!({
            "exchanges": exchanges,
            "queues": queues,
            "bindings": rows(bindings),
            "policies": rows(policies),
        }))
    }
}
