//! Files that are written whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::exit::{Exit, Failure};

/// Writes a text into a file: first into another one beside it, which then takes its place. What
/// is no plain file, such as a device, is written to as it is.
///
/// # Errors
/// [`Failure`] that names the file.
pub fn text(path: &Path, text: &str) -> Result<(), Failure> {
    // Through a link the file itself is meant.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let result = match fs::metadata(&target) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => fs::write(&target, text),
        _ => replace(&target, text),
    };
    result.map_err(|error| {
        Failure::new(Exit::Io, format!("cannot write `{}`: {error}", path.display()))
    })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = beside(path)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    drop(file);
    let done = written.and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}

/// A name in the same folder that no other run uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    // A name has at most 255 bytes: the file's own may be as long as that.
    let name: String = name.to_string_lossy().chars().take(40).collect();
    Ok(path.with_file_name(format!(".{name}.{:x}.part", std::process::id())))
}
