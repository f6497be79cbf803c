//! Cross-checks: what a well-formed file contradicts itself in, or what every broker refuses.

use super::compile::Compiler;
use super::file::File;
use super::problem::{Problem, ProblemKind};
use super::{spec, values};
use crate::objects::{
    DELAYED_MESSAGE_TYPE, Destination, Exchange, Objects, Queue, SHORT_STRING_MAX, argument,
};
use crate::policy::Policies;
use crate::routing::Router;
use crate::strategy::Target;

/// Everything that does not fit together, in the order of the file.
pub fn check(file: &File, compiled: &Compiler) -> Vec<Problem> {
    let mut check = Check { file, objects: &compiled.objects, problems: Vec::new() };
    check.vhost();
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

    fn vhost(&mut self) {
        if let Some(vhost) = &self.file.vhost.name {
            if vhost.is_empty() {
                self.add("vhost", ProblemKind::EmptyVhost);
            }
            self.short_string("vhost", vhost);
        }
    }

    fn exchange(&mut self, path: &str, name: &str, exchange: &Exchange) {
        self.declared_name(path, name);
        let Some(written) = self.file.exchanges.0.get(name) else { return };
        let field = |argument: &str| format!("{path}.{}", written.field_of(argument));
        for (argument, value) in &exchange.arguments {
            if let Some(problem) = values::problem(argument, value) {
                self.add(field(argument), problem);
            }
        }
        let raw = written.is_raw(argument::ALTERNATE_EXCHANGE);
        if let Some(alternate) = exchange.alternate().filter(|_| !raw) {
            self.exchange_exists(field(argument::ALTERNATE_EXCHANGE), alternate);
        }
        self.exchange_type(format!("{path}.type"), &exchange.kind);
        if exchange.kind == DELAYED_MESSAGE_TYPE {
            match exchange.arguments.get(argument::DELAYED_TYPE).map(|inner| inner.as_str()) {
                None => self.add(path, ProblemKind::NoInnerType),
                Some(Some(inner @ ("" | DELAYED_MESSAGE_TYPE))) => {
                    let inner = inner.to_owned();
                    self.add(field(argument::DELAYED_TYPE), ProblemKind::InnerType { inner });
                }
                Some(Some(inner)) => self.exchange_type(field(argument::DELAYED_TYPE), inner),
                Some(None) => {}
            }
        }
    }

    /// The broker's own types; those of plugins begin with `x-`.
    fn exchange_type(&mut self, field: String, name: &str) {
        let own = ["direct", "fanout", "topic", "headers"].contains(&name);
        if !own && !name.starts_with("x-") {
            self.add(field, ProblemKind::UnknownExchangeType { name: name.to_owned() });
        }
    }

    fn queue(&mut self, path: &str, name: &str, queue: &Queue) {
        self.declared_name(path, name);
        let written = self.file.queues.0.get(name).map(|spec| spec.as_ref());
        // A delay's own queues need no path of their fields: the strategy has seen to them.
        let field = |argument: &str| match written {
            Some(Some(spec)) => format!("{path}.{}", spec.field_of(argument)),
            _ => format!("{path}.{}", spec::field_of(argument)),
        };
        for (argument, value) in &queue.arguments {
            if let Some(problem) = values::problem(argument, value) {
                self.add(field(argument), problem);
            }
        }
        let key = argument::DEAD_LETTER_ROUTING_KEY;
        if let Some(Some(spec)) = written
            && spec.has_dead_letter()
            && let Some(dead_letter) = queue.dead_letter()
        {
            if !spec.is_raw(argument::DEAD_LETTER_EXCHANGE) {
                self.exchange_exists(field(argument::DEAD_LETTER_EXCHANGE), dead_letter.exchange);
            }
            self.short_string(field(key), dead_letter.routing_key.unwrap_or_default());
        }
        let exchange = queue.arguments.contains_key(argument::DEAD_LETTER_EXCHANGE);
        if !exchange && queue.arguments.contains_key(key) {
            self.add(field(key), ProblemKind::RoutingKeyWithoutExchange);
        }
        let raw = |argument: &str| matches!(written, Some(Some(spec)) if spec.is_raw(argument));
        let problems = match raw(argument::DEAD_LETTER_STRATEGY) {
            true => values::at_least_once_refused(queue).into_iter().collect(),
            false => values::at_least_once(queue),
        };
        for problem in problems {
            self.add(field(argument::DEAD_LETTER_STRATEGY), problem);
        }
        for (argument, problem) in values::quorum_only(queue) {
            // Brokers take this one, and ignore it.
            if argument != argument::DELAYED_RETRY_TYPE || !raw(argument) {
                self.add(field(argument), problem);
            }
        }
    }

    fn bindings(&mut self) {
        for (index, binding) in self.file.bindings.iter().flatten().enumerate() {
            let path = format!("bindings[{index}]");
            self.bound_exchange(format!("{path}.source"), &binding.source);
            match &binding.destination {
                Destination::Queue(queue) => {
                    self.queue_exists(format!("{path}.queue"), queue);
                }
                Destination::Exchange(exchange) => {
                    self.bound_exchange(format!("{path}.exchange"), exchange);
                }
            }
            self.short_string(format!("{path}.routing_key"), &binding.routing_key);
        }
    }

    fn delays(&mut self, compiled: &Compiler) {
        let objects = self.objects;
        let policies = Policies::new(&objects.policies, None);
        let router = Router::with_alternates(objects, policies.alternates(objects));
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
            if there && !router.may_reach_a_queue(exchange, key) {
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
        if let Some(problem) = too_long(text) {
            self.add(field, problem);
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
            let declared = self.objects.exchanges.keys();
            self.add(field, no_such_name("exchange", name, declared, self.problems.len()));
        }
        there
    }

    fn queue_exists(&mut self, field: String, name: &str) -> bool {
        let there = self.objects.queues.contains_key(name);
        if !there {
            let declared = self.objects.queues.keys();
            self.add(field, no_such_name("queue", name, declared, self.problems.len()));
        }
        there
    }
}

/// A name or routing key that does not fit the protocol.
pub fn too_long(text: &str) -> Option<ProblemKind> {
    let (length, max) = (text.len(), SHORT_STRING_MAX);
    let start = || text.chars().take(20).collect();
    (length > max).then(|| ProblemKind::TooLongName { start: start(), length, max })
}

/// A reference to nothing, with the declared name that was perhaps meant. To find it takes a look
/// at every declared name, so a file with very many problems gets it for the first ones only.
pub fn no_such_name<'a>(
    what: &'static str,
    name: &str,
    declared: impl Iterator<Item = &'a String>,
    problems_before: usize,
) -> ProblemKind {
    const SUGGESTIONS: usize = 20;
    if let Some(problem) = too_long(name) {
        return problem;
    }
    let near = declared
        .filter(|other| problems_before < SUGGESTIONS && other.len() <= SHORT_STRING_MAX)
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(likeness, _)| *likeness > 0.85);
    let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other.clone());
    ProblemKind::NoSuchName { what, name: name.to_owned(), nearest }
}
