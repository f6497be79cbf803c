//! The lines of the tree, object by object.

use std::collections::{HashSet, VecDeque};

use indexmap::IndexMap;

use super::graph::{Edge, EdgeId, Graph};
use super::place::Place;
use super::{Named, words};
use crate::objects::{DeadLetter, Objects};
use crate::render::escape::escape;

/// An object this deep is drawn as a tree of its own: a long chain of dead letters would otherwise
/// run off every screen.
const DEPTH_MAX: usize = 12;

/// A tree in the making.
pub struct Drawing<'a, 'n> {
    graph: &'n Graph<'a>,
    note: &'n dyn Fn(Named<'_>) -> Option<String>,
    lines: Vec<String>,
    drawn: HashSet<Named<'a>>,
    /// Ways out of exchanges that were drawn.
    edges_drawn: Vec<bool>,
    /// Dead-letter exchanges and keys that were drawn.
    addresses_drawn: HashSet<(&'a str, &'a str)>,
    /// Objects that were too deep.
    deferred: VecDeque<Named<'a>>,
}

impl<'a, 'n> Drawing<'a, 'n> {
    pub fn new(graph: &'n Graph<'a>, note: &'n dyn Fn(Named<'_>) -> Option<String>) -> Self {
        Drawing {
            note,
            lines: Vec::new(),
            drawn: HashSet::new(),
            edges_drawn: vec![false; graph.edges.len()],
            addresses_drawn: HashSet::new(),
            deferred: VecDeque::new(),
            graph,
        }
    }

    /// All lines so far.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// A tree of its own, unless it was drawn already, and after it what was too deep in it.
    pub fn root(&mut self, node: Named<'a>) {
        self.deferred.push_back(node);
        self.deferred();
    }

    fn deferred(&mut self) {
        while let Some(node) = self.deferred.pop_front() {
            if !self.drawn.contains(&node) {
                self.object("", node, &Place::root());
            }
        }
    }

    /// The ways out of an exchange seen above that no line shows yet: those that dead letters do
    /// not take.
    pub fn other_ways(&mut self, node: Named<'a>) {
        let Named::Exchange(exchange) = node else { return };
        let ways = self.graph.ways_out(exchange).iter().copied();
        let ways: Vec<_> = ways.filter(|id| !self.edges_drawn[*id]).collect();
        if !ways.is_empty() && self.drawn.contains(&node) {
            let title = words::object(self.graph, node);
            self.line(&Place::root(), &format!("{title}, other bindings"));
            self.ways(exchange, &ways, None, &Place::root());
            self.deferred();
        }
    }

    fn line(&mut self, place: &Place, text: &str) {
        self.lines.push(format!("{}{text}", place.before));
    }

    /// The line of an object and the lines below it; `lead` is what leads to it.
    fn object(&mut self, lead: &str, node: Named<'a>, place: &Place) {
        let name = words::name(node.name());
        if self.drawn.contains(&node) {
            return self.line(place, &format!("{lead}{name} ↑ see above"));
        }
        if place.depth >= DEPTH_MAX && self.leads_on(node) {
            self.deferred.push_back(node);
            return self.line(place, &format!("{lead}{name} ↓ see below"));
        }
        self.drawn.insert(node);
        let text = words::object(self.graph, node);
        self.line(place, &format!("{lead}{text}{}", self.note(node)));
        match node {
            Named::Exchange(name) => {
                let ways = self.graph.ways_out(name).to_vec();
                self.ways(name, &ways, None, place);
            }
            Named::Queue(name) => self.dead_letters(name, &place.child(true)),
        }
    }

    fn leads_on(&self, node: Named<'_>) -> bool {
        match node {
            Named::Exchange(name) => !self.graph.ways_out(name).is_empty(),
            Named::Queue(name) => {
                self.graph.objects.queues.get(name).is_some_and(|q| q.dead_letter().is_some())
            }
        }
    }

    /// The destinations of these ways out of an exchange; `said` is a routing key already shown.
    fn ways(&mut self, exchange: &str, ways: &[EdgeId], said: Option<&str>, place: &Place) {
        let mut by_end: IndexMap<Named<'a>, Vec<Edge<'a>>> = IndexMap::new();
        for id in ways {
            self.edges_drawn[*id] = true;
            let edge = self.graph.edges[*id];
            by_end.entry(edge.end()).or_default().push(edge);
        }
        let kind = self.graph.kind(exchange);
        let count = by_end.len();
        for (index, (end, edges)) in by_end.into_iter().enumerate() {
            let lead = words::way(kind, &edges, said);
            self.object(&lead, end, &place.child(index + 1 == count));
        }
    }

    /// Where a queue's dead letters go, if anywhere.
    fn dead_letters(&mut self, name: &'a str, place: &Place) {
        let objects: &'a Objects = self.graph.objects;
        let Some(queue) = objects.queues.get(name) else { return };
        let (lead, fate) = (words::death(queue), words::fate(queue));
        match queue.dead_letter() {
            None => {}
            Some(DeadLetter { exchange: "", routing_key: None }) => {
                self.line(place, &format!("{lead}the queue that its routing key names"));
            }
            Some(DeadLetter { exchange: "", routing_key: Some(key) }) => {
                if objects.queues.contains_key(key) {
                    self.object(&lead, Named::Queue(key), place);
                } else {
                    self.line(place, &format!("{lead}{} (missing: {fate})", escape(key)));
                }
            }
            Some(DeadLetter { exchange, .. }) if self.graph.kind(exchange).is_none() => {
                self.line(place, &format!("{lead}{} (missing: {fate})", escape(exchange)));
            }
            Some(DeadLetter { exchange, routing_key: Some(key) })
                if self.graph.routes_by_key(exchange) =>
            {
                self.address(&lead, (exchange, key), fate, place);
            }
            Some(DeadLetter { exchange, .. }) => {
                self.object(&lead, Named::Exchange(exchange), place);
            }
        }
    }

    /// A dead-letter exchange together with a routing key, and where the two lead.
    fn address(&mut self, lead: &str, address: (&'a str, &'a str), fate: &str, place: &Place) {
        let (exchange, key) = address;
        let node = Named::Exchange(exchange);
        let text = format!("{lead}{} / {}", words::name(exchange), escape(key));
        if self.addresses_drawn.contains(&address) {
            return self.line(place, &format!("{text} ↑ see above"));
        }
        let ways = self.graph.ways_for(exchange, key);
        if !ways.is_empty() && ways.iter().all(|id| self.edges_drawn[*id]) {
            self.addresses_drawn.insert(address);
            return self.line(place, &format!("{text} ↑ see above"));
        }
        if !ways.is_empty() && place.depth >= DEPTH_MAX {
            self.deferred.push_back(node);
            return self.line(place, &format!("{text} ↓ see below"));
        }
        self.drawn.insert(node);
        let title = format!("{lead}{} / {}", words::object(self.graph, node), escape(key));
        let note = self.note(node);
        if ways.is_empty() {
            return self.line(place, &format!("{title}{note} — no binding matches: {fate}"));
        }
        self.addresses_drawn.insert(address);
        self.line(place, &format!("{title}{note}"));
        self.ways(exchange, &ways, Some(key), place);
    }

    fn note(&self, node: Named<'_>) -> String {
        (self.note)(node).map(|note| format!(" [{}]", escape(&note))).unwrap_or_default()
    }
}
