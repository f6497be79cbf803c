//! The measured facts, each in a test.

use std::collections::BTreeMap;

use super::*;
use crate::objects::{Arguments, Exchange, Objects, Policy, Queue, Value};

fn arguments(pairs: &[(&str, Value)]) -> Arguments {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn policy(pattern: &str, apply_to: &str, priority: i64, pairs: &[(&str, Value)]) -> Policy {
    let (pattern, apply_to) = (pattern.to_owned(), apply_to.to_owned());
    Policy { pattern, apply_to, priority, definition: arguments(pairs) }
}

fn named<const N: usize>(policies: [(&str, Policy); N]) -> BTreeMap<String, Policy> {
    policies.map(|(name, policy)| (name.to_owned(), policy)).into()
}

#[test]
fn a_policys_value_and_an_argument() {
    let (classic, quorum) = (Some(Kind::Classic), Some(Kind::Quorum));
    let table: &[(&str, Value, Value, Option<Kind>, By)] = &[
        ("x-message-ttl", Value::Int(1000), Value::Int(500), classic, By::Policy),
        ("x-message-ttl", Value::Int(500), Value::Int(1000), classic, By::Argument),
        ("x-expires", Value::Int(9), Value::Int(8), quorum, By::Policy),
        ("x-max-length", Value::Int(5), Value::Int(10), quorum, By::Argument),
        ("x-max-length-bytes", Value::Int(5), Value::Int(4), None, By::Policy),
        ("x-delivery-limit", Value::Int(2), Value::Int(5), quorum, By::Argument),
        ("x-delivery-limit", Value::Int(-1), Value::Int(5), quorum, By::Policy),
        ("x-delivery-limit", Value::Int(5), Value::Int(-1), quorum, By::Argument),
        ("x-delayed-retry-min", Value::Int(400), Value::Int(300), quorum, By::Policy),
        ("x-delayed-retry-max", Value::Int(400), Value::Int(500), quorum, By::Argument),
        ("x-delayed-retry-type", "all".into(), "disabled".into(), quorum, By::Policy),
        ("x-overflow", "reject-publish".into(), "drop-head".into(), quorum, By::Policy),
        ("x-overflow", "reject-publish".into(), "drop-head".into(), classic, By::Argument),
        ("x-dead-letter-exchange", "own".into(), "policy".into(), quorum, By::Argument),
        ("x-dead-letter-routing-key", "own".into(), "policy".into(), classic, By::Argument),
        ("x-dead-letter-strategy", "at-most-once".into(), "x".into(), quorum, By::Argument),
    ];
    for (name, own, given, kind, by) in table {
        let value = if *by == By::Policy { given } else { own };
        let found = in_force(name, Some(own), Some(given), *kind);
        assert_eq!(found, Some((value, *by)), "{name} {own} {given} {kind:?}");
        assert_eq!(in_force(name, Some(own), None, *kind), Some((own, By::Argument)));
        assert_eq!(in_force(name, None, Some(given), *kind), Some((given, By::Policy)));
    }
    assert_eq!(in_force("x-expires", None, None, classic), None);
}

#[test]
fn what_policies_change() {
    let governed = Governed {
        definition: arguments(&[
            ("message-ttl", Value::Int(500)),
            ("max-length", Value::Int(10)),
            ("overflow", "drop-head".into()),
            ("dead-letter-exchange", "policy.dlx".into()),
        ]),
        ..Governed::default()
    };
    let own = arguments(&[
        ("x-message-ttl", Value::Int(1000)),
        ("x-max-length", Value::Int(5)),
        ("x-overflow", "reject-publish".into()),
    ]);
    let effects = governed.effects(&own, Some(Kind::Classic));
    assert_eq!(
        effects.into_iter().collect::<Vec<_>>(),
        [
            ("dead-letter-exchange", Effect::Supplies),
            ("message-ttl", Effect::Overrides(Value::Int(1000))),
        ]
    );
    assert!(governed.effects(&own, Some(Kind::Quorum)).contains_key("overflow"));
    let ttl = Value::Int(500);
    assert_eq!(governed.in_force("x-message-ttl", &own, None), Some((&ttl, By::Policy)));
}

#[test]
fn operators_have_the_last_word() {
    let user = [
        ("max-length", Value::Int(5)),
        ("delivery-limit", Value::Int(-1)),
        ("overflow", "drop-head".into()),
    ];
    let operators = [
        ("max-length", Value::Int(9)),
        ("delivery-limit", Value::Int(7)),
        ("overflow", "reject-publish".into()),
    ];
    let (user, operator) =
        (policy("^q", "queues", 0, &user), policy("^q", "queues", 0, &operators));
    assert_eq!(
        merged(Some(&user), Some(&operator)),
        arguments(&[
            ("max-length", Value::Int(5)),
            ("delivery-limit", Value::Int(7)),
            ("overflow", "reject-publish".into()),
        ])
    );
    assert_eq!(merged(None, Some(&operator)), operator.definition);
}

#[test]
fn the_highest_priority_that_matches() {
    let policies = named([
        ("low", policy("^order", "queues", 0, &[])),
        ("high", policy("^order", "quorum_queues", 7, &[])),
        ("other", policy("(?!order)^x", "all", 9, &[])),
        ("exchanges", policy("", "exchanges", 99, &[])),
        ("unreadable", policy("(", "all", 100, &[])),
    ]);
    let policies = Policies::new(&policies, None);
    let queue = |name, kind| policies.for_queue(name, kind).next().map(|one| one.name);
    assert_eq!(queue("order.q", Kind::Quorum), Some("high"));
    assert_eq!(queue("order.q", Kind::Classic), Some("low"));
    assert_eq!(queue("x", Kind::Stream), Some("other"));
    assert_eq!(queue("bill", Kind::Classic), None);
    assert_eq!(policies.for_exchange("x").map(|one| one.name), Some("exchanges"));
}

#[test]
fn a_policy_with_a_foreign_key_is_passed_over_as_a_whole() {
    let both = [("message-ttl", Value::Int(200)), ("delivery-limit", Value::Int(3))];
    let policies = named([
        ("mixed", policy("^q", "all", 9, &both)),
        ("plain", policy("^q", "all", 1, &[("message-ttl", Value::Int(900))])),
    ]);
    let operators = named([("operators", policy("^q", "all", 5, &both))]);
    let (policies, operators) = (Policies::new(&policies, None), Policies::new(&operators, None));
    let governed = |kind| Governed::of_queue(&policies, &operators, "q", kind).unwrap();
    assert_eq!(governed(Kind::Quorum).names(), "mixed + operators");
    assert_eq!(governed(Kind::Classic).names(), "plain");
    assert_eq!(governed(Kind::Classic).definition, arguments(&[("message-ttl", Value::Int(900))]));
    assert_eq!(Governed::of_queue(&policies, &operators, "q", Kind::Stream), None);
    assert_eq!(Governed::of_exchange(&policies, "q").unwrap().names(), "mixed");
}

#[test]
fn keys_that_some_versions_pass_over_a_policy_for() {
    let version = |text: &str| Some(text.parse().unwrap());
    // Whether 3.10, 4.0, 4.3 and, as the newest, a broker of an unknown version support it.
    let table = [
        (Kind::Classic, "message-ttl", [true; 4]),
        (Kind::Classic, "delivery-limit", [false; 4]),
        (Kind::Classic, "queue-leader-locator", [false, true, true, true]),
        (Kind::Classic, "max-in-memory-length", [true, false, false, false]),
        (Kind::Classic, "max-in-memory-bytes", [true, false, false, false]),
        (Kind::Classic, "selector-fields", [false; 4]),
        (Kind::Quorum, "queue-leader-locator", [true; 4]),
        (Kind::Quorum, "max-in-memory-length", [true; 4]),
        (Kind::Quorum, "queue-master-locator", [false; 4]),
        (Kind::Quorum, "single-active-consumer", [false; 4]),
        (Kind::Stream, "queue-leader-locator", [true; 4]),
        (Kind::Stream, "max-in-memory-bytes", [false; 4]),
    ];
    for (kind, key, supported) in table {
        let versions = [version("3.10.8"), version("4.0.5"), version("4.3.6"), None];
        assert_eq!(
            versions.map(|version| kind.supports(key, version)),
            supported,
            "{kind:?} {key}"
        );
    }
    let located = [("queue-leader-locator", "balanced".into()), ("message-ttl", Value::Int(5))];
    let policies = named([("p", policy("^q", "queues", 0, &located))]);
    let applies =
        |version| Policies::new(&policies, version).for_queue("q", Kind::Classic).next().is_some();
    assert_eq!((applies(version("3.10")), applies(version("4.0"))), (false, true));
}

#[test]
fn the_type_in_force() {
    let typed = Queue::default().with("x-queue-type", "quorum");
    let transient = Queue { durable: false, ..Queue::default() };
    let auto_delete = Queue { auto_delete: true, ..Queue::default() };
    for (queue, default, kind) in [
        (&typed, None, Some(Kind::Quorum)),
        (&typed, Some("classic"), Some(Kind::Quorum)),
        (&Queue::default(), Some("quorum"), Some(Kind::Quorum)),
        (&Queue::default(), None, None),
        (&transient, Some("quorum"), Some(Kind::Classic)),
        (&auto_delete, Some("quorum"), Some(Kind::Classic)),
    ] {
        assert_eq!(Kind::in_force(queue, default), kind, "{queue} {default:?}");
    }
}

#[test]
fn what_a_full_queue_does() {
    let none = Policies::new([], None);
    for (kind, overflow, full) in [
        ("classic", "drop-head", Full::DropHead),
        ("classic", "reject-publish", Full::Reject),
        ("classic", "reject-publish-dlx", Full::RejectAndDeadLetter),
        ("quorum", "reject-publish", Full::Reject),
        ("quorum", "reject-publish-dlx", Full::DropHead),
    ] {
        let queue = Queue::default().with("x-overflow", overflow);
        assert_eq!(none.effective("q", &queue, Some(kind)).full(), full, "{kind} {overflow}");
    }
    assert_eq!(none.effective("q", &Queue::default(), None).full(), Full::DropHead);
}

#[test]
fn at_least_once_needs_all_of_it() {
    let whole = Queue::default()
        .with("x-dead-letter-exchange", "dlx")
        .with("x-dead-letter-strategy", "at-least-once")
        .with("x-overflow", "reject-publish");
    let drop_head = named([("p", policy("", "all", 0, &[("overflow", "drop-head".into())]))]);
    let (none, drop_head) = (Policies::new([], None), Policies::new(&drop_head, None));
    assert!(none.effective("q", &whole, Some("quorum")).is_at_least_once());
    assert!(!none.effective("q", &whole, Some("classic")).is_at_least_once());
    assert!(!drop_head.effective("q", &whole, Some("quorum")).is_at_least_once());
    let mut nowhere = whole.clone();
    nowhere.arguments.remove("x-dead-letter-exchange");
    let nowhere = none.effective("q", &nowhere, Some("quorum"));
    assert!(nowhere.wants_at_least_once() && !nowhere.is_at_least_once());
}

#[test]
fn an_exchanges_own_alternate_beats_the_policys() {
    let definition = [("alternate-exchange", "policy".into()), ("delivery-limit", Value::Int(3))];
    let policies = named([("p", policy("", "all", 0, &definition))]);
    let mut objects = Objects::default();
    let own = Exchange::durable("direct").with("alternate-exchange", "own");
    objects.add_exchange("with", own).unwrap();
    objects.add_exchange("without", Exchange::durable("direct")).unwrap();
    let alternates = Policies::new(&policies, None).alternates(&objects);
    assert_eq!((alternates["with"], alternates["without"]), ("own", "policy"));
    assert_eq!(alternates["amq.direct"], "policy");
    assert!(!alternates.contains_key(""));
}
