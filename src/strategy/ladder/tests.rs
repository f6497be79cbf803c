use super::*;
use crate::routing::{Headers, Router};
use crate::strategy::{Delay, Strategy};

fn queue_target() -> Target {
    Target::Queue("order.q".to_owned())
}

fn exchange_target() -> Target {
    Target::Exchange { exchange: "orders".to_owned(), routing_key: "order.due".to_owned() }
}

fn delay(name: &str, target: Target, ladder: Ladder) -> Delay {
    Delay { name: name.to_owned(), target, strategy: Strategy::Ladder(ladder) }
}

fn small() -> Ladder {
    Ladder { max: Some(Millis(3000)), ..Ladder::default() }
}

fn listing(objects: &Objects) -> String {
    let exchanges = objects.exchanges.iter().map(|(name, x)| format!("{name}: {x}"));
    let queues = objects.queues.iter().map(|(name, q)| format!("{name}: {q}"));
    let bindings = objects.bindings.iter();
    let bindings =
        bindings.map(|b| format!("{} -> {}: {}", b.source, b.destination, b.routing_key));
    exchanges.chain(queues).chain(bindings).map(|line| line + "\n").collect()
}

#[test]
fn a_ladder_of_two_levels() {
    let objects = delay("retry", exchange_target(), small()).compile().unwrap();
    insta::assert_snapshot!(listing(&objects), @r#"
    retry.ladder.unrouted: fanout, durable
    retry.ladder.level-01: topic, durable, alternate-exchange="retry.ladder.unrouted"
    retry.ladder.level-00: topic, durable, alternate-exchange="retry.ladder.unrouted"
    retry.ladder.deliver-2: topic, durable, alternate-exchange="retry.ladder.unrouted"
    retry.ladder.parking: quorum, durable
    retry.ladder.level-01.1: quorum, durable, x-dead-letter-exchange="retry.ladder.level-00", x-dead-letter-strategy="at-least-once", x-message-ttl=2000, x-overflow="reject-publish"
    retry.ladder.level-00.1: quorum, durable, x-dead-letter-exchange="retry.ladder.deliver-2", x-dead-letter-strategy="at-least-once", x-message-ttl=1000, x-overflow="reject-publish"
    retry.due: quorum, durable, x-dead-letter-exchange="orders", x-dead-letter-routing-key="order.due", x-dead-letter-strategy="at-least-once", x-message-ttl=0, x-overflow="reject-publish"
    retry.ladder.unrouted -> queue `retry.ladder.parking`: 
    retry.ladder.level-01 -> queue `retry.ladder.level-01.1`: 1.#
    retry.ladder.level-01 -> exchange `retry.ladder.level-00`: 0.#
    retry.ladder.level-00 -> queue `retry.ladder.level-00.1`: *.1.#
    retry.ladder.level-00 -> exchange `retry.ladder.deliver-2`: *.0.#
    retry.ladder.deliver-2 -> queue `retry.due`: *.*.retry.due
    "#);
}

#[test]
fn routes() {
    let ladder = delay("retry", queue_target(), small());
    let route = |ms| ladder.route(Millis(ms), Rounding::Exact).unwrap();
    let table = [
        (1, "retry.ladder.level-00", "0.1.order.q", 1000),
        (1000, "retry.ladder.level-00", "0.1.order.q", 1000),
        (1001, "retry.ladder.level-01", "1.0.order.q", 2000),
        (3000, "retry.ladder.level-01", "1.1.order.q", 3000),
    ];
    for (ms, exchange, key, delay_ms) in table {
        let route = route(ms);
        assert_eq!((&*route.exchange, &*route.routing_key), (exchange, key));
        assert_eq!((route.delay_ms, route.mandatory), (delay_ms, true));
    }
    let too_long = ladder.route(Millis(3001), Rounding::Up).unwrap_err();
    assert_eq!(too_long.to_string(), "3s1ms is longer than 3s, the ladder's `max`");
    assert_eq!(ladder.offers(), "any up to 3s, rounded up to 1s");
}

#[test]
fn two_delays_share_a_ladder_and_other_parameters_clash() {
    let prefix = Some("shared".to_owned());
    let share = |target, ladder: Ladder| {
        let ladder = Ladder { prefix: prefix.clone(), ..ladder };
        let mut objects = delay("a", queue_target(), Ladder { prefix: prefix.clone(), ..small() })
            .compile()
            .unwrap();
        let before = objects.queues.len();
        let clashes = objects.merge(delay("b", target, ladder).compile().unwrap());
        (clashes, objects.queues.len() - before)
    };
    assert_eq!(share(queue_target(), small()), (vec![], 0));
    assert_eq!(share(exchange_target(), small()), (vec![], 1));
    let others = [
        Ladder { resolution: Some(Millis(500)), ..small() },
        Ladder { radix: Some(3), ..small() },
        Ladder { max: Some(Millis(4000)), ..small() },
        Ladder { queue_type: QueueType::Classic, ..small() },
    ];
    for other in others {
        let (clashes, _) = share(queue_target(), other.clone());
        assert!(!clashes.is_empty(), "{other:?}");
    }
}

#[test]
fn an_unbound_address_or_an_unknown_digit_is_parked() {
    let objects = delay("retry", queue_target(), small()).compile().unwrap();
    let router = Router::new(&objects);
    let route = |exchange: &str, key: &str| router.route(exchange, key, &Headers::new());
    let (last, top) = ("retry.ladder.deliver-2", "retry.ladder.level-01");
    assert_eq!(route(last, "1.0.nobody"), ["retry.ladder.parking"]);
    assert_eq!(route(last, "1.0.longer.order.q"), ["retry.ladder.parking"]);
    assert_eq!(route(top, "7.0.order.q"), ["retry.ladder.parking"]);
    assert_eq!(route(top, "0.7.order.q"), ["retry.ladder.parking"]);
    assert_eq!(route(top, "0.1.order.q"), ["retry.ladder.level-00.1"]);
}

#[test]
fn rungs_say_how_long() {
    let rungs = Ladder { radix: Some(4), max: Some(Millis(9000)), ..small() }.rungs("r");
    let seen: Vec<_> =
        rungs.iter().map(|r| (r.level, r.digit, &*r.queue, r.ttl.0, r.latest.0)).collect();
    assert_eq!(
        seen,
        [
            (1, 1, "r.ladder.level-01.1", 4000, 7000),
            (1, 2, "r.ladder.level-01.2", 8000, 11_000),
            (0, 1, "r.ladder.level-00.1", 1000, 1000),
            (0, 2, "r.ladder.level-00.2", 2000, 2000),
            (0, 3, "r.ladder.level-00.3", 3000, 3000),
        ]
    );
}

#[test]
fn foreign_names() {
    let nsb = Ladder { names: Names::Nservicebus, ..Ladder::default() };
    let nsb = delay("d", Target::Queue("Sales".to_owned()), nsb);
    assert_eq!(nsb.problems(), []);
    let objects = nsb.compile().unwrap();
    assert_eq!((objects.exchanges.len(), objects.queues.len()), (29, 28));
    insta::assert_snapshot!(objects.queues["nsb.v2.delay-level-27"], @r#"quorum, durable, x-dead-letter-exchange="nsb.v2.delay-level-26", x-dead-letter-strategy="at-least-once", x-message-ttl=134217728000, x-overflow="reject-publish""#);
    let route = nsb.route(Millis(5000), Rounding::Exact).unwrap();
    assert_eq!(route.exchange, "nsb.v2.delay-level-02");
    assert_eq!(route.routing_key, "0.".repeat(25) + "1.0.1.Sales");

    let celery = Ladder {
        names: Names::Celery,
        prefix: Some("eu".to_owned()),
        queue_type: QueueType::Classic,
        ..Ladder::default()
    };
    let objects = delay("d", exchange_target(), celery).compile().unwrap();
    insta::assert_snapshot!(objects.queues["eu_celery_delayed_0"], @r#"classic, durable, x-dead-letter-exchange="eu_celery_delayed_delivery", x-message-ttl=1000, x-overflow="reject-publish""#);
    let last = objects.bindings.last().unwrap();
    assert_eq!(*last, Binding::to_exchange("eu_celery_delayed_delivery", "orders", "#.order.due"));
}

#[test]
fn what_is_wrong() {
    let second = Some(Millis(1000));
    let long = "q".repeat(240);
    let table = [
        (
            Ladder { resolution: Some(Millis(0)), ..small() },
            "resolution: a step of zero leads nowhere: the smallest is 1ms",
        ),
        (
            Ladder { max: Some(Millis(500)), ..small() },
            "max: 500ms is shorter than the resolution, 1s",
        ),
        (
            Ladder { max: Some(Millis(315_360_000_001)), ..small() },
            "max: 3650d1ms is longer than 3650d, RabbitMQ's longest TTL",
        ),
        (Ladder { radix: Some(1), ..small() }, "radix: 1 is out of range: 2 to 256"),
        (
            Ladder { radix: Some(2), max_hops: Some(3), ..small() },
            "max_hops: `radix` says already which radix: give one of them",
        ),
        (
            Ladder { max_hops: Some(0), ..small() },
            "max_hops: no radix needs so few; the closest is radix 3: 3 queues; hops: 1 at most, 1.0 on average",
        ),
        (
            Ladder {
                resolution: Some(Millis(1)),
                max: Some(Millis(315_360_000_000)),
                radix: Some(256),
                ..small()
            },
            "radix: radix 256 needs 1093 queues, more than 1000; the fewest hops within that has radix ",
        ),
        (
            Ladder { address: Some("a.*".to_owned()), ..small() },
            "address: the address `a.*` has the word `*`, which a topic binding takes for any word: give another `address`",
        ),
        (
            Ladder { address: Some(long), max: Some(Millis(86_400_000)), ..small() },
            "address: the routing key would have up to 274 bytes",
        ),
        (
            Ladder { due_queue: Some("x".to_owned()), ..small() },
            "due_queue: there is none: it goes with delayctl's names and a target that is an exchange",
        ),
        (
            Ladder { names: Names::Celery, max: second, radix: Some(3), ..small() },
            "radix: `names` fixes it: it is 2 there",
        ),
        (
            Ladder {
                names: Names::Nservicebus,
                max: second,
                queue_type: QueueType::Classic,
                ..small()
            },
            "queue_type: `names: nservicebus` has quorum queues",
        ),
    ];
    for (ladder, expected) in table {
        let problems = ladder.problems("retry", &queue_target());
        let lines: Vec<_> = problems.iter().map(|(f, m)| format!("{f}: {m}")).collect();
        assert!(lines.len() == 1 && lines[0].starts_with(expected), "{lines:?}, not {expected}");
    }
}
