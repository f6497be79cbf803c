//! The topology as a Mermaid flowchart, as many Markdown viewers draw it.

use super::graph::{Picture, id};
use super::tree::Named;
use crate::objects::Objects;

/// The objects with what `note` says of each: exchanges rounded, queues as boxes, dead letters and
/// alternate exchanges as dotted edges. Ends with a line feed.
pub fn mermaid(objects: &Objects, note: &dyn Fn(Named<'_>) -> Option<String>) -> String {
    let picture = Picture::of(objects, note);
    let mut text = "flowchart LR\n".to_owned();
    for (index, node) in picture.nodes.iter().enumerate() {
        let lines: Vec<_> = node.lines.iter().map(|line| escaped(line)).collect();
        let label = lines.join("<br>");
        let id = id(node.named, index);
        let node = match node.named {
            Named::Exchange(_) => format!("{id}([\"{label}\"])"),
            Named::Queue(_) => format!("{id}[\"{label}\"]"),
        };
        text.push_str(&format!("  {node}\n"));
    }
    for edge in &picture.edges {
        let end = |index: usize| id(picture.nodes[index].named, index);
        let arrow = if edge.dashed { "-.->" } else { "-->" };
        let label = match edge.label.as_str() {
            "" => String::new(),
            label => format!("|\"{}\"|", escaped(label)),
        };
        text.push_str(&format!("  {} {arrow}{label} {}\n", end(edge.from), end(edge.to)));
    }
    text
}

/// Within double quotes: Mermaid takes HTML and Markdown there, and entities as `#35;`. Letters,
/// digits and what names are usually made of stay, and so does all that is not ASCII.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || !c.is_ascii() || " .,:=-/()".contains(c) {
            escaped.push(c);
        } else {
            escaped.push_str(&format!("#{};", u32::from(c)));
        }
    }
    // A list of Markdown would be refused.
    escaped.replace(". ", "#46; ").replace("- ", "#45; ")
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
        insta::assert_snapshot!(mermaid(&objects, &note), @r#"
        flowchart LR
          e0(["order.dead.exchange<br>direct"])
          e1(["order.delay.exchange<br>direct"])
          e2(["order.dead2.exchange<br>direct"])
          q3["order.dead.queue<br>quorum<br>3 ready"]
          q4["order.delay.queue<br>quorum, TTL 30m, max 500000"]
          q5["order.dead2.queue<br>quorum, max 100000"]
          e0 -->|"order.dead"| q3
          e1 -->|"order.delay.queue"| q4
          e2 -->|"order.dead2"| q5
          q3 -.->|"rejected or expired as order.dead2"| e2
          q4 -.->|"expired after 30m as order.dead"| e0
        "#);
    }

    #[test]
    fn hostile_names() {
        let text = r#"
exchanges: { "x\"];\n<b>": { type: topic, arguments: { alternate-exchange: gone } } }
queues: { "q\"`_end_`{}|": { dead_letter: { exchange: "", routing_key: "q\"`_end_`{}|" } } }
bindings: [ { source: "x\"];\n<b>", queue: "q\"`_end_`{}|", routing_key: "\"]#.*|注" } ]
"#;
        let objects = parse(text).unwrap().objects;
        insta::assert_snapshot!(mermaid(&objects, &|_| None), @r##"
        flowchart LR
          e0(["x#34;#93;#59;#92;n#60;b#62;<br>topic"])
          q1["q#34;#96;#95;end#95;#96;#123;#125;#124;"]
          e2(["gone<br>missing"])
          e0 -->|"#34;#93;#35;.#42;#124;注"| q1
          e0 -.->|"otherwise"| e2
          q1 -.->|"rejected or expired"| q1
        "##);
    }
}
