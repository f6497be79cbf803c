//! A broker, and what the tests do with it.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use delayctl::broker::{Broker, Consumer, Finished, Limits, Publisher, Removal, Settings, Token};
use delayctl::lint::{Code, Version, lint};
use delayctl::message::{Delivered, Outgoing, Route};
use delayctl::objects::{Objects, Policy};
use delayctl::plan::plan;
use delayctl::topology::{Topology, parse};
use rabbitmq_http_client::api::Client;
use rabbitmq_http_client::commons::PolicyTarget;
use rabbitmq_http_client::requests::PolicyParams;
use tokio::time::{timeout, timeout_at};

pub use crate::skip::skip;

/// How late a message may be, and how long nothing must come to say that nothing does. A broker
/// needs some milliseconds, a busy machine many.
pub const SLACK: Duration = Duration::from_millis(1200);

/// A connected broker whose names begin with a prefix of this test's own, written `P.` in texts.
pub struct Rig {
    test: &'static str,
    pub broker: Broker,
    pub version: Version,
    prefix: String,
    declared: Objects,
    policies: Vec<String>,
    sent_us: HashMap<String, u64>,
}

/// What a message carries beside its key.
#[derive(Clone, Copy, Debug, Default)]
pub struct With {
    pub expiration: Option<u64>,
    pub plugin_delay: Option<u64>,
    pub mandatory: bool,
}

/// A message that arrived, and how long after it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    pub id: String,
    pub after: Duration,
    /// The reasons of its dead-letterings, newest first.
    pub reasons: Vec<String>,
}

impl Rig {
    /// Connects, or says that the test is skipped.
    pub async fn open(test: &'static str) -> Option<Self> {
        let Ok(uri) = std::env::var("AMQP_URL") else {
            skip(test, "AMQP_URL is not set");
            return None;
        };
        let broker = Broker::connect(&Settings::of_uri(&uri)).await.expect("the broker answers");
        let version = broker.version().parse().expect("the broker tells its version");
        Some(Rig {
            test,
            broker,
            version,
            prefix: format!("lint-live.{}.{test}.", std::process::id()),
            declared: Objects::default(),
            policies: Vec::new(),
            sent_us: HashMap::new(),
        })
    }

    /// Connects to a broker of this version at least.
    pub async fn open_on(test: &'static str, least: Version) -> Option<Self> {
        let rig = Rig::open(test).await?;
        if rig.version < least {
            skip(test, &format!("RabbitMQ {} is older than {least}", rig.version));
            return None;
        }
        Some(rig)
    }

    /// The prefix instead of `P.`.
    pub fn own(&self, text: &str) -> String {
        text.replace("P.", &self.prefix)
    }

    /// The topology of a file.
    pub fn read(&self, yaml: &str) -> Topology {
        parse(&self.own(yaml)).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
    }

    /// The codes that `lint` finds for this broker.
    pub fn codes(&self, topology: &Topology) -> Vec<Code> {
        lint(topology, Some(self.version)).iter().map(|finding| finding.code).collect()
    }

    /// Declares a file in which `lint` finds the hazard.
    pub async fn hazard(&mut self, code: Code, yaml: &str) {
        self.hazard_in(code, self.read(yaml)).await;
    }

    /// Declares a topology in which `lint` finds the hazard.
    pub async fn hazard_in(&mut self, code: Code, topology: Topology) {
        let found = self.codes(&topology);
        assert!(found.contains(&code), "{code} is not among {found:?}");
        self.declare(topology).await;
    }

    /// Declares a file in which `lint` does not find it, in place of what was there.
    pub async fn mended(&mut self, code: Code, yaml: &str) {
        self.mended_in(code, self.read(yaml)).await;
    }

    /// Declares a topology in which `lint` does not find it, in place of what was there.
    pub async fn mended_in(&mut self, code: Code, topology: Topology) {
        let found = self.codes(&topology);
        assert!(!found.contains(&code), "{code} is among {found:?}");
        self.declare(topology).await;
    }

    async fn declare(&mut self, topology: Topology) {
        self.clear().await;
        for (name, policy) in &topology.objects.policies {
            let name = self.own(name);
            set_policy(&name, policy).await.expect("the policy is taken");
            self.policies.push(name);
        }
        let objects = Objects { policies: Default::default(), ..topology.objects };
        let observed = self.broker.observe(&objects).await.unwrap();
        let report = self.broker.apply(&plan(&objects, &observed), |_, _| {}).await;
        assert!(report.is_good(), "{report:?}");
        self.declared = objects;
    }

    /// Declares what is declared once more.
    pub async fn declare_again(&mut self) {
        let topology = Topology { objects: self.declared.clone(), ..Topology::default() };
        let observed = self.broker.observe(&topology.objects).await.unwrap();
        self.broker.apply(&plan(&topology.objects, &observed), |_, _| {}).await;
    }

    async fn clear(&mut self) {
        let declared = std::mem::take(&mut self.declared);
        self.broker.remove(&declared, Removal::default()).await;
        for name in self.policies.drain(..) {
            if let Some((client, vhost)) = management() {
                client.delete_policy(&vhost, &name, true).await.expect("the policy goes");
            }
        }
    }

    /// Removes what the test declared.
    pub async fn close(mut self) {
        self.clear().await;
        self.broker.close().await;
    }

    /// Publishes one message, and returns once the broker has answered.
    pub async fn send(&mut self, exchange: &str, key: &str, id: &str) -> Finished {
        self.send_with(exchange, key, id, With::default()).await
    }

    /// Publishes one message that carries this.
    pub async fn send_with(&mut self, exchange: &str, key: &str, id: &str, with: With) -> Finished {
        let route = Route {
            exchange: self.own(exchange),
            routing_key: self.own(key),
            expiration: with.expiration,
            plugin_delay: with.plugin_delay,
            mandatory: with.mandatory,
            delay_ms: 0,
        };
        let message =
            Outgoing { message_id: id.to_owned(), persistent: true, ..Outgoing::default() };
        let mut publisher = Publisher::open(&self.broker, Limits::default()).await.unwrap();
        self.sent_us.insert(id.to_owned(), now_us());
        publisher.publish(&route, message).await.unwrap();
        publisher.finish().await
    }

    /// What arrives in a queue until `count` messages are there, or `within` is over. Each is
    /// acknowledged.
    pub async fn arrivals(&self, queue: &str, count: usize, within: Duration) -> Vec<Arrived> {
        let consumer = self.consumer(queue).await;
        let mut all = Vec::new();
        let mut consumer = consumer;
        let end = tokio::time::Instant::now() + within;
        while all.len() < count {
            let Ok(next) = timeout_at(end, consumer.next()).await else { break };
            let (delivered, token) = next.unwrap();
            consumer.ack(token).unwrap();
            all.push(self.arrived(&delivered));
        }
        consumer.close().await;
        all
    }

    /// The ids of what arrives in a queue within this time.
    pub async fn ids(&self, queue: &str, within: Duration) -> Vec<String> {
        let all = self.arrivals(queue, usize::MAX, within).await;
        all.into_iter().map(|arrived| arrived.id).collect()
    }

    /// The one message that arrives within this time.
    pub async fn one(&self, queue: &str, within: Duration) -> Option<Arrived> {
        self.arrivals(queue, 1, within).await.pop()
    }

    pub async fn consumer(&self, queue: &str) -> Consumer {
        Consumer::open(&self.broker, &[self.own(queue)], 10).await.unwrap()
    }

    pub fn arrived(&self, delivered: &Delivered) -> Arrived {
        let id = delivered.message_id.clone().unwrap_or_default();
        let sent = self.sent_us.get(&id).copied().unwrap_or_default();
        Arrived {
            after: Duration::from_micros(delivered.seen_at_us.saturating_sub(sent)),
            reasons: delivered.deaths.iter().map(|death| death.reason.clone()).collect(),
            id,
        }
    }

    /// Whether within this time the management API counts as many messages in a queue, at-least-once
    /// dead letters included. It looks every five seconds.
    pub async fn holds(&self, queue: &str, count: u64, within: Duration) -> bool {
        let (client, vhost) = management().expect("the management API is there");
        let until = Instant::now() + within;
        while Instant::now() < until {
            let info = client.get_queue_info(&vhost, &self.own(queue)).await.unwrap();
            if info.message_count == count {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        false
    }

    /// Whether there is a management API; else the test is skipped.
    pub fn needs_management(&self) -> bool {
        let there = management().is_some();
        if !there {
            skip(self.test, "RABBITMQ_MANAGEMENT_URL is not set");
        }
        there
    }
}

/// The next message of a consumer, or nothing within this time.
pub async fn next(consumer: &mut Consumer, within: Duration) -> Option<(Delivered, Token)> {
    timeout(within, consumer.next()).await.ok().map(Result::unwrap)
}

pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_micros()).unwrap()
}

type Api = Client<String, String, String>;

/// The management API, and the vhost of `AMQP_URL`.
fn management() -> Option<(Api, String)> {
    let url = url::Url::parse(&std::env::var("RABBITMQ_MANAGEMENT_URL").ok()?).unwrap();
    let amqp = url::Url::parse(&std::env::var("AMQP_URL").ok()?).unwrap();
    let decoded =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let vhost = match amqp.path().strip_prefix('/') {
        None | Some("") => "/".to_owned(),
        Some(name) => decoded(name),
    };
    let or_guest = |text: &str| if text.is_empty() { "guest".to_owned() } else { decoded(text) };
    let (user, password) = (or_guest(url.username()), or_guest(url.password().unwrap_or_default()));
    let authority = format!("{}:{}", url.host_str()?, url.port_or_known_default()?);
    let endpoint = format!("{}://{authority}/api", url.scheme());
    Some((Client::new(endpoint, user, password), vhost))
}

/// Declares a policy; `Err` holds the broker's answer.
pub async fn set_policy(name: &str, policy: &Policy) -> Result<(), String> {
    let (client, vhost) = management().expect("the management API is there");
    let definition = serde_json::to_value(&policy.definition).unwrap();
    let params = PolicyParams {
        vhost: &vhost,
        name,
        pattern: &policy.pattern,
        apply_to: match policy.apply_to.as_str() {
            "queues" => PolicyTarget::Queues,
            "exchanges" => PolicyTarget::Exchanges,
            _ => PolicyTarget::All,
        },
        priority: i32::try_from(policy.priority).unwrap(),
        definition: definition.as_object().unwrap().clone(),
    };
    client.declare_policy(&params).await.map_err(|error| format!("{error:?}"))
}
