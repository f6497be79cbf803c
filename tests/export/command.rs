//! The subcommands as a shell sees them.

use insta::assert_snapshot;

use crate::support::command;

/// Runs `delayctl` and shows stdout, stderr and the exit code.
fn run(arguments: &[&str], stdin: &str) -> String {
    let ended = command::run(command::delayctl(arguments).write_stdin(stdin));
    format!("{}--\n{}-- {}", ended.stdout, ended.stderr, ended.code.unwrap())
}

#[test]
fn routes() {
    let ladder = &["route", "topologies/ladder.yaml", "retry", "--delay", "0,90s,1500ms"];
    assert_snapshot!(run(ladder, ""), @r"
      delay  promised  exchange              routing key              and
    ─────────────────────────────────────────────────────────────────────
         0s        0s  (default)             order.retry.q
      1m30s     1m30s  shop.ladder.level-01  0.0.0.7.6.order.retry.q
    1s500ms        2s  shop.ladder.level-00  0.0.0.0.2.order.retry.q
    --
    -- 0
    ");
    let head = &["route", "topologies/head-of-line.yaml", "-o", "json", "--delay", "5s"];
    assert_snapshot!(run(&[head, &["plugin"][..]].concat(), ""), @r#"
    [
      {
        "delay_ms": 5000,
        "promised_ms": 5000,
        "exchange": "hol.plugin.delay",
        "routing_key": "hol.plugin.done",
        "properties": {},
        "headers": {
          "x-delay": 5000
        },
        "mandatory": false
      }
    ]
    --
    -- 0
    "#);
    assert_snapshot!(run(&[head, &["blocked"][..]].concat(), ""), @r#"
    [
      {
        "delay_ms": 5000,
        "promised_ms": 5000,
        "exchange": "hol.blocked.delay",
        "routing_key": "hol.blocked.wait",
        "properties": {
          "expiration": "5000"
        },
        "headers": {},
        "mandatory": true
      }
    ]
    --
    -- 0
    "#);
    let tiers = &["route", "topologies/tiered-delays.yaml", "--delay", "6s"];
    assert_snapshot!(run(tiers, ""), @r"
    --
    error: no tier of 6s: there are 5s, 30s, 1h
     hint: the nearest is 5s; `--round up` takes 30s
    -- 2
    ");
    assert_snapshot!(run(&[tiers, &["--round", "up"][..]].concat(), ""), @r"
    delay  promised  exchange   routing key  and
    ────────────────────────────────────────────
       6s       30s  (default)  delay.30s.q
    --
    -- 0
    ");
}

#[test]
fn definitions() {
    let file = "
vhost: shop
exchanges: { x: { type: topic, internal: true } }
queues: { q: { arguments: { x-a: 1, x-b: 1.0, x-c: '1', x-d: [true, { e: 2 }] } } }
bindings:
  - { source: x, queue: q, routing_key: 'a.#' }
  - { source: amq.topic, exchange: x, arguments: { y: 1 } }";
    assert_snapshot!(run(&["export", "-"], file), @r#"
    {
      "exchanges": [
        {
          "name": "x",
          "vhost": "shop",
          "type": "topic",
          "durable": true,
          "auto_delete": false,
          "internal": true,
          "arguments": {}
        }
      ],
      "queues": [
        {
          "name": "q",
          "vhost": "shop",
          "durable": true,
          "auto_delete": false,
          "arguments": {
            "x-a": 1,
            "x-b": 1.0,
            "x-c": "1",
            "x-d": [
              true,
              {
                "e": 2
              }
            ]
          }
        }
      ],
      "bindings": [
        {
          "source": "x",
          "vhost": "shop",
          "destination": "q",
          "destination_type": "queue",
          "routing_key": "a.#",
          "arguments": {}
        },
        {
          "source": "amq.topic",
          "vhost": "shop",
          "destination": "x",
          "destination_type": "exchange",
          "routing_key": "",
          "arguments": {
            "y": 1
          }
        }
      ],
      "policies": []
    }
    --
    for vhost `shop`, which must exist before the import
    -- 0
    "#);
    let other = run(&["export", "-", "--vhost", "a/b"], file);
    assert!(other.contains(r#""vhost": "a/b""#) && !other.contains("shop"), "{other}");
    let uri = &["export", "-", "--uri", "amqp://u:hidden@h/of%20uri"];
    let of_uri = run(uri, "queues: { q: }");
    assert!(of_uri.contains(r#""vhost": "of uri""#) && !of_uri.contains("hidden"), "{of_uri}");
}

#[test]
fn graphs() {
    let file = "
queues: { q: }
delays: { d: { target: { queue: q }, tiers: { delays: [5s], exchange: '' } } }";
    assert_snapshot!(run(&["export", "-", "--format", "mermaid"], file), @r#"
    flowchart LR
      q0["q"]
      q1["d.5s<br>quorum, TTL 5s"]
      q1 -.->|"expired after 5s"| q0
    --
    -- 0
    "#);
    assert_snapshot!(run(&["export", "-", "--format", "dot"], file), @r#"
    digraph topology {
      rankdir=LR;
      node [fontname="sans-serif"];
      edge [fontname="sans-serif", fontsize=10];
      q0 [shape=box, label="q"];
      q1 [shape=box, label="d.5s\nquorum, TTL 5s"];
      q1 -> q0 [label="expired after 5s", style=dashed];
    }
    --
    -- 0
    "#);
}

const CLUSTER: &str = r#"{
  "users": [{"name": "app", "password_hash": "c2VjcmV0", "hashing_algorithm": "x", "tags": ""}],
  "vhosts": [{"name": "/"}, {"name": "shop"}],
  "parameters": [{"vhost": "shop", "component": "federation-upstream", "name": "up",
                  "value": {"uri": "amqp://app:secret@host"}}],
  "queues": [
    {"vhost": "/", "name": "other", "durable": true, "auto_delete": false, "arguments": {}},
    {"vhost": "shop", "name": "done", "durable": true, "auto_delete": false, "arguments": {}},
    {"vhost": "shop", "name": "wait.5s", "durable": true, "auto_delete": false, "arguments":
      {"x-message-ttl": 5000, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "done"}}
  ],
  "exchanges": [], "bindings": [], "policies": []
}"#;

#[test]
fn captures() {
    assert_snapshot!(run(&["capture", "--from", "-"], CLUSTER), @r"
    --
    error: stdin: the definitions have several vhosts: `/`, `shop`
     hint: pick one with `--vhost NAME`
    -- 2
    ");
    assert_snapshot!(run(&["capture", "--from", "-", "--vhost", "shop"], CLUSTER), @r#"
    vhost: shop

    queues:
      done: {}

    delays:
      done:
        target: { queue: done }
        tiers: { delays: [5s], exchange: "", queue: "wait.{delay}", queue_type: classic }
    --
    warning: left out: parameter `up` of `federation-upstream`: a topology file has no place for it
    recognised `done` (tiers)
    -- 0
    "#);
    assert_snapshot!(run(&["capture", "--from", "-", "--vhost", "shap"], CLUSTER), @r"
    --
    error: stdin: the definitions have no vhost `shap`; there is `/`, `shop`
     hint: pick one with `--vhost NAME`
    -- 2
    ");
    assert_snapshot!(run(&["capture", "--from", "-"], "queues: {}"), @r"
    --
    error: stdin: not RabbitMQ definitions: expected value at line 1 column 1
    -- 65
    ");
    assert_snapshot!(run(&["capture", "--from", "gone.json"], ""), @r"
    --
    error: cannot read `gone.json`: No such file or directory (os error 2)
    -- 74
    ");
}

#[test]
fn conversions() {
    let file = "
# stays
queues: { q: }
delays: { d: { target: { queue: q }, delayed_exchange: { exchange: x } } }\n";
    assert_snapshot!(run(&["convert", "-", "--to", "ladder", "--radix", "16"], file), @"

    # stays
    queues: { q: }
    delays: { d: { target: { queue: q }, ladder: { resolution: 1s, max: 1d, radix: 16 } } }
    --
    delay `d` takes any up to 1d, rounded up to 1s; before: any up to 49d17h2m47s295ms
    queues are as before; publishers get another route: see `delayctl route`
    -- 0
    ");
    let tiers = &["convert", "-", "--to", "tiers", "--delays", "5s,30s"];
    assert_snapshot!(run(tiers, file), @"

    # stays
    queues: { q: }
    delays: { d: { target: { queue: q }, tiers: { delays: [5s, 30s] } } }
    --
    delay `d` takes 5s, 30s; before: any up to 49d17h2m47s295ms
    queues are as before; publishers get another route: see `delayctl route`
    -- 0
    ");
    assert_snapshot!(run(tiers, "queues: { q: }"), @r"
    --
    error: no delay of the file uses `delayed_exchange`
    -- 1
    ");
    assert_snapshot!(run(&["convert", "-", "--to", "ladder", "--radix", "1"], file), @r"
    --
    error: the converted file would be wrong:
           delays.d.ladder.radix: 1 is out of range: 2 to 256
    -- 1
    ");
    let missing = run(&["convert", "-", "--to", "tiers"], file);
    assert!(missing.contains("--delays") && missing.ends_with("-- 2"), "{missing}");
}

#[test]
fn shells_and_pages() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell], "");
        assert!(script.contains("hol-demo") && script.ends_with("--\n-- 0"), "{shell}: {script}");
    }
    let page = run(&["man"], "");
    assert!(page.contains(".TH delayctl 1") && page.contains("hol\\-demo"), "{page}");
    let page = run(&["man", "publish"], "");
    assert!(page.contains(".TH delayctl-publish 1") && page.contains("round"), "{page}");
    // No page shows a password: the default URI has one.
    assert!(!page.contains("guest:guest"), "{page}");
    assert!(run(&["man", "nope"], "").ends_with("-- 2"));
}
