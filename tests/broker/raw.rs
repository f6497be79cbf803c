//! Another client of the broker: it publishes what delayctl would not, and sees what it hides.

use lapin::message::BasicGetMessage;
use lapin::options::{BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};

use crate::scene::{Scene, block};

/// Does something on a channel of its own, in confirm mode.
pub fn on_channel<T>(scene: &Scene, work: impl AsyncFnOnce(&Channel) -> T) -> T {
    block(async {
        let options = ConnectionProperties::default();
        let connection = Connection::connect(&scene.broker.uri, options).await.unwrap();
        let channel = connection.create_channel().await.unwrap();
        channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
        let result = work(&channel).await;
        channel.close(200, "done".into()).await.unwrap();
        let _ = connection.close(200, "done".into()).await;
        result
    })
}

/// Publishes one message.
pub async fn publish(channel: &Channel, exchange: &str, key: &str, properties: BasicProperties) {
    let (exchange, key) = (ShortString::from(exchange), ShortString::from(key));
    let options = BasicPublishOptions::default();
    let sent = channel.basic_publish(exchange, key, options, b"foreign", properties).await;
    assert!(sent.unwrap().await.unwrap().is_ack());
}

/// Takes the first message of a queue and leaves it unacknowledged.
pub async fn get(channel: &Channel, queue: &str) -> Option<BasicGetMessage> {
    channel.basic_get(queue.into(), BasicGetOptions { no_ack: false }).await.unwrap()
}

/// Takes the first message of a queue of a scene, and gives it back.
pub fn look(scene: &Scene, queue: &str) -> BasicGetMessage {
    let queue = scene.name(queue);
    on_channel(scene, async |channel| get(channel, &queue).await.expect("a message"))
}

/// A message with these headers.
pub fn with_headers<const N: usize>(headers: [(&str, AMQPValue); N]) -> BasicProperties {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        table.insert(name.into(), value);
    }
    BasicProperties::default().with_headers(table)
}

/// Takes a binding of a scene away.
pub fn unbind(scene: &Scene, queue: &str, exchange: &str, key: &str) {
    let (queue, exchange) = (scene.name(queue).into(), scene.name(exchange).into());
    on_channel(scene, async |channel| {
        channel.queue_unbind(queue, exchange, key.into(), FieldTable::default()).await.unwrap();
    });
}
