//! A topology on the broker under test, under names of its own, and gone when the test ends.

#![allow(dead_code, unused_imports, unused_macros, reason = "each test binary uses its part")]

use std::future::Future;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use delayctl::broker::{Broker, Outcome, Removal, Settings};
use delayctl::objects::{DELAYED_MESSAGE_TYPE, Exchange, Objects, argument};
use delayctl::plan::{self, Observed};
use delayctl::topology;
use serde_yaml::Value;

use crate::support::command::{self, Ended};
use crate::support::session::Session;
pub use crate::support::skip::skip;

/// A test's own topology; or a return from the test, when there is no broker.
///
/// In the text `T.` begins every name, and becomes a prefix that no other test has.
macro_rules! scene {
    ($yaml:expr) => {
        match $crate::scene::Scene::of_text($crate::scene::here!(), &$yaml) {
            Some(scene) => scene,
            None => return,
        }
    };
}

/// A return from the test, when the broker lacks the plugin.
macro_rules! needs_plugin {
    ($scene:expr) => {
        if !$scene.broker.plugin {
            return $crate::scene::skip($crate::scene::here!(), "this broker lacks the plugin");
        }
    };
}

/// The path of the function that this stands in.
macro_rules! here {
    () => {{
        fn inside() {}
        let name = std::any::type_name_of_val(&inside);
        name.trim_end_matches("::inside").trim_end_matches("::{{closure}}")
    }};
}

pub(crate) use {here, needs_plugin, scene};

/// Runs something of the library to its end.
pub fn block<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime is made").block_on(work)
}

/// What the tests must know of the broker.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Where it is.
    pub uri: String,
    /// Its version, as it says it.
    pub version: String,
    /// Whether it has the delayed-message plugin.
    pub plugin: bool,
}

impl Facts {
    /// Asked for once; `None`: no broker is named.
    pub fn of_environment() -> Option<&'static Facts> {
        static FACTS: OnceLock<Option<Facts>> = OnceLock::new();
        let ask = || {
            let uri = std::env::var("AMQP_URL").ok()?;
            Some(block(Facts::ask(uri)))
        };
        FACTS.get_or_init(ask).as_ref()
    }

    async fn ask(uri: String) -> Facts {
        let connected = Broker::connect(&Settings::of_uri(&uri)).await;
        let mut broker = connected.expect("the broker in AMQP_URL answers");
        let kind = Exchange::durable(DELAYED_MESSAGE_TYPE).with(argument::DELAYED_TYPE, "direct");
        let mut probe = Objects::default();
        probe.add_exchange(&prefix(), kind).unwrap();
        let report = broker.apply(&plan::plan(&probe, &Observed::default()), |_, _| {}).await;
        let plugin = match &report.steps[0].1 {
            Outcome::Created => true,
            Outcome::Unsupported(_) => false,
            other => panic!("{other:?}"),
        };
        broker.remove(&probe, Removal::default()).await;
        let version = broker.version().to_owned();
        broker.close().await;
        Facts { uri, version, plugin }
    }

    /// Whether it is at least this version.
    pub fn since(&self, major: u32, minor: u32) -> bool {
        let mut numbers = self.version.split('.').map(|number| number.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (major, minor)
    }
}

/// What no other test, and no other run, has its names begin with.
pub fn prefix() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Of one length, so that it can be taken out of a table.
    format!("dt{:06x}{:06x}{count:03x}.", now.as_millis() & 0xff_ffff, std::process::id())
}

/// A topology file on disk with names of its own; its objects are gone when it is dropped.
pub struct Scene {
    /// The broker.
    pub broker: &'static Facts,
    /// What all names begin with.
    pub prefix: String,
    /// The file.
    pub path: String,
    objects: Objects,
}

impl Scene {
    /// A topology whose names begin with `T.`.
    pub fn of_text(test: &str, yaml: &str) -> Option<Self> {
        Self::make(test, |prefix| yaml.replace("T.", prefix))
    }

    /// A file of `topologies/`, with some of its words replaced, under other names.
    pub fn of_file(test: &str, name: &str, replace: &[(&str, &str)]) -> Option<Self> {
        let path = format!("{}/topologies/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut text = std::fs::read_to_string(path).unwrap();
        for (from, to) in replace {
            assert!(text.contains(from), "`{from}` is not in {name}");
            text = text.replace(from, to);
        }
        Self::make(test, |prefix| under(prefix, &text))
    }

    fn make(test: &str, text: impl Fn(&str) -> String) -> Option<Self> {
        let Some(broker) = Facts::of_environment() else {
            skip(test, "AMQP_URL is not set");
            return None;
        };
        let prefix = prefix();
        let text = text(&prefix);
        let objects = topology::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let path = format!("{}/{prefix}yaml", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&path, text).unwrap();
        Some(Scene { broker, prefix, path, objects: objects.objects })
    }

    /// The name of one of its objects.
    pub fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Everything that it declares.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Writes another topology into the file; what only this one declares is removed as well.
    pub fn rewrite(&mut self, yaml: &str) {
        let text = yaml.replace("T.", &self.prefix);
        std::fs::write(&self.path, &text).unwrap();
        let earlier = std::mem::replace(&mut self.objects, topology::parse(&text).unwrap().objects);
        self.objects.merge(earlier);
    }

    /// `delayctl <command> <file> <arguments>` for this broker.
    pub fn command(&self, command: &str, arguments: &[&str]) -> assert_cmd::Command {
        let mut all = command::delayctl(&[command, &self.path]);
        // The management API may be anywhere else, or nowhere.
        all.args(arguments).env("AMQP_URL", &self.broker.uri);
        // What the management API adds has tests of its own.
        all.env("RABBITMQ_MANAGEMENT_URL", "none");
        all
    }

    /// Runs it to its end. The password is in none of its output.
    #[track_caller]
    pub fn run(&self, command: &str, arguments: &[&str]) -> Ended {
        self.check(command::run(&mut self.command(command, arguments)))
    }

    /// Starts it.
    pub fn start(&self, command: &str, arguments: &[&str]) -> Session {
        Session::start(&self.command(command, arguments))
    }

    /// Panics when the password is in the output, which is then given without the prefix.
    #[track_caller]
    pub fn check(&self, ended: Ended) -> Ended {
        let ended = ended.keeps(":guest@");
        let plain = |text: String| text.replace(&self.prefix, "");
        Ended { code: ended.code, stdout: plain(ended.stdout), stderr: plain(ended.stderr) }
    }

    /// The file is declared, and the declaration goes well.
    #[track_caller]
    pub fn declared(self) -> Self {
        self.run("declare", &[]).expect(0);
        self
    }

    /// Something done with the library, on a connection of its own.
    pub fn with_broker<T>(&self, work: impl AsyncFnOnce(&mut Broker) -> T) -> T {
        block(async {
            let mut broker = Broker::connect(&Settings::of_uri(&self.broker.uri)).await.unwrap();
            let result = work(&mut broker).await;
            broker.close().await;
            result
        })
    }

    /// How many messages a queue has ready.
    pub fn ready(&self, queue: &str) -> u64 {
        let name = self.name(queue);
        self.with_broker(async |broker| broker.queue_depth(&name).await.unwrap().ready.unwrap())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        let removed =
            self.with_broker(async |broker| broker.remove(&self.objects, Removal::default()).await);
        if !removed.is_good() {
            let prefix = &self.prefix;
            let _ = writeln!(std::io::stderr(), "objects `{prefix}…` are left over: {removed:?}");
        }
    }
}

/// A topology file with this before every name.
fn under(prefix: &str, text: &str) -> String {
    let mut file: Value = serde_yaml::from_str(text).unwrap();
    rename(&mut file, prefix);
    serde_yaml::to_string(&file).unwrap()
}

/// Fields that hold the name of an exchange or a queue, or what a name begins with.
const NAMES: [&str; 7] =
    ["exchange", "queue", "source", "alternate", "prefix", "from", "due_queue"];

fn rename(value: &mut Value, prefix: &str) {
    match value {
        Value::Sequence(items) => items.iter_mut().for_each(|item| rename(item, prefix)),
        Value::Mapping(map) => {
            for (key, value) in map.iter_mut() {
                let key = key.as_str().unwrap_or_default();
                match value {
                    Value::String(name) if NAMES.contains(&key) => {
                        if !name.is_empty() && !name.starts_with("amq.") {
                            name.insert_str(0, prefix);
                        }
                    }
                    Value::Mapping(map) if key == "exchanges" || key == "queues" => {
                        let entries = std::mem::take(map).into_iter();
                        map.extend(entries.map(|(name, mut value)| {
                            rename(&mut value, prefix);
                            (format!("{prefix}{}", name.as_str().unwrap()).into(), value)
                        }));
                    }
                    _ => rename(value, prefix),
                }
            }
        }
        _ => {}
    }
}
