//! A scenario on the live broker.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use delayctl::broker::{Broker, Consumer, Limits, Publisher, Removal, Settings};
use delayctl::message::{Delivered, Outgoing, Route};
use delayctl::plan;
use delayctl::simulate::{Answer, Profile, Reader, Sending};
use tokio::time::{sleep, sleep_until, timeout};

use crate::scene::Facts;

use super::scenario::{DRAIN_US, Delivery, END_US, Outcome, Scenario, Seen};

/// A live broker, with its plugin or without.
pub struct Live {
    settings: Settings,
    runtime: tokio::runtime::Runtime,
    profile: Profile,
}

impl Live {
    pub fn new(facts: &Facts, plugin: bool) -> Self {
        let mut numbers = facts.version.split('.').map(|number| number.parse().unwrap());
        let profile = Profile::version(numbers.next().unwrap(), numbers.next().unwrap());
        Live {
            settings: Settings::of_uri(&facts.uri),
            runtime: tokio::runtime::Runtime::new().unwrap(),
            profile: if plugin { profile.with_plugin() } else { profile },
        }
    }

    /// What the simulator must know of this broker.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Runs a scenario and looks at its end.
    pub fn run(&self, scenario: &Scenario) -> Outcome {
        self.runtime.block_on(async {
            let mut broker = Broker::connect(&self.settings).await.unwrap();
            let objects = scenario.objects(0);
            let removed = broker.remove(&objects, Removal::default()).await;
            assert!(removed.is_good(), "{removed:?}");
            let observed = broker.observe(&objects).await.unwrap();
            let report = broker.apply(&plan::plan(&objects, &observed), |_, _| {}).await;
            assert!(report.is_good(), "{report:?}");
            let outcome = self.watch(&broker, scenario).await;
            broker.remove(&objects, Removal::default()).await;
            broker.close().await;
            outcome
        })
    }

    async fn watch(&self, broker: &Broker, scenario: &Scenario) -> Outcome {
        let mut tasks = Vec::new();
        // Opened before the clock starts, so that no consumer is late.
        let mut consumers = Vec::new();
        for reader in scenario.readers() {
            let queue = std::slice::from_ref(&reader.queue);
            let consumer = Consumer::open(broker, queue, 1).await.unwrap();
            consumers.push((consumer, reader));
        }
        let mut publisher = Publisher::open(broker, Limits::default()).await.unwrap();
        let start = Instant::now() + Duration::from_millis(50);
        let epoch_us = now_us() + 50_000;
        for (consumer, reader) in consumers {
            let queue = reader.queue.clone();
            tasks.push((queue, tokio::spawn(read(consumer, reader, start, epoch_us))));
        }
        for (id, send) in scenario.sends(0).into_iter().enumerate() {
            sleep_until((start + Duration::from_micros(send.at_us)).into()).await;
            let (route, message) = message(id, &send);
            publisher.publish(&route, message).await.unwrap();
        }
        let mut outcome = Outcome::default();
        for (queue, task) in tasks {
            outcome.delivered.insert(queue, task.await.unwrap());
        }
        sleep_until((start + Duration::from_micros(END_US)).into()).await;
        publisher.finish().await;
        outcome.left = drain(broker, &scenario.unread()).await;
        outcome
    }
}

fn now_us() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(now.as_micros()).unwrap()
}

fn message(id: usize, send: &Sending) -> (Route, Outgoing) {
    let route = Route {
        exchange: send.exchange.to_string(),
        routing_key: send.routing_key.to_string(),
        expiration: send.expiration_ms,
        plugin_delay: None,
        mandatory: false,
        delay_ms: 0,
    };
    let headers = send.headers.as_ref().map(|headers| (**headers).clone()).unwrap_or_default();
    (route, Outgoing { message_id: id.to_string(), headers, ..Outgoing::default() })
}

/// Plays a consumer until the scenario's end.
async fn read(
    mut consumer: Consumer,
    reader: Reader,
    start: Instant,
    epoch_us: u64,
) -> Vec<Delivery> {
    let end = start + Duration::from_micros(END_US);
    let mut deliveries = Vec::new();
    while let Ok(next) =
        timeout(end.saturating_duration_since(Instant::now()), consumer.next()).await
    {
        let (delivered, token) = next.unwrap();
        let at_us = delivered.seen_at_us.saturating_sub(epoch_us);
        let answers = &reader.answers;
        let answer = answers.get(deliveries.len() % answers.len().max(1)).unwrap_or(&Answer::Ack);
        deliveries.push(Delivery { at_us, what: seen(&delivered) });
        sleep(Duration::from_micros(reader.service_us)).await;
        match answer {
            Answer::Ack => consumer.ack(token),
            Answer::Reject => consumer.reject(token, false),
            Answer::Requeue => consumer.reject(token, true),
            Answer::NackRequeue => consumer.nack(token, true),
        }
        .unwrap();
    }
    consumer.close().await;
    deliveries
}

/// Takes all that is left out of the queues that nobody reads.
async fn drain(broker: &Broker, queues: &[String]) -> BTreeMap<String, Vec<Seen>> {
    let mut left: BTreeMap<_, _> = queues.iter().map(|queue| (queue.clone(), Vec::new())).collect();
    // Without acknowledgements: what is delivered stays unacknowledged and moves nothing.
    let mut consumer = Consumer::open(broker, queues, 0).await.unwrap();
    while let Ok(Ok((delivered, _))) =
        timeout(Duration::from_micros(DRAIN_US), consumer.next()).await
    {
        left.get_mut(&delivered.queue).unwrap().push(seen(&delivered));
    }
    consumer.close().await;
    left
}

fn seen(delivered: &Delivered) -> Seen {
    let deaths = delivered.deaths.iter();
    Seen {
        id: delivered.message_id.as_ref().unwrap().parse().unwrap(),
        redelivered: delivered.redelivered,
        deaths: deaths.map(|d| (d.queue.clone(), d.reason.clone(), d.count)).collect(),
    }
}
