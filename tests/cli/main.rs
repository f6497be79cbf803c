//! The command line without a broker.

mod convert;
mod dry_run;
mod files;
mod help;
mod pipes;
mod secrets;
mod simulate;
mod stepped;
mod terminal;
mod unreachable;
mod usage;

#[path = "../support/mod.rs"]
mod support;

/// Runs the binary with these arguments.
fn run(arguments: &[&str]) -> support::command::Ended {
    support::command::run(&mut support::command::delayctl(arguments))
}

/// Runs the binary with these arguments and something on stdin.
fn run_with(stdin: &[u8], arguments: &[&str]) -> support::command::Ended {
    support::command::run(support::command::delayctl(arguments).write_stdin(stdin))
}

/// A port of this machine that nobody listens on.
fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
