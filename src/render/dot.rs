//! The topology as a graph in Graphviz' dot language.

use super::graph::{Picture, id};
use super::tree::Named;
use crate::objects::Objects;

/// The objects with what `note` says of each: exchanges as ellipses, queues as boxes, dead letters
/// and alternate exchanges as dashed edges. Ends with a line feed.
pub fn dot(objects: &Objects, note: &dyn Fn(Named<'_>) -> Option<String>) -> String {
    let picture = Picture::of(objects, note);
    let mut text = "digraph topology {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n  \
                    edge [fontname=\"sans-serif\", fontsize=10];\n"
        .to_owned();
    for (index, node) in picture.nodes.iter().enumerate() {
        let shape = match node.named {
            Named::Exchange(_) => "ellipse",
            Named::Queue(_) => "box",
        };
        let label: Vec<_> = node.lines.iter().map(|line| escaped(line)).collect();
        let (id, label) = (id(node.named, index), label.join("\\n"));
        text.push_str(&format!("  {id} [shape={shape}, label=\"{label}\"];\n"));
    }
    for edge in &picture.edges {
        let end = |index: usize| id(picture.nodes[index].named, index);
        let mut attributes = Vec::new();
        if !edge.label.is_empty() {
            attributes.push(format!("label=\"{}\"", escaped(&edge.label)));
        }
        if edge.dashed {
            attributes.push("style=dashed".to_owned());
        }
        let attributes = match attributes.as_slice() {
            [] => String::new(),
            some => format!(" [{}]", some.join(", ")),
        };
        text.push_str(&format!("  {} -> {}{attributes};\n", end(edge.from), end(edge.to)));
    }
    text + "}\n"
}

/// Within double quotes. A backslash begins an escape there, and `&` an entity.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::parse;

    #[test]
    fn order_timeout() {
        let text = include_str!("../../topologies/order-timeout.yaml");
        let objects = parse(text).unwrap().objects;
        let note =
            |named: Named<'_>| (named.name() == "order.dead.queue").then(|| "3 ready".to_owned());
        insta::assert_snapshot!(dot(&objects, &note), @r#"
        digraph topology {
          rankdir=LR;
          node [fontname="sans-serif"];
          edge [fontname="sans-serif", fontsize=10];
          e0 [shape=ellipse, label="order.dead.exchange\ndirect"];
          e1 [shape=ellipse, label="order.delay.exchange\ndirect"];
          e2 [shape=ellipse, label="order.dead2.exchange\ndirect"];
          q3 [shape=box, label="order.dead.queue\nquorum\n3 ready"];
          q4 [shape=box, label="order.delay.queue\nquorum, TTL 30m, max 500000"];
          q5 [shape=box, label="order.dead2.queue\nquorum, max 100000"];
          e0 -> q3 [label="order.dead"];
          e1 -> q4 [label="order.delay.queue"];
          e2 -> q5 [label="order.dead2"];
          q3 -> e2 [label="rejected or expired as order.dead2", style=dashed];
          q4 -> e0 [label="expired after 30m as order.dead", style=dashed];
        }
        "#);
    }

    #[test]
    fn hostile_names() {
        let text = r#"
exchanges: { "x\\\"];\n&<b>": { type: topic, arguments: { alternate-exchange: gone } } }
queues: { "q\"\\n{}|": { dead_letter: { exchange: "", routing_key: "q\"\\n{}|" } } }
bindings: [ { source: "x\\\"];\n&<b>", queue: "q\"\\n{}|", routing_key: "\"]#\u202e" } ]
"#;
        let objects = parse(text).unwrap().objects;
        insta::assert_snapshot!(dot(&objects, &|_| None), @r#"
        digraph topology {
          rankdir=LR;
          node [fontname="sans-serif"];
          edge [fontname="sans-serif", fontsize=10];
          e0 [shape=ellipse, label="x\\\"];\\n&amp;<b>\ntopic"];
          q1 [shape=box, label="q\"\\n{}|"];
          e2 [shape=ellipse, label="gone\nmissing"];
          e0 -> q1 [label="\"]#\\u{202e}"];
          e0 -> e2 [label="otherwise", style=dashed];
          q1 -> q1 [label="rejected or expired", style=dashed];
        }
        "#);
    }
}
