//! One object as the protocol's calls.

use lapin::options::{
    ExchangeBindOptions, ExchangeDeclareOptions, ExchangeUnbindOptions, QueueBindOptions,
    QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, ExchangeKind};

use crate::objects::{Binding, Destination, Exchange, Queue};
use crate::plan::{Live, Object};

use super::about::About;
use super::fault::{Fault, short};
use super::values::to_table;

/// Declares an object or makes a binding. What exists alike stays as it is.
pub(super) async fn declare(
    channel: &Channel,
    object: &Object,
    about: &About,
) -> Result<(), Fault> {
    let what = object.to_string();
    let done = match object {
        Object::Exchange(name, exchange) => declare_exchange(channel, name, exchange).await?,
        Object::Queue(name, queue) => declare_queue(channel, name, queue).await?,
        Object::Binding(binding) => bind(channel, binding).await?,
        // Policies are no part of AMQP: see `apply`.
        Object::Policy(..) => Ok(()),
    };
    done.map_err(|error| about.fault(&error, &what))
}

async fn declare_exchange(
    channel: &Channel,
    name: &str,
    exchange: &Exchange,
) -> Result<lapin::Result<()>, Fault> {
    let options = ExchangeDeclareOptions {
        durable: exchange.durable,
        auto_delete: exchange.auto_delete,
        internal: exchange.internal,
        ..ExchangeDeclareOptions::default()
    };
    let name = short(name, "an exchange's name")?;
    // lapin's conversion of the type panics when it does not fit.
    let kind = ExchangeKind::Custom(short(&exchange.kind, "an exchange's type")?.to_string());
    let arguments = to_table(&exchange.arguments)?;
    Ok(channel.exchange_declare(name, kind, options, arguments).await)
}

async fn declare_queue(
    channel: &Channel,
    name: &str,
    queue: &Queue,
) -> Result<lapin::Result<()>, Fault> {
    let options = QueueDeclareOptions {
        durable: queue.durable,
        auto_delete: queue.auto_delete,
        ..QueueDeclareOptions::default()
    };
    let name = short(name, "a queue's name")?;
    let arguments = to_table(&queue.arguments)?;
    Ok(channel.queue_declare(name, options, arguments).await.map(drop))
}

async fn bind(channel: &Channel, binding: &Binding) -> Result<lapin::Result<()>, Fault> {
    let source = short(&binding.source, "an exchange's name")?;
    let key = short(&binding.routing_key, "a routing key")?;
    let arguments = to_table(&binding.arguments)?;
    let name = short(binding.destination.name(), "a binding's destination")?;
    Ok(match binding.destination {
        Destination::Queue(_) => {
            channel.queue_bind(name, source, key, QueueBindOptions::default(), arguments).await
        }
        Destination::Exchange(_) => {
            channel
                .exchange_bind(name, source, key, ExchangeBindOptions::default(), arguments)
                .await
        }
    })
}

/// Removes a binding. One that is not there is no error to the broker.
pub(super) async fn unbind(
    channel: &Channel,
    binding: &Binding,
    about: &About,
) -> Result<(), Fault> {
    let source = short(&binding.source, "an exchange's name")?;
    let key = short(&binding.routing_key, "a routing key")?;
    let arguments = to_table(&binding.arguments)?;
    let name = short(binding.destination.name(), "a binding's destination")?;
    let removed = match binding.destination {
        Destination::Queue(_) => channel.queue_unbind(name, source, key, arguments).await,
        Destination::Exchange(_) => {
            let options = ExchangeUnbindOptions::default();
            channel.exchange_unbind(name, source, key, options, arguments).await
        }
    };
    removed.map_err(|error| about.fault(&error, &Object::Binding(binding.clone()).to_string()))
}

/// Asks whether an exchange of this name exists; the protocol looks at nothing else.
pub(super) async fn find_exchange(
    channel: &Channel,
    name: &str,
    about: &About,
) -> Result<(), Fault> {
    let options = ExchangeDeclareOptions { passive: true, ..ExchangeDeclareOptions::default() };
    let short_name = short(name, "an exchange's name")?;
    let kind = ExchangeKind::Direct;
    let found = channel.exchange_declare(short_name, kind, options, FieldTable::default()).await;
    found.map_err(|error| about.fault(&error, &format!("exchange `{name}`")))
}

/// Asks whether a queue of this name exists, and what it holds.
pub(super) async fn find_queue(
    channel: &Channel,
    name: &str,
    about: &About,
) -> Result<Live, Fault> {
    let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let short_name = short(name, "a queue's name")?;
    let found = channel.queue_declare(short_name, options, FieldTable::default()).await;
    let queue = found.map_err(|error| about.fault(&error, &format!("queue `{name}`")))?;
    Ok(Live {
        ready: Some(queue.message_count().into()),
        consumers: Some(queue.consumer_count().into()),
        ..Live::default()
    })
}
