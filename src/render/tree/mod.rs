//! The topology as a tree that follows bindings and dead letters from where messages enter to
//! where they end.

mod drawing;
mod graph;
mod place;
mod words;

use crate::objects::Objects;
use drawing::Drawing;
use graph::Graph;

/// An exchange or queue by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named<'a> {
    /// An exchange.
    Exchange(&'a str),
    /// A queue.
    Queue(&'a str),
}

impl<'a> Named<'a> {
    /// The name.
    pub fn name(self) -> &'a str {
        match self {
            Named::Exchange(name) | Named::Queue(name) => name,
        }
    }
}

/// The objects as a tree, one object a line, without a final line feed. What `note` says of an
/// exchange or queue stands behind it in brackets. An object appears once; other places refer to
/// it.
pub fn tree(objects: &Objects, note: &dyn Fn(Named<'_>) -> Option<String>) -> String {
    let graph = Graph::new(objects);
    let (nodes, led_to) = (graph.nodes(), graph.led_to());
    let mut drawing = Drawing::new(&graph, note);
    nodes.iter().filter(|node| !led_to.contains(*node)).for_each(|node| drawing.root(*node));
    nodes.iter().for_each(|node| drawing.other_ways(*node));
    // What is left stands in cycles, which nothing enters.
    nodes.iter().for_each(|node| drawing.root(*node));
    nodes.iter().for_each(|node| drawing.other_ways(*node));
    drawing.text()
}

#[cfg(test)]
mod tests;
