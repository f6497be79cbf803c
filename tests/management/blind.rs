//! A management API that is off, slow, someone else's, or none at all: named, and AMQP carries on.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::stage::stage;

const FILE: &str =
    "exchanges: { in: direct }\nqueues: { q: {} }\nbindings: [ { source: in, queue: q } ]";

/// Something that answers every request with this, and is silent when there is nothing to say.
fn answering(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://u:hunter2@{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for socket in listener.incoming().flatten() {
            let mut socket = socket;
            if status.is_empty() {
                kept.push(socket);
                continue;
            }
            let _ = socket.read(&mut [0; 4096]);
            let length = body.len();
            let _ = write!(
                socket,
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    url
}

#[test]
fn amqp_carries_on() {
    let stage = stage!(FILE);
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (url, words) in [
        (format!("http://{dead}"), "cannot be reached: nobody listens there"),
        (answering("", ""), "sent nothing for 1s"),
        (
            answering("401 Unauthorized", r#"{"error":"not_authorized","reason":"Login failed"}"#),
            "refuses the login of user `u`: `Login failed`",
        ),
        (
            answering("404 Not Found", "nginx"),
            "answers, but not as a management API does: HTTP status 404",
        ),
        (
            answering("200 OK", "<html>"),
            "answers, but not as a management API does: its answer is not JSON",
        ),
        (answering("200 OK", "{}"), "its answer has no RabbitMQ version"),
        (
            answering(
                "200 OK",
                r#"{"rabbitmq_version":"1.2.3","cluster_name":"elsewhere\u001b[2J"}"#,
            ),
            "belongs to another broker: `elsewhere\\x1b[2J` (1.2.3), not `",
        ),
        (
            answering(
                "500 Internal Server Error",
                r#"{"error":"oops","reason":"it\u001b[2J broke"}"#,
            ),
            "the management API refuses the overview: `it\\x1b[2J broke`",
        ),
    ] {
        let arguments = ["--management-url", &url, "--connect-timeout", "1s"];
        let warning = "warning: saw names only, not arguments or bindings: ";
        let ended = stage.run("declare", &arguments).expect(0).keeps("hunter2");
        ended.says(warning).says(words).says("1 bound (AMQP does not tell new from old)");
        let ended = stage.run("inspect", &arguments).expect(0).keeps("hunter2");
        assert_eq!(ended.stderr.matches("warning").count(), 1, "{ended}");
        ended.says(words).shows("yes");
    }
}

#[test]
fn a_guess_that_is_silent_is_no_warning() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    // An empty variable is as good as none; here nobody listens at the usual port, or another broker.
    let mut uri = url::Url::parse(&stage.uri).unwrap();
    if url::Url::parse(&stage.api).unwrap().port() == Some(15672) {
        uri.set_host(Some("127.0.0.2")).unwrap();
    }
    let arguments = ["--uri", uri.as_str(), "--management-url", ""];
    let ended = stage.run("inspect", &[&arguments[..], &["--check"]].concat());
    if ended.code == Some(69) {
        return crate::stage::skip("a_guess_that_is_silent", "the broker is at the usual ports");
    }
    let ended = ended.expect(0).says("saw names only, not arguments or bindings: ");
    assert!(!ended.stderr.contains("warning"), "{ended}");
}

#[test]
fn policies_need_it() {
    let stage =
        stage!("queues: { q: {} }\npolicies: { p: { pattern: q, definition: { max-length: 3 } } }");
    let ended = stage.run("declare", &["--management-url", "none"]).expect(69);
    ended.says("1 created, 0 already there, 1 failed").says("the management API is turned off");
    assert_eq!(stage.get(&stage.in_vhost("queues", "q")).0, 200);
}

#[test]
fn a_url_that_is_none_is_a_usage_error() {
    let stage = stage!(FILE);
    let arguments = ["--management-url", "amqp://u:hunter2@h"];
    let ended = stage.run("inspect", &arguments).expect(2).keeps("hunter2");
    ended.says("the management API's URL is wrong: its scheme is `amqp`, not `http` or `https`");
}
