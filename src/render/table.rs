//! Tables with one look: no borders, a rule below the header, two spaces between columns.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use super::escape::escape;

const LOOK: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A column's title, and the side its cells keep to.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    title: &'a str,
    alignment: CellAlignment,
}

impl<'a> Column<'a> {
    /// A column of text.
    pub fn left(title: &'a str) -> Self {
        Column { title, alignment: CellAlignment::Left }
    }

    /// A column of numbers.
    pub fn right(title: &'a str) -> Self {
        Column { title, alignment: CellAlignment::Right }
    }
}

/// Figures that can be shown as a table of text or of HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// What they are of.
    pub caption: String,
    /// The columns' titles, and whether they hold numbers.
    pub columns: Vec<(String, bool)>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Figures {
    /// No rows yet, below these titles; a `#` before a title marks a column of numbers.
    pub fn new(caption: &str, titles: &[&str]) -> Self {
        let column = |title: &&str| match title.strip_prefix('#') {
            Some(title) => (title.to_owned(), true),
            None => ((*title).to_owned(), false),
        };
        let columns = titles.iter().map(column).collect();
        Figures { caption: caption.to_owned(), columns, rows: Vec::new() }
    }

    /// As [`table`].
    pub fn table(&self, width: Option<u16>) -> String {
        let mut columns = Vec::new();
        for (title, number) in &self.columns {
            columns.push(if *number { Column::right(title) } else { Column::left(title) });
        }
        table(&columns, self.rows.iter().cloned(), width)
    }
}

/// A table, without a final line feed. Cells are escaped. Long cells are folded to fit `width`;
/// without one (the output is no terminal) a row is a line, however long, so that `grep` works.
pub fn table<R>(columns: &[Column<'_>], rows: R, width: Option<u16>) -> String
where
    R: IntoIterator<Item = Vec<String>>,
{
    let mut table = empty(width);
    table.set_header(columns.iter().map(|column| column.title));
    fill(&mut table, rows);
    for (index, column) in columns.iter().enumerate() {
        if let Some(made) = table.column_mut(index) {
            made.set_cell_alignment(column.alignment);
        }
    }
    table.trim_fmt()
}

/// Rows in aligned columns without a header, otherwise like [`table`].
pub fn grid<R>(rows: R, width: Option<u16>) -> String
where
    R: IntoIterator<Item = Vec<String>>,
{
    let mut table = empty(width);
    fill(&mut table, rows);
    table.trim_fmt()
}

fn empty(width: Option<u16>) -> Table {
    let mut table = Table::new();
    // Without this the crate would ask the terminal for its width.
    table.force_no_tty().load_style(LOOK);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table
}

fn fill<R>(table: &mut Table, rows: R)
where
    R: IntoIterator<Item = Vec<String>>,
{
    for row in rows {
        table.add_row(row.iter().map(|cell| escape(cell).into_owned()));
    }
    // The rule's junctions put one more space between columns.
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, u16::from(index < last)));
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn sample(width: Option<u16>) -> String {
        let columns = [Column::left("queue"), Column::right("ready"), Column::left("what it does")];
        let rows = [
            ["order.delay.queue", "7", "waits 30 minutes, then gives its messages to the next"],
            ["order.dead.queue", "12345", ""],
            ["evil\x1b[2J\nname", "", "注文"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        table(&columns, rows, width)
    }

    #[test]
    fn piped() {
        assert_snapshot!(sample(None), @r"
        queue              ready  what it does
        ───────────────────────────────────────────────────────────────────────────────
        order.delay.queue      7  waits 30 minutes, then gives its messages to the next
        order.dead.queue   12345
        evil\x1b[2J\nname         注文
        ");
    }

    #[test]
    fn folded() {
        assert_snapshot!(sample(Some(50)), @r"
        queue              ready  what it does
        ──────────────────────────────────────────────────
        order.delay.queue      7  waits 30 minutes, then
                                  gives its messages to
                                  the next
        order.dead.queue   12345
        evil\x1b[2J\nname         注文
        ");
        for width in 40..80 {
            let shown = sample(Some(width));
            let longest = shown.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= usize::from(width), "{width}:\n{shown}");
        }
    }

    #[test]
    fn no_rows_and_no_room() {
        assert_snapshot!(table(&[Column::left("queue")], [], None), @"
        queue
        ─────
        ");
        assert_snapshot!(grid([], Some(80)), @"");
        sample(Some(0));
    }
}
