//! Taking a topology away again.

use lapin::Channel;
use lapin::options::QueueDeleteOptions;

use crate::objects::{Objects, Queue, predeclared_type};
use crate::plan::Object;

use super::about::About;
use super::connection::Broker;
use super::declare::find_queue;
use super::error::BrokerError;
use super::fan_out::fan_out;
use super::fault::Fault;
use super::queues::{delete_exchange, delete_queue};

/// What may be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Only queues that hold no ready message.
    pub if_empty: bool,
    /// Only queues without consumers.
    pub if_unused: bool,
}

/// What became of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// It is gone, if it was there, with so many messages.
    Gone {
        /// Messages that were deleted with a queue; 0 for an exchange.
        messages: u64,
    },
    /// It is still there, because it is not empty or in use.
    Kept {
        /// Messages ready to be delivered.
        ready: u64,
        /// Consumers.
        consumers: u64,
    },
    /// It could not be deleted.
    Failed(BrokerError),
}

/// What became of a topology's queues and exchanges, in the order of their deletion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemovalReport {
    /// Every object with what became of it.
    pub objects: Vec<(Object, Removed)>,
}

impl RemovalReport {
    /// Whether everything is gone.
    pub fn is_good(&self) -> bool {
        self.objects.iter().all(|(_, removed)| matches!(removed, Removed::Gone { .. }))
    }
}

impl Broker {
    /// Deletes the queues of `objects`, then its exchanges, and with them their bindings. What is
    /// gone already is no error. The exchanges that every vhost is born with stay.
    ///
    /// When the connection is lost and cannot be opened again, the rest has failed.
    pub async fn remove(&mut self, objects: &Objects, how: Removal) -> RemovalReport {
        let queues = objects.queues.iter();
        let queues = queues.map(|(name, queue)| Object::Queue(name.clone(), queue.clone()));
        let exchanges = objects.exchanges.iter();
        let exchanges = exchanges.filter(|(name, _)| predeclared_type(name).is_none());
        let exchanges = exchanges.map(|(name, it)| Object::Exchange(name.clone(), it.clone()));
        let mut report = RemovalReport::default();
        self.remove_all(queues.collect(), how, &mut report).await;
        self.remove_all(exchanges.collect(), how, &mut report).await;
        report
    }

    async fn remove_all(&mut self, due: Vec<Object>, how: Removal, report: &mut RemovalReport) {
        let about = self.about();
        let run = fan_out(
            self,
            due,
            async |channel, object: &Object| match object {
                Object::Queue(name, queue) => remove_queue(channel, name, queue, how, &about).await,
                Object::Exchange(name, _) => delete_exchange(channel, name, &about)
                    .await
                    .map(|()| Removed::Gone { messages: 0 }),
                Object::Binding(_) => Ok(Removed::Gone { messages: 0 }),
            },
            |object, result| {
                report.objects.push((object, result.unwrap_or_else(Removed::Failed)));
            },
        );
        if let Err(stranded) = run.await {
            let failed = |object| (object, Removed::Failed(stranded.reason.clone()));
            report.objects.extend(stranded.items.into_iter().map(failed));
        }
    }
}

/// Deletes a queue, or tells what it still holds.
///
/// The conditions are looked at here first: a refusal would cost the channel, and quorum queues
/// refuse the protocol's `if-empty` and `if-unused` altogether, with the connection. Between the
/// look and the deletion of a quorum queue a message may arrive; a classic queue is deleted under
/// the broker's own eyes.
async fn remove_queue(
    channel: &Channel,
    name: &str,
    queue: &Queue,
    how: Removal,
    about: &About,
) -> Result<Removed, Fault> {
    if how != Removal::default() {
        let live = match find_queue(channel, name, about).await {
            Ok(live) => live,
            Err(Fault { error: BrokerError::NotFound { .. }, .. }) => {
                return Ok(Removed::Gone { messages: 0 });
            }
            Err(fault) => return Err(fault),
        };
        let (ready, consumers) = (live.ready.unwrap_or(0), live.consumers.unwrap_or(0));
        if (how.if_empty && ready > 0) || (how.if_unused && consumers > 0) {
            return Ok(Removed::Kept { ready, consumers });
        }
    }
    let classic = queue.queue_type() == Some("classic");
    let options = QueueDeleteOptions {
        if_empty: how.if_empty && classic,
        if_unused: how.if_unused && classic,
        nowait: false,
    };
    let messages = delete_queue(channel, name, options, about).await?;
    Ok(Removed::Gone { messages })
}
