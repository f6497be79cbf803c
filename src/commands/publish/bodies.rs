//! The bodies of the messages to publish: one for all, or one a line.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::cli::Publish;
use crate::commands::load;
use crate::exit::{Exit, Failure};

/// A stream of bodies. `None` as a body: the message describes itself.
pub enum Bodies {
    /// The same body so many times more.
    Same(Option<Arc<[u8]>>, u64),
    /// Lines as they are read.
    Lines(mpsc::Receiver<Result<Vec<u8>, Failure>>),
}

/// Lines are read so far ahead.
const AHEAD: usize = 256;

impl Bodies {
    /// Reads what the command line names.
    ///
    /// # Errors
    /// [`Failure`] when a file cannot be read, or stdin is wanted twice.
    pub fn open(args: &Publish) -> Result<Self, Failure> {
        let stdin = PathBuf::from("-");
        let source = args.body_file.as_ref().or(args.lines.then_some(&stdin));
        if load::is_stdin(&args.file) && source.is_some_and(|path| load::is_stdin(path)) {
            let message = "the topology and the bodies cannot both come from stdin";
            return Err(Failure::new(Exit::Usage, message));
        }
        if let (Some(path), true) = (source, args.lines) {
            return lines(path);
        }
        let body = match source {
            Some(path) => {
                let read = load::read(path).map_err(|error| load::cannot_read(path, &error))?;
                Some(Arc::from(read))
            }
            None => args.body.as_deref().map(|text| Arc::from(text.as_bytes())),
        };
        Ok(Bodies::Same(body, args.count))
    }

    /// How many bodies there are, where that is known beforehand.
    pub fn len(&self) -> Option<u64> {
        match self {
            Bodies::Same(_, count) => Some(*count),
            Bodies::Lines(_) => None,
        }
    }

    /// The next body.
    pub async fn next(&mut self) -> Option<Result<Option<Arc<[u8]>>, Failure>> {
        match self {
            Bodies::Same(_, 0) => None,
            Bodies::Same(body, left) => {
                *left -= 1;
                Some(Ok(body.clone()))
            }
            Bodies::Lines(lines) => {
                let line = lines.recv().await?;
                Some(line.map(|line| Some(Arc::from(line))))
            }
        }
    }
}

/// Reads lines on a thread of its own: reading stdin cannot be interrupted.
fn lines(path: &Path) -> Result<Bodies, Failure> {
    let path = path.to_owned();
    let source: Box<dyn Read + Send> = if load::is_stdin(&path) {
        Box::new(io::stdin())
    } else {
        let file = std::fs::File::open(&path);
        Box::new(file.map_err(|error| load::cannot_read(&path, &error))?)
    };
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        for line in BufReader::new(source).split(b'\n') {
            let line = line.map(|mut line| {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                line
            });
            let line = line.map_err(|error| load::cannot_read(&path, &error));
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    Ok(Bodies::Lines(receiver))
}
