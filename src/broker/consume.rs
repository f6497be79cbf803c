//! Messages in, from several queues, in the order of their arrival.

use std::future;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use lapin::Channel;
use lapin::message::DeliveryResult;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions,
    BasicRejectOptions,
};
use lapin::types::FieldTable;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::message::Delivered;

use super::about::About;
use super::connection::Broker;
use super::delivery::decode;
use super::error::BrokerError;
use super::fault::short;
use super::link::{GOODBYE, close_channel};

/// Unacknowledged messages per queue that the broker sends ahead: enough for full speed.
pub const DEFAULT_PREFETCH: u16 = 250;

/// Consumes from several queues over one channel, which keeps their messages in order.
pub struct Consumer {
    channel: Channel,
    about: About,
    queues: Vec<String>,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    /// lapin cancels a consumer when its handle is dropped.
    consumers: Vec<lapin::Consumer>,
}

/// The right to settle one delivery, once.
#[derive(Debug)]
pub struct Token {
    tag: u64,
}

struct Arrival {
    queue: usize,
    seen_at_us: u64,
    result: DeliveryResult,
}

impl Consumer {
    /// Starts to consume from the queues. `prefetch` is per queue; 0 has no limit, and then
    /// neither has the memory for what is not handled yet.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`] when a queue is missing, or any refusal.
    pub async fn open(
        broker: &Broker,
        queues: &[String],
        prefetch: u16,
    ) -> Result<Self, BrokerError> {
        let about = broker.about();
        let channel = broker.channel().await?;
        let limit = channel.basic_qos(prefetch, BasicQosOptions::default()).await;
        limit.map_err(|error| about.error(&error, "the prefetch limit"))?;
        let (sender, arrivals) = mpsc::unbounded_channel();
        let mut consumers = Vec::new();
        for (index, queue) in queues.iter().enumerate() {
            let consumer = consume(&channel, queue, &about).await?;
            consumer.set_delegate(hand_on(index, sender.clone()));
            consumers.push(consumer);
        }
        // A delivery that came in just while its delegate was set lies in lapin's own buffer.
        // One round trip later lapin's I/O thread is past that moment, and setting the delegate
        // once more empties the buffer.
        let limit = channel.basic_qos(prefetch, BasicQosOptions::default()).await;
        limit.map_err(|error| about.error(&error, "the prefetch limit"))?;
        for (index, consumer) in consumers.iter().enumerate() {
            consumer.set_delegate(hand_on(index, sender.clone()));
        }
        let queues = queues.to_vec();
        Ok(Consumer { channel, about, queues, arrivals, consumers })
    }

    /// The next message. Dropping the future loses none.
    ///
    /// # Errors
    /// [`BrokerError::ConsumerCancelled`] when the broker ends a consumer, as when its queue is
    /// deleted; the other queues go on. [`BrokerError::Lost`] and refusals end them all.
    pub async fn next(&mut self) -> Result<(Delivered, Token), BrokerError> {
        let Some(arrival) = self.arrivals.recv().await else {
            // When the broker closes the connection, lapin drops its delegates without a word.
            return Err(self.about.end().await);
        };
        let queue = &self.queues[arrival.queue];
        match arrival.result {
            Ok(Some(delivery)) => {
                let token = Token { tag: delivery.delivery_tag };
                Ok((decode(queue, arrival.seen_at_us, delivery), token))
            }
            Ok(None) => Err(BrokerError::ConsumerCancelled { queue: queue.clone() }),
            Err(error) => Err(self.about.error(&error, &format!("queue `{queue}`"))),
        }
    }

    /// Settles a message as done.
    ///
    /// # Errors
    /// [`BrokerError::Lost`] when the channel is gone; the message will come again, and
    /// [`Consumer::next`] says why.
    pub fn ack(&self, token: Token) -> Result<(), BrokerError> {
        let ack = self.channel.basic_ack(token.tag, BasicAckOptions::default());
        self.put_in_line(ack.now_or_never())
    }

    /// Refuses a message: it goes back to its queue, or is dead-lettered.
    ///
    /// # Errors
    /// As [`Consumer::ack`].
    pub fn reject(&self, token: Token, requeue: bool) -> Result<(), BrokerError> {
        let reject = self.channel.basic_reject(token.tag, BasicRejectOptions { requeue });
        self.put_in_line(reject.now_or_never())
    }

    /// Settles a message and all that were delivered before it in one command: as done, or refused
    /// without going back to their queue.
    ///
    /// # Errors
    /// As [`Consumer::ack`].
    pub fn settle_up_to(&self, token: Token, refused: bool) -> Result<(), BrokerError> {
        let sent = if refused {
            let options = BasicNackOptions { requeue: false, multiple: true };
            self.channel.basic_nack(token.tag, options).now_or_never()
        } else {
            let options = BasicAckOptions { multiple: true };
            self.channel.basic_ack(token.tag, options).now_or_never()
        };
        self.put_in_line(sent)
    }

    /// Refuses a message as [`Consumer::reject`] does, with the other method of the protocol: RabbitMQ 4.3
    /// does not count it as a delivery attempt of a quorum queue when it is requeued.
    ///
    /// # Errors
    /// As [`Consumer::ack`].
    pub fn nack(&self, token: Token, requeue: bool) -> Result<(), BrokerError> {
        let options = BasicNackOptions { requeue, multiple: false };
        self.put_in_line(self.channel.basic_nack(token.tag, options).now_or_never())
    }

    /// Asks the broker to send no more. What it has sent can still be settled, and frees no place
    /// for another message, which would come back to its queue marked as redelivered.
    pub async fn stop(&self) {
        let all = async {
            for consumer in &self.consumers {
                let options = BasicCancelOptions::default();
                // A channel that is gone brings nothing either.
                let _ = self.channel.basic_cancel(consumer.tag(), options).await;
            }
        };
        let _ = timeout(GOODBYE, all).await;
    }

    /// Stops. What was settled is sent first; what was sent ahead and not settled goes back to its
    /// queue.
    pub async fn close(self) {
        close_channel(&self.channel).await;
    }

    /// The broker answers nothing to a settlement, so it is enough that it stands in line to be
    /// sent: what is done on the channel later, closing too, comes after it.
    fn put_in_line(&self, sent: Option<lapin::Result<()>>) -> Result<(), BrokerError> {
        let sent = sent.unwrap_or(Ok(()));
        sent.map_err(|error| self.about.error(&error, "the settlement of a message"))
    }
}

async fn consume(
    channel: &Channel,
    queue: &str,
    about: &About,
) -> Result<lapin::Consumer, BrokerError> {
    let name = short(queue, "a queue's name")?;
    let options = BasicConsumeOptions::default();
    let consumer = channel.basic_consume(name, "".into(), options, FieldTable::default()).await;
    consumer.map_err(|error| about.error(&error, &format!("queue `{queue}`")))
}

/// What lapin calls for each delivery. Everything but the returned future happens at once on its
/// I/O thread, so the time is the time of arrival, and the order is kept.
fn hand_on(
    queue: usize,
    arrivals: mpsc::UnboundedSender<Arrival>,
) -> impl Fn(DeliveryResult) -> future::Ready<()> + Send + Sync {
    move |result| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seen_at_us = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        // Nobody listens once the consumer is dropped; the broker gets the message back then.
        let _ = arrivals.send(Arrival { queue, seen_at_us, result });
        future::ready(())
    }
}
