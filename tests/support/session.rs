//! A run that is watched while it goes on, and interrupted.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::command::Ended;

/// No single step of a run takes this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A line, and which stream it came from.
enum Line {
    Out(String),
    Err(String),
}

/// A running command.
pub struct Session {
    child: Child,
    lines: Receiver<Line>,
    stdout: String,
    stderr: String,
}

impl Session {
    /// Starts a command and listens to what it says.
    pub fn start(command: &assert_cmd::Command) -> Self {
        Self::start_with(command, Stdio::null())
    }

    /// The same with something on stdin.
    pub fn start_with(command: &assert_cmd::Command, stdin: Stdio) -> Self {
        let mut own = Command::new(command.get_program());
        own.args(command.get_args()).stdin(stdin);
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => own.env(name, value),
                None => own.env_remove(name),
            };
        }
        let mut child = own.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        listen(child.stdout.take().unwrap(), sender.clone(), Line::Out);
        listen(child.stderr.take().unwrap(), sender, Line::Err);
        Session { child, lines, stdout: String::new(), stderr: String::new() }
    }

    /// Waits for a line of either stream with these words in it.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.next_line(end) {
                Ok(line) if line.contains(words) => return,
                Ok(_) => {}
                Err(why) => {
                    let _ = self.child.kill();
                    panic!("{why:?} before `{words}`:\n{}\n{}", self.stdout, self.stderr)
                }
            }
        }
    }

    fn next_line(&mut self, end: Instant) -> Result<String, RecvTimeoutError> {
        let line = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))?;
        let (Line::Out(text) | Line::Err(text)) = &line;
        let text = text.clone();
        let all = if matches!(line, Line::Out(_)) { &mut self.stdout } else { &mut self.stderr };
        all.push_str(&text);
        all.push('\n');
        Ok(text)
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Presses Ctrl-C.
    pub fn interrupt(&self) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Presses Ctrl-C again and again: one that follows too soon on another is the same to the
    /// process.
    pub fn interrupt_until_it_ends(&mut self) {
        let end = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "it goes on and on");
            self.interrupt();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for the end.
    #[track_caller]
    pub fn end(mut self) -> Ended {
        let end = Instant::now() + PATIENCE;
        let why = loop {
            if let Err(why) = self.next_line(end) {
                break why;
            }
        };
        let in_time = matches!(why, RecvTimeoutError::Disconnected);
        if !in_time {
            let _ = self.child.kill();
        }
        // Both streams are closed, so the process is ending.
        let status = self.child.wait().unwrap();
        let (stdout, stderr) = (std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr));
        let ended = Ended { code: status.code(), stdout, stderr };
        assert!(in_time, "it goes on and on:\n{ended}");
        ended
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(stream: impl Read + Send + 'static, to: Sender<Line>, wrap: fn(String) -> Line) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let sent = line.map(|line| to.send(wrap(line)));
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
    });
}
