//! A broker that cannot be reached: exit code 69, in time, with the address and a hint.

use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::{closed_port, run};

const FILE: &str = "topologies/simple-dlx.yaml";

#[test]
fn nobody_listens_whatever_the_command() {
    let port = closed_port();
    let uri = format!("amqp://app:hunter2@127.0.0.1:{port}/shop");
    for arguments in [
        &["declare", FILE][..],
        &["publish", FILE, "--delay", "1s"],
        &["consume", FILE],
        &["inspect", FILE],
        &["inspect", FILE, "--check"],
        &["hol-demo"],
        &["hol-demo", FILE],
        &["stepped-demo"],
    ] {
        let ended = run(&[arguments, &["--uri", &uri]].concat()).expect(69);
        assert_eq!(
            ended.stderr,
            format!(
                "error: cannot reach the broker at `amqp://app@127.0.0.1:{port}/shop`: \
                 nobody listens there\n hint: is RabbitMQ running, and is the port right\n"
            )
        );
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn a_port_that_says_nothing_is_given_up_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("amqp://{}", listener.local_addr().unwrap());
    let start = Instant::now();
    run(&["inspect", FILE, "--uri", &uri, "--connect-timeout", "300ms"])
        .expect(69)
        .says("no answer within 300ms");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_port_that_speaks_something_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("amqp://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let _ = socket.and_then(|mut socket| socket.write_all(b"SSH-2.0-x\x1b[2J\r\n"));
        }
    });
    run(&["inspect", FILE, "--uri", &uri])
        .expect(69)
        .says(r"it answers `SSH-2.0-x\u{1b}[2J`, which is not AMQP 0-9-1")
        .says("hint: AMQP is at port 5672, with TLS at 5671");
}

#[test]
fn waiting_for_a_broker_ends() {
    let uri = format!("amqp://127.0.0.1:{}", closed_port());
    let start = Instant::now();
    run(&["declare", FILE, "--uri", &uri, "--wait", "1s"])
        .expect(69)
        .says("nobody listens there")
        .says("hint: ");
    let waited = start.elapsed().as_millis();
    assert!((500..10_000).contains(&waited), "{waited} ms");
}
