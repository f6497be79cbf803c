//! A vhost's definitions, and which of its queues are consumed.

use std::collections::HashSet;

use serde_json::Value as Json;

use crate::broker::error::BrokerError;

use super::client::Management;
use super::json::{rows, text};

impl Management {
    /// The vhost's definitions, as the broker exports them. RabbitMQ shows them to administrators
    /// only.
    ///
    /// # Errors
    /// [`BrokerError::VhostMissing`], or what is in the way of the API.
    pub async fn definitions(&self) -> Result<Json, BrokerError> {
        let found = self.get(&["definitions", &self.vhost], "", "definitions").await?;
        found.ok_or_else(|| BrokerError::VhostMissing {
            vhost: self.vhost.clone(),
            words: "Not Found".to_owned(),
        })
    }

    /// The queues of the vhost that have consumers, as far as they have reported it.
    ///
    /// # Errors
    /// What is in the way of the API.
    pub async fn consumed(&self) -> Result<HashSet<String>, BrokerError> {
        let list = self.get(&["queues", &self.vhost], "columns=name,consumers", "queues").await?;
        let consumed = |row: &Json| row.get("consumers").and_then(Json::as_u64).unwrap_or(0) > 0;
        let named = |row: &Json| Some(text(row, "name")?.to_owned());
        Ok(rows(list).iter().filter(|row| consumed(row)).filter_map(named).collect())
    }
}
