//! Ctrl-C: the first ends a command cleanly, the second at once.

use std::io::Write;
use std::process::Command;

use crate::demo::{QUEUES, is_gone};
use crate::relay::Relay;
use crate::scene::scene;
use crate::support::command::delayctl;
use crate::support::session::Session;

const PLAIN: &str = "
    queues: { T.q: {} }
    delays: { d: { target: { queue: T.q }, per_message_ttl: { exchange: T.in, queue: T.w } } }";

#[test]
fn consuming_ends_with_what_was_counted() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &["-n", "3"]).expect(0);
    let mut session = scene.start("consume", &[]);
    session.wait_for("message 3");
    session.interrupt();
    let ended = scene.check(session.end()).expect(130);
    ended
        .shows("\n3 deliveries, 0 early, ")
        .shows("\nlateness: p50 ")
        .says("\nstopped: interrupted\n");
    assert_eq!(scene.ready("q"), 0, "what was shown is settled");
}

#[test]
fn consuming_nothing_ends_as_well() {
    let scene = scene!(PLAIN).declared();
    let mut session = scene.start("consume", &["-o", "json", "--expect-count", "5"]);
    session.wait_for("consuming from");
    session.interrupt();
    let ended = scene.check(session.end()).expect(130);
    assert_eq!(ended.json_lines().pop().unwrap()["stopped"], "interrupted");
}

#[test]
fn being_told_to_terminate_is_the_same() {
    let scene = scene!(PLAIN).declared();
    let mut session = scene.start("consume", &[]);
    session.wait_for("consuming from");
    let kill = format!("kill -TERM {}", session.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    scene.check(session.end()).expect(130).says("stopped: interrupted");
}

#[test]
fn publishing_ends_with_what_was_counted() {
    let scene = scene!(PLAIN).declared();
    let mut consumer = scene.start("consume", &["-n", "1", "--requeue", "--timeout", "20s"]);
    consumer.wait_for("consuming from");
    let session = scene.start("publish", &["-n", "100000", "--rate", "10/s"]);
    // The first has arrived, so publishing goes on.
    consumer.end().expect(0);
    session.interrupt();
    let ended = scene.check(session.end()).expect(130);
    let sent = scene.ready("q");
    ended
        .shows(&format!("{sent} sent: {sent} confirmed, 0 returned, 0 refused, 0 unknown"))
        .says("interrupted");
}

/// A read of stdin cannot be interrupted, and must not keep the program.
#[test]
fn publishing_lines_that_do_not_come_ends_as_well() {
    let scene = scene!(PLAIN).declared();
    let mut consumer = scene.start("consume", &["-n", "1", "--timeout", "20s"]);
    consumer.wait_for("consuming from");
    let (stdin, mut line) = std::io::pipe().unwrap();
    let publish = scene.command("publish", &["--lines"]);
    let session = Session::start_with(&publish, stdin.into());
    line.write_all(b"the only one\n").unwrap();
    consumer.end().expect(0);
    session.interrupt();
    scene.check(session.end()).expect(130).shows("1 sent: 1 confirmed, ").says("interrupted");
    drop(line);
}

#[test]
fn a_demo_takes_its_objects_with_it() {
    let scene = scene!("queues: {}");
    let mut command = delayctl(&["hol-demo", "--delays", "10m,1ms", "--scale", "1"]);
    command.env("AMQP_URL", &scene.broker.uri);
    let mut session = Session::start(&command);
    // One message of a lane arrives at once, so the demo is well under way.
    session.wait_for("tiers: B (1ms) arrived");
    session.interrupt();
    let ended = scene.check(session.end()).expect(130).says("interrupted");
    let prefix = ended.stderr.lines().find_map(|line| line.strip_prefix("prefix of all objects: "));
    is_gone(&scene, prefix.unwrap(), &QUEUES);
    is_gone(&scene, prefix.unwrap(), &["tiers.10m", "tiers.1ms", "ladder.done"]);
}

/// A broker that answers nothing any more cannot be said goodbye to.
#[test]
fn the_second_ends_it_at_once() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &[]).expect(0);
    let relay = Relay::to(&scene);
    let mut command = scene.command("consume", &["--requeue"]);
    command.env("AMQP_URL", &relay.uri);
    let mut session = Session::start(&command);
    session.wait_for("message 1");
    relay.mute();
    session.interrupt_until_it_ends();
    let ended = session.end().expect(130);
    assert!(!ended.stdout.contains("1 delivery"), "it took its time to sum up: {ended}");
}
