//! Routing with a memory: most messages go where others went before.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use super::queue::{QueueId, QueueIds};
use crate::objects::{Objects, PREDECLARED, predeclared_type};
use crate::routing::{Headers, Router};

/// So many routes are remembered; then all are forgotten, so that random keys do not fill the
/// memory.
const REMEMBERED: usize = 1 << 16;

/// A map that is looked into for every hop of every message. Its keys come from whoever runs the
/// simulation, so a hash that nobody can attack is not worth its time.
type Known<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// The multiplicative hash of the Firefox and rustc projects, over eight bytes at a time.
#[derive(Debug, Default)]
struct Quick(u64);

impl Quick {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let word = chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.add(word);
        }
        let rest = chunks.remainder().iter();
        self.add(rest.fold(1, |word, byte| word << 8 | u64::from(*byte)));
    }

    fn finish(&self) -> u64 {
        // The map takes its buckets from the low bits, which multiplication mixes least.
        self.0.rotate_left(26)
    }
}

/// The routes of some objects.
#[derive(Debug)]
pub(super) struct Routes<'a> {
    objects: &'a Objects,
    router: Router<'a>,
    ids: QueueIds<'a>,
    known: Known<&'a str, Known<Arc<str>, Rc<[QueueId]>>>,
    count: usize,
    /// Headers matter somewhere, so a route is not a matter of exchange and key alone.
    headers_matter: bool,
}

impl<'a> Routes<'a> {
    /// Indexes the bindings. `alternates` are the alternate exchanges in force.
    pub fn new(objects: &'a Objects, alternates: HashMap<&'a str, &'a str>) -> Self {
        let ids = objects.queues.keys().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let kind = |source: &str| match objects.exchanges.get(source) {
            Some(exchange) => exchange.routing_type() == "headers",
            None => predeclared_type(source) == Some("headers"),
        };
        let headers_matter = objects.bindings.iter().any(|binding| kind(&binding.source));
        let router = Router::with_alternates(objects, alternates);
        Routes { objects, router, ids, known: Known::default(), count: 0, headers_matter }
    }

    /// The exchange's name as the objects hold it, if it is there.
    pub fn exchange(&self, name: &str) -> Option<&'a str> {
        if let Some((name, _)) = self.objects.exchanges.get_key_value(name) {
            return Some(name);
        }
        // Names of predeclared exchanges are few: leak nothing, list them.
        std::iter::once("").chain(PREDECLARED).find(|predeclared| *predeclared == name)
    }

    pub fn queue(&self, name: &str) -> Option<QueueId> {
        self.ids.get(name).copied()
    }

    /// The queues that a message goes to from this exchange, which may be missing.
    pub fn of(
        &mut self,
        exchange: &'a str,
        key: &Arc<str>,
        headers: Option<&Headers>,
    ) -> Rc<[QueueId]> {
        if self.headers_matter {
            return self.look_up(exchange, key, headers);
        }
        if let Some(known) = self.known.get(exchange).and_then(|keys| keys.get(key)) {
            return known.clone();
        }
        let found = self.look_up(exchange, key, headers);
        if self.count >= REMEMBERED {
            self.known.clear();
            self.count = 0;
        }
        self.count += 1;
        self.known.entry(exchange).or_default().insert(key.clone(), found.clone());
        found
    }

    fn look_up(&self, exchange: &str, key: &str, headers: Option<&Headers>) -> Rc<[QueueId]> {
        let none = Headers::new();
        let names = self.router.route(exchange, key, headers.unwrap_or(&none));
        names.iter().filter_map(|name| self.queue(name)).collect()
    }
}
