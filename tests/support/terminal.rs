//! A run on a terminal, which util-linux's `script` makes.

use std::process::{Command, Stdio};

/// How the terminal is.
pub struct Terminal {
    /// Its width.
    pub columns: usize,
}

/// What a command shows on a terminal, stdout and stderr as one; `None` where there is no
/// `script`.
pub fn on_terminal(command: &Command, terminal: Terminal) -> Option<String> {
    let version = Command::new("script").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
        return None;
    }
    let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().unwrap());
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(quoted).collect();
    let line = format!("stty cols {} rows 40; exec {}", terminal.columns, words.join(" "));
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &line, "/dev/null"]).stdin(Stdio::null());
    script.env("TERM", "xterm").env_remove("NO_COLOR");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let output = script.output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap())
}
