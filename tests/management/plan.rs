//! `declare --dry-run` against a broker, and `declare`, which does the same.

use serde_json::{Value as Json, json};

use crate::stage::stage;
use crate::support::command::Ended;

const FILE: &str = "
exchanges: { in: direct, dead: direct }
queues:
  wait: { type: classic, message_ttl: 10s, dead_letter: { exchange: dead, routing_key: k } }
  done: { type: classic }
bindings:
  - { source: in, queue: wait, routing_key: w }
  - { source: dead, queue: done, routing_key: k }
policies:
  limits: { pattern: ^wait$, apply_to: queues, definition: { max-length: 5 } }
";

#[test]
fn from_nothing_to_nothing_to_do() {
    let stage = stage!(FILE);
    let lines = |text: &str| -> Vec<String> {
        let folded = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        folded.collect()
    };
    let plan = stage.run("declare", &["--dry-run"]).expect(0);
    assert_eq!(
        lines(&plan.stdout),
        [
            "+ exchange dead direct, durable",
            "+ exchange in direct, durable",
            "+ queue done classic, durable",
            "+ queue wait classic, durable, x-dead-letter-exchange=\"dead\", \
             x-dead-letter-routing-key=\"k\", x-message-ttl=10000",
            "+ binding dead → done routing_key=\"k\"",
            "+ binding in → wait routing_key=\"w\"",
            "+ policy limits queues matching \"^wait$\" at priority 0, max-length=5",
            "i queue wait policy `limits` will set max-length to 5",
            "",
            "5 to create, 2 to bind",
        ]
    );
    assert_eq!(stage.get(&stage.in_vhost("queues", "wait")).0, 404);
    stage.run("declare", &[]).expect(0).says("7 created, 0 already there\n");
    let second = stage.run("declare", &["--dry-run"]).expect(0).stdout;
    assert!(second.ends_with("\n7 as wanted\n"), "{second}");
    assert!(!second.contains("+ ") && !second.contains("! "), "{second}");
    stage.run("declare", &[]).expect(0).says("0 created, 7 already there: nothing changed\n");
    stage.policy_is_on("wait", "limits");
    stage
        .run("declare", &["--dry-run"])
        .expect(0)
        .shows("i  queue     wait         policy `limits` sets max-length to 5");
}

#[test]
fn an_integer_is_no_string_and_extra_bindings_are_seen() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    stage.drop_it(&stage.in_vhost("queues", "done"));
    stage.queue("done", json!({ "x-queue-type": "classic", "x-custom": "10000" }));
    stage.queue("else", json!({}));
    stage.bind("dead", "else", "z");
    stage.bind("amq.topic", "wait", "#");
    stage.rewrite(&FILE.replace(
        "done: { type: classic }",
        "done: { type: classic, max_length: 3, arguments: { x-custom: 10000 } }",
    ));
    let plan = stage.run("declare", &["--dry-run", "-o", "json"]).expect(1).json();
    let step = |object: &str| {
        let steps = plan["steps"].as_array().unwrap();
        steps.iter().find(|step| step["object"] == object).unwrap().clone()
    };
    let done = step("queue `done`");
    assert_eq!(done["action"], "conflict");
    assert_eq!(
        done["differences"],
        json!([
            { "argument": "x-custom", "wanted": "10000 (integer)", "found": "\"10000\" (string)" },
            { "argument": "x-max-length", "wanted": "3 (integer)", "found": "none" },
        ])
    );
    assert_eq!(step("queue `wait`")["action"], "keep");
    let extra: Vec<_> = plan["extra"].as_array().unwrap().iter().collect();
    let ends = |it: &serde_json::Value| (it["source"].clone(), it["destination"].clone());
    assert_eq!(ends(extra[0]), (json!("amq.topic"), json!({ "queue": "wait" })));
    assert_eq!(ends(extra[1]), (json!("dead"), json!({ "queue": "else" })));
    assert_eq!(extra.len(), 2, "{extra:?}");
    assert_eq!(plan["unseen"], json!([]));
    // The same for people, and `declare` does what was said, and deletes nothing.
    let table = stage.run("declare", &["--dry-run"]).expect(1);
    let table = table.shows("x-custom: wanted 10000 (integer), found \"10000\" (string)");
    table.shows("1 in conflict, 1 left out, 2 bound besides");
    stage
        .run("declare", &[])
        .expect(1)
        .says("0 created, 5 already there, 1 in conflict, 1 left out");
}

/// A dry run says which bindings are left out, and `declare` leaves out the same, with the
/// management API and over AMQP alone.
#[test]
fn bindings_of_what_is_in_conflict_are_left_out() {
    let stage = stage!(
        "
exchanges: { kind: topic, good: direct }
queues: { ttl: { type: classic, message_ttl: 10s }, plain: { type: classic } }
bindings: [ { source: kind, queue: plain, routing_key: old } ]"
    );
    stage.run("declare", &[]).expect(0);
    stage.rewrite(
        "
exchanges: { kind: fanout, good: direct }
queues: { ttl: { type: classic, message_ttl: 5s }, plain: { type: classic } }
bindings:
  - { source: kind, queue: plain, routing_key: old }
  - { source: kind, queue: plain, routing_key: new }
  - { source: good, exchange: kind, routing_key: new }
  - { source: good, queue: ttl, routing_key: new }
  - { source: good, queue: plain, routing_key: new }",
    );
    let keys = || {
        let (_, rows) = stage.get(&format!("/bindings/{}", stage.escaped()));
        let all = rows.as_array().unwrap().iter().filter(|it| it["source"] != "");
        let end = |it: &Json, name: &str| it[name].as_str().unwrap().to_owned();
        let line =
            |it| ["source", "destination", "routing_key"].map(|name| end(it, name)).join(" ");
        let mut lines: Vec<_> = all.map(line).collect();
        lines.sort_unstable();
        lines
    };
    let dry = stage.run("declare", &["--dry-run"]).expect(1);
    let dry = dry.shows("left out: its exchange `kind` is not as in the file\n");
    dry.shows("\n\n1 to bind, 3 as wanted, 2 in conflict, 3 left out\n");
    let json = stage.run("declare", &["--dry-run", "-o", "json"]).expect(1).json();
    let left_out = json["steps"].as_array().unwrap().iter();
    let left_out = left_out.filter(|step| step["action"] == "leave_out");
    let because: Vec<_> = left_out.map(|step| step["because_of"].clone()).collect();
    assert_eq!(because, ["exchange `kind`", "exchange `kind`", "queue `ttl`"]);
    assert_eq!(keys(), ["kind plain old"]);

    // Over AMQP alone, what is bound already cannot be told from what is new.
    let blind = stage.run("declare", &["--management-url", "none"]).expect(1);
    blind.says("0 created, 2 already there, 1 bound").says("2 in conflict, 4 left out\n");
    assert_eq!(keys(), ["good plain new", "kind plain old"]);
    let ended = stage.run("declare", &[]).expect(1);
    let row = ended.stdout.lines().find(|line| line.contains("good → ttl")).unwrap();
    assert!(
        row.contains("LEFT OUT") && row.ends_with("its queue `ttl` is not as in the file"),
        "{row}"
    );
    ended.says("0 created, 4 already there, 2 in conflict, 3 left out\n");
    assert_eq!(keys(), ["good plain new", "kind plain old"]);

    // A mend of the queue mends its binding.
    let ended = stage.run("declare", &["--recreate", "ttl"]).expect(1);
    ended.says("1 created, 4 already there, 1 made again, 1 in conflict, 2 left out\n");
    assert_eq!(keys(), ["good plain new", "good ttl new", "kind plain old"]);
}

#[test]
fn a_policy_that_differs_is_changed() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    stage.rewrite(&FILE.replace("max-length: 5", "max-length: 7, message-ttl: 500"));
    let plan = stage.run("declare", &["--dry-run"]).expect(0);
    let plan = plan.shows("  max-length: wanted 7 (integer), found 5 (integer)\n");
    plan.shows("1 to change, 6 as wanted");
    stage.run("declare", &[]).expect(0).says("0 created, 6 already there, 1 changed\n");
    let (_, policy) = stage.get(&stage.in_vhost("policies", "limits"));
    assert_eq!(policy["definition"], json!({ "max-length": 7, "message-ttl": 500 }));
    // Of two TTLs the smaller counts, so this one goes before the queue's own.
    stage.policy_is_on("wait", "limits");
    stage
        .run("declare", &["--dry-run"])
        .expect(0)
        .shows("policy `limits` makes message-ttl 500, not 10000");
    let inspected = stage.run("inspect", &["-o", "json"]).expect(0).json();
    let wait = inspected.as_array().unwrap().iter().find(|row| row["name"] == "wait").unwrap();
    assert_eq!(wait["message_ttl_ms"], 500);
    assert_eq!(wait["by_policy"], json!(["x-message-ttl"]));
    assert_eq!(wait["policy"], "limits");
}

/// What a dry run says of policies and of objects that are not there yet comes true.
#[test]
fn policies_that_will_act_are_foreseen() {
    let stage = stage!(
        "
exchanges: { in: direct, caught: { type: fanout, alternate: amq.fanout } }
queues:
  wait: { type: classic, message_ttl: 10s, max_length: 3 }
  keep: { type: quorum, max_length: 3, overflow: reject-publish }
  left: { type: classic, overflow: reject-publish }
policies:
  ours: { pattern: ., apply_to: all, definition: { message-ttl: 9000, overflow: drop-head } }"
    );
    let policy = |kind: &str, name: &str, priority: u8, apply_to: &str, definition| {
        let body = json!({ "pattern": "^wait|^keep|^in|^caught", "priority": priority,
            "apply-to": apply_to, "definition": definition });
        stage.put(&stage.in_vhost(kind, name), &body);
    };
    let mixed = json!({ "message-ttl": 700, "delivery-limit": 3 });
    policy("policies", "quorum alone", 9, "queues", mixed);
    policy("policies", "any queue", 5, "queues", json!({ "message-ttl": 7000, "max-length": 5 }));
    policy("policies", "exchanges", 5, "exchanges", json!({ "alternate-exchange": "in" }));
    policy("operator-policies", "operators", 0, "queues", json!({ "max-length": 2 }));
    let effects = |ended: &Ended| ended.json()["policy_effects"].as_array().unwrap().clone();
    let line = |it: &Json| {
        let (object, key) = (it["object"].as_str().unwrap(), it["key"].as_str().unwrap());
        format!("{object} {key} {} {} by {}", it["value"], it["effect"], it["policy"])
    };
    let dry_run = ["--dry-run", "-o", "json"];
    let foreseen = effects(&stage.run("declare", &dry_run).expect(0));
    assert!(foreseen.iter().all(|it| it["foreseen"] == true), "{foreseen:?}");
    let foreseen: Vec<_> = foreseen.iter().map(line).collect();
    assert_eq!(
        foreseen,
        [
            r#"in alternate-exchange "in" "supplies" by "exchanges""#,
            r#"wait max-length 2 {"overrides":3} by "any queue + operators""#,
            r#"wait message-ttl 7000 {"overrides":10000} by "any queue + operators""#,
            r#"keep delivery-limit 3 "supplies" by "quorum alone + operators""#,
            r#"keep max-length 2 {"overrides":3} by "quorum alone + operators""#,
            r#"keep message-ttl 700 "supplies" by "quorum alone + operators""#,
            r#"left message-ttl 9000 "supplies" by "ours""#,
        ]
    );
    stage
        .run("declare", &["--dry-run"])
        .expect(0)
        .shows("policy `any queue + operators` will make message-ttl 7000, not 10000");
    stage.run("declare", &[]).expect(0);
    // Nothing is foreseen of what is there: the broker names the policies.
    let is_true = |ended: &Ended| {
        let now = effects(ended);
        now.iter().all(|it| it.get("foreseen").is_none())
            && now.iter().map(line).collect::<Vec<_>>() == foreseen
    };
    stage.run_until("declare", &dry_run, is_true);
}

#[test]
fn a_policy_that_the_broker_refuses_is_told_in_its_words() {
    let stage = stage!(&FILE.replace("max-length: 5", "max-lenght: 5"));
    let ended = stage.run("declare", &[]).expect(1);
    ended
        .says("the management API refuses policy `limits`: `Validation failed")
        .says("not recognised policy settings");
}

#[test]
fn a_queue_is_made_again_only_when_it_is_empty_and_unused() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    stage.bind("amq.fanout", "wait", "");
    stage.send("wait");
    stage.rewrite(&FILE.replace("message_ttl: 10s", "message_ttl: 5s"));
    stage.run("declare", &["--recreate", "no.such"]).expect(2).says("declares no such queue");
    let again = ["--recreate", "wait"];
    let dry = stage.run("declare", &["--dry-run", "--recreate", "wait"]).expect(0);
    dry.shows("1 to make again").shows("x-message-ttl: wanted 5000 (integer), found 10000");
    let ended = stage.run("declare", &again).expect(1);
    let row = ended.stdout.lines().find(|line| line.contains(" wait ")).unwrap();
    assert!(row.contains("IN USE") && row.ends_with("1 ready"), "{ended}");
    ended.says("error: 1 of the queues are in use, and were not made again");
    stage.drop_it(&stage.in_vhost("queues", "wait/contents"));
    let consumer = stage.start("consume", &["--queue", "wait", "--timeout", "60s"]);
    let is_there = |row: &serde_json::Value| row["name"] == "wait" && row["consumers"] == 1;
    stage.run_until("inspect", &["-o", "json"], |ended| {
        ended.json().as_array().unwrap().iter().any(is_there)
    });
    stage.run("declare", &again).expect(1).shows("1 consumer");
    consumer.interrupt();
    consumer.end();
    stage.run("declare", &again).expect(0).says("1 made again");
    let (_, wait) = stage.get(&stage.in_vhost("queues", "wait"));
    assert_eq!(wait["arguments"]["x-message-ttl"], 5000);
    // It has all its bindings again, also the one that is not in the file.
    let (_, bindings) = stage.get(&stage.in_vhost("queues", "wait/bindings"));
    let mut sources: Vec<_> =
        bindings.as_array().unwrap().iter().map(|it| it["source"].as_str().unwrap()).collect();
    sources.sort_unstable();
    assert_eq!(sources, ["", "amq.fanout", "in"]);
    stage.run("declare", &again).expect(0).says("nothing changed");
}

#[test]
fn a_queue_is_made_again_over_amqp_alone() {
    let stage = stage!("queues: { q: { type: quorum, message_ttl: 10s }, same: {} }");
    stage.run("declare", &[]).expect(0);
    stage.rewrite("queues: { q: { type: quorum, message_ttl: 5s }, same: {} }");
    let arguments = ["--recreate", "q", "--recreate", "same", "--management-url", "none"];
    stage.run("declare", &arguments).expect(0).says("0 created, 1 already there, 1 made again\n");
    let (_, queue) = stage.get(&stage.in_vhost("queues", "q"));
    assert_eq!(queue["arguments"]["x-message-ttl"], 5000);
}

#[test]
fn a_plugin_that_is_missing_is_known_beforehand() {
    let stage = stage!(
        "exchanges: { x: { type: x-no-such-type } }
queues: { q: {} }"
    );
    stage
        .run("declare", &["--dry-run"])
        .expect(1)
        .shows("!  exchange  x  x-no-such-type, durable")
        .shows("the broker has no such exchange type");
    stage.run("declare", &[]).expect(78).says("the broker has no exchange type `x-no-such-type`");
}
