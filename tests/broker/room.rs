//! The broker room, as the library offers it.

#![allow(clippy::print_stderr)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use delayctl::broker::{
    Broker, BrokerError, Consumer, Limits, Obstacle, Outcome, Publisher, Removal, Removed, Settings,
};
use delayctl::message::{Outgoing, Route};
use delayctl::objects::{Binding, Exchange, Objects, Queue, Value, argument};
use delayctl::plan::{Action, Difference, Live, Named, Object, Plan, Seen, Step};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::scene::skip;

/// The settings of the broker under test, or `None` with a note that the test is skipped.
fn settings(test: &str) -> Option<Settings> {
    match std::env::var("AMQP_URL") {
        Ok(uri) => Some(Settings::of_uri(&uri)),
        Err(_) => {
            skip(test, "AMQP_URL is not set");
            None
        }
    }
}

/// A connected broker, or a return from the test.
macro_rules! broker {
    ($test:literal) => {
        match settings($test) {
            Some(settings) => Broker::connect(&settings).await.expect("the broker answers"),
            None => return,
        }
    };
}

/// A name that no other test and no other run uses.
fn name(what: &str) -> String {
    format!("delayctl-test-{}-{what}", std::process::id())
}

fn route(exchange: &str, key: &str) -> Route {
    Route {
        exchange: exchange.to_owned(),
        routing_key: key.to_owned(),
        expiration: None,
        plugin_delay: None,
        mandatory: true,
        delay_ms: 0,
    }
}

fn message(body: &str) -> Outgoing {
    Outgoing {
        body: body.as_bytes().to_vec(),
        message_id: body.to_owned(),
        persistent: true,
        ..Outgoing::default()
    }
}

/// What is planned over AMQP alone when nothing is there: a binding cannot be seen.
fn create(objects: &Objects) -> Plan {
    let exchanges = objects.exchanges.iter().map(|(n, e)| Object::Exchange(n.clone(), e.clone()));
    let queues = objects.queues.iter().map(|(n, q)| Object::Queue(n.clone(), q.clone()));
    let made = exchanges.chain(queues).map(|object| Step { object, action: Action::Create });
    let bindings = objects.bindings.iter().cloned().map(Object::Binding);
    let bound = bindings.map(|object| Step { object, action: Action::Confirm });
    Plan { steps: made.chain(bound).collect() }
}

fn one_queue(name: &str, queue: Queue) -> Objects {
    let mut objects = Objects::default();
    objects.add_queue(name, queue).unwrap();
    objects
}

async fn unreachable(settings: &Settings) -> Obstacle {
    match Broker::connect(settings).await {
        Err(BrokerError::Unreachable { obstacle, .. }) => obstacle,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("connected"),
    }
}

// ---------------------------------------------------------------- connecting, no broker needed

#[tokio::test]
async fn nobody_listens() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let settings = Settings::of_uri(&format!("amqp://u:hunter2@{free}"));
    assert_eq!(unreachable(&settings).await, Obstacle::NobodyListens);
}

#[tokio::test]
async fn a_silent_port_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = Settings::of_uri(&format!("amqp://{}", listener.local_addr().unwrap()));
    settings.connect_timeout = Duration::from_millis(300);
    let asked = Instant::now();
    assert_eq!(unreachable(&settings).await, Obstacle::NoAnswer(settings.connect_timeout));
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
}

/// Listens, answers every connection with these bytes, and leaves it open or closes it.
async fn answering(bytes: &'static [u8], stay: bool) -> Settings {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = Settings::of_uri(&format!("amqp://{}", listener.local_addr().unwrap()));
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((mut socket, _)) = listener.accept().await {
            socket.write_all(bytes).await.unwrap();
            if stay {
                kept.push(socket);
            }
        }
    });
    settings
}

#[tokio::test]
async fn what_is_not_amqp_is_named() {
    for stay in [true, false] {
        for (bytes, expected) in [
            (
                &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
                Obstacle::NotAmqp("HTTP/1.1 400 Bad Request".to_owned()),
            ),
            (b"\x15\x03\x03\x00\x02\x02\x28", Obstacle::WantsTls),
            (b"AMQP\x00\x01\x00\x00", Obstacle::NotAmqp("AMQP 0 1.0.0".to_owned())),
        ] {
            let mut settings = answering(bytes, stay).await;
            settings.connect_timeout = Duration::from_secs(2);
            assert_eq!(unreachable(&settings).await, expected, "stay {stay}");
        }
    }
}

#[tokio::test]
async fn a_host_without_an_address() {
    let settings = Settings::of_uri("amqp://no-such-host.invalid");
    assert!(matches!(unreachable(&settings).await, Obstacle::NoAddress(_)));
}

#[tokio::test]
async fn an_ipv6_literal_is_that_address() {
    let Ok(listener) = TcpListener::bind("[::1]:0").await else {
        return skip("an_ipv6_literal_is_that_address", "no IPv6 on this machine");
    };
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.write_all(b"six\r\n").await.unwrap();
    });
    let settings = Settings::of_uri(&format!("amqp://[::1]:{port}"));
    assert_eq!(unreachable(&settings).await, Obstacle::NotAmqp("six".to_owned()));
}

#[tokio::test]
async fn waiting_ends_and_tells_the_last_reason() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let settings = Settings::of_uri(&format!("amqp://{free}"));
    let asked = Instant::now();
    let waited = Broker::wait(&settings, Duration::from_secs(1)).await;
    assert!(matches!(
        waited,
        Err(BrokerError::Unreachable { obstacle: Obstacle::NobodyListens, .. })
    ));
    assert!(asked.elapsed() > Duration::from_millis(500), "{:?}", asked.elapsed());
}

// ---------------------------------------------------------------- connecting

#[tokio::test]
async fn a_broker_says_what_it_is() {
    let broker = broker!("a_broker_says_what_it_is");
    assert_eq!(broker.server().product, "RabbitMQ");
    assert!(broker.version().starts_with(['3', '4']), "{}", broker.version());
    assert!(broker.is_connected());
    broker.close().await;
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_not_shown() {
    let Some(mut settings) = settings("a_wrong_password_is_refused_and_not_shown") else { return };
    settings.password = Some("hunter2".to_owned());
    let error = Broker::wait(&settings, Duration::from_secs(30)).await.err().unwrap();
    assert!(
        matches!(&error, BrokerError::AccessRefused { user, .. } if user == "guest"),
        "{error}"
    );
    assert!(!format!("{error} {error:?} {settings:?} {:?}", error.hint()).contains("hunter2"));
}

#[tokio::test]
async fn a_missing_vhost_is_named() {
    let Some(mut settings) = settings("a_missing_vhost_is_named") else { return };
    settings.vhost = Some("no/such".to_owned());
    let error = Broker::connect(&settings).await.err().unwrap();
    assert!(
        matches!(&error, BrokerError::VhostMissing { vhost, .. } if vhost == "no/such"),
        "{error:?}"
    );
}

// ---------------------------------------------------------------- observing and applying

#[tokio::test]
async fn a_topology_is_applied_observed_and_removed() {
    let mut broker = broker!("a_topology_is_applied_observed_and_removed");
    let mut objects = Objects::default();
    for index in 0..60 {
        let (exchange, queue) =
            (name(&format!("whole-e{index}")), name(&format!("whole-q{index}")));
        objects.add_exchange(&exchange, Exchange::durable("topic")).unwrap();
        objects
            .add_queue(&queue, Queue::default().with(argument::MESSAGE_TTL, 60_000_u64))
            .unwrap();
        objects.add_binding(Binding::to_queue(&exchange, &queue, "#"));
        objects.add_binding(Binding::to_exchange("amq.topic", &exchange, &queue));
    }
    let before = broker.observe(&objects).await.unwrap();
    assert!(before.queues.values().all(|seen| *seen == Seen::Absent), "{before:?}");
    assert!(before.exchanges.values().all(|seen| *seen == Seen::Absent));
    assert_eq!((before.queues.len(), before.exchanges.len()), (60, 60));

    let mut steps = Vec::new();
    let report = broker.apply(&create(&objects), |index, _| steps.push(index)).await;
    let counts = report.counts();
    assert_eq!((counts.created, counts.ensured), (120, 120), "{report:?}");
    assert!(report.is_good());
    steps.sort_unstable();
    assert_eq!(steps, (0..240).collect::<Vec<_>>());

    let after = broker.observe(&objects).await.unwrap();
    assert!(after.queues.values().all(|seen| *seen == Seen::Present));
    let live = &after.live[&name("whole-q0")];
    assert_eq!((live.ready, live.consumers, live.unacknowledged), (Some(0), Some(0), None));

    for _ in 0..2 {
        let removed = broker.remove(&objects, Removal::default()).await;
        assert!(removed.is_good(), "{removed:?}");
        assert_eq!(removed.objects.len(), 120);
    }
    let gone = broker.observe(&objects).await.unwrap();
    assert!(gone.queues.values().all(|seen| *seen == Seen::Absent));
    broker.close().await;
}

#[tokio::test]
async fn a_conflict_is_told_and_stops_nothing() {
    let mut broker = broker!("a_conflict_is_told_and_stops_nothing");
    let (ttl, durable, kind, other) =
        (name("c-ttl"), name("c-durable"), name("c-type"), name("c-other"));
    let mut first = Objects::default();
    first.add_queue(&ttl, Queue::default().with(argument::MESSAGE_TTL, 10_000_u64)).unwrap();
    first.add_queue(&durable, Queue { auto_delete: true, ..Queue::default() }).unwrap();
    first.add_exchange(&kind, Exchange::durable("topic")).unwrap();
    assert!(broker.apply(&create(&first), |_, _| {}).await.is_good());

    let mut second = Objects::default();
    second.add_exchange(&kind, Exchange::durable("direct")).unwrap();
    second.add_queue(&ttl, Queue::default().with(argument::MESSAGE_TTL, "5000")).unwrap();
    second.add_queue(&durable, Queue::default()).unwrap();
    second.add_queue(&other, Queue::default()).unwrap();
    second.add_binding(Binding::to_queue(&kind, &other, "k"));
    second.add_binding(Binding::to_queue("amq.direct", &ttl, &ttl));
    second.add_binding(Binding::to_queue("no-such-exchange", &other, "k"));
    second.add_binding(Binding::to_queue("amq.direct", &other, &other));
    let report = broker.apply(&create(&second), |_, _| {}).await;
    let shown: Vec<_> = report.steps.iter().map(|(_, outcome)| outcome).collect();
    let conflict = |argument: &str, wanted: &str, found: &str| {
        let (argument, wanted, found) = (argument.to_owned(), wanted.to_owned(), found.to_owned());
        Outcome::Conflict(vec![Difference { argument, wanted, found }])
    };
    assert_eq!(*shown[0], conflict("type", "direct", "topic"));
    assert_eq!(*shown[1], conflict("x-message-ttl", "\"5000\" (string)", "10000"));
    assert_eq!(*shown[2], conflict("auto_delete", "false", "true"));
    assert_eq!(*shown[3], Outcome::Created);
    assert_eq!(*shown[4], Outcome::LeftOut(Named::Exchange(kind)));
    assert_eq!(*shown[5], Outcome::LeftOut(Named::Queue(ttl)));
    assert!(
        matches!(shown[6], Outcome::Failed(BrokerError::NotFound { words, .. }) if words.contains("no-such-exchange"))
    );
    assert_eq!(*shown[7], Outcome::Ensured);

    first.merge(one_queue(&other, Queue::default()));
    assert!(broker.remove(&first, Removal::default()).await.is_good());
    broker.close().await;
}

#[tokio::test]
async fn keep_confirm_and_conflict_are_as_planned() {
    let mut broker = broker!("keep_confirm_and_conflict_are_as_planned");
    let (there, absent) = (name("kc-there"), name("kc-absent"));
    let objects = one_queue(&there, Queue::default());
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let told = vec![Difference {
        argument: "a".to_owned(),
        wanted: "1".to_owned(),
        found: "2".to_owned(),
    }];
    let step = |name: &str, action| Step {
        object: Object::Queue(name.to_owned(), Queue::default()),
        action,
    };
    let plan = Plan {
        steps: vec![
            step(&absent, Action::Keep),
            step(&absent, Action::Conflict(told.clone())),
            step(&there, Action::Confirm),
        ],
    };
    let report = broker.apply(&plan, |_, _| {}).await;
    let outcomes: Vec<_> = report.steps.into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Present, Outcome::Conflict(told), Outcome::Present]);
    let seen = broker.observe(&one_queue(&absent, Queue::default())).await.unwrap();
    assert_eq!(seen.queues[&absent], Seen::Absent);
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test]
async fn an_unknown_exchange_type_stops_nothing_else() {
    let mut broker = broker!("an_unknown_exchange_type_stops_nothing_else");
    let mut objects = Objects::default();
    let (lost, kept) = (name("u-lost"), name("u-kept"));
    objects.add_exchange(&lost, Exchange::durable("x-no-such-type")).unwrap();
    for index in 0..40 {
        objects.add_exchange(&format!("{kept}{index}"), Exchange::durable("fanout")).unwrap();
    }
    objects.add_queue(&kept, Queue::default()).unwrap();
    objects.add_binding(Binding::to_queue(&lost, &kept, ""));
    objects.add_binding(Binding::to_queue(&format!("{kept}0"), &kept, ""));
    let report = broker.apply(&create(&objects), |_, _| {}).await;
    assert_eq!(report.steps.len(), objects.len());
    let counts = report.counts();
    assert_eq!(
        (counts.unsupported, counts.created, counts.left_out, counts.ensured),
        (1, 41, 1, 1),
        "{report:#?}"
    );
    let Outcome::Unsupported(error) = &report.steps[0].1 else { panic!("{report:?}") };
    assert!(
        matches!(error, BrokerError::ExchangeTypeUnknown { kind, .. } if kind == "x-no-such-type")
    );
    assert!(broker.remove(&objects, Removal::default()).await.is_good());
    broker.close().await;
}

#[tokio::test]
async fn a_name_that_does_not_fit_fails_alone() {
    let mut broker = broker!("a_name_that_does_not_fit_fails_alone");
    let (long, fits) = ("q".repeat(256), name("fits"));
    let mut objects = one_queue(&long, Queue::default());
    objects.add_queue(&fits, Queue::default()).unwrap();
    let report = broker.apply(&create(&objects), |_, _| {}).await;
    assert!(matches!(&report.steps[0].1, Outcome::Failed(BrokerError::TooLong { bytes: 256, .. })));
    assert_eq!(report.steps[1].1, Outcome::Created);
    assert_eq!(broker.observe(&objects).await.unwrap().queues[&long], Seen::Unseen);
    broker.delete_queue(&fits, false, false).await.unwrap();
    broker.close().await;
}

#[tokio::test]
async fn a_queue_that_is_not_empty_may_be_kept() {
    let mut broker = broker!("a_queue_that_is_not_empty_may_be_kept");
    for kind in ["classic", "quorum"] {
        let queue = name(&format!("keep-{kind}"));
        let objects = one_queue(&queue, Queue::default().with(argument::QUEUE_TYPE, kind));
        assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
        let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
        publisher.publish(&route("", &queue), message("stays")).await.unwrap();
        assert!(publisher.finish().await.tally.is_good());
        let how = Removal { if_empty: true, if_unused: true };
        let kept = broker.remove(&objects, how).await;
        let live = Live { ready: Some(1), consumers: Some(0), ..Live::default() };
        assert_eq!(kept.objects[0].1, Removed::Kept(live));
        assert_eq!(broker.purge(&queue).await.unwrap(), 1);
        let gone = broker.remove(&objects, how).await;
        assert_eq!(gone.objects[0].1, Removed::Gone { messages: 0 });
        assert!(matches!(broker.queue_depth(&queue).await, Err(BrokerError::NotFound { .. })));
    }
    broker.close().await;
}

// ---------------------------------------------------------------- publishing and consuming

#[tokio::test]
async fn what_is_published_is_consumed() {
    let mut broker = broker!("what_is_published_is_consumed");
    let (one, two) = (name("pc-1"), name("pc-2"));
    let mut objects = one_queue(&one, Queue::default());
    objects.add_queue(&two, Queue::default()).unwrap();
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut consumer = Consumer::open(&broker, &[one.clone(), two.clone()], 250).await.unwrap();
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    for number in 0..2_000_i64 {
        let mut outgoing = message(&number.to_string());
        outgoing.content_type = Some("text/plain".to_owned());
        outgoing.headers.insert("number".to_owned(), Value::Int(number));
        outgoing.headers.insert("list".to_owned(), Value::List(vec!["a".into(), true.into()]));
        let mut way = route("", if number % 2 == 0 { &one } else { &two });
        way.delay_ms = 7;
        publisher.publish(&way, outgoing).await.unwrap();
    }
    let finished = publisher.finish().await;
    assert_eq!((finished.tally.sent, finished.tally.confirmed), (2_000, 2_000), "{finished:?}");
    let mut last = [-1, -1];
    for _ in 0..2_000 {
        let (delivered, token) = consumer.next().await.unwrap();
        let number = match delivered.headers["number"] {
            Value::Int(number) => number,
            ref other => panic!("{other}"),
        };
        let queue = usize::from(delivered.queue == two);
        assert!(last[queue] < number, "in the order of each queue");
        last[queue] = number;
        assert_eq!(delivered.body, number.to_string().into_bytes());
        assert_eq!(delivered.message_id, Some(number.to_string()));
        assert_eq!(delivered.headers["list"], Value::List(vec!["a".into(), true.into()]));
        assert_eq!(delivered.headers["x-delayctl-delay"], Value::Int(7));
        let Value::Int(sent_at) = delivered.headers["x-delayctl-sent-at"] else { panic!() };
        assert!(delivered.seen_at_us / 1_000 >= sent_at as u64);
        assert_eq!(delivered.timestamp_s, Some(sent_at as u64 / 1_000));
        assert!(delivered.deaths.is_empty() && !delivered.redelivered);
        consumer.ack(token).unwrap();
    }
    consumer.close().await;
    assert_eq!(broker.queue_depth(&one).await.unwrap().ready, Some(0));
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test]
async fn a_dead_letter_tells_its_history() {
    let mut broker = broker!("a_dead_letter_tells_its_history");
    let (waits, arrives) = (name("dl-waits"), name("dl-arrives"));
    let mut objects = one_queue(&arrives, Queue::default());
    let dead = Queue::default()
        .with(argument::DEAD_LETTER_EXCHANGE, "")
        .with(argument::DEAD_LETTER_ROUTING_KEY, arrives.as_str());
    objects.add_queue(&waits, dead).unwrap();
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    let way = Route { expiration: Some(50), delay_ms: 50, ..route("", &waits) };
    publisher.publish(&way, message("x")).await.unwrap();
    assert!(publisher.finish().await.tally.is_good());
    let mut consumer = Consumer::open(&broker, std::slice::from_ref(&arrives), 1).await.unwrap();
    let (delivered, token) = consumer.next().await.unwrap();
    let death = &delivered.deaths[0];
    assert_eq!(
        (death.queue.as_str(), death.reason.as_str(), death.count),
        (waits.as_str(), "expired", 1)
    );
    assert_eq!(death.original_expiration_ms, Some(50));
    assert_eq!(death.routing_keys, std::slice::from_ref(&waits));
    assert!(death.time_s.is_some());
    assert!(!delivered.headers.contains_key("x-death"));
    // Refused and requeued it comes again.
    consumer.reject(token, true).unwrap();
    let (again, token) = consumer.next().await.unwrap();
    assert!(again.redelivered);
    consumer.nack(token, true).unwrap();
    let (_, token) = consumer.next().await.unwrap();
    consumer.ack(token).unwrap();
    consumer.close().await;
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test]
async fn closing_gives_back_what_was_not_settled() {
    let mut broker = broker!("closing_gives_back_what_was_not_settled");
    let queue = name("back");
    let objects = one_queue(&queue, Queue::default());
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    for number in 0..100 {
        publisher.publish(&route("", &queue), message(&number.to_string())).await.unwrap();
    }
    assert!(publisher.finish().await.tally.is_good());
    let mut consumer = Consumer::open(&broker, std::slice::from_ref(&queue), 50).await.unwrap();
    for _ in 0..10 {
        let (_, token) = consumer.next().await.unwrap();
        consumer.ack(token).unwrap();
    }
    consumer.close().await;
    assert_eq!(broker.queue_depth(&queue).await.unwrap().ready, Some(90));
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test]
async fn returned_and_refused_messages_are_told_apart() {
    let mut broker = broker!("returned_and_refused_messages_are_told_apart");
    let queue = name("full");
    let full = Queue::default()
        .with(argument::MAX_LENGTH, 10_u64)
        .with(argument::OVERFLOW, "reject-publish");
    let objects = one_queue(&queue, full);
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    for number in 0..30 {
        publisher.publish(&route("", &queue), message(&number.to_string())).await.unwrap();
        publisher.publish(&route("", "no-such-queue"), message("lost")).await.unwrap();
    }
    let finished = publisher.finish().await;
    let tally = finished.tally;
    assert_eq!((tally.sent, tally.returned, tally.unknown), (60, 30, 0), "{finished:?}");
    assert_eq!(tally.confirmed + tally.refused, 30);
    assert!(tally.refused >= 15, "{tally:?}");
    let returned = finished.first_returned.unwrap();
    assert_eq!(
        (returned.routing_key.as_str(), returned.words.as_str()),
        ("no-such-queue", "NO_ROUTE")
    );
    assert_eq!(returned.message_id.as_deref(), Some("lost"));
    assert_eq!(finished.error, None);
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test]
async fn a_missing_exchange_ends_publishing_with_a_tally() {
    let broker = broker!("a_missing_exchange_ends_publishing_with_a_tally");
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    let mut given = 0;
    while publisher.publish(&route("no-such-exchange", "k"), message("x")).await.is_ok() {
        given += 1;
        assert!(given < 1_000_000, "publishing goes on");
    }
    let finished = publisher.finish().await;
    assert_eq!(finished.tally.unknown, finished.tally.sent, "{finished:?}");
    assert!(matches!(finished.error, Some(BrokerError::NotFound { .. })), "{finished:?}");
    broker.close().await;
}

#[tokio::test]
async fn a_missing_queue_is_named() {
    let broker = broker!("a_missing_queue_is_named");
    let opened = Consumer::open(&broker, &["no-such-queue".to_owned()], 10).await;
    let Err(BrokerError::NotFound { object, .. }) = opened else { panic!() };
    assert_eq!(object, "queue `no-such-queue`");
    broker.close().await;
}

#[tokio::test]
async fn a_deleted_queue_ends_its_consumer_and_no_other() {
    let mut broker = broker!("a_deleted_queue_ends_its_consumer_and_no_other");
    let (goes, stays) = (name("end-goes"), name("end-stays"));
    let mut objects = one_queue(&goes, Queue::default());
    objects.add_queue(&stays, Queue::default()).unwrap();
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut consumer = Consumer::open(&broker, &[goes.clone(), stays.clone()], 10).await.unwrap();
    broker.delete_queue(&goes, false, false).await.unwrap();
    let Err(error) = consumer.next().await else { panic!() };
    assert_eq!(error, BrokerError::ConsumerCancelled { queue: goes });
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    publisher.publish(&route("", &stays), message("still")).await.unwrap();
    assert!(publisher.finish().await.tally.is_good());
    assert_eq!(consumer.next().await.unwrap().0.queue, stays);
    consumer.close().await;
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

// ---------------------------------------------------------------- a connection that is cut

/// A relay to the broker whose connections can be cut, or that can stop to carry bytes.
#[derive(Clone)]
struct Relay {
    open: Arc<AtomicBool>,
    /// The ports from which the relay talks to the broker, one a line.
    ports: Arc<Mutex<Vec<u16>>>,
    lines: Arc<Mutex<Vec<tokio::task::JoinHandle<()>>>>,
}

impl Relay {
    async fn to(settings: &Settings) -> (Relay, Settings) {
        let target = settings.endpoint().unwrap().authority();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = Arc::new(true.into());
        let relay = Relay { open, ports: Arc::default(), lines: Arc::default() };
        let accepting = relay.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                if !accepting.open.load(Ordering::SeqCst) {
                    continue;
                }
                let mut far = TcpStream::connect(&target).await.unwrap();
                accepting.ports.lock().unwrap().push(far.local_addr().unwrap().port());
                let line = tokio::spawn(async move {
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
                accepting.lines.lock().unwrap().push(line);
            }
        });
        let mut uri = url::Url::parse(&settings.uri).unwrap();
        uri.set_host(Some("127.0.0.1")).unwrap();
        uri.set_port(Some(port)).unwrap();
        (relay, Settings::of_uri(uri.as_str()))
    }

    /// Cuts every line; new ones are refused when `for_good`.
    fn cut(&self, for_good: bool) {
        self.open.store(!for_good, Ordering::SeqCst);
        self.lines.lock().unwrap().drain(..).for_each(|line| line.abort());
    }
}

#[tokio::test]
async fn a_cut_while_publishing_leaves_a_tally() {
    let Some(direct) = settings("a_cut_while_publishing_leaves_a_tally") else { return };
    let (relay, settings) = Relay::to(&direct).await;
    let mut broker = Broker::connect(&settings).await.unwrap();
    let queue = name("cut-publish");
    let objects = one_queue(&queue, Queue::default());
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    let progress = publisher.progress();
    let mut given = 0_u64;
    let stopped = loop {
        if let Err(error) = publisher.publish(&route("", &queue), message("x")).await {
            break error;
        }
        given += 1;
        if progress.tally().confirmed > 500 {
            relay.cut(false);
        }
        assert!(given < 10_000_000, "publishing goes on");
    };
    assert!(matches!(stopped, BrokerError::Lost { .. }));
    let finished = publisher.finish().await;
    let tally = finished.tally;
    assert!(matches!(finished.error, Some(BrokerError::Lost { .. })), "{finished:?}");
    assert!(tally.confirmed > 500 && tally.unknown > 0, "{tally:?}");
    assert_eq!(tally.sent, tally.confirmed + tally.unknown);
    assert!(tally.unknown <= 2_000);
    assert!(!broker.is_connected());

    // The broker can be used again, and holds at least what it confirmed.
    let ready = broker.queue_depth(&queue).await.unwrap().ready.unwrap();
    assert!((tally.confirmed..=tally.sent).contains(&ready), "{ready} of {tally:?}");
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test]
async fn a_cut_while_consuming_is_told() {
    let Some(direct) = settings("a_cut_while_consuming_is_told") else { return };
    let (relay, settings) = Relay::to(&direct).await;
    let mut broker = Broker::connect(&settings).await.unwrap();
    let queue = name("cut-consume");
    let objects = one_queue(&queue, Queue::default());
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut consumer = Consumer::open(&broker, std::slice::from_ref(&queue), 10).await.unwrap();
    relay.cut(false);
    let Err(error) = consumer.next().await else { panic!() };
    assert!(matches!(&error, BrokerError::Lost { .. }), "{error}");
    consumer.close().await;
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

/// Has the broker close the connection that comes from `port`, once its management knows it.
async fn close_by_management(url: &str, port: u16) {
    let url = url::Url::parse(url).unwrap();
    let (user, password) = (url.username(), url.password().unwrap_or_default());
    let api = format!("http://{}:{}/api", url.host_str().unwrap(), url.port().unwrap());
    let client = rabbitmq_http_client::api::Client::new(api.as_str(), user, password);
    let name = loop {
        let all = client.list_connections().await.unwrap();
        let ours = format!(":{port} -> ");
        match all.into_iter().find(|connection| connection.name.contains(&ours)) {
            Some(connection) => break connection.name,
            None => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    };
    client.close_connection(&name, Some("maintenance"), false).await.unwrap();
}

#[tokio::test]
async fn a_connection_that_the_broker_closes_is_told_with_its_words() {
    let test = "a_connection_that_the_broker_closes_is_told_with_its_words";
    let Some(direct) = settings(test) else { return };
    let Ok(management) = std::env::var("RABBITMQ_MANAGEMENT_URL") else {
        return skip(test, "RABBITMQ_MANAGEMENT_URL is not set");
    };
    let (relay, settings) = Relay::to(&direct).await;
    let mut broker = Broker::connect(&settings).await.unwrap();
    let queue = name("forced");
    let objects = one_queue(&queue, Queue::default());
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    let mut consumer = Consumer::open(&broker, std::slice::from_ref(&queue), 10).await.unwrap();
    let publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
    let port = relay.ports.lock().unwrap()[0];
    close_by_management(&management, port).await;
    let Err(error) = consumer.next().await else { panic!() };
    let expected = BrokerError::Lost { reason: "`CONNECTION_FORCED - maintenance`".to_owned() };
    assert_eq!(error, expected);
    consumer.close().await;
    publisher.finish().await;
    assert!(broker.remove(&objects, Removal::default()).await.is_good());
    broker.close().await;
}

#[tokio::test]
async fn a_cut_while_applying_is_mended() {
    let Some(direct) = settings("a_cut_while_applying_is_mended") else { return };
    let (relay, settings) = Relay::to(&direct).await;
    let mut broker = Broker::connect(&settings).await.unwrap();
    let mut objects = Objects::default();
    for index in 0..200 {
        objects.add_queue(&name(&format!("mend-{index}")), Queue::default()).unwrap();
    }
    let plan = create(&objects);
    let mut done = 0;
    let report = broker.apply(&plan, |_, _| {
        done += 1;
        if done == 50 {
            relay.cut(false);
        }
    });
    let report = report.await;
    assert_eq!(report.counts().created, 200, "{report:?}");
    assert!(report.lost.is_none());

    // And for good: nothing hangs, and everything has its outcome.
    let mut seen = 0;
    let report = broker.apply(&plan, |_, _| {
        seen += 1;
        if seen == 50 {
            relay.cut(true);
        }
    });
    let report = report.await;
    assert_eq!(report.steps.len(), 200);
    let counts = report.counts();
    assert!(counts.created >= 50 && counts.failed >= 100, "{counts:?}");
    assert!(report.lost.is_some());

    let mut direct = Broker::connect(&direct).await.unwrap();
    assert!(direct.remove(&objects, Removal::default()).await.is_good());
    direct.close().await;
}

#[tokio::test]
async fn confirms_that_stay_out_are_given_up() {
    let Some(direct) = settings("confirms_that_stay_out_are_given_up") else { return };
    // A relay that carries bytes to the broker and, on demand, none back.
    let target = direct.endpoint().unwrap().authority();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let deaf = Arc::new(AtomicBool::new(false));
    let mute = Arc::clone(&deaf);
    tokio::spawn(async move {
        let (near, _) = listener.accept().await.unwrap();
        let far = TcpStream::connect(&target).await.unwrap();
        let (mut near_in, mut near_out) = near.into_split();
        let (mut far_in, mut far_out) = far.into_split();
        tokio::spawn(async move { tokio::io::copy(&mut near_in, &mut far_out).await });
        let mut buffer = [0; 4096];
        while let Ok(length) = far_in.read(&mut buffer).await {
            if length == 0 || mute.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            near_out.write_all(&buffer[..length]).await.unwrap();
        }
    });
    let mut uri = url::Url::parse(&direct.uri).unwrap();
    uri.set_port(Some(port)).unwrap();
    let broker = Broker::connect(&Settings::of_uri(uri.as_str())).await.unwrap();
    let limits = Limits { confirm_timeout: Duration::from_secs(1), ..Limits::default() };
    let mut publisher = Publisher::open(&broker, limits).await.unwrap();
    deaf.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        publisher.publish(&route("", "nowhere"), message("x")).await.unwrap();
    }
    let asked = Instant::now();
    let finished = publisher.finish().await;
    assert!(
        matches!(finished.error, Some(BrokerError::ConfirmsOverdue { waiting: 3, .. })),
        "{finished:?}"
    );
    assert_eq!(finished.tally.unknown, 3);
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

// ---------------------------------------------------------------- speed and memory, by hand

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Processor time of this process so far, in seconds: on a shared machine it says more than a rate.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks =
        stat.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: a million messages"]
async fn a_million_messages() {
    let mut broker = broker!("a_million_messages");
    let queue = name("million");
    let objects = one_queue(&queue, Queue::default());
    broker.apply(&create(&objects), |_, _| {}).await;
    let body = "x".repeat(256);
    for round in 0..4 {
        let cpu = cpu_seconds();
        let mut publisher = Publisher::open(&broker, Limits::default()).await.unwrap();
        let start = Instant::now();
        for number in 0..250_000_u32 {
            let outgoing = Outgoing { message_id: number.to_string(), ..message(&body) };
            publisher.publish(&route("", &queue), outgoing).await.unwrap();
        }
        let finished = publisher.finish().await;
        let rate = 250_000.0 / start.elapsed().as_secs_f64();
        let cpu = (cpu_seconds() - cpu) * 4.0;
        let rss = resident_mib();
        eprintln!(
            "round {round}: {rate:.0}/s, {cpu:.1} us of CPU each, {rss} MiB, {:?}",
            finished.tally
        );
    }
    let mut consumer = Consumer::open(&broker, std::slice::from_ref(&queue), 1_000).await.unwrap();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    for _ in 0..1_000_000 {
        let (_, token) = consumer.next().await.unwrap();
        consumer.ack(token).unwrap();
    }
    let rate = 1e6 / start.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu;
    eprintln!("consumed {rate:.0}/s, {cpu:.1} us of CPU each, {} MiB", resident_mib());
    consumer.close().await;
    broker.remove(&objects, Removal::default()).await;
    broker.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: two thousand queues"]
async fn two_thousand_queues() {
    let mut broker = broker!("two_thousand_queues");
    let mut objects = Objects::default();
    for index in 0..2_000 {
        objects.add_queue(&name(&format!("many-{index}")), Queue::default()).unwrap();
    }
    let timed = |what: &str, start: Instant| eprintln!("{what}: {:?}", start.elapsed());
    let start = Instant::now();
    broker.observe(&objects).await.unwrap();
    timed("observe 2,000 absent", start);
    let start = Instant::now();
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    timed("declare 2,000", start);
    let start = Instant::now();
    broker.observe(&objects).await.unwrap();
    timed("observe 2,000 present", start);
    let start = Instant::now();
    assert!(broker.apply(&create(&objects), |_, _| {}).await.is_good());
    timed("declare 2,000 again", start);
    let start = Instant::now();
    assert!(broker.remove(&objects, Removal::default()).await.is_good());
    timed("remove 2,000", start);
    broker.close().await;
}
