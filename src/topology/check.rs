//! Cross-checks: what a well-formed file contradicts itself in, or what every broker refuses.

use super::compile::Compiler;
use super::file::File;
use super::problem::{Problem, ProblemKind};
use crate::duration::Millis;
use crate::objects::{
    DELAYED_MESSAGE_TYPE, Exchange, Objects, Queue, SHORT_STRING_MAX, TTL_MAX_MS, Value, argument,
    overflow,
};
use crate::routing::{Headers, Router};
use crate::strategy::Target;

/// Everything that does not fit together, in the order of the file.
pub fn check(file: &File, compiled: &Compiler) -> Vec<Problem> {
    let mut check = Check { file, objects: &compiled.objects, problems: Vec::new() };
    for (name, exchange) in &compiled.objects.exchanges {
        check.exchange(&compiled.origins.exchanges[name], name, exchange);
    }
    for (name, queue) in &compiled.objects.queues {
        check.queue(&compiled.origins.queues[name], name, queue);
    }
    check.bindings();
    check.delays(compiled);
    check.problems
}

struct Check<'a> {
    file: &'a File,
    objects: &'a Objects,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn add(&mut self, field: impl Into<String>, kind: ProblemKind) {
        self.problems.push(Problem::new(field, kind));
    }

    fn exchange(&mut self, path: &str, name: &str, exchange: &Exchange) {
        self.declared_name(path, name);
        let written = self.file.exchanges.0.get(name);
        let raw = written.is_some_and(|spec| spec.is_raw(argument::ALTERNATE_EXCHANGE));
        if let Some(alternate) = exchange.alternate().filter(|_| !raw) {
            self.exchange_exists(format!("{path}.alternate"), alternate);
        }
        let inner = exchange.routing_type();
        if exchange.kind == DELAYED_MESSAGE_TYPE && (inner.is_empty() || inner == exchange.kind) {
            self.add(path, ProblemKind::NoInnerType);
        }
    }

    fn queue(&mut self, path: &str, name: &str, queue: &Queue) {
        self.declared_name(path, name);
        let written = self.file.queues.0.get(name).and_then(Option::as_ref);
        let field = |argument: &str| match written {
            Some(spec) => format!("{path}.{}", spec.field_of(argument)),
            None => path.to_owned(),
        };
        for (argument, value) in &queue.arguments {
            if let Some(problem) = number_problem(argument, value) {
                self.add(field(argument), problem);
            }
        }
        let raw = |argument: &str| written.is_some_and(|spec| spec.is_raw(argument));
        match queue.dead_letter() {
            None if queue.arguments.contains_key(argument::DEAD_LETTER_ROUTING_KEY) => {
                let field = field(argument::DEAD_LETTER_ROUTING_KEY);
                self.add(field, ProblemKind::RoutingKeyWithoutExchange);
            }
            None => {}
            Some(dead_letter) => {
                if !raw(argument::DEAD_LETTER_EXCHANGE) {
                    let field = field(argument::DEAD_LETTER_EXCHANGE);
                    self.exchange_exists(field, dead_letter.exchange);
                }
                let key = dead_letter.routing_key.unwrap_or_default();
                self.short_string(field(argument::DEAD_LETTER_ROUTING_KEY), key);
            }
        }
        let strategy = argument::DEAD_LETTER_STRATEGY;
        let problems = if raw(strategy) { Vec::new() } else { at_least_once_problems(queue) };
        for problem in problems {
            self.add(field(argument::DEAD_LETTER_STRATEGY), problem);
        }
        if let (Some(_), Some(queue_type @ ("classic" | "stream")), false) = (
            queue.text(argument::DELAYED_RETRY_TYPE),
            queue.queue_type(),
            raw(argument::DELAYED_RETRY_TYPE),
        ) {
            let queue_type = queue_type.to_owned();
            let kind = ProblemKind::QuorumOnly { field: "delayed_retry", queue_type };
            self.add(field(argument::DELAYED_RETRY_TYPE), kind);
        }
    }

    fn bindings(&mut self) {
        for (index, binding) in self.file.bindings.iter().enumerate() {
            let path = format!("bindings[{index}]");
            self.bound_exchange(format!("{path}.source"), &binding.source);
            match &binding.destination {
                crate::objects::Destination::Queue(queue) => {
                    self.queue_exists(format!("{path}.queue"), queue);
                }
                crate::objects::Destination::Exchange(exchange) => {
                    self.bound_exchange(format!("{path}.exchange"), exchange);
                }
            }
            self.short_string(format!("{path}.routing_key"), &binding.routing_key);
        }
    }

    fn delays(&mut self, compiled: &Compiler) {
        let objects = self.objects;
        let router = Router::new(objects);
        for (name, delay) in &compiled.delays {
            let path = format!("delays.{name}.target");
            let there = match &delay.target {
                Target::Queue(queue) => self.queue_exists(format!("{path}.queue"), queue),
                Target::Exchange { exchange, routing_key } => {
                    self.short_string(format!("{path}.routing_key"), routing_key);
                    self.exchange_exists(format!("{path}.exchange"), exchange)
                }
            };
            let (exchange, key) = (delay.target.exchange(), delay.target.routing_key());
            if there && router.route(exchange, key, &Headers::new()).is_empty() {
                self.add(path, ProblemKind::Unbound { target: delay.target.to_string() });
            }
        }
    }

    fn declared_name(&mut self, field: &str, name: &str) {
        if name.is_empty() {
            self.add(field, ProblemKind::EmptyName);
        } else if name.starts_with("amq.") {
            self.add(field, ProblemKind::Reserved { name: name.to_owned() });
        }
        self.short_string(field, name);
    }

    fn short_string(&mut self, field: impl Into<String>, text: &str) {
        if text.len() > SHORT_STRING_MAX {
            let start = text.chars().take(20).collect();
            let (length, max) = (text.len(), SHORT_STRING_MAX);
            self.add(field, ProblemKind::TooLongName { start, length, max });
        }
    }

    /// The end of a binding: the default exchange is bound to every queue and takes no more.
    fn bound_exchange(&mut self, field: String, name: &str) {
        if name.is_empty() {
            self.add(field, ProblemKind::DefaultExchange);
        } else {
            self.exchange_exists(field, name);
        }
    }

    fn exchange_exists(&mut self, field: String, name: &str) -> bool {
        let there = self.objects.has_exchange(name);
        if !there {
            let kind = no_such_name("exchange", name, self.objects.exchanges.keys());
            self.add(field, kind);
        }
        there
    }

    fn queue_exists(&mut self, field: String, name: &str) -> bool {
        let there = self.objects.queues.contains_key(name);
        if !there {
            self.add(field, no_such_name("queue", name, self.objects.queues.keys()));
        }
        there
    }
}

/// A reference to nothing, with the declared name that was perhaps meant.
pub fn no_such_name<'a>(
    what: &'static str,
    name: &str,
    declared: impl Iterator<Item = &'a String>,
) -> ProblemKind {
    let near = declared.map(|other| (strsim::jaro_winkler(name, other), other));
    let near = near.filter(|(likeness, _)| *likeness > 0.85);
    let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other.clone());
    ProblemKind::NoSuchName { what, name: name.to_owned(), nearest }
}

/// Whether the value of a numeric argument is one that the broker refuses. The ranges were measured
/// on RabbitMQ 3.10, 4.0 and 4.3.
fn number_problem(name: &str, value: &Value) -> Option<ProblemKind> {
    let (min, max) = match name {
        argument::MESSAGE_TTL => (0, TTL_MAX_MS),
        argument::EXPIRES => (1, TTL_MAX_MS),
        argument::MAX_LENGTH | argument::MAX_LENGTH_BYTES | argument::DELIVERY_LIMIT => {
            (0, i64::MAX.unsigned_abs())
        }
        argument::DELAYED_RETRY_MIN | argument::DELAYED_RETRY_MAX => (0, TTL_MAX_MS),
        _ => return None,
    };
    let Value::Int(number) = value else {
        let argument = name.to_owned();
        let (value, kind) = (value.to_string(), value.kind());
        return Some(ProblemKind::NotAnInteger { argument, value, kind });
    };
    // A delivery limit of −1 is none (RabbitMQ 4).
    let fits = u64::try_from(*number).is_ok_and(|number| (min..=max).contains(&number));
    if fits || (name == argument::DELIVERY_LIMIT && *number == -1) {
        return None;
    }
    let show = |number: u64| match max {
        TTL_MAX_MS => Millis(number).to_string(),
        _ => number.to_string(),
    };
    let value = u64::try_from(*number).map_or_else(|_| number.to_string(), show);
    Some(ProblemKind::OutOfRange { value, min: show(min), max: show(max) })
}

/// RabbitMQ takes at-least-once from quorum queues with `reject-publish` only: on a classic queue
/// it refuses, and with `drop-head` it silently means at-most-once.
pub fn at_least_once_problems(queue: &Queue) -> Vec<ProblemKind> {
    let mut found = Vec::new();
    if queue.text(argument::DEAD_LETTER_STRATEGY) != Some("at-least-once") {
        return found;
    }
    if queue.queue_type() != Some("quorum") {
        let (missing, effect) = ("`type: quorum`", "refuses the queue");
        found.push(ProblemKind::AtLeastOnce { missing, effect });
    }
    if queue.text(argument::OVERFLOW) != Some(overflow::REJECT_PUBLISH) {
        let (missing, effect) = ("`overflow: reject-publish`", "silently means at-most-once");
        found.push(ProblemKind::AtLeastOnce { missing, effect });
    }
    if queue.dead_letter().is_none() {
        let (missing, effect) = ("a dead-letter exchange", "has nowhere to send to");
        found.push(ProblemKind::AtLeastOnce { missing, effect });
    }
    found
}
