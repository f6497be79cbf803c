//! Objects become definitions, are captured, read again, and are the same.

use std::collections::{BTreeMap, HashSet};

use delayctl::capture::capture;
use delayctl::definitions;
use delayctl::objects::{
    Arguments, Binding, Destination, Exchange, Float, Objects, Policy, Queue, Value, argument,
};
use delayctl::topology;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

/// Names that YAML, JSON or delayctl could take for something else, and ordinary ones.
fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]",
        1 => prop::sample::select(vec![
            "true", "No", "~", "null", "12", "1e3", "0x1f", "-", "? a", "- a", "a: b", "#", "*a",
            "&a", "!a", "|", "{name}.{delay}", "a, b", "[a", "'", "\"", "\\", " a ", "a\nb",
            "\u{0}", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}", "注文", "1h", "30s", "=",
            "%a", "@a", "`a", "a.wait", "a.delay", "x.deliver-1", "a.level-00.1",
        ]).prop_map(str::to_owned),
        1 => "\\PC{1,20}",
        1 => any::<[char; 3]>().prop_map(|chars| chars.iter().collect()),
    ]
    .prop_filter("it belongs to RabbitMQ", |name: &String| !name.starts_with("amq."))
    // No file can say this one: YAML takes it for a merge key, and the format refuses those.
    .prop_filter("a merge key", |name: &String| name != "<<")
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (0_i64..100_000).prop_map(Value::Int),
        any::<f64>()
            .prop_filter("JSON has none", |f| f.is_finite())
            .prop_map(|f| Value::Float(Float(f))),
        names().prop_map(Value::Str),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            btree_map(names(), inner, 0..4).prop_map(Value::Table),
        ]
    })
}

/// Arguments that the broker knows, with values that it takes.
fn known() -> impl Strategy<Value = (String, Value)> {
    let text = |name: &'static str, values: Vec<&'static str>| {
        prop::sample::select(values).prop_map(move |value| (name, Value::from(value)))
    };
    let number = |name: &'static str, least: i64| {
        (least..2_000_000).prop_map(move |value| (name, Value::Int(value)))
    };
    prop_oneof![
        text(argument::QUEUE_TYPE, vec!["classic", "quorum", "stream", "odd"]),
        text(argument::OVERFLOW, vec!["drop-head", "reject-publish", "reject-publish-dlx"]),
        text(argument::DEAD_LETTER_STRATEGY, vec!["at-least-once", "at-most-once"]),
        text(argument::DELAYED_RETRY_TYPE, vec!["all", "failed"]),
        number(argument::MESSAGE_TTL, 0),
        number(argument::EXPIRES, 1),
        number(argument::MAX_LENGTH, 0),
        number(argument::MAX_LENGTH_BYTES, 0),
        number(argument::DELIVERY_LIMIT, -1),
        number(argument::DELAYED_RETRY_MIN, 0),
        any::<bool>().prop_map(|flag| (argument::SINGLE_ACTIVE_CONSUMER, Value::Bool(flag))),
    ]
    .prop_map(|(name, value)| (name.to_owned(), value))
}

fn arguments() -> impl Strategy<Value = Arguments> {
    btree_map(names(), values(), 0..3)
}

fn exchanges() -> impl Strategy<Value = Exchange> {
    let kinds = vec!["direct", "fanout", "topic", "headers", "x-random", "x-delayed-message"];
    let kind = prop::sample::select(kinds);
    (
        kind,
        any::<[bool; 3]>(),
        arguments(),
        prop::option::of(names()),
        prop::sample::select(vec!["direct", "topic"]),
    )
        .prop_map(|(kind, [durable, auto_delete, internal], arguments, alternate, inner)| {
            let mut exchange =
                Exchange { kind: kind.to_owned(), durable, auto_delete, internal, arguments };
            if let Some(alternate) = alternate {
                exchange = exchange.with(argument::ALTERNATE_EXCHANGE, alternate);
            }
            if kind == "x-delayed-message" {
                // Often as the strategy makes it.
                exchange.arguments.retain(|_, _| internal);
                exchange = exchange.with(argument::DELAYED_TYPE, inner);
            }
            exchange
        })
}

/// Queues, often such as hold messages back.
fn queues() -> impl Strategy<Value = Queue> {
    let dead_letter =
        prop::option::of((prop_oneof![Just(String::new()), names()], prop::option::of(names())));
    let odd = (any::<[bool; 2]>(), vec(known(), 0..5), arguments());
    let waiting = (1_u64..5).prop_map(|n| {
        (
            [true, false],
            vec![(argument::MESSAGE_TTL.to_owned(), Value::from(n * 1000))],
            Arguments::new(),
        )
    });
    (prop_oneof![odd, waiting], dead_letter).prop_map(
        |((flags, known, mut arguments), dead_letter)| {
            arguments.extend(known);
            if let Some((exchange, key)) = dead_letter {
                arguments.insert(argument::DEAD_LETTER_EXCHANGE.to_owned(), exchange.into());
                let name = argument::DEAD_LETTER_ROUTING_KEY.to_owned();
                arguments.extend(key.map(|key| (name, Value::Str(key))));
            }
            // No broker holds these on another type.
            let only_quorum = [argument::DEAD_LETTER_STRATEGY, argument::DELIVERY_LIMIT];
            if only_quorum.iter().any(|name| arguments.contains_key(*name)) {
                arguments.insert(argument::QUEUE_TYPE.to_owned(), "quorum".into());
            }
            let [durable, auto_delete] = flags;
            Queue { durable, auto_delete, arguments }
        },
    )
}

fn policies() -> impl Strategy<Value = Policy> {
    let apply_to = vec!["all", "queues", "classic_queues", "quorum_queues", "streams", "exchanges"];
    let definition = btree_map(names(), values(), 1..3);
    (names(), prop::sample::select(apply_to), any::<i32>(), definition).prop_map(
        |(pattern, apply_to, priority, definition)| Policy {
            pattern,
            apply_to: apply_to.to_owned(),
            priority: priority.into(),
            definition: definition.into_iter().map(|(k, v)| (k.replace("x-", "y-"), v)).collect(),
        },
    )
}

/// Objects whose bindings lead from and to what is there.
fn objects() -> impl Strategy<Value = Objects> {
    let exchanges = btree_map(names(), exchanges(), 0..5);
    let queues = btree_map(names(), queues(), 0..6);
    let ends = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>());
    let key = prop_oneof![names(), Just(String::new())];
    let bindings = vec((ends, key, any::<bool>(), arguments()), 0..8);
    let policies = btree_map(names(), policies(), 0..3);
    (exchanges, queues, policies, bindings).prop_map(|(exchanges, queues, policies, bindings)| {
        let mut objects = Objects::default();
        objects.exchanges.extend(exchanges);
        objects.queues.extend(queues);
        objects.policies.extend(policies);
        let mut sources: Vec<_> = objects.exchanges.keys().cloned().collect();
        sources.push("amq.topic".to_owned());
        for ((from, to, own_name), key, plain, arguments) in bindings {
            let mut ends: Vec<_> = sources.iter().cloned().map(Destination::Exchange).collect();
            ends.extend(objects.queues.keys().cloned().map(Destination::Queue));
            let destination = to.get(&ends).clone();
            let routing_key = if own_name { destination.name().to_owned() } else { key };
            let arguments = if plain { BTreeMap::new() } else { arguments };
            let source = from.get(&sources).clone();
            objects.add_binding(Binding { source, destination, routing_key, arguments });
        }
        objects
    })
}

/// The same, where a queue without a type is a classic one: so it is to every broker.
fn typed(objects: &Objects) -> Objects {
    let mut objects = objects.clone();
    for queue in objects.queues.values_mut() {
        let kind = queue.arguments.entry(argument::QUEUE_TYPE.to_owned());
        kind.or_insert_with(|| "classic".into());
    }
    objects
}

fn there_and_back(objects: &Objects) -> Result<(), TestCaseError> {
    let exported = definitions::write(objects, "a vhost").to_string();
    let read = definitions::read(&exported, None).unwrap();
    prop_assert_eq!(&read.objects, objects);
    prop_assert_eq!(&read.omitted, &[]);
    let captured = capture(&read.objects, Some("a vhost"), &HashSet::new());
    let captured = captured.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let again = topology::parse(&captured.text).unwrap();
    prop_assert_eq!(typed(&again.objects), typed(objects), "{}", captured.text);
    if again.delays.is_empty() {
        prop_assert_eq!(&again.objects, objects, "{}", captured.text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn any_objects_come_back(objects in objects()) {
        there_and_back(&objects)?;
    }

    /// Every delay that is declared is recognised: as itself, or as tiers of the same objects.
    #[test]
    fn delays_are_recognised(text in delays()) {
        let topology = topology::parse(&text).unwrap();
        there_and_back(&topology.objects)?;
        let captured = capture(&topology.objects, None, &HashSet::new()).unwrap();
        prop_assert_eq!(captured.topology.delays.len(), 1, "{}", captured.text);
    }
}

/// A file with one delay.
fn delays() -> impl Strategy<Value = String> {
    let strategies = prop_oneof![
        prop::sample::subsequence(vec!["1s", "90s", "250ms", "{ delay: 2d, queue: odd }"], 1..4)
            .prop_map(|delays| format!("tiers: {{ delays: [{}] }}", delays.join(", "))),
        Just("tiers: { delays: [5s, 7s], exchange: '', queue: 'w-{delay}-q', max_length: 9 }".to_owned()),
        Just("tiers: { delays: [5s], queue_type: classic, max_length: 9, overflow: drop-head }".to_owned()),
        Just("per_message_ttl: {}".to_owned()),
        Just("per_message_ttl: { exchange: '', max: 1h, queue_type: classic }".to_owned()),
        prop::sample::select(vec!["direct", "topic", "fanout"])
            .prop_map(|kind| format!("delayed_exchange: {{ exchange: later, type: {kind} }}")),
        (1_u64..3000, 1_u64..200_000, 2_u64..257, any::<bool>()).prop_map(|(step, steps, radix, quorum)| {
            let kind = if quorum { "quorum" } else { "classic" };
            let (step, max) = (format!("{step}ms"), format!("{}ms", step * steps));
            format!("ladder: {{ resolution: {step}, max: {max}, radix: {radix}, queue_type: {kind} }}")
        }),
        prop::sample::select(vec!["nservicebus", "celery"])
            .prop_map(|names| format!("ladder: {{ names: {names} }}")),
    ];
    let targets = vec!["{ queue: done }", "{ exchange: due, routing_key: k }"];
    (prop::sample::select(targets), strategies).prop_map(|(target, strategy)| {
        format!(
            "
exchanges: {{ due: topic }}
queues: {{ done: }}
bindings: [ {{ source: due, queue: done, routing_key: '#' }} ]
delays: {{ d: {{ target: {target}, {strategy} }} }}"
        )
    })
}
