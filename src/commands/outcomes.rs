//! What becomes of each object, a row each: for `declare` and for `delete`.

use serde::Serialize;

use super::Shell;
use crate::cli::Format;
use crate::render::table::{self, Column};

/// An object and what becomes of it.
#[derive(Serialize)]
pub struct Row {
    pub object: &'static str,
    pub name: String,
    pub outcome: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Prints the rows in the form asked for.
///
/// # Errors
/// When stdout cannot be written to.
pub fn show(rows: Vec<Row>, shell: &Shell) -> anyhow::Result<()> {
    if shell.output.format == Format::Json {
        return shell.output.json(&rows);
    }
    let cells = rows
        .into_iter()
        .map(|row| vec![row.object.to_owned(), row.name, row.outcome.to_owned(), row.detail]);
    let header =
        [Column::left(""), Column::left("object"), Column::left("outcome"), Column::left("")];
    shell.output.data(&table::table(&header, cells, shell.output.width()))
}
