//! `declare`: what is created, what is there already, what is in conflict, what the broker lacks.

use delayctl::objects::DELAYED_MESSAGE_TYPE;

use crate::scene::{Scene, here, scene, skip};

fn needs_plugin(scene: &Scene) -> bool {
    scene.objects().exchanges.values().any(|exchange| exchange.kind == DELAYED_MESSAGE_TYPE)
}

/// Declares one file twice; what of it the broker cannot have is named, and nothing else is
/// missing.
fn declares_twice(test: &str, file: &str) {
    let Some(scene) = Scene::of_file(test, file, &[]) else { return };
    let objects = scene.objects();
    let (all, bindings) = (objects.exchanges.len() + objects.queues.len(), objects.bindings.len());
    if needs_plugin(&scene) && !scene.broker.plugin {
        for (created, present) in [(all - 1, 0), (0, all - 1)] {
            let ended = scene.run("declare", &[]).expect(78);
            let counts = format!("{created} created, {present} already there, ");
            ended.says(&counts).says("1 unsupported").says("`x-delayed-message`").says("ladder");
        }
        let missing = scene.run("inspect", &["--check"]).expect(1).stdout;
        assert_eq!(missing.lines().count(), 1, "{missing}");
        assert!(missing.starts_with("missing: exchange `"), "{missing}");
        return;
    }
    let bound = match bindings {
        0 => String::new(),
        _ => format!(", {bindings} bound (AMQP does not tell new from old)"),
    };
    // Before it, what `lint` thinks of the file.
    let sum = || scene.run("declare", &[]).expect(0).stderr.lines().last().unwrap().to_owned();
    assert_eq!(sum(), format!("{all} created, 0 already there{bound}"), "{file}");
    let nothing = format!("0 created, {all} already there{bound}: nothing changed");
    assert_eq!(sum(), nothing, "{file}");
    assert_eq!(scene.run("inspect", &["--check"]).expect(0).stdout, "");
}

#[test]
fn each_topology_declares_twice() {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies")).unwrap();
    let files: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert!(files.len() >= 7, "{files:?}");
    std::thread::scope(|threads| {
        for file in &files {
            threads.spawn(|| declares_twice(here!(), file));
        }
    });
}

const SMALL: &str = "
    exchanges: { T.in: direct }
    queues: { T.q: { max_length: 5 } }
    bindings: [ { source: T.in, queue: T.q, routing_key: k } ]";

#[test]
fn every_object_is_reported() {
    let scene = scene!(SMALL);
    let rows = |outcome| {
        serde_json::json!([
            { "object": "exchange", "name": "in", "outcome": outcome },
            { "object": "queue", "name": "q", "outcome": outcome },
            { "object": "binding", "name": "in → q, routing_key=\"k\"", "outcome": "bound" },
        ])
    };
    assert_eq!(scene.run("declare", &["-o", "json"]).expect(0).json(), rows("created"));
    assert_eq!(scene.run("declare", &["-o", "json"]).expect(0).json(), rows("already there"));
    let quiet = scene.run("declare", &["--quiet"]).expect(0);
    assert_eq!(quiet.stderr, "");
    let cells: Vec<Vec<_>> = quiet.stdout.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(cells[2], ["exchange", "in", "already", "there"]);
    assert_eq!(cells[3], ["queue", "q", "already", "there"]);
    assert_eq!(cells[4], ["binding", "in", "→", "q,", "routing_key=\"k\"", "bound"]);
}

#[test]
fn a_topology_from_stdin() {
    let scene = scene!(SMALL);
    let mut command = crate::support::command::delayctl(&["declare", "-"]);
    command.env("RABBITMQ_MANAGEMENT_URL", "none");
    command.env("AMQP_URL", &scene.broker.uri).pipe_stdin(&scene.path).unwrap();
    crate::support::command::run(&mut command).expect(0).says("2 created");
    scene.run("declare", &[]).expect(0).says("2 already there");
}

#[test]
fn conflicts_name_argument_wanted_and_found_and_stop_nothing() {
    let mut scene = scene!(
        "
        exchanges: { T.kind: topic }
        queues:
          T.ttl: { message_ttl: 10s }
          T.more: { type: classic, max_length: 3 }
          T.type: { type: classic }
          T.same: {}"
    )
    .declared();
    scene.rewrite(
        "
        exchanges: { T.kind: direct }
        queues:
          T.ttl: { message_ttl: 5s }
          T.more: { type: classic }
          T.type: { type: quorum }
          T.same: {}
          T.new: {}
        bindings: [ { source: T.kind, queue: T.new, routing_key: k } ]",
    );
    let json = scene.run("declare", &["-o", "json"]).expect(1);
    let rows = json.json();
    let row = |name: &str| {
        let rows = rows.as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        (row["outcome"].as_str().unwrap(), row["detail"].as_str().unwrap_or_default())
    };
    let (outcome, detail) = row("kind");
    assert_eq!(outcome, "CONFLICT");
    assert!(
        detail.starts_with("type: wanted direct") && detail.contains("found topic"),
        "{detail}"
    );
    let (outcome, detail) = row("ttl");
    assert_eq!(outcome, "CONFLICT");
    assert!(detail.starts_with("x-message-ttl: wanted 5000"), "{detail}");
    assert!(detail.contains("found 10000"), "{detail}");
    let (outcome, detail) = row("more");
    assert_eq!(outcome, "CONFLICT");
    assert!(detail.starts_with("x-max-length: wanted none, found 3"), "{detail}");
    let (outcome, detail) = row("type");
    assert_eq!(outcome, "CONFLICT");
    assert!(detail.starts_with("x-queue-type: wanted \"quorum\""), "{detail}");
    assert!(detail.contains("found ") && detail.contains("classic"), "{detail}");
    assert_eq!(row("same").0, "already there");
    assert_eq!(row("new").0, "created");
    let (outcome, detail) = row("kind → new, routing_key=\"k\"");
    assert_eq!(outcome, "LEFT OUT");
    assert!(
        detail.starts_with("its exchange `") && detail.ends_with(" not as in the file"),
        "{detail}"
    );

    // For people the same, and the conflicting queue still works as it was.
    let table = scene.run("declare", &[]).expect(1);
    let line = table.stdout.lines().find(|line| line.starts_with("queue     ttl ")).unwrap();
    assert!(line.contains("CONFLICT") && line.contains("wanted 5000"), "{line}");
    table
        .says("4 in conflict, 1 left out")
        .says("error: 4 of the objects are there with other arguments")
        .says("hint: RabbitMQ never changes a queue or exchange");
}

#[test]
fn a_missing_plugin_is_named_with_its_mend() {
    let scene = scene!("
        queues: { T.done: {}, T.other: {} }
        delays:
          plugin: { target: { queue: T.done }, delayed_exchange: { exchange: T.x } }
          tiers: { target: { queue: T.other }, tiers: { exchange: T.d, queue: T.w, delays: [100ms] } }");
    if scene.broker.plugin {
        return skip(here!(), "this broker has the plugin");
    }
    let ended = scene.run("declare", &["-o", "json"]).expect(78);
    let rows = ended.json();
    let outcome = |name: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()["outcome"].clone()
    };
    assert_eq!(outcome("x"), "UNSUPPORTED");
    for name in ["done", "other", "d", "w"] {
        assert_eq!(outcome(name), "created", "{name}");
    }
    let ended = ended.says("error: the broker has no exchange type `x-delayed-message`: `");
    if scene.broker.since(4, 3) {
        ended
            .says("unknown exchange type 'x-delayed-message'")
            .says("hint: no RabbitMQ from 4.3 on can run the plugin, and this is 4.");
    } else {
        ended.says("hint: `rabbitmq-plugins enable rabbitmq_delayed_message_exchange`");
    }
    // What does without it works.
    scene.run("publish", &["tiers", "--delay", "100ms"]).expect(0);
    scene.run("consume", &["tiers", "-n", "1", "--timeout", "20s", "--max-early", "0"]).expect(0);
    // What does not is not sent into nowhere.
    scene.run("publish", &["plugin", "--delay", "100ms"]).expect(1).says("`x` is missing");
}

#[test]
fn a_missing_vhost_is_named() {
    let mut scene = scene!(SMALL);
    let ended = scene.run("declare", &["--vhost", "no-such-vhost"]).expect(77);
    ended
        .says("error: there is no vhost `no-such-vhost`: `NOT_ALLOWED - ")
        .says("hint: `declare --create-vhost` makes it");
    // The file's own goes before the URI's, and the flag before the file's.
    scene.rewrite(&format!("vhost: not-here\n{}", SMALL.replace("\n    ", "\n")));
    scene.run("declare", &[]).expect(77).says("there is no vhost `not-here`");
    for command in ["publish", "consume", "inspect", "hol-demo"] {
        let arguments: &[&str] = if command == "consume" { &["--queue", "q"] } else { &[] };
        let arguments = [arguments, &["--vhost", "no-such-vhost"]].concat();
        let ended = scene.run(command, &arguments);
        // This file offers no delay; that is found without a broker.
        let expected = if matches!(command, "publish" | "hol-demo") { 2 } else { 77 };
        ended.expect(expected);
    }
    scene.run("declare", &["--vhost", "/"]).expect(0).says("2 created");
}

#[test]
fn a_wrong_password_is_refused_and_not_shown() {
    let scene = scene!(SMALL);
    let mut uri = url::Url::parse(&scene.broker.uri).unwrap();
    uri.set_password(Some("hunter2-wrong")).unwrap();
    let uri = uri.as_str();
    for (command, arguments) in [
        ("declare", &[][..]),
        ("declare", &["--wait", "30s"]),
        ("consume", &["--queue", "q"]),
        ("inspect", &["--check"]),
    ] {
        let ended = scene.run(command, &[arguments, &["--uri", uri]].concat()).expect(77);
        ended
            .says("error: user `guest` is refused: `ACCESS_REFUSED - ")
            .says("hint: check the user and password")
            .keeps("hunter2");
    }
    let nobody = uri.replace("guest:", "no-such-user:");
    scene
        .run("inspect", &["--uri", &nobody])
        .expect(77)
        .says("user `no-such-user`")
        .keeps("hunter2");

    // The right one from a file goes before the URI's.
    let file = format!("{}.password", scene.path);
    let right = url::Url::parse(&scene.broker.uri).unwrap().password().unwrap().to_owned();
    std::fs::write(&file, right + "\n").unwrap();
    let ended = scene.run("declare", &["--uri", uri, "--password-file", &file]);
    std::fs::remove_file(&file).unwrap();
    ended.expect(0).keeps("hunter2");
}
