//! Files: the topology, the password.

use std::fmt;
use std::io::Read;
use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::topology::{self, Topology};

/// A topology file whose content cannot be used. Each line names the file.
#[derive(Debug)]
pub struct FileError {
    name: String,
    reason: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> =
            self.reason.lines().map(|line| format!("{}: {line}", self.name)).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for FileError {}

/// Reads a topology file; `-` is stdin.
///
/// # Errors
/// As [`text_and_topology`].
pub fn topology(path: &Path) -> anyhow::Result<Topology> {
    Ok(text_and_topology(path)?.1)
}

/// The same, with the text that it was read from.
///
/// # Errors
/// [`Failure`] when it cannot be read, else [`FileError`] with everything that is wrong.
pub fn text_and_topology(path: &Path) -> anyhow::Result<(String, Topology)> {
    let name = if is_stdin(path) { "stdin".to_owned() } else { path.display().to_string() };
    let fail = |reason: String| FileError { name: name.clone(), reason };
    let bytes = read(path).map_err(|error| cannot_read(path, &error))?;
    let text = String::from_utf8(bytes).map_err(|error| fail(format!("not UTF-8: {error}")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let topology = topology::parse(text);
    let topology = topology.map_err(|error: topology::Error| fail(error.to_string()))?;
    Ok((text.to_owned(), topology))
}

/// The first line of a password file.
///
/// # Errors
/// [`Failure`] when it cannot be read.
pub fn password(path: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| cannot_read(path, &error))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Reads a file, or stdin when the path is `-`.
///
/// # Errors
/// As the operating system says.
pub fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if !is_stdin(path) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a path means stdin.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A file that cannot be read.
pub fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    let name = if is_stdin(path) { "stdin".to_owned() } else { format!("`{}`", path.display()) };
    Failure::new(Exit::Io, format!("cannot read {name}: {error}"))
}
