//! `dead_letter_chains`: where what a consumer refuses goes, level by level.

use schemars::JsonSchema;
use serde::Deserialize;

use super::check::{no_such_name, too_long};
use super::compile::Compiler;
use super::problem::{Problem, ProblemKind};
use crate::duration::Millis;
use crate::objects::{Binding, Exchange, Queue, argument};
use crate::strategy::{Overflow, QueueType, count};

/// An entry of `dead_letter_chains`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of `from` and `levels`")]
pub struct Chain {
    /// The queue whose dead letters enter the chain.
    pub from: String,
    /// The levels, first to last.
    #[schemars(length(min = 1))]
    pub levels: Vec<Level>,
}

/// One level: an exchange, a routing key and a queue. A name left out is derived: the queue is
/// `{chain}.{level}`, the routing key is the queue's name, and without an exchange the default
/// exchange leads straight to the queue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a level, like `{queue: failed}` or `{}`")]
pub struct Level {
    /// The exchange; without it the default exchange leads straight to the queue.
    exchange: Option<String>,
    /// The routing key; default the queue's name.
    routing_key: Option<String>,
    /// The queue; default `{chain}.{level}`.
    queue: Option<String>,
    /// The queue's type.
    queue_type: Option<QueueType>,
    /// How long a message may wait here.
    message_ttl: Option<Millis>,
    /// How many messages the queue may hold.
    #[serde(default, deserialize_with = "count")]
    max_length: Option<u64>,
    /// What a full queue does with one more message.
    overflow: Option<Overflow>,
}

impl Chain {
    /// Its queues in order: the one it starts from, then each level's.
    pub fn queues(&self, name: &str) -> Vec<String> {
        let levels = self.levels.iter().enumerate();
        let levels = levels.map(|(index, level)| level.queue_name(name, index));
        std::iter::once(self.from.clone()).chain(levels).collect()
    }

    /// Adds the chain's objects, each level's queue dead-lettering to the next.
    pub fn compile(&self, name: &str, compiler: &mut Compiler) {
        let path = format!("dead_letter_chains.{name}");
        if self.levels.is_empty() {
            let field = format!("{path}.levels");
            compiler.problems.push(Problem::new(field, ProblemKind::NoLevels));
        }
        let mut from = self.from.clone();
        let from_field = format!("{path}.from");
        if !compiler.objects.queues.contains_key(&from) {
            let declared = compiler.objects.queues.keys();
            let kind = no_such_name("queue", &from, declared, compiler.problems.len());
            compiler.problems.push(Problem::new(from_field, kind));
            return;
        }
        for (index, level) in self.levels.iter().enumerate() {
            let field = format!("{path}.levels[{index}]");
            let queue = level.queue_name(name, index);
            level.compile(&field, &queue, compiler);
            compiler.note_origins(&field);
            level.receive_from(&from, &queue, &field, compiler);
            from = queue;
        }
    }
}

impl Level {
    fn queue_name(&self, chain: &str, index: usize) -> String {
        self.queue.clone().unwrap_or_else(|| format!("{chain}.{}", index + 1))
    }

    fn key<'a>(&'a self, queue: &'a str) -> &'a str {
        self.routing_key.as_deref().unwrap_or(queue)
    }

    fn compile(&self, field: &str, queue: &str, compiler: &mut Compiler) {
        if let Some(first) = compiler.origins.queues.get(queue) {
            for given in self.queue_fields() {
                let (queue, first) = (queue.to_owned(), first.clone());
                let kind = ProblemKind::LevelDeclared { queue, first, field: given };
                compiler.problems.push(Problem::new(format!("{field}.{given}"), kind));
            }
        } else {
            compiler.objects.queues.insert(queue.to_owned(), self.queue());
        }
        if let Some(kind) = self.routing_key.as_deref().and_then(too_long) {
            compiler.problems.push(Problem::new(format!("{field}.routing_key"), kind));
        }
        match self.exchange.as_deref() {
            None | Some("") => {}
            Some(exchange) => {
                if !compiler.objects.has_exchange(exchange) {
                    let direct = Exchange::durable("direct");
                    compiler.objects.exchanges.insert(exchange.to_owned(), direct);
                }
                let binding = Binding::to_queue(exchange, queue, self.key(queue));
                compiler.objects.add_binding(binding);
            }
        }
    }

    /// The fields given that say how the queue is made.
    fn queue_fields(&self) -> impl Iterator<Item = &'static str> {
        let fields = [
            ("queue_type", self.queue_type.is_some()),
            ("message_ttl", self.message_ttl.is_some()),
            ("max_length", self.max_length.is_some()),
            ("overflow", self.overflow.is_some()),
        ];
        fields.into_iter().filter(|(_, given)| *given).map(|(field, _)| field)
    }

    fn queue(&self) -> Queue {
        let queue_type = self.queue_type.unwrap_or_default();
        let mut queue = Queue::default().with(argument::QUEUE_TYPE, queue_type.as_str());
        if let Some(ttl) = self.message_ttl {
            queue = queue.with(argument::MESSAGE_TTL, ttl.0);
        }
        if let Some(max_length) = self.max_length {
            queue = queue.with(argument::MAX_LENGTH, max_length);
        }
        if let Some(overflow) = self.overflow {
            queue = queue.with(argument::OVERFLOW, overflow.as_str());
        }
        queue
    }

    /// Makes the dead letters of queue `from` come here.
    fn receive_from(&self, from: &str, queue: &str, field: &str, compiler: &mut Compiler) {
        let exchange = self.exchange.as_deref().unwrap_or_default();
        let key = self.key(queue);
        let Some(upper) = compiler.objects.queues.get_mut(from) else { return };
        match upper.dead_letter() {
            Some(present) if present.exchange != exchange || present.routing_key != Some(key) => {
                let present = present.to_string();
                let kind = ProblemKind::ChainTaken { queue: from.to_owned(), present };
                compiler.problems.push(Problem::new(field, kind));
            }
            _ => {
                let linked = upper
                    .clone()
                    .with(argument::DEAD_LETTER_EXCHANGE, exchange)
                    .with(argument::DEAD_LETTER_ROUTING_KEY, key);
                *upper = linked;
            }
        }
    }
}
