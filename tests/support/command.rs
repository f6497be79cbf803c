//! The binary, run to its end.

use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;

/// No command of the tests takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What would make the output depend on the machine.
const UNWANTED: [&str; 6] =
    ["AMQP_URL", "RABBITMQ_MANAGEMENT_URL", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_LOG"];

/// The binary with these arguments, in an environment that is the same everywhere.
pub fn delayctl(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    for name in UNWANTED {
        command.env_remove(name);
    }
    command.env("COLUMNS", "100").args(arguments).timeout(PATIENCE);
    command
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; `None`: a signal ended it.
    pub code: Option<i32>,
    /// What it said.
    pub stdout: String,
    /// What it said besides.
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        Ended {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ended {
    command.output().expect("delayctl runs").into()
}

impl Ended {
    /// Panics with everything that was said, unless it ended with this code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n{self}");
        self
    }

    /// Panics unless stderr has this in it.
    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "`{words}` is not in stderr:\n{self}");
        self
    }

    /// Panics unless stdout has this in it.
    #[track_caller]
    pub fn shows(self, words: &str) -> Self {
        assert!(self.stdout.contains(words), "`{words}` is not in stdout:\n{self}");
        self
    }

    /// Panics when the secret stands anywhere.
    #[track_caller]
    pub fn keeps(self, secret: &str) -> Self {
        let told = self.stdout.contains(secret) || self.stderr.contains(secret);
        assert!(!told, "`{secret}` is told:\n{self}");
        self
    }

    /// Stdout as one JSON document.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}:\n{self}"))
    }

    /// Stdout as one JSON object a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        let parsed: Result<_, _> = self.stdout.lines().map(serde_json::from_str).collect();
        parsed.unwrap_or_else(|error| panic!("{error}:\n{self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ended { code, stdout, stderr } = self;
        write!(f, "exit code {code:?}\n-- stdout\n{stdout}-- stderr\n{stderr}--")
    }
}
