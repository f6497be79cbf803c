//! `dead_letter_chains`: where what a consumer refuses goes, level by level.

use serde::Deserialize;

use super::check::no_such_name;
use super::compile::Compiler;
use super::problem::{Problem, ProblemKind};
use crate::duration::Millis;
use crate::objects::{Binding, Exchange, Queue, argument};
use crate::strategy::{Overflow, QueueType};

/// An entry of `dead_letter_chains`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The queue whose dead letters enter the chain.
    pub from: String,
    /// The levels, first to last.
    pub levels: Vec<Level>,
}

/// One level: an exchange, a routing key and a queue. A name left out is derived: the queue is
/// `{chain}.{level}`, the routing key is the queue's name, and without an exchange the default
/// exchange leads straight to the queue.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    exchange: Option<String>,
    routing_key: Option<String>,
    queue: Option<String>,
    #[serde(default)]
    queue_type: QueueType,
    message_ttl: Option<Millis>,
    max_length: Option<u64>,
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
        let mut from_field = format!("{path}.from");
        if !compiler.objects.queues.contains_key(&from) {
            let kind = no_such_name("queue", &from, compiler.objects.queues.keys());
            compiler.problems.push(Problem::new(from_field, kind));
            return;
        }
        for (index, level) in self.levels.iter().enumerate() {
            let field = format!("{path}.levels[{index}]");
            let queue = level.queue_name(name, index);
            level.compile(&field, &queue, compiler);
            level.receive_from(&from, &queue, from_field, compiler);
            from = queue;
            from_field = field;
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
        if !compiler.objects.queues.contains_key(queue) {
            let made = compiler.objects.add_queue(queue, self.queue());
            compiler.clash(field, made);
        }
        match self.exchange.as_deref() {
            None | Some("") => {}
            Some(exchange) => {
                if !compiler.objects.has_exchange(exchange) {
                    let made = compiler.objects.add_exchange(exchange, Exchange::durable("direct"));
                    compiler.clash(field, made);
                }
                let binding = Binding::to_queue(exchange, queue, self.key(queue));
                compiler.objects.add_binding(binding);
            }
        }
    }

    fn queue(&self) -> Queue {
        let mut queue = Queue::default().with(argument::QUEUE_TYPE, self.queue_type.as_str());
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
    fn receive_from(&self, from: &str, queue: &str, field: String, compiler: &mut Compiler) {
        let exchange = self.exchange.as_deref().unwrap_or_default();
        let key = self.key(queue);
        let Some(upper) = compiler.objects.queues.get_mut(from) else { return };
        match upper.dead_letter() {
            Some(present) if present.exchange != exchange || present.routing_key != Some(key) => {
                let key = present.routing_key.unwrap_or("the message's own key");
                let present = format!("exchange `{}`, `{key}`", present.exchange);
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
