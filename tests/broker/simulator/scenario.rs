//! Random topologies, batches and consumers.

use std::collections::BTreeMap;
use std::sync::Arc;

use delayctl::objects::{Binding, Exchange, Objects, Queue, argument};
use delayctl::routing::Headers;
use delayctl::simulate::{Answer, Message, Profile, Reader, Sending, Simulation, What};
use proptest::prelude::*;

/// When everything is looked at: by then nothing moves any more.
pub const END_US: u64 = 3_500_000;
/// How long what is left then may take to come out.
pub const DRAIN_US: u64 = 300_000;

/// A scenario. Names are numbers; [`Scenario::objects`] gives them their form.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub queues: Vec<QueueSpec>,
    pub exchanges: Vec<ExchangeSpec>,
    pub sends: Vec<SendSpec>,
}

#[derive(Clone, Debug)]
pub struct QueueSpec {
    quorum: bool,
    ttl_ms: Option<u64>,
    max_length: Option<u64>,
    reject_publish: bool,
    at_least_once: bool,
    dead_letter: Option<(usize, Option<usize>)>,
    delivery_limit: Option<u64>,
    retry: Option<u64>,
    /// A consumer of it: its answers, and how long it takes.
    pub reader: Option<(Vec<Answer>, u64)>,
}

#[derive(Clone, Debug)]
pub struct ExchangeSpec {
    kind: usize,
    alternate: Option<usize>,
    /// Queues, and the keys they are bound with.
    bindings: Vec<(usize, usize)>,
    to_exchange: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub struct SendSpec {
    exchange: usize,
    key: usize,
    expiration_ms: Option<u64>,
    delay_ms: Option<u64>,
}

const KINDS: [&str; 5] = ["direct", "topic", "fanout", "headers", "x-delayed-message"];
const KEYS: [&str; 5] = ["a", "b", "a.b", "a.*", "#"];
/// Sends are this far apart.
const SEND_EVERY_US: u64 = 70_000;

fn queue_specs(profile: Profile) -> impl Strategy<Value = QueueSpec> {
    // Odd numbers of ms, so that paths of different queues seldom take equally long.
    let ttl = prop::option::weighted(0.6, prop::sample::select(vec![110_u64, 270, 430, 690]));
    let limits = (prop::option::weighted(0.25, 1..4_u64), any::<bool>(), any::<bool>());
    let dead_letter = prop::option::weighted(0.75, (0..6_usize, prop::option::of(0..7_usize)));
    let answer = prop::sample::select(vec![
        Answer::Ack,
        Answer::Ack,
        Answer::Reject,
        Answer::Requeue,
        Answer::NackRequeue,
    ]);
    let service = prop::sample::select(vec![3_000_u64, 90_000]);
    let reader = prop::option::weighted(0.4, (prop::collection::vec(answer, 0..4), service));
    let retry = prop::option::weighted(0.2, prop::sample::select(vec![130_u64, 310]));
    let limit = prop::option::weighted(0.3, 1..3_u64);
    let new = profile.version >= (4, 3);
    (any::<bool>(), ttl, limits, dead_letter, (limit, retry), reader).prop_map(
        move |(quorum, ttl_ms, limits, dead_letter, (delivery_limit, retry), reader)| {
            // A consumer that requeues for ever, with nothing to end it, is no scenario that
            // comes to rest: it acknowledges at last.
            let reader = reader.map(|(mut answers, service)| {
                answers.push(Answer::Ack);
                (answers, service)
            });
            let (max_length, reject_publish, at_least_once) = limits;
            let at_least_once = quorum && reject_publish && dead_letter.is_some() && at_least_once;
            let delivery_limit = delivery_limit.filter(|_| quorum);
            let retry = retry.filter(|_| quorum && new);
            QueueSpec {
                quorum,
                ttl_ms,
                max_length,
                reject_publish,
                at_least_once,
                dead_letter,
                delivery_limit,
                retry,
                reader,
            }
        },
    )
}

fn exchange_specs(profile: Profile) -> impl Strategy<Value = ExchangeSpec> {
    let kinds = if profile.plugin { 5_usize } else { 4 };
    let alternate = prop::option::weighted(0.3, 0..4_usize);
    let bindings = prop::collection::vec((0..5_usize, 0..5_usize), 0..4);
    let to_exchange = prop::option::weighted(0.3, (0..4_usize, 0..5_usize));
    (0..kinds, alternate, bindings, to_exchange).prop_map(
        |(kind, alternate, bindings, to_exchange)| ExchangeSpec {
            kind,
            alternate,
            bindings,
            to_exchange,
        },
    )
}

/// Scenarios for this broker.
pub fn scenarios(profile: Profile) -> impl Strategy<Value = Scenario> {
    let expiration = prop::option::weighted(0.3, prop::sample::select(vec![50_u64, 190, 370]));
    let delay = prop::option::weighted(0.5, prop::sample::select(vec![0_u64, 150, 390]));
    let send = (0..6_usize, 0..8_usize, expiration, delay).prop_map(
        |(exchange, key, expiration_ms, delay_ms)| SendSpec {
            exchange,
            key,
            expiration_ms,
            delay_ms,
        },
    );
    (
        prop::collection::vec(queue_specs(profile), 2..6),
        prop::collection::vec(exchange_specs(profile), 1..5),
        prop::collection::vec(send, 1..14),
    )
        .prop_map(|(queues, exchanges, sends)| Scenario { queues, exchanges, sends })
}

/// What became of everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Deliveries of each queue that has a consumer, in order.
    pub delivered: BTreeMap<String, Vec<Delivery>>,
    /// What is in each queue at the end, in order.
    pub left: BTreeMap<String, Vec<Seen>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    pub at_us: u64,
    pub what: Seen,
}

/// A message, redelivered or not, and its history: queue, reason, count, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub id: u64,
    pub redelivered: bool,
    pub deaths: Vec<(String, String, u64)>,
}

impl Outcome {
    /// Alike, but for the times.
    pub fn like(&self, other: &Outcome) -> bool {
        let what = |outcome: &Outcome| -> Vec<(String, Vec<Seen>)> {
            let each = outcome.delivered.iter();
            each.map(|(q, list)| (q.clone(), list.iter().map(|d| d.what.clone()).collect()))
                .collect()
        };
        self.left == other.left && what(self) == what(other)
    }

    /// How far the farthest delivery is from that of the other outcome.
    pub fn worst(&self, other: &Outcome) -> u64 {
        let pairs = self.delivered.iter().flat_map(|(queue, list)| {
            list.iter().zip(other.delivered.get(queue).into_iter().flatten())
        });
        pairs.map(|(a, b)| a.at_us.abs_diff(b.at_us)).max().unwrap_or(0)
    }
}

fn queue_name(index: usize) -> String {
    format!("sim.q{index}")
}

impl Scenario {
    /// Names that the scenario has too few objects for wrap round.
    fn queue(&self, index: usize) -> String {
        queue_name(index % self.queues.len())
    }

    fn exchange(&self, index: usize) -> String {
        format!("sim.x{}", index % self.exchanges.len())
    }

    /// Keys from 5 on are queues' names, for the default exchange.
    fn key(&self, index: usize) -> String {
        KEYS.get(index).map_or_else(|| self.queue(index - 5), |key| (*key).to_owned())
    }

    /// An exchange's name; some are the default exchange, with a queue's name as the key.
    fn address(&self, exchange: usize, key: usize) -> (String, String) {
        if exchange >= 4 {
            (String::new(), self.queue(key))
        } else {
            (self.exchange(exchange), self.key(key % 8))
        }
    }

    /// The objects, each TTL longer by a bit of `shake` (0: none).
    pub fn objects(&self, shake: u64) -> Objects {
        let mut objects = Objects::default();
        for (index, spec) in self.exchanges.iter().enumerate() {
            let mut exchange = Exchange::durable(KINDS[spec.kind]);
            if KINDS[spec.kind] == "x-delayed-message" {
                exchange = exchange.with(argument::DELAYED_TYPE, "topic");
            }
            if let Some(alternate) = spec.alternate {
                exchange = exchange.with(argument::ALTERNATE_EXCHANGE, self.exchange(alternate));
            }
            objects.add_exchange(&self.exchange(index), exchange).unwrap();
        }
        for (index, spec) in self.queues.iter().enumerate() {
            let more_ms = if shake == 0 { 0 } else { mix(shake, index as u64) % 8 };
            objects.add_queue(&queue_name(index), self.queue_of(spec, more_ms)).unwrap();
        }
        for (index, spec) in self.exchanges.iter().enumerate() {
            let source = self.exchange(index);
            for (queue, key) in &spec.bindings {
                objects.add_binding(Binding::to_queue(&source, &self.queue(*queue), KEYS[*key]));
            }
            if let Some((to, key)) = spec.to_exchange {
                objects.add_binding(Binding::to_exchange(&source, &self.exchange(to), KEYS[key]));
            }
        }
        objects
    }

    fn queue_of(&self, spec: &QueueSpec, more_ms: u64) -> Queue {
        let kind = if spec.quorum { "quorum" } else { "classic" };
        let mut queue = Queue::default().with(argument::QUEUE_TYPE, kind);
        let numbers = [
            (argument::MESSAGE_TTL, spec.ttl_ms.map(|ttl| ttl + more_ms)),
            (argument::MAX_LENGTH, spec.max_length),
            (argument::DELIVERY_LIMIT, spec.delivery_limit),
            (argument::DELAYED_RETRY_MIN, spec.retry),
            (argument::DELAYED_RETRY_MAX, spec.retry.map(|min| min * 2)),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                queue = queue.with(name, number);
            }
        }
        if spec.retry.is_some() {
            queue = queue.with(argument::DELAYED_RETRY_TYPE, "all");
        }
        if spec.reject_publish {
            queue = queue.with(argument::OVERFLOW, "reject-publish");
        }
        if let Some((exchange, key)) = spec.dead_letter {
            let (exchange, address) = self.address(exchange, key.unwrap_or_default());
            queue = queue.with(argument::DEAD_LETTER_EXCHANGE, exchange.as_str());
            if key.is_some() || exchange.is_empty() {
                queue = queue.with(argument::DEAD_LETTER_ROUTING_KEY, address);
            }
        }
        if spec.at_least_once {
            queue = queue.with(argument::DEAD_LETTER_STRATEGY, "at-least-once");
        }
        queue
    }

    /// What is sent, each a bit of `shake` later.
    pub fn sends(&self, shake: u64) -> Vec<Sending> {
        let one = |(index, spec): (usize, &SendSpec)| {
            let index = index as u64;
            let late_us = if shake == 0 { 0 } else { mix(shake, 100 + index) % 25_000 };
            let (exchange, key) = self.address(spec.exchange, spec.key);
            let delay = spec.delay_ms.map(|ms| ("x-delay".to_owned(), ms.into()));
            Sending {
                expiration_ms: spec.expiration_ms,
                headers: delay.map(|delay| Arc::new(Headers::from([delay]))),
                ..Sending::new(index * SEND_EVERY_US + late_us, &exchange, &key)
            }
        };
        self.sends.iter().enumerate().map(one).collect()
    }

    /// The consumers, by queue.
    pub fn readers(&self) -> Vec<Reader> {
        let each = self.queues.iter().enumerate().filter_map(|(index, spec)| {
            let (answers, service_us) = spec.reader.clone()?;
            let reader = Reader::new(&queue_name(index)).answering(answers);
            Some(Reader { service_us, ..reader })
        });
        each.collect()
    }

    /// The queues without a consumer. At the end they are emptied, which frees what had expired
    /// behind a head that had not.
    pub fn unread(&self) -> Vec<String> {
        let unread = self.queues.iter().enumerate().filter(|(_, spec)| spec.reader.is_none());
        unread.map(|(index, _)| queue_name(index)).collect()
    }

    /// What the simulator says; `shake` changes the times a little (0: not).
    pub fn simulate(&self, profile: Profile, shake: u64) -> Outcome {
        let objects = self.objects(shake);
        let mut simulation = Simulation::new(&objects, profile);
        let mut outcome = Outcome::default();
        for mut reader in self.readers() {
            outcome.delivered.insert(reader.queue.clone(), Vec::new());
            reader.service_us += if shake == 0 { 0 } else { mix(shake, 200) % 4_000 };
            simulation.add_reader(reader);
        }
        for queue in self.unread() {
            outcome.left.insert(queue.clone(), Vec::new());
            // What is delivered here stays unacknowledged.
            let (prefetch, service_us) = (0, END_US);
            simulation.add_reader(Reader {
                from_us: END_US,
                prefetch,
                service_us,
                ..Reader::new(&queue)
            });
        }
        simulation.run(self.sends(shake), END_US + DRAIN_US, |step| {
            let What::Delivered { queue, .. } = step.what else { return };
            let what = seen(step.message);
            match outcome.delivered.get_mut(queue) {
                Some(list) if step.at_us < END_US => {
                    list.push(Delivery { at_us: step.at_us, what });
                }
                Some(_) => {}
                None => outcome.left.entry(queue.to_owned()).or_default().push(what),
            }
        });
        outcome
    }
}

fn seen(message: &Message<'_>) -> Seen {
    let deaths = message.deaths().into_iter();
    Seen {
        id: message.id(),
        redelivered: message.redelivered(),
        deaths: deaths.map(|death| (death.queue, death.reason, death.count)).collect(),
    }
}

/// A number from two, the same every time.
fn mix(a: u64, b: u64) -> u64 {
    (a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.wrapping_mul(0xC2B2_AE3D_27D4_EB4F)) >> 17
}
