//! What is wrong with a file, in the complete words that people read. Each file is as small as the
//! fault allows; a `LONG` name has 300 bytes.

use delayctl::topology::parse;
use insta::assert_snapshot;

fn refusal(text: &str) -> String {
    match parse(&text.replace("LONG", &"long.".repeat(60))) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The file as a whole.
#[test]
fn the_whole_file() {
    assert_snapshot!(refusal(""), @"the file is empty");
    assert_snapshot!(refusal("# only a comment\n"), @"the file is empty");
    assert_snapshot!(refusal("---\n"), @"the file is empty");
    assert_snapshot!(refusal("[]"), @"invalid type: list, expected a mapping, beginning with a key like `queues` at line 1 column 1");
    assert_snapshot!(refusal("just a text"), @r#"invalid type: string "just a text", expected a mapping, beginning with a key like `queues` at line 1 column 1"#);
    assert_snapshot!(refusal("5"), @"invalid type: integer `5`, expected a mapping, beginning with a key like `queues` at line 1 column 1");
    assert_snapshot!(refusal(r"
queues: {}
---
queues: {}
"), @"the file holds more than one YAML document: `---` may stand at its beginning only");
    assert_snapshot!(refusal("queus: {}"), @"unknown field `queus`, expected one of `vhost`, `exchanges`, `queues`, `bindings`, `policies`, `delays`, `dead_letter_chains` at line 1 column 1");
    assert_snapshot!(refusal(r"
queues: {}
queues: {}
"), @"duplicate field `queues` at line 2 column 1");
    assert_snapshot!(refusal("queues:\n\ta: {}\n"), @"found character that cannot start any token at line 2 column 1, while scanning for the next token: YAML takes no tabs as indentation, use spaces");
    assert_snapshot!(refusal(r"
queues:
  a: {
"), @"did not find expected node content at line 4 column 1, while parsing a flow node");
    assert_snapshot!(refusal("queues: {a: {}, b: *nobody}\n"), @"unknown anchor at line 1 column 20");
    assert_snapshot!(refusal(r"
queues:
  a: &a {type: quorum}
  b: {<<: *a, durable: true}
"), @"queues.b: merge keys (`<<`) are not read: write the fields out, or give the whole value as an alias (`*name`) at line 4");
    assert_snapshot!(refusal("queues: {<<: {a: {}}}"), @"queues: merge keys (`<<`) are not read: write the fields out, or give the whole value as an alias (`*name`) at line 1 column 10");
    assert_snapshot!(refusal(r"
queues:
  a: {}
 b: {}
"), @"did not find expected key at line 4 column 2, while parsing a block mapping at line 2 column 1");
    assert_snapshot!(refusal("vhost: ''"), @"vhost: the vhost's name is empty: leave `vhost` out to take the connection's");
    assert_snapshot!(refusal("vhost: [shop]"), @"vhost: invalid type: list, expected a vhost's name, or a mapping of `name`, `default_queue_type` and `permissions` at line 1 column 8");
}

/// Shapes.
#[test]
fn a_list_where_a_map_belongs() {
    assert_snapshot!(refusal("queues: [a, b]"), @"queues: invalid type: list, expected a mapping of names at line 1 column 9");
    assert_snapshot!(refusal("exchanges: direct"), @r#"exchanges: invalid type: string "direct", expected a mapping of names at line 1 column 12"#);
    assert_snapshot!(refusal("bindings: {a: b}"), @"bindings: invalid type: mapping, expected a list at line 1 column 11");
    assert_snapshot!(refusal("delays: [5s]"), @"delays: invalid type: list, expected a mapping of names at line 1 column 9");
    assert_snapshot!(refusal("dead_letter_chains: 1"), @"dead_letter_chains: invalid type: integer `1`, expected a mapping of names at line 1 column 21");
    assert_snapshot!(refusal("queues: {a: []}"), @"queues.a: invalid type: list, expected a mapping of a queue's fields, like `{type: quorum}` at line 1 column 13");
    assert_snapshot!(refusal("queues: {a: quorum}"), @r#"queues.a: invalid type: string "quorum", expected a mapping of a queue's fields, like `{type: quorum}` at line 1 column 13"#);
    assert_snapshot!(refusal("exchanges: {a: []}"), @"exchanges.a: invalid type: list, expected an exchange type like `direct`, or a mapping with `type` at line 1 column 16");
    assert_snapshot!(refusal("exchanges: {a: 5}"), @"exchanges.a: invalid type: integer `5`, expected an exchange type like `direct`, or a mapping with `type` at line 1 column 16");
    assert_snapshot!(refusal("exchanges: {a: }"), @"exchanges.a: invalid type: null, expected an exchange type like `direct`, or a mapping with `type` at line 1 column 16");
    assert_snapshot!(refusal("bindings: [a]"), @r#"bindings[0]: invalid type: string "a", expected a mapping of `source` and `queue` or `exchange` at line 1 column 12"#);
    assert_snapshot!(refusal("queues: {a: {arguments: [x]}}"), @"queues.a.arguments: invalid type: list, expected a mapping of names at line 1 column 25");
    assert_snapshot!(refusal("queues: {a: {dead_letter: dlx}}"), @r#"queues.a.dead_letter: invalid type: string "dlx", expected a mapping of `exchange`, `routing_key`, `strategy` at line 1 column 27"#);
    assert_snapshot!(refusal("queues: {a: {delayed_retry: failed}}"), @r#"queues.a.delayed_retry: invalid type: string "failed", expected a mapping of `type`, `min` and `max` at line 1 column 29"#);
    assert_snapshot!(refusal("delays: {d: 5s}"), @r#"delays.d: invalid type: string "5s", expected a mapping of `target` and one of `tiers`, `per_message_ttl`, `delayed_exchange`, `ladder` at line 1 column 13"#);
    assert_snapshot!(refusal("delays: {d: {target: q, tiers: {delays: [5s]}}}"), @r#"delays.d.target: invalid type: string "q", expected a mapping: `{exchange, routing_key}` or `{queue}` at line 1 column 22"#);
    assert_snapshot!(refusal("delays: {d: {target: {queue: q}, tiers: [5s]}}"), @"delays.d.tiers: invalid type: list, expected a mapping of its fields, like `{delays: [5s, 30s]}` at line 1 column 41");
    assert_snapshot!(refusal("delays: {d: {target: {queue: q}, tiers: {delays: 5s}}}"), @r#"delays.d.tiers.delays: invalid type: string "5s", expected a list at line 1 column 50"#);
    assert_snapshot!(refusal("delays: {d: {target: {queue: q}, tiers: {delays: [[5s]]}}}"), @"delays.d.tiers.delays[0]: invalid type: list, expected a delay like `30s`, or `{delay: 30s, queue: delay.30s.q}` at line 1 column 51");
    assert_snapshot!(refusal("dead_letter_chains: {c: []}"), @"dead_letter_chains.c: invalid type: list, expected a mapping of `from` and `levels` at line 1 column 25");
    assert_snapshot!(refusal("dead_letter_chains: {c: {from: q, levels: {}}}"), @"dead_letter_chains.c.levels: invalid type: mapping, expected a list at line 1 column 43");
    assert_snapshot!(refusal("dead_letter_chains: {c: {from: q, levels: [a]}}"), @r#"dead_letter_chains.c.levels[0]: invalid type: string "a", expected a level, like `{queue: failed}` or `{}` at line 1 column 44"#);
}

/// Unknown keys.
#[test]
fn an_unknown_key() {
    assert_snapshot!(refusal("exchanges: {a: {typ: direct}}"), @"exchanges.a: unknown field `typ`, expected one of `type`, `durable`, `auto_delete`, `internal`, `alternate`, `arguments` at line 1 column 17");
    assert_snapshot!(refusal("exchanges: {a: {}}"), @"exchanges.a: missing field `type` at line 1 column 16");
    assert_snapshot!(refusal(r"
queues:
  a:
    type: quorum
    ttl: 5s
"), @"queues.a: unknown field `ttl`, expected one of `type`, `durable`, `auto_delete`, `message_ttl`, `expires`, `max_length`, `max_length_bytes`, `overflow`, `dead_letter`, `delivery_limit`, `single_active_consumer`, `delayed_retry`, `arguments` at line 5 column 5");
    assert_snapshot!(refusal("queues: {a: {dead_letter: {exchnge: b}}}"), @"queues.a.dead_letter: unknown field `exchnge`, expected one of `exchange`, `routing_key`, `strategy` at line 1 column 28");
    assert_snapshot!(refusal("queues: {a: {delayed_retry: {type: all, minimum: 1s}}}"), @"queues.a.delayed_retry: unknown field `minimum`, expected one of `type`, `min`, `max` at line 1 column 41");
    assert_snapshot!(refusal("bindings: [{source: a, queues: b}]"), @"bindings[0]: unknown field `queues`, expected one of `source`, `queue`, `exchange`, `routing_key`, `arguments` at line 1 column 24");
    assert_snapshot!(refusal("bindings: [{queue: b}]"), @"bindings[0]: missing field `source` at line 1 column 12");
    assert_snapshot!(refusal("delays: {d: {target: {queu: a}, tiers: {delays: [5s]}}}"), @"delays.d.target: unknown field `queu`, expected one of `exchange`, `routing_key`, `queue` at line 1 column 23");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, teirs: {delays: [5s]}}}"), @"delays.d: unknown field `teirs`, expected `target` or one of `tiers`, `per_message_ttl`, `delayed_exchange`, `ladder` at line 1 column 34");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delay: [5s]}}}"), @"delays.d.tiers: unknown field `delay`, expected one of `delays`, `exchange`, `queue`, `queue_type`, `max_length`, `overflow` at line 1 column 42");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delays: [{delay: 5s, queeu: a}]}}}"), @"delays.d.tiers.delays[0]: unknown field `queeu`, expected `delay` or `queue` at line 1 column 63");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delays: [{queue: a}]}}}"), @"delays.d.tiers.delays[0]: missing field `delay` at line 1 column 51");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, per_message_ttl: {maximum: 5s}}}"), @"delays.d.per_message_ttl: unknown field `maximum`, expected one of `exchange`, `queue`, `max`, `queue_type`, `max_length`, `overflow` at line 1 column 52");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, delayed_exchange: {kind: direct}}}"), @"delays.d.delayed_exchange: unknown field `kind`, expected one of `exchange`, `type`, `routing_key` at line 1 column 53");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, ladder: {step: 1s}}}"), @"delays.d.ladder: unknown field `step`, expected one of `resolution`, `max`, `radix`, `max_queues`, `max_hops`, `prefix`, `names`, `queue_type`, `address`, `due_queue` at line 1 column 43");
    assert_snapshot!(refusal("dead_letter_chains: {c: {form: a}}"), @"dead_letter_chains.c: unknown field `form`, expected `from` or `levels` at line 1 column 26");
    assert_snapshot!(refusal("dead_letter_chains: {c: {from: a}}"), @"dead_letter_chains.c: missing field `levels` at line 1 column 25");
    assert_snapshot!(refusal("dead_letter_chains: {c: {from: a, levels: [{ttl: 5s}]}}"), @"dead_letter_chains.c.levels[0]: unknown field `ttl`, expected one of `exchange`, `routing_key`, `queue`, `queue_type`, `message_ttl`, `max_length`, `overflow` at line 1 column 45");
}

/// Duplicate keys.
#[test]
fn a_key_given_twice() {
    assert_snapshot!(refusal("exchanges: {a: direct, a: direct}"), @"exchanges: `a` is given twice at line 1 column 24");
    assert_snapshot!(refusal("exchanges: {a: {type: direct, type: direct}}"), @"exchanges.a: duplicate field `type` at line 1 column 16");
    assert_snapshot!(refusal(r"
queues:
  a: {}
  b: {}
  a: {}
"), @"queues: `a` is given twice at line 5 column 3");
    assert_snapshot!(refusal("queues: {a: {type: quorum, type: quorum}}"), @"queues.a: duplicate field `type` at line 1 column 13");
    assert_snapshot!(refusal("queues: {a: {dead_letter: {exchange: a, exchange: b}}}"), @"queues.a.dead_letter: duplicate field `exchange` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: 1, x-a: 2}}}"), @"queues.a.arguments: `x-a` is given twice at line 1 column 34");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: {b: 1, b: 2}}}}"), @"queues.a.arguments.x-a: `b` is given twice at line 1 column 31");
    assert_snapshot!(refusal("bindings: [{source: a, source: b}]"), @"bindings[0]: duplicate field `source` at line 1 column 12");
    assert_snapshot!(refusal("delays: {d: {}, d: {}}"), @"delays.d: missing field `target` at line 1 column 13");
    assert_snapshot!(refusal(r"
delays:
  d:
    target: {queue: a}
    tiers: {delays: [5s]}
  d:
    target: {queue: a}
    tiers: {delays: [5s]}
"), @"delays: `d` is given twice at line 6 column 3");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, target: {queue: a}}}"), @"delays.d: duplicate field `target` at line 1 column 34");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a, queue: b}}}"), @"delays.d.target: duplicate field `queue` at line 1 column 22");
    assert_snapshot!(refusal("delays: {d: {tiers: {delays: [5s]}, tiers: {delays: [6s]}}}"), @"delays.d: duplicate field `tiers` at line 1 column 37");
    assert_snapshot!(refusal("delays: {d: {tiers: {delays: [5s], delays: [6s]}}}"), @"delays.d.tiers: duplicate field `delays` at line 1 column 21");
    assert_snapshot!(refusal("dead_letter_chains: {c: {from: a, from: b}}"), @"dead_letter_chains.c: duplicate field `from` at line 1 column 25");
    assert_snapshot!(refusal("dead_letter_chains: {c: {from: a, levels: [{queue: a, queue: b}]}}"), @"dead_letter_chains.c.levels[0]: duplicate field `queue` at line 1 column 44");
}

/// Types, words, durations and sizes.
#[test]
fn a_value_of_another_type() {
    assert_snapshot!(refusal("queues: {a: {message_ttl: 30}}"), @"queues.a.message_ttl: `30` has no unit: write `30s` for seconds or `30ms` for milliseconds at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: -30s}}"), @"queues.a.message_ttl: `-30s` is negative: the shortest time is `0` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: -30}}"), @"queues.a.message_ttl: invalid type: integer `-30`, expected a duration like `30s` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: 1.5}}"), @"queues.a.message_ttl: invalid type: fraction `1.5`, expected a duration like `30s` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: soon}}"), @"queues.a.message_ttl: `soon` is not a duration: write one like `500ms`, `30s`, `1h30m` or `2d` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: true}}"), @"queues.a.message_ttl: invalid type: boolean `true`, expected a duration like `30s` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: 30M}}"), @"queues.a.message_ttl: `30M` is counted in months or years, which are not all alike: write days, like `30d` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: 1us}}"), @"queues.a.message_ttl: `1us` is finer than a millisecond, the smallest step RabbitMQ knows at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: 99999999999999999999}}"), @"queues.a.message_ttl: invalid type: integer `99999999999999999999` as u128, expected a duration like `30s` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {message_ttl: 99999999999999y}}"), @"queues.a.message_ttl: `99999999999999y` is not a duration: write one like `500ms`, `30s`, `1h30m` or `2d` at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {expires: [1h]}}"), @"queues.a.expires: invalid type: list, expected a duration like `30s` at line 1 column 23");
    assert_snapshot!(refusal("queues: {a: {durable: 'yes'}}"), @r#"queues.a.durable: invalid type: string "yes", expected a boolean at line 1 column 23"#);
    assert_snapshot!(refusal("queues: {a: {auto_delete: 1}}"), @"queues.a.auto_delete: invalid type: integer `1`, expected a boolean at line 1 column 27");
    assert_snapshot!(refusal("queues: {a: {single_active_consumer: maybe}}"), @r#"queues.a.single_active_consumer: invalid type: string "maybe", expected a boolean at line 1 column 38"#);
    assert_snapshot!(refusal("exchanges: {a: {type: direct, internal: ~}}"), @"exchanges.a.internal: invalid type: null, expected a boolean at line 1 column 41");
    assert_snapshot!(refusal("queues: {a: {type: x-delayed-message}}"), @"queues.a.type: `x-delayed-message` is a type of exchange, not of queue, and needs its inner type: declare an exchange with `type: x-delayed-message` and `arguments: {x-delayed-type: direct}`, or give a delay the strategy `delayed_exchange` at line 1 column 20");
    assert_snapshot!(refusal("queues: {a: {type: stream}}"), @"queues.a.type: `stream` is no type of queue: take `quorum` or `classic` at line 1 column 20");
    assert_snapshot!(refusal("queues: {a: {type: Quorum}}"), @"queues.a.type: `Quorum` is no type of queue: take `quorum` or `classic` at line 1 column 20");
    assert_snapshot!(refusal("queues: {a: {type: [quorum]}}"), @"queues.a.type: invalid type: list, expected `quorum` or `classic` at line 1 column 20");
    assert_snapshot!(refusal("queues: {a: {overflow: drop-tail}}"), @"queues.a.overflow: unknown variant `drop-tail`, expected one of `drop-head`, `reject-publish`, `reject-publish-dlx` at line 1 column 24");
    assert_snapshot!(refusal("queues: {a: {overflow: 1}}"), @"queues.a.overflow: unknown variant `1`, expected one of `drop-head`, `reject-publish`, `reject-publish-dlx` at line 1 column 24");
    assert_snapshot!(refusal("queues: {a: {dead_letter: {strategy: twice}}}"), @"queues.a.dead_letter.strategy: unknown variant `twice`, expected `at-most-once` or `at-least-once` at line 1 column 38");
    assert_snapshot!(refusal("queues: {a: {delayed_retry: {type: some}}}"), @"queues.a.delayed_retry.type: unknown variant `some`, expected one of `all`, `failed`, `returned`, `disabled` at line 1 column 36");
    assert_snapshot!(refusal("queues: {a: {max_length: -1}}"), @"queues.a.max_length: -1 is out of range: 0 to 9223372036854775807 at line 1 column 26");
    assert_snapshot!(refusal("queues: {a: {max_length: 18446744073709551615}}"), @"queues.a.max_length: 18446744073709551615 is out of range: 0 to 9223372036854775807 at line 1 column 26");
    assert_snapshot!(refusal("queues: {a: {max_length: 99999999999999999999}}"), @"queues.a.max_length: 99999999999999999999 is out of range: 0 to 9223372036854775807 at line 1 column 26");
    assert_snapshot!(refusal("queues: {a: {max_length: 1.5}}"), @"queues.a.max_length: invalid type: fraction `1.5`, expected a whole number at line 1 column 26");
    assert_snapshot!(refusal("queues: {a: {max_length: '10'}}"), @r#"queues.a.max_length: invalid type: string "10", expected a whole number at line 1 column 26"#);
    assert_snapshot!(refusal("queues: {a: {delivery_limit: -1}}"), @"queues.a.delivery_limit: -1 is out of range: 0 to 9223372036854775807 at line 1 column 30");
    assert_snapshot!(refusal("queues: {a: {max_length_bytes: -1}}"), @"queues.a.max_length_bytes: invalid type: integer `-1`, expected a number of bytes, or a size like `64KiB` at line 1 column 32");
    assert_snapshot!(refusal("queues: {a: {max_length_bytes: 1.5}}"), @"queues.a.max_length_bytes: invalid type: fraction `1.5`, expected a number of bytes, or a size like `64KiB` at line 1 column 32");
    assert_snapshot!(refusal("queues: {a: {max_length_bytes: much}}"), @"queues.a.max_length_bytes: `much` is not a size: write one like `64KiB` at line 1 column 32");
    assert_snapshot!(refusal("queues: {a: {max_length_bytes: 18446744073709551615}}"), @"queues.a.max_length_bytes: 18446744073709551615 bytes are more than 9223372036854775807, AMQP's largest number at line 1 column 32");
    assert_snapshot!(refusal("queues: {a: {max_length_bytes: 16EiB}}"), @"queues.a.max_length_bytes: 18446744073709551615 bytes are more than 9223372036854775807, AMQP's largest number at line 1 column 32");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: ~}}}"), @"queues.a.arguments.x-a: invalid type: null, expected a boolean, a number, a string, a list or a mapping at line 1 column 31");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: 18446744073709551615}}}"), @"queues.a.arguments.x-a: 18446744073709551615 is out of range: AMQP takes integers from -9223372036854775808 to 9223372036854775807 at line 1 column 31");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: -99999999999999999999}}}"), @"queues.a.arguments.x-a: -99999999999999999999 is out of range: AMQP takes integers from -9223372036854775808 to 9223372036854775807 at line 1 column 31");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: .nan}}}"), @"queues.a.arguments.x-a: invalid value: fraction `NaN`, expected a boolean, a number, a string, a list or a mapping at line 1 column 31");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-a: !secret b}}}"), @"queues.a.arguments.x-a: invalid type: value with a YAML tag, expected a boolean, a number, a string, a list or a mapping at line 1 column 31");
    assert_snapshot!(refusal("bindings: [{source: [a], queue: b}]"), @"bindings[0].source: invalid type: list, expected a string at line 1 column 21");
    assert_snapshot!(refusal("bindings: [{source: a, queue: ~}]"), @"bindings[0]: a binding leads to a `queue` or an `exchange`: give one at line 1 column 12");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delays: [30]}}}"), @"delays.d.tiers.delays[0]: `30` has no unit: write `30s` for seconds or `30ms` for milliseconds at line 1 column 51");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delays: [30s], queue_type: x-delayed-message}}}"), @"delays.d.tiers.queue_type: `x-delayed-message` is a type of exchange, not of queue, and needs its inner type: declare an exchange with `type: x-delayed-message` and `arguments: {x-delayed-type: direct}`, or give a delay the strategy `delayed_exchange` at line 1 column 69");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delays: [30s], max_length: -5}}}"), @"delays.d.tiers.max_length: -5 is out of range: 0 to 9223372036854775807 at line 1 column 69");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, per_message_ttl: {max: 30}}}"), @"delays.d.per_message_ttl.max: `30` has no unit: write `30s` for seconds or `30ms` for milliseconds at line 1 column 57");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, ladder: {radix: -2}}}"), @"delays.d.ladder.radix: -2 is out of range: 0 to 9223372036854775807 at line 1 column 50");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, ladder: {names: rabbit}}}"), @"delays.d.ladder.names: unknown variant `rabbit`, expected one of `delayctl`, `nservicebus`, `celery` at line 1 column 50");
}

/// Bindings.
#[test]
fn a_binding() {
    assert_snapshot!(refusal(r"
exchanges: {x: direct}
queues: {a: {}}
bindings: [{source: x, queue: a, exchange: x}]
"), @"bindings[0]: a binding leads to `queue` or `exchange`, not both at line 4 column 12");
    assert_snapshot!(refusal("bindings: [{source: a}]"), @"bindings[0]: a binding leads to a `queue` or an `exchange`: give one at line 1 column 12");
    assert_snapshot!(refusal(r"
exchanges: {orders: topic}
queues: {order.paid: {}}
bindings:
  - {source: order, queue: order.piad}
  - {source: orders, exchange: nowhere}
  - {source: amq.nothing, queue: order.paid}
"), @"
    bindings[0].source: no exchange `order` is declared; did you mean `orders`?
    bindings[0].queue: no queue `order.piad` is declared; did you mean `order.paid`?
    bindings[1].exchange: no exchange `nowhere` is declared; declare it under `exchanges`
    bindings[2].source: no exchange `amq.nothing` is declared, and RabbitMQ has none of its own by this name
    ");
    assert_snapshot!(refusal(r"
queues: {a: {}}
bindings: [{source: '', queue: a}, {source: amq.direct, exchange: ''}]
"), @"
    bindings[0].source: the default exchange takes no bindings: it leads to every queue by the queue's name; declare an exchange of your own
    bindings[1].exchange: the default exchange takes no bindings: it leads to every queue by the queue's name; declare an exchange of your own
    ");
    assert_snapshot!(refusal(r"
exchanges: {x: direct}
queues: {a: {}}
bindings: [{source: x, queue: a, routing_key: LONG}]
"), @"bindings[0].routing_key: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255");
}

/// Names.
#[test]
fn a_name() {
    assert_snapshot!(refusal("exchanges: {'': direct, amq.mine: direct, amq.direct: direct, LONG: direct}"), @"
    exchanges.: the name is empty, and AMQP takes 1 to 255 bytes
    exchanges.amq.mine: `amq.mine` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    exchanges.amq.direct: `amq.direct` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    exchanges.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255
    ");
    assert_snapshot!(refusal("queues: {'': {}, amq.mine: {}, LONG: {}}"), @"
    queues.: the name is empty, and AMQP takes 1 to 255 bytes
    queues.amq.mine: `amq.mine` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    queues.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255
    ");
    assert_snapshot!(refusal("vhost: LONG"), @"vhost: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255");
    assert_snapshot!(refusal(r"
delays: {d: {target: {queue: a}, tiers: {exchange: amq.direct, queue: 'amq.{delay}', delays: [5s]}}}
queues: {a: {}}
"), @"
    delays.d: `amq.direct` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    delays.d: `amq.5s` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    ");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {LONG: {target: {queue: a}, tiers: {delays: [5s]}}}
"), @"
    delays.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.: `long.long.long.long.…` has 306 bytes, and AMQP takes at most 255
    delays.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.long.: `long.long.long.long.…` has 303 bytes, and AMQP takes at most 255
    ");
    assert_snapshot!(refusal(r"
queues: {a: {}}
dead_letter_chains: {c: {from: a, levels: [{exchange: amq.mine, queue: LONG}, {queue: ''}]}}
"), @"
    dead_letter_chains.c.levels[0]: `amq.mine` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    dead_letter_chains.c.levels[0]: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255
    dead_letter_chains.c.levels[1]: the name is empty, and AMQP takes 1 to 255 bytes
    ");
    assert_snapshot!(refusal(r"
queues: {1234: {}, no: {}, null: {}, ~: {}}
bindings: [{source: true, queue: 0x1F}]
"), @"
    bindings[0].source: no exchange `true` is declared; declare it under `exchanges`
    bindings[0].queue: no queue `0x1F` is declared; declare it under `queues`
    ");
}

/// Exchanges.
#[test]
fn an_exchange() {
    assert_snapshot!(refusal("exchanges: {a: dirct}"), @"exchanges.a.type: `dirct` is no type of exchange: take `direct`, `fanout`, `topic` or `headers`, or a plugin's, which begins with `x-`");
    assert_snapshot!(refusal("exchanges: {a: {type: ''}}"), @"exchanges.a.type: `` is no type of exchange: take `direct`, `fanout`, `topic` or `headers`, or a plugin's, which begins with `x-`");
    assert_snapshot!(refusal("exchanges: {a: x-delayed-message}"), @"exchanges.a: an exchange of type `x-delayed-message` needs its inner type: give `arguments: {x-delayed-type: direct}`, or `fanout`, `topic` or `headers`");
    assert_snapshot!(refusal("exchanges: {a: {type: x-delayed-message, arguments: {}}}"), @"exchanges.a: an exchange of type `x-delayed-message` needs its inner type: give `arguments: {x-delayed-type: direct}`, or `fanout`, `topic` or `headers`");
    assert_snapshot!(refusal("exchanges: {a: {type: x-delayed-message, arguments: {x-delayed-type: x-delayed-message}}}"), @"exchanges.a.arguments.x-delayed-type: `x-delayed-message` is no inner type: take `direct`, `fanout`, `topic` or `headers`");
    assert_snapshot!(refusal("exchanges: {a: {type: x-delayed-message, arguments: {x-delayed-type: 1}}}"), @r#"exchanges.a.arguments.x-delayed-type: `x-delayed-type` takes a string, and 1 is an integer; write `"1"`, in quotes"#);
    assert_snapshot!(refusal("exchanges: {a: {type: x-delayed-message, arguments: {x-delayed-type: drect}}}"), @"exchanges.a.arguments.x-delayed-type: `drect` is no type of exchange: take `direct`, `fanout`, `topic` or `headers`, or a plugin's, which begins with `x-`");
    assert_snapshot!(refusal("exchanges: {a: {type: x-delayed-message, arguments: {x-delayed-type: ''}}}"), @"exchanges.a.arguments.x-delayed-type: `` is no inner type: take `direct`, `fanout`, `topic` or `headers`");
    assert_snapshot!(refusal("exchanges: {a: {type: direct, alternate: b}}"), @"exchanges.a.alternate: no exchange `b` is declared; declare it under `exchanges`");
    assert_snapshot!(refusal("exchanges: {a: {type: direct, arguments: {alternate-exchange: b}}}"), @"accepted");
    assert_snapshot!(refusal("exchanges: {a: {type: direct, arguments: {alternate-exchange: 5}}}"), @r#"exchanges.a.arguments.alternate-exchange: `alternate-exchange` takes a string, and 5 is an integer; write `"5"`, in quotes"#);
    assert_snapshot!(refusal("exchanges: {a: {type: direct, alternate: a, arguments: {alternate-exchange: a}}}"), @"exchanges.a.arguments.alternate-exchange: `alternate-exchange` is given twice, here and by the field `alternate`: keep one");
}

/// Queues.
#[test]
fn a_queue() {
    assert_snapshot!(refusal("queues: {a: {message_ttl: 3651d, expires: 0s}}"), @"
    queues.a.expires: 0s is out of range: 1ms to 3650d
    queues.a.message_ttl: 3651d is out of range: 0s to 3650d
    ");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-message-ttl: 315360000001, x-expires: 0, x-max-length: -1, x-max-length-bytes: -1, x-delivery-limit: -2}}}"), @"
    queues.a.arguments.x-delivery-limit: -2 is out of range: 0 to 9223372036854775807
    queues.a.arguments.x-expires: 0s is out of range: 1ms to 3650d
    queues.a.arguments.x-max-length: -1 is out of range: 0 to 9223372036854775807
    queues.a.arguments.x-max-length-bytes: -1 is out of range: 0 to 9223372036854775807
    queues.a.arguments.x-message-ttl: 3650d1ms is out of range: 0s to 3650d
    ");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-message-ttl: '5000'}}}"), @r#"queues.a.arguments.x-message-ttl: `x-message-ttl` takes an integer, and "5000" is a string; write `5000`, without quotes"#);
    assert_snapshot!(refusal("queues: {a: {arguments: {x-message-ttl: 30s, x-expires: 1.5, x-max-length: true, x-delivery-limit: [5]}}}"), @r#"
    queues.a.arguments.x-delivery-limit: `x-delivery-limit` takes an integer, and [5] is a list
    queues.a.arguments.x-expires: `x-expires` takes an integer, and 1.5 is a float
    queues.a.arguments.x-max-length: `x-max-length` takes an integer, and true is a boolean
    queues.a.arguments.x-message-ttl: `x-message-ttl` takes an integer, and "30s" is a string; in milliseconds it is `30000`
    "#);
    assert_snapshot!(refusal("queues: {a: {arguments: {x-queue-type: x-delayed-message}}}"), @"queues.a.arguments.x-queue-type: `x-delayed-message` is a type of exchange, not of queue, and needs its inner type: declare an exchange with `type: x-delayed-message` and `arguments: {x-delayed-type: direct}`, or give a delay the strategy `delayed_exchange`");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-queue-type: 5, x-overflow: drop-tail, x-dead-letter-strategy: twice, x-single-active-consumer: 'true'}}}"), @r#"
    queues.a.arguments.x-dead-letter-strategy: `twice` is no value of `x-dead-letter-strategy`: take `at-most-once`, `at-least-once`
    queues.a.arguments.x-overflow: `drop-tail` is no value of `x-overflow`: take `drop-head`, `reject-publish`, `reject-publish-dlx`
    queues.a.arguments.x-queue-type: `x-queue-type` takes a string, and 5 is an integer; write `"5"`, in quotes
    queues.a.arguments.x-single-active-consumer: `x-single-active-consumer` takes a boolean, and "true" is a string; write `true`, without quotes
    "#);
    assert_snapshot!(refusal("queues: {a: {type: quorum, arguments: {x-delayed-retry-type: some, x-delayed-retry-min: 1s}}}"), @r#"
    queues.a.arguments.x-delayed-retry-min: `x-delayed-retry-min` takes an integer, and "1s" is a string; in milliseconds it is `1000`
    queues.a.arguments.x-delayed-retry-type: `some` is no value of `x-delayed-retry-type`: take `all`, `failed`, `returned`, `disabled`
    "#);
    assert_snapshot!(refusal("queues: {a: {dead_letter: {routing_key: k}}}"), @r#"queues.a.dead_letter.routing_key: a dead-letter routing key needs a dead-letter exchange: RabbitMQ refuses it alone; give the exchange too (`""` is the default exchange)"#);
    assert_snapshot!(refusal("queues: {a: {arguments: {x-dead-letter-routing-key: k}}}"), @r#"queues.a.arguments.x-dead-letter-routing-key: a dead-letter routing key needs a dead-letter exchange: RabbitMQ refuses it alone; give the exchange too (`""` is the default exchange)"#);
    assert_snapshot!(refusal("queues: {a: {arguments: {x-dead-letter-exchange: 5, x-dead-letter-routing-key: 6}}}"), @r#"
    queues.a.arguments.x-dead-letter-exchange: `x-dead-letter-exchange` takes a string, and 5 is an integer; write `"5"`, in quotes
    queues.a.arguments.x-dead-letter-routing-key: `x-dead-letter-routing-key` takes a string, and 6 is an integer; write `"6"`, in quotes
    "#);
    assert_snapshot!(refusal("queues: {a: {dead_letter: {exchange: dlx}}, b: {arguments: {x-dead-letter-exchange: dlx}}}"), @"queues.a.dead_letter.exchange: no exchange `dlx` is declared; declare it under `exchanges`");
    assert_snapshot!(refusal("queues: {a: {dead_letter: {exchange: '', routing_key: LONG}}}"), @"queues.a.dead_letter.routing_key: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255");
    assert_snapshot!(refusal("queues: {a: {dead_letter: {exchange: '', strategy: at-least-once}}}"), @"
    queues.a.dead_letter.strategy: `at-least-once` needs `type: quorum`: without it the broker refuses the queue
    queues.a.dead_letter.strategy: `at-least-once` needs `overflow: reject-publish`: without it the broker silently means at-most-once
    ");
    assert_snapshot!(refusal("queues: {a: {type: classic, overflow: reject-publish, dead_letter: {exchange: '', strategy: at-least-once}}}"), @"queues.a.dead_letter.strategy: `at-least-once` needs `type: quorum`: without it the broker refuses the queue");
    assert_snapshot!(refusal("queues: {a: {type: quorum, overflow: drop-head, dead_letter: {exchange: '', strategy: at-least-once}}}"), @"queues.a.dead_letter.strategy: `at-least-once` needs `overflow: reject-publish`: without it the broker silently means at-most-once");
    assert_snapshot!(refusal("queues: {a: {type: quorum, overflow: reject-publish, dead_letter: {strategy: at-least-once}}}"), @"queues.a.dead_letter.strategy: `at-least-once` needs a dead-letter exchange: without it the broker has nowhere to send to");
    assert_snapshot!(refusal("queues: {a: {arguments: {x-dead-letter-strategy: at-least-once, x-dead-letter-exchange: ''}}}"), @"queues.a.arguments.x-dead-letter-strategy: `at-least-once` needs `type: quorum`: without it the broker refuses the queue");
    assert_snapshot!(refusal("queues: {a: {message_ttl: 5s, type: quorum, arguments: {x-message-ttl: 5000, x-queue-type: quorum}}}"), @"
    queues.a.arguments.x-queue-type: `x-queue-type` is given twice, here and by the field `type`: keep one
    queues.a.arguments.x-message-ttl: `x-message-ttl` is given twice, here and by the field `message_ttl`: keep one
    ");
    assert_snapshot!(refusal("queues: {a: {type: classic, delivery_limit: 5, delayed_retry: {type: all}}}"), @"
    queues.a.delivery_limit: `delivery_limit` is for quorum queues, and this one is classic: give `type: quorum`
    queues.a.delayed_retry.type: `delayed_retry` is for quorum queues, and this one is classic: give `type: quorum`
    ");
    assert_snapshot!(refusal("queues: {a: {delivery_limit: 5, arguments: {x-queue-type: stream}}}"), @"queues.a.delivery_limit: `delivery_limit` is for quorum queues, and this one is stream: give `type: quorum`");
}

/// Delays.
#[test]
fn a_delay() {
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}}}"), @"delays.d: no strategy: give one of `tiers`, `per_message_ttl`, `delayed_exchange`, `ladder` at line 1 column 13");
    assert_snapshot!(refusal("delays: {d: {tiers: {delays: [5s]}}}"), @"delays.d: missing field `target` at line 1 column 13");
    assert_snapshot!(refusal("delays: {d: }"), @"delays.d: missing field `target` at line 1 column 13");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: {delays: [5s]}, ladder: {}}}"), @"delays.d: two strategies, `tiers` and `ladder`: a delay has one at line 1 column 57");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a}, tiers: }}"), @"delays.d.tiers: missing field `delays` at line 1 column 41");
    assert_snapshot!(refusal("delays: {d: {target: {}, tiers: {delays: [5s]}}}"), @"delays.d.target: a target is `{exchange, routing_key}` or `{queue}`, nothing else at line 1 column 22");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a, exchange: b}, tiers: {delays: [5s]}}}"), @"delays.d.target: a target is `{exchange, routing_key}` or `{queue}`, nothing else at line 1 column 22");
    assert_snapshot!(refusal("delays: {d: {target: {queue: a, routing_key: b}, tiers: {delays: [5s]}}}"), @"delays.d.target: a target is `{exchange, routing_key}` or `{queue}`, nothing else at line 1 column 22");
    assert_snapshot!(refusal("delays: {d: {target: {exchange: '', routing_key: a}, tiers: {delays: [5s]}}}"), @"delays.d.target: the default exchange leads to queues by their names: write `{queue}` at line 1 column 22");
    assert_snapshot!(refusal(r"
queues: {order: {}}
delays: {d: {target: {queue: ordr}, tiers: {delays: [5s]}}}
"), @"delays.d.target.queue: no queue `ordr` is declared; did you mean `order`?");
    assert_snapshot!(refusal("delays: {d: {target: {exchange: x, routing_key: k}, tiers: {delays: [5s]}}}"), @"delays.d.target.exchange: no exchange `x` is declared; declare it under `exchanges`");
    assert_snapshot!(refusal(r"
exchanges: {x: direct}
queues: {a: {}}
bindings: [{source: x, queue: a, routing_key: k}]
delays: {d: {target: {exchange: x, routing_key: other}, tiers: {delays: [5s]}}}
"), @"delays.d.target: exchange `x` with key `other` leads to no queue, and every message would be lost: bind a queue there, under `bindings`");
    // What a policy's alternate exchange takes is not lost.
    let alternate = r"
exchanges: {x: direct, rest: fanout}
queues: {a: {}}
bindings: [{source: rest, queue: a}]
policies: {p: {pattern: ^x$, apply_to: exchanges, definition: {alternate-exchange: rest}}}
delays: {d: {target: {exchange: x, routing_key: other}, tiers: {delays: [5s]}}}
";
    assert!(parse(alternate).is_ok());
    assert_snapshot!(refusal(r"
exchanges: {x: direct}
delays: {d: {target: {exchange: x}, ladder: {}}}
"), @"delays.d.target: exchange `x` with key `` leads to no queue, and every message would be lost: bind a queue there, under `bindings`");
    assert_snapshot!(refusal(r"
exchanges: {x: fanout}
queues: {a: {}}
bindings: [{source: x, queue: a}]
delays: {d: {target: {exchange: x, routing_key: LONG}, tiers: {delays: [5s]}}}
"), @"delays.d.target.routing_key: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255");
}

/// Strategies.
#[test]
fn a_strategy() {
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, tiers: {delays: []}}}
"), @"delays.d.tiers.delays: no delay is listed: write some, like `[5s, 30s]`");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, tiers: {delays: [5s, 30s, 5000ms, 0s, 3651d]}}}
"), @"
    delays.d.tiers.delays[2]: 5s is listed twice: see `delays[0]`
    delays.d.tiers.delays[3]: a delay of zero needs no queue: it goes straight to the target
    delays.d.tiers.delays[4]: 3651d is longer than 3650d, RabbitMQ's longest TTL
    ");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, tiers: {delays: [5s, 30s], queue: wait}}}
"), @"delays.d.tiers.delays[1]: 5s and 30s would share the queue `wait`: put `{delay}` in the name, or name each tier's queue");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, tiers: {delays: [5s], queue: 'wait.{dealy}'}}}
"), @"delays.d.tiers.queue: `{dealy}` is no placeholder here: there is `{name}` and `{delay}`");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, per_message_ttl: {max: 3651d}}, e: {target: {queue: a}, per_message_ttl: {max: 0s}}}
"), @"
    delays.d.per_message_ttl.max: 3651d is longer than 3650d, RabbitMQ's longest TTL
    delays.e.per_message_ttl.max: a delay of zero needs no queue: it goes straight to the target
    ");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, per_message_ttl: {queue: 'wait.{delay}'}}}
"), @"delays.d.per_message_ttl.queue: `{delay}` is no placeholder here: there is `{name}`");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, per_message_ttl: {queue: a}}}
"), @r#"delays.d: queue `a` is declared twice, and not alike: default type, durable and quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="a", x-dead-letter-strategy="at-least-once", x-overflow="reject-publish"; the first is at `queues.a`"#);
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, delayed_exchange: {type: x-delayed-message}}}
"), @"delays.d.delayed_exchange.type: `x-delayed-message` is no inner type: take `direct`, `fanout`, `topic` or `headers`");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, delayed_exchange: {exchange: ''}}}
"), @"delays.d.delayed_exchange.exchange: the default exchange cannot delay: name another");
    assert_snapshot!(refusal(r"
exchanges: {x: fanout}
queues: {a: {}}
bindings: [{source: x, queue: a}]
delays: {d: {target: {exchange: x}, delayed_exchange: {routing_key: k}}}
"), @"delays.d.delayed_exchange.routing_key: goes with a target that is a queue; a target that is an exchange has its own");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, ladder: {resolution: 0s}}}
"), @"delays.d.ladder.resolution: a step of zero leads nowhere: the smallest is 1ms");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, ladder: {radix: 1}}}
"), @"delays.d.ladder.radix: 1 is out of range: 2 to 256");
    assert_snapshot!(refusal(r"
queues: {a: {}}
delays: {d: {target: {queue: a}, ladder: {radix: 2, max_hops: 3}}}
"), @"delays.d.ladder.max_hops: `radix` says already which radix: give one of them");
}

/// Declared twice, and not alike.
#[test]
fn unequal_declarations() {
    assert_snapshot!(refusal(r"
exchanges: {d.delay: topic}
queues: {a: {}, d.5s: {}}
delays: {d: {target: {queue: a}, tiers: {delays: [5s]}}}
"), @r#"
    delays.d: exchange `d.delay` is declared twice, and not alike: topic, durable and direct, durable; the first is at `exchanges.d.delay`
    delays.d: queue `d.5s` is declared twice, and not alike: default type, durable and quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="a", x-dead-letter-strategy="at-least-once", x-message-ttl=5000, x-overflow="reject-publish"; the first is at `queues.d.5s`
    "#);
    assert_snapshot!(refusal(r"
queues: {a: {}, b: {}}
delays:
  first: {target: {queue: a}, tiers: {exchange: wait, queue: 'wait.{delay}', delays: [5s]}}
  second: {target: {queue: b}, tiers: {exchange: wait, queue: 'wait.{delay}', delays: [5s, 10s]}}
"), @r#"delays.second: queue `wait.5s` is declared twice, and not alike: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="a", x-dead-letter-strategy="at-least-once", x-message-ttl=5000, x-overflow="reject-publish" and quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="b", x-dead-letter-strategy="at-least-once", x-message-ttl=5000, x-overflow="reject-publish"; the first is at `delays.first`"#);
}

/// Dead-letter chains.
#[test]
fn a_chain() {
    assert_snapshot!(refusal(r"
queues: {a: {}}
dead_letter_chains: {c: {from: a, levels: []}}
"), @"dead_letter_chains.c.levels: a chain needs at least one level, like `- {}`");
    assert_snapshot!(refusal(r"
queues: {order: {}}
dead_letter_chains: {c: {from: ordre, levels: [{}]}}
"), @"dead_letter_chains.c.from: no queue `ordre` is declared; did you mean `order`?");
    assert_snapshot!(refusal(r"
queues: {a: {dead_letter: {exchange: amq.direct}}}
dead_letter_chains: {c: {from: a, levels: [{}]}}
"), @"dead_letter_chains.c.levels[0]: queue `a` has a dead-letter target of its own already, exchange `amq.direct` with the message's own key: leave that out, or let this level have it");
    assert_snapshot!(refusal(r"
queues: {a: {}}
dead_letter_chains: {c: {from: a, levels: [{}]}, d: {from: a, levels: [{}]}}
"), @"dead_letter_chains.d.levels[0]: queue `a` has a dead-letter target of its own already, the default exchange with key `c.1`: leave that out, or let this level have it");
    assert_snapshot!(refusal(r"
queues: {a: {}}
dead_letter_chains: {c: {from: a, levels: [{}, {message_ttl: 3651d}]}}
"), @"dead_letter_chains.c.levels[1].message_ttl: 3651d is out of range: 0s to 3650d");
    assert_snapshot!(refusal(r"
queues: {a: {}, b: {}}
dead_letter_chains: {c: {from: a, levels: [{queue: b, max_length: 5, queue_type: classic}]}}
"), @"
    dead_letter_chains.c.levels[0].queue_type: queue `b` is declared at `queues.b`: give it its `queue_type` there
    dead_letter_chains.c.levels[0].max_length: queue `b` is declared at `queues.b`: give it its `max_length` there
    ");
    assert_snapshot!(refusal(r"
queues: {a: {}}
dead_letter_chains: {c: {from: a, levels: [{routing_key: LONG}]}}
"), @"dead_letter_chains.c.levels[0].routing_key: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255");
}

/// Policies.
#[test]
fn a_policy() {
    let files = [
        "policies: {p: }",
        "policies: {p: {definition: {}}}",
        "policies: {p: {pattern: '', definition: {}}}",
        "policies: {p: {pattern: '', apply_to: queue, definition: {}}}",
        "policies: {p: {pattern: '', priority: high, definition: {}}}",
        "policies: {p: {pattern: '', definition: {max-length: 1, max-length: 2}}}",
        "policies: {p: {pattern: '', definition: {x-max-length: 1}}}",
        "policies: {p: {pattern: '', definition: {message-ttl: '5000', expires: 0, max-length: -1, overflow: drop-tail, dead-letter-exchange: 5, alternate-exchange: 5}}}",
    ];
    assert_snapshot!(files.map(refusal).join("\n"), @r#"
    policies.p: missing field `pattern` at line 1 column 15
    policies.p: missing field `pattern` at line 1 column 15
    policies.p.definition: a policy without a definition does nothing: give it one, like `{max-length: 1000}`
    policies.p.apply_to: unknown variant `queue`, expected one of `all`, `queues`, `classic_queues`, `quorum_queues`, `streams`, `exchanges` at line 1 column 39
    policies.p.priority: invalid type: string "high", expected a whole number at line 1 column 39
    policies.p.definition: `max-length` is given twice at line 1 column 57
    policies.p.definition.x-max-length: a policy spells it `max-length`: `x-` is for arguments
    policies.p.definition.alternate-exchange: `alternate-exchange` takes a string, and 5 is an integer; write `"5"`, in quotes
    policies.p.definition.dead-letter-exchange: `dead-letter-exchange` takes a string, and 5 is an integer; write `"5"`, in quotes
    policies.p.definition.expires: 0s is out of range: 1ms to 3650d
    policies.p.definition.max-length: -1 is out of range: 0 to 9223372036854775807
    policies.p.definition.message-ttl: `message-ttl` takes an integer, and "5000" is a string; write `5000`, without quotes
    policies.p.definition.overflow: `drop-tail` is no value of `overflow`: take `drop-head`, `reject-publish`, `reject-publish-dlx`
    "#);
}

/// The vhost.
#[test]
fn a_vhost() {
    let files = [
        "vhost: {nam: shop}",
        "vhost: {name: ''}",
        "vhost: {name: LONG}",
        "vhost: {name: shop, name: shop}",
        "vhost: {default_queue_type: mirrored}",
        "vhost: {permissions: [app]}",
        "vhost: {permissions: [{configure: ''}]}",
        "vhost: {permissions: [{user: ''}, {user: a}, {user: a}]}",
    ];
    assert_snapshot!(files.map(refusal).join("\n"), @r#"
    vhost: unknown field `nam`, expected one of `name`, `default_queue_type`, `permissions` at line 1 column 9
    vhost: the vhost's name is empty: leave `vhost` out to take the connection's
    vhost: `long.long.long.long.…` has 300 bytes, and AMQP takes at most 255
    vhost: duplicate field `name` at line 1 column 8
    vhost.default_queue_type: unknown variant `mirrored`, expected one of `classic`, `quorum`, `stream` at line 1 column 29
    vhost.permissions[0]: invalid type: string "app", expected a mapping of `user`, `configure`, `write` and `read` at line 1 column 23
    vhost.permissions[0]: missing field `user` at line 1 column 23
    vhost.permissions[0].user: the name is empty, and AMQP takes 1 to 255 bytes
    vhost.permissions[2].user: user `a` has permissions already, further up
    "#);
}

/// Everything at once.
#[test]
fn every_problem_is_listed() {
    assert_snapshot!(refusal(r"
exchanges:
  amq.mine: direct
  waiting: x-delayed-message
queues:
  order.dead.queue:
    message_ttl: 4000d
    dead_letter: {exchange: order.dead.exchnge, strategy: at-least-once}
bindings:
  - {source: order.dead.exchange, queue: order.dead.queue}
delays:
  order:
    target: {queue: order.dead}
    tiers: {delays: [5s, 5s]}
"), @"
    delays.order.tiers.delays[1]: 5s is listed twice: see `delays[0]`
    exchanges.amq.mine: `amq.mine` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another
    exchanges.waiting: an exchange of type `x-delayed-message` needs its inner type: give `arguments: {x-delayed-type: direct}`, or `fanout`, `topic` or `headers`
    queues.order.dead.queue.message_ttl: 4000d is out of range: 0s to 3650d
    queues.order.dead.queue.dead_letter.exchange: no exchange `order.dead.exchnge` is declared; declare it under `exchanges`
    queues.order.dead.queue.dead_letter.strategy: `at-least-once` needs `type: quorum`: without it the broker refuses the queue
    queues.order.dead.queue.dead_letter.strategy: `at-least-once` needs `overflow: reject-publish`: without it the broker silently means at-most-once
    bindings[0].source: no exchange `order.dead.exchange` is declared; declare it under `exchanges`
    delays.order.target.queue: no queue `order.dead` is declared; did you mean `order.dead.queue`?
    ");
}

/// What looks odd and is right: none of it is refused.
#[test]
fn what_is_fine() {
    let files = [
        "{}",
        "\u{feff}queues:\nexchanges:\nbindings:\ndelays:\ndead_letter_chains:\n",
        "---\nqueues: {a: {arguments: }}\n...\n",
        "queues:\n  a: &a {type: quorum}\n  b: *a\n",
        "queues: {1234: {}, no: {}, null: {}, 1e3: {}, 0x1F: {}}\nbindings: [{source: amq.direct, queue: 0x1F, routing_key: 5}]",
        "queues: {a: {arguments: {x-delivery-limit: -1, x-max-priority: 5, x-unknown: [1, {b: 2.5}]}}}",
        "exchanges: {a: {type: x-delayed-message, arguments: {x-delayed-type: x-consistent-hash}}}",
        "queues: {a: {dead_letter: {exchange: ''}}, b: {dead_letter: {exchange: amq.fanout}}}",
        // Who knows what a plugin's exchange, or headers that a publisher adds, may lead to?
        "exchanges: {x: x-consistent-hash}\nqueues: {a: {}}\nbindings: [{source: x, queue: a, routing_key: '10'}]\ndelays: {d: {target: {exchange: x, routing_key: k}, tiers: {delays: [5s]}}}",
        "exchanges: {x: headers}\nqueues: {a: {}}\nbindings: [{source: x, queue: a, arguments: {kind: order}}]\ndelays: {d: {target: {exchange: x}, tiers: {delays: [5s]}}}",
        "exchanges: {x: {type: topic, alternate: y}, y: fanout}\nqueues: {a: {}}\nbindings: [{source: y, queue: a}]\ndelays: {d: {target: {exchange: x, routing_key: k}, tiers: {delays: [5s]}}}",
        // Equal declarations are one.
        "exchanges: {d.delay: direct}\nqueues: {a: {}}\ndelays: {d: {target: {queue: a}, tiers: {delays: [5s]}}}",
        "queues: {a: {dead_letter: {exchange: '', routing_key: c.1}}}\ndead_letter_chains: {c: {from: a, levels: [{}]}}",
    ];
    for file in files {
        assert_eq!(refusal(file), "accepted", "{file}");
    }
}
