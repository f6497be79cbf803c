//! Exit codes: what each outcome tells the shell.

use std::fmt;

/// The codes that `delayctl` exits with. Those above 2 are the sysexits of BSD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Done, and as expected.
    Done = 0,
    /// The answer is no: drift, a conflict, an expectation not met, a message returned or refused.
    No = 1,
    /// The command line is wrong, or asks for something that the file cannot do.
    Usage = 2,
    /// What the topology file says is wrong.
    File = 65,
    /// The broker cannot be reached, or was lost.
    Unavailable = 69,
    /// Something could not be read or written: a missing file, a full disk.
    Io = 74,
    /// Access refused.
    Access = 77,
    /// The broker lacks what the file needs: a plugin, a version.
    Lacking = 78,
    /// Interrupted by Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// Every code with its meaning, for `--help`.
    pub const TABLE: &str = "\
Exit codes:
    0  done, and as expected
    1  the answer is no: drift, conflict, an expectation not met, a message returned or refused
    2  the command line is wrong, or asks for what the file cannot do
   65  the topology file is wrong
   69  the broker cannot be reached, or was lost
   74  something could not be read or written: a missing file, a full disk
   77  access refused
   78  the broker lacks what the file needs: a plugin, a version
  130  interrupted";

    /// The number that the process exits with.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Done when all is well, else No.
    pub fn yes(well: bool) -> Self {
        if well { Exit::Done } else { Exit::No }
    }
}

/// An error of the command itself, with the code it exits with and advice.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What went wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure without advice.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into(), hint: None }
    }

    /// The same failure with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
