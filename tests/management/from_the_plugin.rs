//! The migration that README.md tells, command by command, while messages wait and are published.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::stage::{Stage, here, skip, stage};
use crate::support::command::{self, Ended};
use crate::support::readme;
use crate::support::session::Session;

const EXAMPLE: &str = include_str!("../../topologies/delayed-exchange.yaml");

/// A folder with `old.yaml` in it, in which README.md's commands are run for a stage's vhost.
struct Guide<'a> {
    stage: &'a Stage,
    folder: PathBuf,
    commands: Vec<String>,
}

impl<'a> Guide<'a> {
    fn new(stage: &'a Stage) -> Self {
        let folder = format!("from-the-plugin-{}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("old.yaml"), EXAMPLE).unwrap();
        let section = readme::section("From the plugin to plain queues");
        let blocks = readme::blocks(&section, "sh").concat();
        let ours = |line: &&str| line.starts_with("delayctl ");
        let commands = blocks.lines().filter(ours).map(str::to_owned).collect();
        Guide { stage, folder, commands }
    }

    /// The one command of the guide that begins and ends like this, and more words after it.
    #[track_caller]
    fn command(&self, begin: &str, end: &str, more: &str) -> assert_cmd::Command {
        let fits = |line: &&String| line.starts_with(begin) && line.ends_with(end);
        let found: Vec<_> = self.commands.iter().filter(fits).collect();
        assert!(!found.is_empty(), "no `{begin} … {end}` in {:#?}", self.commands);
        self.shell(&format!("{}{more}", found[0]))
    }

    /// A line for the shell, in the folder, with the binary under test first in the path.
    fn shell(&self, line: &str) -> assert_cmd::Command {
        let bare = command::delayctl(&[]);
        let binary = PathBuf::from(bare.get_program());
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", binary.parent().unwrap().display());
        let mut uri = url::Url::parse(&self.stage.uri).unwrap();
        uri.set_path(&self.stage.escaped());
        let folder = self.folder.display();
        let mut shell = assert_cmd::Command::new("sh");
        shell.args(["-c", &format!("cd '{folder}' && exec {line}")]).env("PATH", path);
        shell.env("AMQP_URL", uri.as_str()).env("RABBITMQ_MANAGEMENT_URL", &self.stage.api);
        shell.env_remove("NO_COLOR").env("COLUMNS", "100");
        shell
    }

    /// Runs a command of the guide.
    #[track_caller]
    fn run(&self, begin: &str, end: &str) -> Ended {
        command::run(&mut self.command(begin, end, "")).keeps(":guest@")
    }

    /// Runs a command that is no part of the guide.
    #[track_caller]
    fn own(&self, line: &str) -> Ended {
        command::run(&mut self.shell(line)).keeps(":guest@")
    }

    fn is_there(&self, kind: &str, name: &str) -> bool {
        self.stage.get(&self.stage.in_vhost(kind, name)).0 == 200
    }
}

impl Drop for Guide<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The first two steps: the new file is in place, and nothing of the old one has changed.
fn both_in_place(guide: &Guide<'_>) {
    guide.run("delayctl inspect old.yaml", "--strict").expect(0);
    let converted = guide.run("delayctl convert", "new.yaml").expect(0);
    converted.says("delay `order` takes any up to 2d, rounded up to 1s; before: any up to 49d");
    guide.run("delayctl lint", "warnings").expect(0);
    let plan = guide.run("delayctl declare new.yaml", "--dry-run").expect(0);
    for line in plan.stdout.lines().take_while(|line| !line.is_empty()) {
        let shared = line.starts_with("=  queue     order.timeout.q ");
        let plugins = line.starts_with("?  binding   delay.ex → order.timeout.q ");
        assert!(shared || plugins || line.starts_with("+  "), "{line}\n{plan}");
    }
    guide.run("delayctl declare new.yaml", "new.yaml").expect(0);
    guide.run("delayctl inspect new.yaml", "--check").expect(0);
    guide.own("delayctl inspect old.yaml --check").expect(0);
}

/// The publishers move while some still send to the plugin, in which messages wait already.
fn publishers_move(guide: &Guide<'_>) -> usize {
    guide.run("delayctl route new.yaml", "").expect(0).shows("order.ladder.level-");
    let publish = |line: &str| Session::start(&guide.shell(&format!("delayctl publish {line}")));
    let old = publish("old.yaml --delay 500ms,1500ms,4s --count 10 --rate 15/s");
    let new = publish("new.yaml --delay 0,300ms,1s,1700ms,4s --count 10 --rate 25/s");
    old.end().expect(0).shows("30 sent: 30 confirmed, 0 returned");
    new.end().expect(0).shows("50 sent: 50 confirmed, 0 returned");
    guide.own("delayctl publish old.yaml --delay 9s --count 2").expect(0);
    guide.own("delayctl publish new.yaml --delay 10s --count 2").expect(0);
    84
}

/// Each message once and none early.
#[track_caller]
fn all_arrived(ended: Ended, total: usize) -> f64 {
    let mut lines = ended.expect(0).json_lines();
    let summary = lines.pop().unwrap()["summary"].clone();
    let number = |field: &str| summary[field].as_u64().unwrap();
    assert_eq!((number("count"), number("early")), (total as u64, 0), "{summary}");
    assert_eq!(number("measured"), total as u64, "{summary}");
    let text = |line: &Value| line["message_id"].as_str().unwrap().to_owned();
    let ids: BTreeSet<_> = lines.iter().map(text).collect();
    assert_eq!(ids.len(), total, "each arrives once");
    let late = |line: &Value| line["lateness_ms"].as_f64().unwrap();
    let least = lines.iter().map(late).fold(f64::INFINITY, f64::min);
    assert!(least >= 0.0, "early by {least} ms");
    lines.iter().map(late).fold(0.0, f64::max)
}

fn has_plugin(stage: &Stage) -> bool {
    let (_, overview) = stage.get("/overview");
    let types = overview["exchange_types"].as_array().unwrap();
    types.iter().any(|it| it["name"] == "x-delayed-message")
}

/// A fanout that nobody has a file of: captured, converted, and both in place.
#[test]
fn a_fanout_reaches_the_same_queues_both_ways() {
    let stage = stage!("queues: {}");
    if !has_plugin(&stage) {
        return skip(here!(), "this broker lacks the plugin");
    }
    let inner = json!({ "x-delayed-type": "fanout" });
    let fanout = json!({ "type": "x-delayed-message", "durable": true, "arguments": inner });
    stage.put(&stage.in_vhost("exchanges", "later"), &fanout);
    for queue in ["mail", "stock"] {
        stage.queue(queue, json!({}));
        stage.bind("later", queue, "");
    }
    let old = stage.run_alone("capture", &[]).expect(0).stdout;
    stage.rewrite(&old);
    stage.run("publish", &["--delay", "2s"]).expect(0);
    let new = stage.run("convert", &["--to", "ladder", "--max", "1m"]).expect(0).stdout;
    stage.rewrite(&new);
    stage.run("declare", &[]).expect(0);
    stage.run("inspect", &["--check"]).expect(0);
    stage.run("publish", &["--delay", "2s", "-n", "2"]).expect(0);
    for queue in ["mail", "stock"] {
        let arguments = ["--queue", queue, "--expect-count", "3", "--max-early", "0"];
        stage.run("consume", &[&arguments[..], &["--idle", "4s"]].concat()).expect(0);
    }
}

#[test]
fn step_by_step() {
    let stage = stage!(EXAMPLE);
    if !has_plugin(&stage) {
        return skip(here!(), "this broker lacks the plugin");
    }
    let guide = Guide::new(&stage);
    guide.own("delayctl declare old.yaml").expect(0);
    guide.own("delayctl publish old.yaml --delay 2s,6s --count 5").expect(0);
    let total = 10 + 84;
    let expect = format!("-n {total} --expect-count {total} --max-early 0 --timeout 50s -o json");
    let consume = format!("delayctl consume old.yaml {expect}");
    let mut consumer = Session::start(&guide.shell(&consume));
    consumer.wait_for("consuming from");

    both_in_place(&guide);
    assert_eq!(publishers_move(&guide), 84);
    let early = guide.run("delayctl delete", "--dry-run").expect(1);
    early.shows(" delayed").says("messages wait in 1 exchanges, which were kept");
    let mut watching =
        Session::start(&guide.command("delayctl inspect old.yaml", "--watch", "=500ms -o json"));
    watching.wait_for(
        "\"name\":\"delay.ex\",\"present\":true,\"type\":\"x-delayed-message\",\"delayed\":0}",
    );
    drop(watching);
    let worst = all_arrived(consumer.end(), total);
    // A ladder's step is a second.
    assert!(worst < 3000.0, "late by {worst} ms");
    the_plugin_goes(&guide);
}

/// The last step, with messages in the plugin once more, and some that nobody has consumed in the
/// queue that must not go.
fn the_plugin_goes(guide: &Guide<'_>) {
    guide.own("delayctl publish old.yaml --delay 3s --count 2").expect(0);
    guide.own("delayctl publish new.yaml --delay 1s --count 3").expect(0);
    let removed = guide.run("delayctl delete", "--yes").expect(0);
    removed
        .says("waiting for messages to leave: exchange `delay.ex`: 2 delayed")
        .says("1 deleted, 1 spared\n");
    assert!(!guide.is_there("exchanges", "delay.ex"), "the plugin's exchange is gone");
    assert!(guide.is_there("queues", "order.timeout.q"));
    guide.run("delayctl inspect new.yaml", "--check").expect(0);
    let rest = guide.own("delayctl consume new.yaml -n 5 --timeout 20s --max-early 0 -o json");
    all_arrived(rest, 5);
    guide
        .own("delayctl delete old.yaml --keep new.yaml --yes")
        .expect(0)
        .says("1 spared, 1 not there");
}
