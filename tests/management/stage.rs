//! A vhost of a test's own, and its file.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use delayctl::broker::{ManagementAddress, Settings};
use serde_json::{Value as Json, json};

use crate::support::command::{Ended, delayctl, run};
use crate::support::session::Session;
pub use crate::support::skip::skip;

/// Statistics are reported every five seconds; no test waits longer than this for them.
const PATIENCE: Duration = Duration::from_secs(20);

/// The name of the test that stands here.
macro_rules! here {
    () => {{
        fn here() {}
        let name = std::any::type_name_of_val(&here);
        name.trim_end_matches("::here").rsplit("::").next().unwrap()
    }};
}
pub(crate) use here;

/// A stage with this file, or a return from the test.
macro_rules! stage {
    ($text:expr) => {
        match $crate::stage::Stage::new($crate::stage::here!(), $text) {
            Some(stage) => stage,
            None => return,
        }
    };
}
pub(crate) use stage;

/// A vhost and a file; both are removed at the end.
pub struct Stage {
    pub uri: String,
    pub api: String,
    pub vhost: String,
    path: PathBuf,
    http: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

impl Stage {
    /// A vhost that exists, and a file of this text.
    pub fn new(test: &str, text: &str) -> Option<Self> {
        let stage = Self::bare(test, text)?;
        stage.put(&format!("/vhosts/{}", stage.escaped()), &json!({}));
        Some(stage)
    }

    /// The same without the vhost. Its name has all that a URL does not like.
    pub fn bare(test: &str, text: &str) -> Option<Self> {
        let variables = ["AMQP_URL", "RABBITMQ_MANAGEMENT_URL"];
        let found = variables.map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
        let [Some(uri), Some(api)] = found else {
            skip(test, "AMQP_URL and RABBITMQ_MANAGEMENT_URL are not both set");
            return None;
        };
        if api == "none" {
            skip(test, "RABBITMQ_MANAGEMENT_URL is `none`");
            return None;
        }
        let vhost = format!("delayctl/tést {} {test}", std::process::id());
        let name = format!("delayctl-{}-{test}.yaml", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        // Brokers hang up on connections that are idle for some seconds.
        let http = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Some(Stage { uri, api, vhost, path, http, runtime })
    }

    pub fn rewrite(&self, text: &str) {
        std::fs::write(&self.path, text).unwrap();
    }

    pub fn escaped(&self) -> String {
        let part = percent_encoding::NON_ALPHANUMERIC;
        percent_encoding::utf8_percent_encode(&self.vhost, part).to_string()
    }

    /// How the library reaches this vhost.
    pub fn settings(&self) -> Settings {
        Settings {
            vhost: Some(self.vhost.clone()),
            management: ManagementAddress::At(self.api.clone()),
            ..Settings::of_uri(&self.uri)
        }
    }

    fn command(&self, command: &str, arguments: &[&str]) -> assert_cmd::Command {
        let path = self.path.to_str().unwrap();
        let mut made = delayctl(&[command, path, "--vhost", &self.vhost]);
        made.args(arguments).env("AMQP_URL", &self.uri).env("RABBITMQ_MANAGEMENT_URL", &self.api);
        made
    }

    /// Runs a command on the file; no password is shown, whatever happens.
    #[track_caller]
    pub fn run(&self, command: &str, arguments: &[&str]) -> Ended {
        run(&mut self.command(command, arguments)).keeps(":guest@")
    }

    /// Runs a command that takes no file.
    #[track_caller]
    pub fn run_alone(&self, command: &str, arguments: &[&str]) -> Ended {
        let mut made = delayctl(&[command, "--vhost", &self.vhost]);
        made.args(arguments).env("AMQP_URL", &self.uri).env("RABBITMQ_MANAGEMENT_URL", &self.api);
        run(&mut made).keeps(":guest@")
    }

    /// Where the file is.
    pub fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    pub fn start(&self, command: &str, arguments: &[&str]) -> Session {
        Session::start(&self.command(command, arguments))
    }

    /// Runs it until it ends as wanted: statistics are some seconds old.
    #[track_caller]
    pub fn run_until(
        &self,
        command: &str,
        arguments: &[&str],
        good: impl Fn(&Ended) -> bool,
    ) -> Ended {
        let end = Instant::now() + PATIENCE;
        loop {
            let ended = self.run(command, arguments);
            if good(&ended) {
                return ended;
            }
            assert!(Instant::now() < end, "still not as wanted:\n{ended}");
            std::thread::sleep(Duration::from_millis(300));
        }
    }

    #[track_caller]
    fn request(&self, method: reqwest::Method, path: &str, body: Option<&Json>) -> (u16, Json) {
        let url = url::Url::parse(&self.api).unwrap();
        let origin = url.origin().ascii_serialization();
        let mut request = self.http.request(method, format!("{origin}/api{path}"));
        request = request.basic_auth(url.username(), url.password());
        if let Some(body) = body {
            request = request.json(body);
        }
        self.runtime.block_on(async {
            let response = request.send().await.unwrap();
            let status = response.status().as_u16();
            (status, response.json().await.unwrap_or_default())
        })
    }

    #[track_caller]
    pub fn put(&self, path: &str, body: &Json) {
        let (status, answer) = self.request(reqwest::Method::PUT, path, Some(body));
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: &Json) {
        let (status, answer) = self.request(reqwest::Method::POST, path, Some(body));
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
    }

    pub fn get(&self, path: &str) -> (u16, Json) {
        self.request(reqwest::Method::GET, path, None)
    }

    pub fn drop_it(&self, path: &str) {
        self.request(reqwest::Method::DELETE, path, None);
    }

    /// A path below this vhost: `in_vhost("queues", "q")`.
    pub fn in_vhost(&self, kind: &str, rest: &str) -> String {
        format!("/{kind}/{}/{rest}", self.escaped())
    }

    #[track_caller]
    pub fn queue(&self, name: &str, arguments: Json) {
        let body = json!({ "durable": true, "arguments": arguments });
        self.put(&self.in_vhost("queues", name), &body);
    }

    #[track_caller]
    pub fn bind(&self, exchange: &str, queue: &str, key: &str) {
        let path = self.in_vhost("bindings", &format!("e/{exchange}/q/{queue}"));
        let body = json!({ "routing_key": key, "arguments": {} });
        let (status, answer) = self.request(reqwest::Method::POST, &path, Some(&body));
        assert_eq!(status, 201, "{answer}");
    }

    #[track_caller]
    pub fn send(&self, queue: &str) {
        let path = self.in_vhost("exchanges", "amq.default/publish");
        let body = json!({ "properties": { "delivery_mode": 2 }, "routing_key": queue,
            "payload": "x", "payload_encoding": "string" });
        let (status, answer) = self.request(reqwest::Method::POST, &path, Some(&body));
        assert_eq!((status, &answer["routed"]), (200, &json!(true)), "{answer}");
    }

    /// Waits for something to be so.
    #[track_caller]
    pub fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Waits for a policy to be in force: brokers apply it to queues that are there some time after
    /// they take it.
    #[track_caller]
    pub fn policy_is_on(&self, queue: &str, policy: &str) {
        let list = format!("/queues/{}?disable_stats=true", self.escaped());
        self.wait_until("the policy is in force", || {
            let (_, rows) = self.get(&list);
            let rows = rows.as_array().cloned().unwrap_or_default();
            rows.iter().any(|row| row["name"] == queue && row["policy"] == policy)
        });
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let path = format!("/vhosts/{}", self.escaped());
        self.request(reqwest::Method::DELETE, &path, None);
        let _ = std::fs::remove_file(&self.path);
    }
}
