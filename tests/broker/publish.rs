//! `publish`: what is sent, and what becomes of it.

use std::time::Instant;

use lapin::types::AMQPValue;
use serde_json::json;

use crate::raw;
use crate::scene::{Scene, needs_plugin, scene};
use crate::support::command;
use crate::support::terminal::{Terminal, on_terminal};

/// One queue, and a tier of 500 ms before it.
const PLAIN: &str = "
    queues: { T.q: {} }
    delays: { d: { target: { queue: T.q }, tiers: { exchange: T.in, queue: T.wait, delays: [500ms] } } }";

/// The bodies that wait in queue `q`, which are taken out.
fn bodies(scene: &Scene) -> Vec<String> {
    let ready = scene.ready("q").to_string();
    let arguments = ["-n", &ready, "--timeout", "20s", "-o", "json"];
    let mut lines = scene.run("consume", &arguments).expect(0).json_lines();
    lines.pop();
    lines.iter().map(|line| line["body"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_delay_as_often_as_counted() {
    let scene = scene!(PLAIN).declared();
    let sent = scene.run("publish", &["--delay", "0,500ms", "-n", "3", "-o", "json"]).expect(0);
    let all = json!({ "sent": 6, "confirmed": 6, "returned": 0, "refused": 0, "unknown": 0 });
    assert_eq!(sent.json(), all);
    let ended = scene.run("consume", &["-n", "6", "--timeout", "20s", "--max-early", "0"]);
    let ended = ended.expect(0);
    for number in 1..=6 {
        let delay = if number % 2 == 1 { "0s" } else { "500ms" };
        assert!(ended.stdout.contains(&format!("message {number}, delay {delay} ")), "{ended}");
    }
}

#[test]
fn an_unroutable_message_comes_back() {
    let scene = scene!("
        exchanges: { T.x: direct }
        queues: { T.q: {} }
        bindings: [ { source: T.x, queue: T.q, routing_key: k } ]
        delays: { d: { target: { exchange: T.x, routing_key: k }, per_message_ttl: { exchange: T.in, queue: T.w } } }
    ").declared();
    raw::unbind(&scene, "q", "x", "k");
    // Without the management API a binding cannot be seen, and each message must tell.
    let ended = scene.run("publish", &["-n", "3", "--message-id", "order-1"]).expect(1);
    let ended = ended
        .shows("3 sent: 0 confirmed, 3 returned, 0 refused, 0 unknown\n")
        .says("message order-1 came back from exchange `x`, key `k`: `NO_ROUTE`");
    assert_eq!(ended.stderr.lines().count(), 1, "the first tells for all: {ended}");
}

#[test]
fn nothing_is_sent_into_an_undeclared_topology() {
    let mut scene = scene!(PLAIN);
    for delay in ["0", "500ms"] {
        let ended = scene.run("publish", &["--delay", delay]).expect(1);
        assert_eq!(ended.stdout, "");
        ended
            .says(" is missing: the messages would be lost\n hint: run `delayctl declare` first\n");
    }
    // The last queue of the way counts as well, though no message is sent to it directly.
    scene.rewrite("queues: { T.wait: {} }\nexchanges: { T.in: direct }");
    scene.run("declare", &[]).expect(0);
    scene.rewrite(PLAIN);
    let ended = scene.run("publish", &["--delay", "500ms"]).expect(1);
    ended.says("error: queue `q` is missing: the messages would be lost\n");
    assert_eq!(scene.ready("wait"), 0);
}

#[test]
fn bodies_come_from_an_argument_a_file_or_stdin() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &["--body", "from an argument", "-n", "2"]).expect(0);
    let file = format!("{}.body", scene.path);
    std::fs::write(&file, "from\na file\n").unwrap();
    scene.run("publish", &["--body-file", &file]).expect(0);
    scene.run("publish", &["--body-file", &file, "--lines"]).expect(0).shows("2 sent: ");
    std::fs::remove_file(&file).unwrap();
    scene.run("publish", &["--body-file", &file]).expect(74).says("cannot read `");
    let mut piped = scene.command("publish", &["--body-file", "-"]);
    command::run(piped.write_stdin("from stdin\n")).expect(0);
    // Lines as Windows ends them, an empty one, and a last one without its end.
    let mut piped = scene.command("publish", &["--lines", "--delay", "0,0"]);
    let ended = command::run(piped.write_stdin("one\r\n\ntwo")).expect(0);
    assert_eq!(ended.stdout, "6 sent: 6 confirmed, 0 returned, 0 refused, 0 unknown\n");
    let expected = [
        "from an argument",
        "from an argument",
        "from\na file\n",
        "from",
        "a file",
        "from stdin\n",
        "one",
        "one",
        "",
        "",
        "two",
        "two",
    ];
    assert_eq!(bodies(&scene), expected);
    let mut piped = scene.command("publish", &["--lines"]);
    let ended = command::run(piped.write_stdin("")).expect(0);
    ended.shows("0 sent: 0 confirmed");
}

#[test]
fn what_a_message_carries() {
    let scene = scene!(PLAIN).declared();
    let plain = ["--body", "x"];
    scene.run("publish", &plain).expect(0);
    let message = raw::look(&scene, "q");
    let properties = &message.delivery.properties;
    assert_eq!(properties.delivery_mode(), &Some(2), "persistent unless told otherwise");
    assert!(properties.message_id().as_ref().is_some_and(|id| !id.as_str().is_empty()));
    assert_eq!((properties.content_type(), properties.priority()), (&None, &None));
    assert_eq!(properties.expiration(), &None);
    let headers = properties.headers().as_ref().unwrap().inner();
    assert_eq!(headers["x-delayctl-delay"], AMQPValue::LongLongInt(0));
    assert!(matches!(headers["x-delayctl-sent-at"], AMQPValue::LongLongInt(1_600_000_000_000..)));
    assert_eq!(bodies(&scene), ["x"]);

    let header = ["-H", "text=a=b", "-H", "number=-7", "-H", "yes=true", "--header", "empty="];
    let rest = ["--message-id", "id-1", "--content-type", "text/plain", "--priority", "9"];
    let more = ["--transient", "--expiration", "1h"];
    scene.run("publish", &[&plain[..], &header, &rest, &more].concat()).expect(0);
    let message = raw::look(&scene, "q");
    let properties = &message.delivery.properties;
    assert_eq!(properties.delivery_mode(), &Some(1));
    assert_eq!(properties.message_id().as_ref().unwrap().as_str(), "id-1");
    assert_eq!(properties.content_type().as_ref().unwrap().as_str(), "text/plain");
    assert_eq!(properties.priority(), &Some(9));
    assert_eq!(properties.expiration().as_ref().unwrap().as_str(), "3600000");
    let headers = properties.headers().as_ref().unwrap().inner();
    assert_eq!(headers["text"], AMQPValue::LongString("a=b".into()));
    assert_eq!(headers["number"], AMQPValue::LongLongInt(-7));
    assert_eq!(headers["yes"], AMQPValue::Boolean(true));
    assert_eq!(headers["empty"], AMQPValue::LongString("".into()));
}

/// A 32-bit `x-delay` would wrap, and wrapped it would be early.
#[test]
fn the_plugin_gets_its_delay_as_64_bits() {
    let scene = scene!(
        "
        queues: { T.q: {} }
        delays: { d: { target: { queue: T.q }, delayed_exchange: { exchange: T.x } } }"
    );
    needs_plugin!(scene);
    let scene = scene.declared();
    scene.run("publish", &["--delay", "200ms"]).expect(0);
    let once = ["-n", "1", "--requeue", "--timeout", "20s", "--max-early", "0"];
    scene.run("consume", &once).expect(0);
    let message = raw::look(&scene, "q");
    let headers = message.delivery.properties.headers().as_ref().unwrap().inner();
    // 4.0 gives it back negated.
    let delay = &headers["x-delay"];
    assert!(matches!(delay, AMQPValue::LongLongInt(200 | -200)), "{delay:?}");
    // 49.7 days do wait, and are not delivered at once.
    scene.run("publish", &["--delay", "4294967295ms"]).expect(0);
    scene.run("consume", &["-n", "1", "--timeout", "20s"]).expect(0);
    scene.run("consume", &["--idle", "500ms", "--expect-count", "0"]).expect(0);
}

#[test]
fn rounding_up_takes_the_next_tier() {
    let scene = scene!(PLAIN).declared();
    let refused = scene.run("publish", &["--delay", "100ms"]).expect(2);
    refused.says("error: no tier of 100ms: there are 500ms\n hint: ");
    scene.run("publish", &["--delay", "100ms", "--round", "up"]).expect(0);
    let ended = scene.run("consume", &["-n", "1", "--timeout", "20s", "--max-early", "0"]);
    ended.expect(0).shows("message 1, delay 500ms ");
}

#[test]
fn a_rate_is_kept() {
    let scene = scene!(PLAIN).declared();
    let start = Instant::now();
    scene.run("publish", &["--count", "11", "--rate", "20/s"]).expect(0);
    // The first goes at once, the eleventh half a second later.
    assert!(start.elapsed().as_millis() >= 500, "{:?}", start.elapsed());
}

#[test]
fn what_is_told_of_a_message_is_escaped() {
    let scene = scene!("
        exchanges: { T.x: direct }
        queues: { T.q: {} }
        bindings: [ { source: T.x, queue: T.q, routing_key: k } ]
        delays: { d: { target: { exchange: T.x, routing_key: k }, per_message_ttl: { exchange: T.in, queue: T.w } } }
    ").declared();
    raw::unbind(&scene, "q", "x", "k");
    let ended = scene.run("publish", &["--message-id", "id\x1b[2J"]).expect(1);
    ended.says(r"message id\x1b[2J came back");
}

/// A bar is drawn on a terminal, and taken away before the counts; elsewhere there is none.
#[test]
fn progress_is_shown_on_a_terminal_alone() {
    let scene = scene!(PLAIN).declared();
    let arguments = ["-n", "30", "--rate", "60/s"];
    let piped = scene.run("publish", &arguments).expect(0);
    assert_eq!(piped.stderr, "");
    let command = scene.command("publish", &arguments);
    let mut own = std::process::Command::new(command.get_program());
    own.args(command.get_args()).env("AMQP_URL", &scene.broker.uri);
    own.env("RABBITMQ_MANAGEMENT_URL", "none");
    let Some(shown) = on_terminal(&own, Terminal { columns: 80 }) else { return };
    assert!(shown.contains("publishing ") && shown.contains("/30"), "{shown:?}");
    let counts = "30 sent: 30 confirmed, 0 returned, 0 refused, 0 unknown\r\n";
    assert!(shown.ends_with(counts), "{shown:?}");
    let before = shown.trim_end_matches(counts);
    assert!(before.ends_with("\x1b[2K") || before.ends_with('\r'), "{shown:?}");
}
