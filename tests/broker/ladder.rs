//! Ladders on the real broker whose URI is in `AMQP_URL`.

use std::collections::HashMap;
use std::time::Duration;

use delayctl::broker::{Broker, Consumer, Limits, Publisher, Removal, Settings};
use delayctl::duration::Millis;
use delayctl::message::{Delivered, Outgoing, Route};
use delayctl::objects::{Binding, Exchange, Objects, Queue, argument};
use delayctl::plan;
use delayctl::strategy::ladder::Names;
use delayctl::strategy::{Delay, Ladder, QueueType, Rounding, Strategy, Target};
use tokio::time::timeout;

async fn connect(test: &str) -> Option<Broker> {
    let Ok(uri) = std::env::var("AMQP_URL") else {
        crate::scene::skip(test, "AMQP_URL is not set");
        return None;
    };
    Some(Broker::connect(&Settings::of_uri(&uri)).await.unwrap())
}

/// A delay whose messages arrive in queue `{name}.done`, and all objects it needs.
fn setting(name: &str, exchange: bool, ladder: Ladder) -> (Delay, Objects) {
    let mut objects = Objects::default();
    let done = format!("{name}.done");
    let queue = Queue::default().with(argument::QUEUE_TYPE, ladder.queue_type.as_str());
    objects.add_queue(&done, queue).unwrap();
    let target = if exchange {
        let exchange = format!("{name}.direct");
        objects.add_exchange(&exchange, Exchange::durable("direct")).unwrap();
        objects.add_binding(Binding::to_queue(&exchange, &done, "k"));
        Target::Exchange { exchange, routing_key: "k".to_owned() }
    } else {
        Target::Queue(done)
    };
    let strategy = Strategy::Ladder(ladder);
    let delay = Delay { name: name.to_owned(), target, strategy };
    assert_eq!(delay.problems(), []);
    assert!(objects.merge(delay.compile().unwrap()).is_empty());
    (delay, objects)
}

async fn declare(broker: &mut Broker, objects: &Objects) {
    broker.remove(objects, Removal::default()).await;
    let observed = broker.observe(objects).await.unwrap();
    let report = broker.apply(&plan::plan(objects, &observed), |_, _| {}).await;
    assert!(report.is_good(), "{report:?}");
}

fn now_us() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(now.as_micros()).unwrap()
}

/// Publishes by each route, one every `gap`, and returns when.
async fn publish(broker: &Broker, routes: &[Route], gap: Duration) -> Vec<u64> {
    let mut publisher = Publisher::open(broker, Limits::default()).await.unwrap();
    let mut sent = Vec::new();
    for (id, route) in routes.iter().enumerate() {
        let message_id = id.to_string();
        sent.push(now_us());
        let message = Outgoing { message_id, persistent: true, ..Outgoing::default() };
        publisher.publish(route, message).await.unwrap();
        tokio::time::sleep(gap).await;
    }
    let finished = publisher.finish().await;
    assert!(finished.tally.is_good(), "{:?}", finished.tally);
    sent
}

/// Everything that comes from a queue until nothing does for `idle`.
async fn consume(broker: &Broker, queue: &str, idle: Duration) -> Vec<Delivered> {
    let queues = [queue.to_owned()];
    let mut consumer = Consumer::open(broker, &queues, 100).await.unwrap();
    let mut all = Vec::new();
    while let Ok(next) = timeout(idle, consumer.next()).await {
        let (delivered, token) = next.unwrap();
        consumer.ack(token).unwrap();
        all.push(delivered);
    }
    consumer.close().await;
    all
}

/// 200 delays of 1 to 4,000 ms: each arrives once and none early. Prints how late.
async fn lateness(broker: &mut Broker, radix: u64, queue_type: QueueType, exchange: bool) {
    let ladder = Ladder {
        resolution: Some(Millis(1)),
        max: Some(Millis(4000)),
        radix: Some(radix),
        queue_type,
        ..Ladder::default()
    };
    let name = format!("ladder-live.{radix}");
    let (delay, objects) = setting(&name, exchange, ladder);
    declare(broker, &objects).await;
    let routes: Vec<_> = (0..200_u64)
        .map(|i| delay.route(Millis(1 + i * 2_654_435_761 % 4000), Rounding::Exact).unwrap())
        .collect();
    let done = format!("{name}.done");
    let (sent, all) = tokio::join!(
        publish(broker, &routes, Duration::from_millis(10)),
        consume(broker, &done, Duration::from_secs(5)),
    );
    broker.remove(&objects, Removal::default()).await;
    let mut late = Vec::new();
    let mut seen = HashMap::new();
    for delivered in &all {
        let id: usize = delivered.message_id.as_ref().unwrap().parse().unwrap();
        *seen.entry(id).or_insert(0) += 1;
        let due = sent[id] + routes[id].delay_ms * 1000;
        assert!(delivered.seen_at_us >= due, "{id} is early");
        late.push(delivered.seen_at_us - due);
        if exchange {
            assert_eq!(delivered.routing_key, "k");
        }
    }
    assert!(seen.len() == routes.len() && seen.values().all(|count| *count == 1));
    late.sort_unstable();
    let at = |percent: usize| late[(late.len() - 1) * percent / 100] as f64 / 1000.0;
    let kind = queue_type.as_str();
    let to = if exchange { "exchange" } else { "queue" };
    eprintln!(
        "{} radix {radix} {kind}, to {to}: p50 {:.1} ms, p99 {:.1} ms",
        broker.version(),
        at(50),
        at(99)
    );
}

#[tokio::test]
async fn every_delay_arrives_once_and_none_early() {
    let Some(mut broker) = connect("every_delay_arrives_once_and_none_early").await else { return };
    for radix in [2, 16] {
        for queue_type in [QueueType::Classic, QueueType::Quorum] {
            for exchange in [false, true] {
                lateness(&mut broker, radix, queue_type, exchange).await;
            }
        }
    }
    broker.close().await;
}

/// 40 messages to an address that nobody has, then one to one that is bound. The ladder parks the
/// 40; Celery's, which parks nothing, keeps 32 of them on their way for ever, and with them
/// everybody's messages.
#[tokio::test]
async fn an_unbound_address_stalls_nobody() {
    let Some(mut broker) = connect("an_unbound_address_stalls_nobody").await else { return };
    for (names, arrived) in [(Names::Delayctl, 1), (Names::Celery, 0)] {
        let prefix = Some("ladder-live-stall".to_owned());
        let ladder = Ladder { names, prefix, max: Some(Millis(3000)), ..Ladder::default() };
        let (delay, objects) = setting("ladder-live-stall", false, ladder);
        declare(&mut broker, &objects).await;
        let route = delay.route(Millis(1000), Rounding::Exact).unwrap();
        let routing_key = route.routing_key.replace(".ladder-live-stall.done", ".nobody");
        let lost = Route { routing_key, ..route.clone() };
        publish(&broker, &vec![lost; 40], Duration::ZERO).await;
        publish(&broker, &[route], Duration::ZERO).await;
        let done = consume(&broker, "ladder-live-stall.done", Duration::from_secs(4)).await;
        assert_eq!(done.len(), arrived, "{names:?}");
        if names == Names::Delayctl {
            let parked =
                consume(&broker, "ladder-live-stall.parking", Duration::from_secs(1)).await;
            assert_eq!(parked.len(), 40);
        }
        broker.remove(&objects, Removal::default()).await;
    }
    broker.close().await;
}
