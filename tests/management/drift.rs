//! `inspect --check`: a line for each thing that is not as in the file, and nothing else.

use serde_json::json;

use crate::stage::stage;
use crate::support::command::Ended;

const FILE: &str = "
exchanges: { in: direct, gone: fanout }
queues:
  wait: { type: classic, message_ttl: 10s, dead_letter: { exchange: in, routing_key: d } }
  done: { type: classic }
  lost: {}
bindings:
  - { source: in, queue: wait, routing_key: w }
  - { source: in, queue: done, routing_key: d }
policies:
  limits: { pattern: ^wait$, apply_to: queues, definition: { max-length: 5 } }
";

#[test]
fn every_kind_of_drift_is_a_line() {
    let stage = stage!(FILE);
    let all = stage.run("inspect", &["--check"]).expect(1).stdout;
    assert_eq!(all.lines().filter(|line| line.starts_with("missing: ")).count(), 8, "{all}");
    stage.run("declare", &[]).expect(0);
    let ended = stage.run("inspect", &["--check"]).expect(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));

    for path in ["queues/lost", "exchanges/gone", "queues/done"] {
        let (kind, name) = path.split_once('/').unwrap();
        stage.drop_it(&stage.in_vhost(kind, name));
    }
    stage.queue("done", json!({ "x-queue-type": "classic", "x-message-ttl": 5 }));
    let policy = json!({ "pattern": "^wait$", "apply-to": "queues", "priority": 3,
        "definition": { "max-length": 5 } });
    stage.put(&stage.in_vhost("policies", "limits"), &policy);
    let strange = json!({ "pattern": "^wait$", "apply-to": "queues", "priority": 9,
        "definition": { "message-ttl": 7, "max-length": 1000 } });
    stage.put(&stage.in_vhost("policies", "strange"), &strange);
    stage.policy_is_on("wait", "strange");
    stage.bind("amq.direct", "wait", "besides");
    let ended = stage.run("inspect", &["--check"]).expect(1);
    assert_eq!(ended.stderr, "");
    let mut lines: Vec<_> = ended.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "differs: policy `limits`: priority: wanted 0, found 3",
            "differs: queue `done`: x-message-ttl: wanted none, found 5 (integer)",
            "missing: binding from exchange `in` to queue `done` with key `d`",
            "missing: exchange `gone`",
            "missing: queue `lost`",
            "overridden: queue `wait`: policy `strange` makes message-ttl 7, not 10000",
        ]
    );
    let table = stage.run("inspect", &[]).expect(0).stdout;
    let row = |name: &str| table.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(row(" done ").contains("DIFFERS") && row(" lost ").contains("MISSING"), "{table}");
    let strict = stage.run("inspect", &["--check", "--strict"]).expect(1).stdout;
    let beyond: Vec<_> = strict.lines().filter(|line| !ended.stdout.contains(line)).collect();
    assert_eq!(
        beyond,
        [
            "supplied: queue `wait`: policy `strange` sets max-length to 1000",
            "extra: binding from exchange `amq.direct` to queue `wait` with key `besides`",
        ]
    );
    let rows = stage.run("inspect", &["--check", "-o", "json"]).expect(1).json();
    assert_eq!(rows[0], json!({ "kind": "missing", "object": "exchange `gone`" }));
}

/// What is on the broker is not what the file says, and only the management API shows it.
#[test]
fn over_amqp_alone_nothing_of_the_file_looks_seen() {
    let stage = stage!("exchanges: { in: fanout }\nqueues: { wait: { type: classic } }");
    stage.run("declare", &[]).expect(0);
    stage.rewrite(
        "
exchanges: { in: direct, gone: direct }
queues:
  wait: { type: quorum, message_ttl: 10s, dead_letter: { exchange: in, routing_key: d } }
  lost: { type: quorum, message_ttl: 10s }",
    );
    let rows = |ended: Ended| -> Vec<Vec<String>> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        ended.stdout.lines().skip(2).map(words).collect()
    };
    let blind = ["--management-url", "none"];
    assert_eq!(
        rows(stage.run("inspect", &blind).expect(0)),
        [
            vec!["exchange", "in", "?", "yes"],
            vec!["exchange", "gone", "MISSING"],
            vec!["queue", "wait", "?", "yes", "0", "0", "?", "?"],
            vec!["queue", "lost", "MISSING"],
        ]
    );
    let json = stage.run("inspect", &[&blind[..], &["-o", "json"]].concat()).expect(0).json();
    assert_eq!(
        json,
        json!([
            { "kind": "exchange", "name": "in", "present": true, "type": null },
            { "kind": "exchange", "name": "gone", "present": false, "type": null },
            { "kind": "queue", "name": "wait", "present": true, "type": null,
              "ready": 0, "consumers": 0, "message_ttl_ms": null,
              "dead_letter_exchange": null, "dead_letter_routing_key": null },
            { "kind": "queue", "name": "lost", "present": false, "type": null },
        ])
    );
    // With it, what is there is shown, and a property that there is not is blank.
    let shown = stage.run("inspect", &[]).expect(0);
    assert!(!shown.stdout.contains('?'), "{shown}");
    let rows = rows(shown);
    assert_eq!(rows[0], ["exchange", "in", "fanout", "DIFFERS"]);
    assert_eq!(rows[2][..4], ["queue", "wait", "classic", "DIFFERS"]);
    assert_eq!([&rows[1][2..], &rows[3][2..]], [["MISSING"], ["MISSING"]]);
    // The tree is the file's.
    let tree = stage.run("inspect", &["-o", "tree"]).expect(0);
    tree.shows("wait — quorum, ttl 10s [DIFFERS, 0 ready, 0 consumers]");
}

#[test]
fn over_amqp_alone_what_cannot_be_seen_is_said() {
    let stage = stage!(
        "exchanges: { in: direct }\nqueues: { q: {}, r: {} }\nbindings: [ { source: in, queue: q } ]"
    );
    stage.run("declare", &[]).expect(0);
    let blind = ["--check", "--management-url", "none"];
    let ended = stage.run("inspect", &blind).expect(0);
    assert_eq!(ended.stdout, "");
    ended.says("saw names only, not arguments or bindings: the management API is turned off");
    let strict = stage.run("inspect", &[&blind[..], &["--strict"]].concat()).expect(1).stdout;
    assert_eq!(strict.lines().filter(|line| line.starts_with("unseen: ")).count(), 4, "{strict}");
    stage.drop_it(&stage.in_vhost("queues", "r"));
    let ended = stage.run("inspect", &blind).expect(1);
    assert_eq!(ended.stdout, "missing: queue `r`\n");
}
