use super::*;
use crate::topology::parse;

fn ladder() -> To {
    To::Ladder { resolution: Millis(1000), max: Millis(86_400_000), radix: 2, prefix: None }
}

fn converted(text: &str, to: &To) -> String {
    convert(text, &parse(text).unwrap(), to).unwrap()
}

#[test]
fn the_example_keeps_its_comments() {
    let text = include_str!("../../topologies/delayed-exchange.yaml");
    let result = converted(text, &ladder());
    let (old, new): (Vec<_>, Vec<_>) =
        text.lines().zip(result.lines()).filter(|(old, new)| old != new).unzip();
    insta::assert_snapshot!(old.join("\n"), @"    delayed_exchange: { exchange: delay.ex, type: direct, routing_key: order.timeout }");
    insta::assert_snapshot!(new.join("\n"), @"    ladder: { resolution: 1s, max: 1d, radix: 2 }");
    let result = converted(text, &To::Tiers(vec![Millis(5000), Millis(30_000)]));
    assert!(result.ends_with("    tiers: { delays: [5s, 30s] }\n"), "{result}");
}

#[test]
fn every_way_of_writing_it() {
    let text = r#"
# delayed_exchange: { in: a comment }
queues: { q: {}, "delayed_exchange: {}": {} }
delays:
  one: { target: { queue: q }, delayed_exchange: { exchange: "}", type: topic } } # stays
  two:
    delayed_exchange:   # goes
      # goes, too
      exchange: x
      type: direct

      routing_key: k
    # stays
    target: { queue: q }
  three:
    target:
      queue: q
    tiers: { delays: [1s] }
  four:
    target: { queue: q }
    delayed_exchange:
      { exchange: y,
        type: direct } # stays
"#;
    insta::assert_snapshot!(converted(text, &ladder()), @r#"
    # delayed_exchange: { in: a comment }
    queues: { q: {}, "delayed_exchange: {}": {} }
    delays:
      one: { target: { queue: q }, ladder: { resolution: 1s, max: 1d, radix: 2, prefix: delays.ladder } } # stays
      two:
        ladder: { resolution: 1s, max: 1d, radix: 2, prefix: delays.ladder }
        # stays
        target: { queue: q }
      three:
        target:
          queue: q
        tiers: { delays: [1s] }
      four:
        target: { queue: q }
        ladder: { resolution: 1s, max: 1d, radix: 2, prefix: delays.ladder } # stays
    "#);
}

#[test]
fn one_exchange_one_ladder() {
    let text = "
queues: { a: {}, b: {} }
delays:
  a: { target: { queue: a }, delayed_exchange: { exchange: x } }
  b: { target: { queue: b }, delayed_exchange: { exchange: x } }
";
    insta::assert_snapshot!(converted(text, &ladder()), @r"
    queues: { a: {}, b: {} }
    delays:
      a: { target: { queue: a }, ladder: { resolution: 1s, max: 1d, radix: 2, prefix: x.ladder } }
      b: { target: { queue: b }, ladder: { resolution: 1s, max: 1d, radix: 2, prefix: x.ladder } }
    ");
}

#[test]
fn refused() {
    let message =
        |text: &str| convert(text, &parse(text).unwrap(), &ladder()).unwrap_err().to_string();
    let nothing =
        "queues: { q: {} }\ndelays: { d: { target: { queue: q }, tiers: { delays: [1s] } } }";
    assert_eq!(message(nothing), "no delay of the file uses `delayed_exchange`");
    let unused = "
queues: { q: {}, r: {} }
bindings: [ { source: x, queue: r } ]
delays: { d: { target: { queue: q }, delayed_exchange: { exchange: x } } }";
    assert_eq!(
        message(unused),
        "what binding `x` → `r` with key `` takes is published by no delay of the file, and would \
         have no way any more"
    );
    let declared = "
exchanges: { x: { type: x-delayed-message, arguments: { x-delayed-type: direct } } }
queues: { q: {} }
delays: { d: { target: { queue: q }, delayed_exchange: { exchange: x } } }";
    assert_eq!(
        message(declared),
        "exchange `x` would still be one of the plugin: `exchanges` declares it, too"
    );
    let quoted = "
queues: { q: {} }
delays: { d: { target: { queue: q }, \"delayed_exchange\": { exchange: x } } }";
    assert_eq!(
        message(quoted),
        "cannot tell where in the text `delayed_exchange` of delay `d` stands"
    );
}

#[test]
fn tiers_get_another_exchange_than_the_plugins() {
    let text = "
queues: { q: {}, r: {} }
delays:
  a: { target: { queue: q }, delayed_exchange: {} }
  b: { target: { queue: r }, delayed_exchange: { exchange: c.delay } }
  c: { target: { queue: r }, delayed_exchange: { exchange: x } }
";
    insta::assert_snapshot!(converted(text, &To::Tiers(vec![Millis(5000)])), @"

    queues: { q: {}, r: {} }
    delays:
      a: { target: { queue: q }, tiers: { delays: [5s], exchange: a.tiers } }
      b: { target: { queue: r }, tiers: { delays: [5s] } }
      c: { target: { queue: r }, tiers: { delays: [5s], exchange: c.tiers } }
    ");
}

/// Delays of one exchange of the plugin, each of which reaches the queue of the other too.
fn entangled(kind: &str, key: &str) -> String {
    let delay = |queue: &str, key: &str| {
        let strategy = format!("{{ exchange: x, type: {kind}, routing_key: {key} }}");
        format!("{{ target: {{ queue: {queue} }}, delayed_exchange: {strategy} }}")
    };
    let (a, b) = (delay("q", key), delay("r", "'#'"));
    format!("queues: {{ q: {{}}, r: {{}} }}\ndelays:\n  a: {a}\n  b: {b}\n")
}

#[test]
fn an_exchange_takes_over_where_a_target_is_not_enough() {
    insta::assert_snapshot!(converted(&entangled("fanout", "a"), &ladder()), @r##"
    queues: { q: {}, r: {} }
    delays:
      a: { target: { exchange: x.out, routing_key: a }, ladder: { resolution: 1s, max: 1d, radix: 2, prefix: x.ladder } }
      b: { target: { exchange: x.out, routing_key: "#" }, ladder: { resolution: 1s, max: 1d, radix: 2, prefix: x.ladder } }

    bindings:
      - { source: x.out, queue: r, routing_key: "#" }
      - { source: x.out, queue: q, routing_key: a }

    exchanges:
      x.out: fanout
    "##);
    for (kind, key) in [("topic", "a"), ("direct", "'#'"), ("headers", "a")] {
        assert!(converted(&entangled(kind, key), &ladder()).contains("x.out"), "{kind}");
    }
    assert!(!converted(&entangled("direct", "a"), &ladder()).contains("x.out"), "not needed");
}

#[test]
fn an_exchange_takes_over_what_the_file_binds() {
    let text = "\
exchanges: { e: direct } # stays
queues: { a: {}, b: {}, c: {} }
bindings:
  # stays
  - { source: 'x.delay', queue: b, routing_key: order.* }
  - source: x.delay # stays
    queue: c
    routing_key: order.#
  - { source: e, queue: c, routing_key: x.delay }
delays:
  x: { target: { queue: a }, delayed_exchange: { type: topic, routing_key: order.new } }
  y: { target: { queue: b }, delayed_exchange: { exchange: z } }
";
    insta::assert_snapshot!(converted(text, &To::Tiers(vec![Millis(5000)])), @r##"
    exchanges: { x.delay.out: topic, e: direct } # stays
    queues: { a: {}, b: {}, c: {} }
    bindings:
      - { source: x.delay.out, queue: a, routing_key: order.new }
      # stays
      - { source: x.delay.out, queue: b, routing_key: order.* }
      - source: x.delay.out # stays
        queue: c
        routing_key: order.#
      - { source: e, queue: c, routing_key: x.delay }
    delays:
      x: { target: { exchange: x.delay.out, routing_key: order.new }, tiers: { delays: [5s], exchange: x.tiers } }
      y: { target: { queue: b }, tiers: { delays: [5s] } }
    "##);
}

/// What looks like a binding's source and is none is not rewritten in silence.
#[test]
fn nothing_else_is_changed() {
    let text = "
exchanges: { h: headers }
queues: { a: {}, b: {} }
bindings:
  - { source: x, queue: b, routing_key: k }
  - { source: h, queue: b, arguments: { source: x } }
delays:
  x: { target: { queue: a }, delayed_exchange: { exchange: x, routing_key: k } }";
    let error = convert(text, &parse(text).unwrap(), &ladder()).unwrap_err();
    assert!(matches!(error, ConvertError::Different), "{error}");
}

#[test]
fn hints_say_what_to_write() {
    let hint =
        |text: &str| convert(text, &parse(text).unwrap(), &ladder()).unwrap_err().hint().unwrap();
    let plugin = |inner: &str| {
        hint(&format!(
            "exchanges: {{ x: {{ type: x-delayed-message, arguments: {{ x-delayed-type: {inner} }} }} }}"
        ))
    };
    insta::assert_snapshot!(plugin("topic"), @"take `x` out of `exchanges`; under `delays`, write one for each routing key that publishers use there: `NAME: { target: { queue: QUEUE }, delayed_exchange: { exchange: x, type: topic, routing_key: KEY } }`");
    insta::assert_snapshot!(plugin("headers"), @"take `x` out of `exchanges`; headers decide there, so write it by hand: a headers exchange of another name that all is bound to as it is to `x`, and a delay with a `ladder` that has it as the target");
    let referred_to = "
queues: { q: { dead_letter: { exchange: x } } }
delays: { d: { target: { queue: q }, delayed_exchange: { exchange: x } } }";
    insta::assert_snapshot!(hint(referred_to), @"the plugin's exchange `x` goes: let `queues.q.dead_letter.exchange` name the exchange and the routing key that `delayctl route` prints for the converted delay, or its target");
}

#[test]
fn what_cannot_stand_beside_the_old_file() {
    let text = "
queues: { q: {}, r: {} }
delays:
  a: { target: { queue: q }, delayed_exchange: { exchange: y.level-00 } }";
    let to = To::Ladder {
        resolution: Millis(1000),
        max: Millis(10_000),
        radix: 2,
        prefix: Some("y".to_owned()),
    };
    let error = convert(text, &parse(text).unwrap(), &to).unwrap_err();
    assert_eq!(
        error.to_string(),
        "exchange `y.level-00` would be another than the one that the file has already"
    );
}
