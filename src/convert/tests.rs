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
    let elsewhere = "
queues: { q: {}, r: {} }
bindings: [ { source: x, queue: r } ]
delays: { d: { target: { queue: q }, delayed_exchange: { exchange: x } } }";
    assert_eq!(
        message(elsewhere),
        "the converted file would be wrong:\nbindings[0].source: no exchange `x` is declared; \
         declare it under `exchanges`"
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

#[test]
fn no_delay_reaches_fewer_queues_than_before() {
    let refusal = |kind: &str, key: &str| {
        let text = format!(
            "
queues: {{ q: {{}}, r: {{}} }}
delays:
  a: {{ target: {{ queue: q }}, delayed_exchange: {{ exchange: x, type: {kind}, routing_key: {key} }} }}
  b: {{ target: {{ queue: r }}, delayed_exchange: {{ exchange: x, type: {kind}, routing_key: '#' }} }}"
        );
        convert(&text, &parse(&text).unwrap(), &ladder()).err().map(|error| error.to_string())
    };
    let loses =
        "through the plugin's exchange, delay `a` reaches queue `r` too, and would no longer";
    for (kind, key) in [("fanout", "a"), ("topic", "a"), ("direct", "'#'"), ("headers", "a")] {
        assert_eq!(refusal(kind, key).as_deref(), Some(loses), "{kind}");
    }
    assert_eq!(refusal("direct", "a"), None);
}

#[test]
fn an_exchange_that_no_delay_names() {
    let text =
        "exchanges: { x: { type: x-delayed-message, arguments: { x-delayed-type: direct } } }";
    let error = convert(text, &parse(text).unwrap(), &ladder()).unwrap_err();
    assert!(error.hint().unwrap().contains("`capture` does that"), "{error}");
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
