//! A connection that is cut: exit code 69, and what had been counted is reported.

use crate::relay::Relay;
use crate::scene::scene;
use crate::support::command;
use crate::support::session::Session;

const PLAIN: &str = "
    queues: { T.q: {} }
    delays: { d: { target: { queue: T.q }, per_message_ttl: { exchange: T.in, queue: T.w } } }";

#[test]
fn while_publishing() {
    let scene = scene!(PLAIN).declared();
    let relay = Relay::to(&scene);
    relay.close_after(2_000_000);
    let mut publish = scene.command("publish", &["-n", "1000000", "-o", "json"]);
    let ended = scene.check(command::run(publish.env("AMQP_URL", &relay.uri))).expect(69);
    let counts = ended.json();
    let count = |field: &str| counts[field].as_u64().unwrap();
    assert!(count("confirmed") > 0 && count("unknown") > 0, "{counts}");
    assert_eq!(count("sent"), count("confirmed") + count("unknown"), "{counts}");
    assert_eq!((count("returned"), count("refused")), (0, 0), "{counts}");
    // What was confirmed is there; of the rest nobody knows.
    let ready = scene.ready("q");
    assert!((count("confirmed")..=count("sent")).contains(&ready), "{ready} of {counts}");
    ended.says("error: the connection to the broker was lost: ");
}

#[test]
fn while_publishing_with_the_counts_for_people() {
    let scene = scene!(PLAIN).declared();
    let relay = Relay::to(&scene);
    relay.close_after(500_000);
    let mut publish = scene.command("publish", &["-n", "1000000"]);
    let ended = scene.check(command::run(publish.env("AMQP_URL", &relay.uri))).expect(69);
    assert_eq!(ended.stdout.lines().count(), 1, "{ended}");
    ended.shows(" confirmed, 0 returned, 0 refused, ").shows(" unknown\n");
}

#[test]
fn while_consuming() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &["-n", "4"]).expect(0);
    let relay = Relay::to(&scene);
    let mut consume = scene.command("consume", &[]);
    consume.env("AMQP_URL", &relay.uri);
    let mut session = Session::start(&consume);
    session.wait_for("message 4");
    relay.close();
    let ended = scene.check(session.end()).expect(69);
    ended.shows("\n4 deliveries, 0 early, ").says("error: the connection to the broker was lost: ");
}

#[test]
fn while_consuming_with_the_figures_for_programs() {
    let scene = scene!(PLAIN).declared();
    let relay = Relay::to(&scene);
    let mut consume = scene.command("consume", &["-o", "json"]);
    consume.env("AMQP_URL", &relay.uri);
    let mut session = Session::start(&consume);
    session.wait_for("consuming from");
    relay.close();
    let ended = scene.check(session.end()).expect(69);
    let summary = ended.json_lines().pop().unwrap();
    assert_eq!(
        (&summary["summary"]["count"], &summary["stopped"]),
        (&0.into(), &"an error".into())
    );
}

#[test]
fn while_declaring() {
    let queues: String = (0..400).map(|number| format!("T.q{number}: {{}}, ")).collect();
    let scene = scene!(format!("queues: {{ {queues} }}"));
    let relay = Relay::to(&scene);
    relay.close_after(12_000);
    let mut declare = scene.command("declare", &["-o", "json"]);
    let ended = scene.check(command::run(declare.env("AMQP_URL", &relay.uri))).expect(69);
    ended.says("error: ");
}
