//! What a topology declares, object by object: the output of `declare --dry-run`.

use crate::objects::{Binding, Destination, Objects, Value};
use crate::plan::Named;

use super::table::grid;

/// Every exchange, queue, binding and policy with its arguments, below headings with their number.
/// Without a width each object is one line. No final line feed.
pub fn listing(objects: &Objects, width: Option<u16>) -> String {
    let Objects { exchanges, queues, bindings, policies } = objects;
    let named = |(name, text): (&String, String)| vec![name.clone(), text];
    let sections = [
        (
            ["exchange", "exchanges"],
            exchanges.iter().map(|(n, x)| named((n, x.to_string()))).collect(),
        ),
        (["queue", "queues"], queues.iter().map(|(n, q)| named((n, q.to_string()))).collect()),
        (["binding", "bindings"], bindings.iter().map(binding).collect::<Vec<_>>()),
        (["policy", "policies"], policies.iter().map(|(n, p)| named((n, p.to_string()))).collect()),
    ];
    let present = sections.into_iter().filter(|(_, rows)| !rows.is_empty());
    let texts: Vec<_> = present.map(|(title, rows)| section(title, rows, width)).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join("\n\n") }
}

fn section([one, many]: [&str; 2], rows: Vec<Vec<String>>, width: Option<u16>) -> String {
    let mut text = format!("{} {}", rows.len(), if rows.len() == 1 { one } else { many });
    let inner = width.map(|width| width.saturating_sub(2));
    for line in grid(rows, inner).lines() {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}

/// `order.events → order.audit (exchange)`, `routing_key="order.#"`.
fn binding(binding: &Binding) -> Vec<String> {
    vec![ends(binding), matching(binding)]
}

/// What a binding joins: `order.events → order.audit (exchange)`.
pub fn ends(binding: &Binding) -> String {
    let mark = match binding.destination {
        Destination::Queue(_) => "",
        Destination::Exchange(_) => " (exchange)",
    };
    format!("{} → {}{mark}", binding.source, binding.destination.name())
}

/// What a binding matches on: `routing_key="order.#", region="eu"`.
pub fn matching(binding: &Binding) -> String {
    let mut text = format!("routing_key={}", Value::from(binding.routing_key.as_str()));
    for (name, value) in &binding.arguments {
        text.push_str(&format!(", {name}={value}"));
    }
    text
}

/// Why a binding with this end is not made.
pub fn unfit(end: &Named) -> String {
    format!("its {end} is not as in the file")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::objects::Policy;
    use crate::topology::parse;

    #[test]
    fn order_timeout() {
        let text = include_str!("../../topologies/order-timeout.yaml");
        let objects = parse(text).unwrap().objects;
        assert_snapshot!(listing(&objects, None), @r#"
        3 exchanges
          order.dead.exchange   direct, durable
          order.delay.exchange  direct, durable
          order.dead2.exchange  direct, durable

        3 queues
          order.dead.queue   quorum, durable, x-dead-letter-exchange="order.dead2.exchange", x-dead-letter-routing-key="order.dead2"
          order.delay.queue  quorum, durable, x-dead-letter-exchange="order.dead.exchange", x-dead-letter-routing-key="order.dead", x-dead-letter-strategy="at-least-once", x-max-length=500000, x-message-ttl=1800000, x-overflow="reject-publish"
          order.dead2.queue  quorum, durable, x-max-length=100000

        3 bindings
          order.dead.exchange → order.dead.queue    routing_key="order.dead"
          order.delay.exchange → order.delay.queue  routing_key="order.delay.queue"
          order.dead2.exchange → order.dead2.queue  routing_key="order.dead2"
        "#);
        assert_snapshot!(listing(&objects, Some(80)), @r#"
        3 exchanges
          order.dead.exchange   direct, durable
          order.delay.exchange  direct, durable
          order.dead2.exchange  direct, durable

        3 queues
          order.dead.queue   quorum, durable,
                             x-dead-letter-exchange="order.dead2.exchange",
                             x-dead-letter-routing-key="order.dead2"
          order.delay.queue  quorum, durable,
                             x-dead-letter-exchange="order.dead.exchange",
                             x-dead-letter-routing-key="order.dead",
                             x-dead-letter-strategy="at-least-once",
                             x-max-length=500000, x-message-ttl=1800000,
                             x-overflow="reject-publish"
          order.dead2.queue  quorum, durable, x-max-length=100000

        3 bindings
          order.dead.exchange → order.dead.queue    routing_key="order.dead"
          order.delay.exchange → order.delay.queue  routing_key="order.delay.queue"
          order.dead2.exchange → order.dead2.queue  routing_key="order.dead2"
        "#);
    }

    #[test]
    fn every_kind_of_object() {
        let text = r#"
exchanges:
  events: { type: topic, internal: true }
  "audit\u001b": headers
queues:
  q: { arguments: { x-a: "1", x-b: 1 } }
bindings:
  - { source: events, exchange: "audit\u001b", routing_key: "order.#" }
  - { source: "audit\u001b", queue: q, arguments: { x-match: any, region: eu } }
"#;
        let mut objects = parse(text).unwrap().objects;
        let policy = Policy {
            pattern: "^q".to_owned(),
            apply_to: "queues".to_owned(),
            priority: 1,
            definition: [("max-length".to_owned(), 10.into())].into(),
        };
        objects.policies.insert("limits".to_owned(), policy);
        assert_snapshot!(listing(&objects, None), @r#"
        2 exchanges
          events     topic, durable, internal
          audit\x1b  headers, durable

        1 queue
          q  default type, durable, x-a="1", x-b=1

        2 bindings
          events → audit\x1b (exchange)  routing_key="order.#"
          audit\x1b → q                  routing_key="", region="eu", x-match="any"

        1 policy
          limits  queues matching "^q" at priority 1, max-length=10
        "#);
        assert_snapshot!(listing(&Objects::default(), None), @"nothing");
    }
}
