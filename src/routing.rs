//! Where a message goes: direct, fanout, topic and headers exchanges, bindings between exchanges,
//! and alternate exchanges.
//!
//! The rules are those of AMQP 0-9-1 as RabbitMQ extends it. An alternate exchange takes a message
//! only when the exchange's own bindings match nothing; a binding to another exchange that then
//! leads nowhere is a match.

use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexSet;

use crate::objects::{Binding, Destination, Objects, Value, predeclared_type};

/// Headers of a message, for headers exchanges.
pub type Headers = BTreeMap<String, Value>;

/// The bindings of some [`Objects`], indexed for routing.
#[derive(Debug)]
pub struct Router<'a> {
    objects: &'a Objects,
    by_source: HashMap<&'a str, Source<'a>>,
    alternates: HashMap<&'a str, &'a str>,
}

/// The bindings of one exchange, numbered in the order of declaration. An exchange may have
/// thousands, and most exchanges compare keys for equality.
#[derive(Debug, Default)]
struct Source<'a> {
    all: Vec<&'a Binding>,
    by_key: HashMap<&'a str, Vec<usize>>,
    /// Those whose key, as a topic pattern, has a wildcard.
    patterns: Vec<usize>,
}

impl<'a> Source<'a> {
    fn add(&mut self, binding: &'a Binding) {
        let number = self.all.len();
        let key = binding.routing_key.as_str();
        self.all.push(binding);
        self.by_key.entry(key).or_default().push(number);
        if key.split('.').any(|word| matches!(word, "*" | "#")) {
            self.patterns.push(number);
        }
    }

    /// The bindings that may match; [`matches`] decides.
    fn candidates(&self, kind: &str, key: &str) -> Vec<&'a Binding> {
        let equal = self.by_key.get(key).map_or(&[][..], Vec::as_slice);
        let mut numbers = match kind {
            "direct" => equal.to_vec(),
            "topic" => [equal, self.patterns.as_slice()].concat(),
            _ => return self.all.clone(),
        };
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| self.all[number]).collect()
    }
}

impl<'a> Router<'a> {
    /// Indexes the bindings. The exchanges have the alternate exchanges of their own arguments.
    pub fn new(objects: &'a Objects) -> Self {
        let exchanges = objects.exchanges.iter();
        let alternates = exchanges.filter_map(|(name, it)| Some((name.as_str(), it.alternate()?)));
        Router::with_alternates(objects, alternates.collect())
    }

    /// The same with these alternate exchanges, by the exchange they stand in for: those in force
    /// where policies set some.
    pub fn with_alternates(objects: &'a Objects, alternates: HashMap<&'a str, &'a str>) -> Self {
        let mut by_source: HashMap<&str, Source> = HashMap::new();
        for binding in &objects.bindings {
            by_source.entry(&binding.source).or_default().add(binding);
        }
        Router { objects, by_source, alternates }
    }

    /// The queues that a message published to `exchange` with these routing key and headers ends
    /// in, each once. An exchange that is not there routes nowhere, as it does for dead letters.
    pub fn route(&self, exchange: &str, routing_key: &str, headers: &Headers) -> Vec<&'a str> {
        let mut queues = IndexSet::new();
        let mut seen = HashSet::from([exchange]);
        let mut open = vec![exchange];
        while let Some(name) = open.pop() {
            for next in self.next(name, routing_key, headers) {
                match next {
                    Next::Queue(queue) => drop(queues.insert(queue)),
                    Next::Exchange(exchange) if seen.insert(exchange) => open.push(exchange),
                    Next::Exchange(_) => {}
                }
            }
        }
        queues.into_iter().collect()
    }

    /// Whether some message published to `exchange` with this routing key ends in a queue: one
    /// with the right headers, or, on an exchange whose type only its plugin knows, any.
    pub fn may_reach_a_queue(&self, exchange: &str, routing_key: &str) -> bool {
        let mut seen = HashSet::from([exchange]);
        let mut open = vec![exchange];
        while let Some(name) = open.pop() {
            let certain = self.next(name, routing_key, &Headers::new());
            let possible = match self.kind(name) {
                None | Some("direct" | "fanout" | "topic") => Vec::new(),
                Some(_) => self.every_end(name),
            };
            for next in certain.into_iter().chain(possible) {
                match next {
                    Next::Queue(_) => return true,
                    Next::Exchange(exchange) if seen.insert(exchange) => open.push(exchange),
                    Next::Exchange(_) => {}
                }
            }
        }
        false
    }

    /// The part of the topology that a message published to `exchange` passes: the exchanges, the
    /// bindings that match, the queues, and on along their dead-letter exchanges to the last queue.
    pub fn path(&self, exchange: &str, routing_key: &str, headers: &Headers) -> Objects {
        let mut path = Objects::default();
        let mut open = vec![(exchange.to_owned(), routing_key.to_owned())];
        let mut seen: HashSet<_> = open.iter().cloned().collect();
        while let Some((name, key)) = open.pop() {
            let mut next: Vec<(String, String)> = Vec::new();
            if let Some((name, exchange)) = self.objects.exchanges.get_key_value(&name) {
                path.exchanges.insert(name.clone(), exchange.clone());
            }
            for binding in self.matching(&name, &key, headers) {
                path.bindings.insert(binding.clone());
            }
            for end in self.next(&name, &key, headers) {
                match end {
                    Next::Exchange(exchange) => next.push((exchange.to_owned(), key.clone())),
                    Next::Queue(name) => {
                        let Some(queue) = self.objects.queues.get(name) else { continue };
                        path.queues.insert(name.to_owned(), queue.clone());
                        next.extend(queue.dead_letter().map(|to| {
                            (to.exchange.to_owned(), to.routing_key.unwrap_or(&key).to_owned())
                        }));
                    }
                }
            }
            open.extend(next.into_iter().filter(|step| seen.insert(step.clone())));
        }
        path
    }

    fn matching(&self, name: &str, key: &str, headers: &Headers) -> Vec<&'a Binding> {
        let (Some(kind), Some(source)) = (self.kind(name), self.by_source.get(name)) else {
            return Vec::new();
        };
        let mut bindings = source.candidates(kind, key);
        bindings.retain(|binding| matches(kind, binding, key, headers));
        bindings
    }

    fn kind(&self, exchange: &str) -> Option<&'a str> {
        let declared = self.objects.exchanges.get(exchange).map(|x| x.routing_type());
        declared.or_else(|| predeclared_type(exchange))
    }

    fn every_end(&self, exchange: &str) -> Vec<Next<'a>> {
        let bindings = self.by_source.get(exchange).map_or(&[][..], |source| &source.all);
        let ends = bindings.iter().map(|binding| Next::from(&binding.destination));
        let alternate = self.alternates.get(exchange);
        ends.chain(alternate.map(|name| Next::Exchange(name))).collect()
    }

    /// One step: what the exchange's own bindings match, else its alternate exchange.
    fn next(&self, name: &str, routing_key: &str, headers: &Headers) -> Vec<Next<'a>> {
        if name.is_empty() {
            let queue = self.objects.queues.get_key_value(routing_key);
            return queue.map(|(name, _)| Next::Queue(name)).into_iter().collect();
        }
        let matching = self.matching(name, routing_key, headers);
        let found: Vec<_> = matching.iter().map(|b| Next::from(&b.destination)).collect();
        match self.alternates.get(name) {
            Some(alternate) if found.is_empty() => vec![Next::Exchange(alternate)],
            _ => found,
        }
    }
}

enum Next<'a> {
    Queue(&'a str),
    Exchange(&'a str),
}

impl<'a> From<&'a Destination> for Next<'a> {
    fn from(destination: &'a Destination) -> Self {
        match destination {
            Destination::Queue(name) => Next::Queue(name),
            Destination::Exchange(name) => Next::Exchange(name),
        }
    }
}

/// Whether a binding of an exchange of this type takes the message. An unknown type takes nothing.
pub fn matches(kind: &str, binding: &Binding, routing_key: &str, headers: &Headers) -> bool {
    match kind {
        "direct" => binding.routing_key == routing_key,
        "fanout" => true,
        "topic" => topic_matches(&binding.routing_key, routing_key),
        "headers" => headers_match(&binding.arguments, headers),
        _ => false,
    }
}

/// Whether a topic pattern matches a routing key: words are separated by dots, `*` stands for one
/// word, `#` for any number of them, also none.
pub fn topic_matches(pattern: &str, key: &str) -> bool {
    fn words(text: &str) -> Vec<&str> {
        if text.is_empty() { Vec::new() } else { text.split('.').collect() }
    }
    let (pattern, key) = (words(pattern), words(key));
    // The greedy match of globs: on a mismatch, let the last `#` swallow one word more.
    let (mut p, mut k, mut retry) = (0, 0, None);
    while k < key.len() {
        if p < pattern.len() && pattern[p] == "#" {
            retry = Some((p, k));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == "*" || pattern[p] == key[k]) {
            p += 1;
            k += 1;
        } else if let Some((hash, from)) = retry {
            p = hash + 1;
            k = from + 1;
            retry = Some((hash, from + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|word| *word == "#")
}

/// Whether a headers binding takes a message. `x-match` is `all` (the default), `any`,
/// `all-with-x` or `any-with-x`; without `-with-x`, arguments that begin with `x-` do not count.
fn headers_match(arguments: &BTreeMap<String, Value>, headers: &Headers) -> bool {
    let mode = arguments.get("x-match").and_then(Value::as_str).unwrap_or("all");
    let with_x = mode.ends_with("-with-x");
    let mut wanted = arguments
        .iter()
        .filter(|(name, _)| *name != "x-match" && (with_x || !name.starts_with("x-")));
    let holds = |(name, value): (&String, &Value)| headers.get(name) == Some(value);
    if mode.starts_with("any") { wanted.any(holds) } else { wanted.all(holds) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{Exchange, Queue};

    #[test]
    fn topic_patterns() {
        let table = [
            ("order.*", "order.paid", true),
            ("order.*", "order", false),
            ("order.*", "order.paid.now", false),
            ("order.#", "order", true),
            ("order.#", "order.paid.now", true),
            ("#", "", true),
            ("", "", true),
            ("*", "", false),
            ("#.dead", "a.b.dead", true),
            ("#.dead", "dead", true),
            ("a.#.b.#.c", "a.x.b.y.z.c", true),
            ("a.#.b.#.c", "a.x.y.z.c", false),
            ("*.*.address", "1.0.address", true),
            ("*.*.address", "1.0.0.address", false),
        ];
        for (pattern, key, expected) in table {
            assert_eq!(topic_matches(pattern, key), expected, "`{pattern}` and `{key}`");
        }
    }

    #[test]
    fn headers_bindings() {
        let arguments = |list: &[(&str, &str)]| {
            list.iter().map(|(k, v)| ((*k).to_owned(), Value::from(*v))).collect::<BTreeMap<_, _>>()
        };
        let message = arguments(&[("kind", "order"), ("region", "eu"), ("x-a", "1")]);
        let table: [(&[(&str, &str)], bool); 7] = [
            (&[], true),
            (&[("kind", "order"), ("region", "eu")], true),
            (&[("kind", "order"), ("region", "us")], false),
            (&[("x-match", "any"), ("kind", "order"), ("region", "us")], true),
            (&[("x-match", "any")], false),
            (&[("kind", "order"), ("x-a", "2")], true),
            (&[("x-match", "all-with-x"), ("kind", "order"), ("x-a", "2")], false),
        ];
        for (binding, expected) in table {
            assert_eq!(headers_match(&arguments(binding), &message), expected, "{binding:?}");
        }
    }

    #[test]
    fn alternate_exchange_takes_only_what_nothing_matched() {
        let mut objects = Objects::default();
        let main = Exchange::durable("direct").with("alternate-exchange", "rest");
        objects.add_exchange("main", main).unwrap();
        objects.add_exchange("rest", Exchange::durable("fanout")).unwrap();
        objects.add_exchange("empty", Exchange::durable("direct")).unwrap();
        objects.add_queue("a", Queue::default()).unwrap();
        objects.add_queue("parked", Queue::default()).unwrap();
        objects.add_binding(Binding::to_queue("main", "a", "a"));
        objects.add_binding(Binding::to_exchange("main", "empty", "into-the-void"));
        objects.add_binding(Binding::to_queue("rest", "parked", ""));
        objects.add_binding(Binding::to_exchange("rest", "main", ""));
        let router = Router::new(&objects);
        let route = |exchange, key| router.route(exchange, key, &Headers::new());
        assert_eq!(route("main", "a"), ["a"]);
        assert_eq!(route("main", "b"), ["parked"]);
        assert_eq!(route("main", "into-the-void"), [""; 0]);
        assert_eq!(route("", "a"), ["a"]);
        assert_eq!(route("", "nobody"), [""; 0]);
        assert_eq!(route("missing", "a"), [""; 0]);
    }

    #[test]
    fn each_queue_once_in_the_order_of_its_bindings() {
        let mut objects = Objects::default();
        objects.add_exchange("topic", Exchange::durable("topic")).unwrap();
        objects.add_exchange("direct", Exchange::durable("direct")).unwrap();
        for queue in ["a", "b", "c"] {
            objects.add_queue(queue, Queue::default()).unwrap();
        }
        for (queue, key) in [("c", "#"), ("a", "order.paid"), ("b", "order.*"), ("a", "order.#")] {
            objects.add_binding(Binding::to_queue("topic", queue, key));
            objects.add_binding(Binding::to_queue("direct", queue, key));
        }
        let router = Router::new(&objects);
        let route = |exchange, key| router.route(exchange, key, &Headers::new());
        assert_eq!(route("topic", "order.paid"), ["c", "a", "b"]);
        assert_eq!(route("topic", "order.*"), ["c", "b", "a"]);
        assert_eq!(route("direct", "order.paid"), ["a"]);
        assert_eq!(route("direct", "order.*"), ["b"]);
    }

    #[test]
    fn what_headers_may_decide_may_be_reached() {
        let mut objects = Objects::default();
        for kind in ["headers", "x-consistent-hash", "direct"] {
            objects.add_exchange(kind, Exchange::durable(kind)).unwrap();
        }
        objects.add_queue("a", Queue::default()).unwrap();
        let mut binding = Binding::to_queue("headers", "a", "");
        binding.arguments.insert("kind".to_owned(), "order".into());
        objects.add_binding(binding);
        objects.add_binding(Binding::to_queue("x-consistent-hash", "a", "10"));
        objects.add_binding(Binding::to_exchange("direct", "headers", "k"));
        let router = Router::new(&objects);
        assert_eq!(router.route("direct", "k", &Headers::new()), [""; 0]);
        let may = |exchange, key| router.may_reach_a_queue(exchange, key);
        assert!(may("headers", "") && may("x-consistent-hash", "any") && may("direct", "k"));
        assert!(!may("direct", "other") && !may("missing", "k"));
    }
}
