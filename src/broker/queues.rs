//! One queue or exchange: what it holds, and the end of it.

use lapin::Channel;
use lapin::options::{ExchangeDeleteOptions, QueueDeleteOptions, QueuePurgeOptions};

use crate::plan::Live;

use super::about::About;
use super::connection::Broker;
use super::declare::find_queue;
use super::error::BrokerError;
use super::fault::{Fault, short};

impl Broker {
    /// What a queue holds ready, and its consumers.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`] when there is no such queue, or any refusal.
    pub async fn queue_depth(&mut self, name: &str) -> Result<Live, BrokerError> {
        let channel = self.channel_again().await?;
        find_queue(&channel, name, &self.about()).await.map_err(|fault| fault.error)
    }

    /// Drops what a queue holds ready, and returns how many messages that were. Unacknowledged
    /// messages stay.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`] when there is no such queue, or any refusal.
    pub async fn purge(&mut self, name: &str) -> Result<u64, BrokerError> {
        let channel = self.channel_again().await?;
        let purged =
            channel.queue_purge(short(name, "a queue's name")?, QueuePurgeOptions::default());
        let purged = purged.await.map(u64::from);
        purged.map_err(|error| self.about().error(&error, &format!("queue `{name}`")))
    }

    /// Deletes a queue and returns how many messages went with it. A queue that is not there is
    /// no error to the broker.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] when it is in use or not empty and that was asked not to be.
    pub async fn delete_queue(
        &mut self,
        name: &str,
        if_unused: bool,
        if_empty: bool,
    ) -> Result<u64, BrokerError> {
        let channel = self.channel_again().await?;
        let options = QueueDeleteOptions { if_unused, if_empty, nowait: false };
        delete_queue(&channel, name, options, &self.about()).await.map_err(|fault| fault.error)
    }

    /// Deletes an exchange with its bindings. An exchange that is not there is no error to the
    /// broker.
    ///
    /// # Errors
    /// Any refusal.
    pub async fn delete_exchange(&mut self, name: &str) -> Result<(), BrokerError> {
        let channel = self.channel_again().await?;
        delete_exchange(&channel, name, &self.about()).await.map_err(|fault| fault.error)
    }
}

/// Deletes a queue and returns how many messages went with it.
pub(super) async fn delete_queue(
    channel: &Channel,
    name: &str,
    options: QueueDeleteOptions,
    about: &About,
) -> Result<u64, Fault> {
    let deleted = channel.queue_delete(short(name, "a queue's name")?, options).await;
    deleted.map(u64::from).map_err(|error| about.fault(&error, &format!("queue `{name}`")))
}

/// Deletes an exchange.
pub(super) async fn delete_exchange(
    channel: &Channel,
    name: &str,
    about: &About,
) -> Result<(), Fault> {
    let options = ExchangeDeleteOptions::default();
    let deleted = channel.exchange_delete(short(name, "an exchange's name")?, options).await;
    deleted.map_err(|error| about.fault(&error, &format!("exchange `{name}`")))
}
