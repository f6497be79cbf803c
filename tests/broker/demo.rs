//! `hol-demo`: the blocked queue beside its mends, and nothing left behind.

use delayctl::broker::BrokerError;
use serde_json::Value;

use crate::relay::Relay;
use crate::scene::{Scene, here, scene};
use crate::strategies::number;
use crate::support::command::Ended;

/// Any file: the built-in demo needs none, but a scene knows the broker.
const NOTHING: &str = "queues: {}";

/// `hol-demo` without a file.
fn built_in(scene: &Scene, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = crate::support::command::delayctl(&["hol-demo"]);
    command.args(arguments).env("AMQP_URL", &scene.broker.uri);
    command
}

/// The prefix that a demo said it uses.
fn prefix_in(stderr: &str) -> String {
    let line = stderr.lines().find_map(|line| line.strip_prefix("prefix of all objects: "));
    line.unwrap_or_else(|| panic!("no prefix in {stderr}")).to_owned()
}

/// Panics when a queue of the demo is still there.
pub fn is_gone(scene: &Scene, prefix: &str, queues: &[&str]) {
    scene.with_broker(async |broker| {
        for queue in queues {
            let name = format!("{prefix}{queue}");
            match broker.queue_depth(&name).await {
                Err(BrokerError::NotFound { .. }) => {}
                other => panic!("`{name}` is left over: {other:?}"),
            }
        }
    });
}

/// What the built-in demo makes, as far as it is looked for.
pub const QUEUES: [&str; 6] =
    ["blocked.wait", "blocked.done", "tiers.5s", "tiers.done", "rising.wait", "plugin.done"];

fn lane<'a>(lanes: &'a Value, name: &str) -> &'a Value {
    lanes.as_array().unwrap().iter().find(|lane| lane["name"] == name).unwrap()
}

#[test]
fn the_blocked_queue_and_its_mends() {
    let scene = scene!(NOTHING);
    let mut command = built_in(&scene, &["--scale", "0.02", "-o", "json"]);
    let ended = scene.check(crate::support::command::run(&mut command)).expect(0);
    is_gone(&scene, &prefix_in(&ended.stderr), &QUEUES);
    let lanes = ended.json();
    for lane in lanes.as_array().unwrap() {
        let (name, messages) = (&lane["name"], lane["messages"].as_array().unwrap());
        if name == "plugin" && !scene.broker.plugin {
            let why = lane["skipped"].as_str().unwrap();
            assert!(why.contains("x-delayed-message"), "{why}");
            assert!(ended.stderr.contains("skipped: plugin: "), "{ended}");
            assert_eq!(messages.len(), 0);
            continue;
        }
        assert_eq!((messages.len(), &lane["skipped"]), (3, &Value::Null), "{name}");
        for message in messages {
            let late = number(message, "observed_ms") - number(message, "expected_ms");
            assert!(late >= 0.0, "{name}: {message}");
            let blocked = message["blocked_by"].is_string();
            assert_eq!(blocked, name == "blocked" && message["label"] != "A", "{name}: {message}");
            assert!(blocked || late < 400.0, "{name}: {message}");
        }
    }
    let blocked = lane(&lanes, "blocked")["messages"].as_array().unwrap();
    let a = &blocked[0];
    for message in blocked {
        assert!(number(message, "observed_ms") >= number(a, "expected_ms"), "{message}");
    }
}

#[test]
fn the_table_the_picture_and_the_reason() {
    let scene = scene!(NOTHING);
    let mut command = built_in(&scene, &["--scale", "0.01"]);
    let ended = scene.check(crate::support::command::run(&mut command)).expect(0);
    let Ended { stdout, .. } = &ended;
    let head = stdout.lines().next().unwrap();
    for title in ["lane", "message", "delay", "expected", "observed", "lateness", "blocked by"] {
        assert!(head.contains(title), "{title} in {head}");
    }
    assert!(stdout.contains("\nIn `blocked`, A (30s) stood at the head of the queue"), "{stdout}");
    assert!(stdout.contains("left at "), "{stdout}");
    if !scene.broker.plugin {
        assert!(stdout.contains("x-delayed-message"), "the picture says why not:\n{stdout}");
    }
}

/// Who cannot see the progress is told what goes on, and how long it takes; who wants quiet is not.
#[test]
fn each_stage_is_said() {
    let Some(scene) = Scene::of_file(here!(), "order-timeout.yaml", &[]) else { return };
    let arguments = ["--delays", "30m,30m", "--scale", "0.0002"];
    let ended = scene.run("hol-demo", &arguments).expect(0);
    let stages = [
        "messages: 30m, 30m; all times multiplied by 0.0002",
        "takes about 360ms, until the last message is due; a smaller --scale takes less",
        "declaring 9 objects",
        "sending 2 messages",
        "waiting for them: the last is due in 360ms",
        "order-timeout: A (30m) arrived at ",
        "order-timeout: B (30m) arrived at ",
        "removing what was declared",
    ];
    let said: Vec<_> = ended.stderr.lines().skip(2).collect();
    assert_eq!(said.len(), stages.len(), "{ended}");
    for (line, stage) in said.iter().zip(stages) {
        assert!(line.contains(stage), "{stage}: {ended}");
    }
    let quiet = scene.run("hol-demo", &[&arguments[..], &["-q"]].concat()).expect(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn delays_of_ones_own() {
    let scene = scene!(NOTHING);
    let arguments = ["--delays", "300ms,1ms,200ms,100ms", "--scale", "1", "-o", "json"];
    let mut command = built_in(&scene, &arguments);
    let ended = scene.check(crate::support::command::run(&mut command)).expect(0);
    let lanes = ended.json();
    let delays = |name: &str| -> Vec<_> {
        let messages = lane(&lanes, name)["messages"].as_array().unwrap();
        messages.iter().map(|message| message["delay"].clone()).collect()
    };
    assert_eq!(delays("blocked").len(), 4);
    assert_ne!(delays("blocked"), delays("rising"));
    assert_eq!(delays("blocked"), delays("tiers"));
}

#[test]
fn a_file_of_ones_own_runs_as_a_copy() {
    let Some(scene) = Scene::of_file(here!(), "order-timeout.yaml", &[]) else { return };
    let arguments = ["--delays", "30m", "--scale", "0.0003", "-o", "json"];
    let ended = scene.run("hol-demo", &arguments).expect(0);
    let lanes = ended.json();
    let message = &lane(&lanes, "order-timeout")["messages"][0];
    let (sent, observed) = (number(message, "sent_ms"), number(message, "observed_ms"));
    assert!((540.0..2000.0).contains(&(observed - sent)), "{message}");
    // Neither the copy nor the original is there afterwards.
    let queues = ["order.delay.queue", "order.dead.queue", "order.dead2.queue"];
    is_gone(&scene, &format!("{}{}", prefix_in(&ended.stderr), scene.prefix), &queues);
    is_gone(&scene, &scene.prefix, &queues);
}

#[test]
fn a_delay_that_the_file_cannot_do_is_skipped_with_the_reason() {
    let scene = scene!(
        "
        queues: { T.q: {} }
        delays:
          d: { target: { queue: T.q }, tiers: { exchange: T.in, queue: T.w, delays: [1s] } }
          any: { target: { queue: T.q }, per_message_ttl: { exchange: T.in2, queue: T.w2 } }"
    );
    let ended = scene.run("hol-demo", &["--delays", "2s", "--scale", "0.1"]).expect(0);
    ended.says("skipped: d: no tier of 2s: there are 1s").says("any: A (2s) arrived at ");
}

#[test]
fn a_lost_connection_leaves_nothing_behind() {
    let scene = scene!(NOTHING);
    let relay = Relay::to(&scene);
    let mut command = built_in(&scene, &["--delays", "10m,1ms", "--scale", "1"]);
    command.env("AMQP_URL", &relay.uri);
    let mut session = crate::support::session::Session::start(&command);
    session.wait_for("tiers: B (1ms) arrived");
    relay.cut();
    let ended = scene.check(session.end()).expect(69);
    is_gone(&scene, &prefix_in(&ended.stderr), &QUEUES);
    ended.says("error: the connection to the broker was lost: ");
}

/// The five checks of 20 orders, of which 16 are paid at the first and 2 at the third.
const CHECKS: [(u64, u64); 5] = [(20, 16), (4, 0), (4, 2), (2, 0), (2, 0)];

/// `stepped-demo` of 20 orders in 3.6 seconds.
fn stepped(scene: &Scene) -> assert_cmd::Command {
    let mut command = crate::support::command::delayctl(&["stepped-demo", "-n", "20"]);
    command.args(["--scale", "0.002", "-o", "json"]).env("AMQP_URL", &scene.broker.uri);
    command
}

#[test]
fn orders_are_checked_until_they_are_paid_or_cancelled() {
    let scene = scene!(NOTHING);
    let live = scene.check(crate::support::command::run(&mut stepped(&scene))).expect(0);
    is_gone(&scene, &prefix_in(&live.stderr), &["order.check.q", "order.check.1m"]);
    let predicted = crate::support::command::run(stepped(&scene).arg("--simulate")).expect(0);
    for outcome in [live.json(), predicted.json()] {
        let checks = outcome["checks"].as_array().unwrap();
        let seen = checks.iter().map(|row| (number(row, "looked_at"), number(row, "paid")));
        let seen: Vec<_> = seen.collect();
        assert_eq!(seen, CHECKS.map(|(seen, paid)| (seen as f64, paid as f64)), "{outcome}");
        assert_eq!([&outcome["paid"], &outcome["cancelled"], &outcome["open"]], [18, 2, 0]);
        assert!(number(&outcome, "earliest_cancelled_ms") >= 1_800_000.0, "{outcome}");
    }
    for row in live.json()["checks"].as_array().unwrap() {
        assert!(number(row, "lateness_p50_ms") >= 0.0, "{row}");
    }
}

#[test]
fn orders_whose_broker_is_gone() {
    let scene = scene!(NOTHING);
    let relay = Relay::to(&scene);
    let mut command = stepped(&scene);
    let mut session = crate::support::session::Session::start(command.env("AMQP_URL", &relay.uri));
    session.wait_for("all times multiplied by");
    std::thread::sleep(std::time::Duration::from_millis(300));
    relay.cut();
    let ended = scene.check(session.end()).expect(69);
    is_gone(&scene, &prefix_in(&ended.stderr), &["order.check.q", "order.check.1m"]);
    ended.says("error: the connection to the broker was lost: ");
}
