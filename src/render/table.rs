//! Tables with one look: no borders, a rule below the header, two spaces between columns.

mod sheet;
mod widths;

use comfy_table::CellAlignment;

use super::escape::escape;
use sheet::Sheet;

/// A column's title, and the side its cells keep to.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    title: &'a str,
    alignment: CellAlignment,
    is_whole: bool,
}

impl<'a> Column<'a> {
    /// A column of text, which can be folded between words.
    pub fn left(title: &'a str) -> Self {
        Column { title, alignment: CellAlignment::Left, is_whole: false }
    }

    /// A column of numbers, which stay beside their units.
    pub fn right(title: &'a str) -> Self {
        Column { title, alignment: CellAlignment::Right, is_whole: true }
    }

    /// The same, and no cell is folded: for names and keys, which may have spaces in them.
    #[must_use]
    pub fn whole(self) -> Self {
        Column { is_whole: true, ..self }
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

/// A table, without a final line feed. Cells are escaped. Long cells are folded to fit `width`, and
/// columns that do not fit stand below their row; without a width (the output is no terminal) a row
/// is a line, however long, so that `grep` works.
pub fn table<R>(columns: &[Column<'_>], rows: R, width: Option<u16>) -> String
where
    R: IntoIterator<Item = Vec<String>>,
{
    Sheet { columns, has_titles: true, rows: escaped(rows) }.draw(width)
}

/// Rows in aligned columns without a header, otherwise like [`table`].
pub fn grid<R>(rows: R, width: Option<u16>) -> String
where
    R: IntoIterator<Item = Vec<String>>,
{
    let rows = escaped(rows);
    let columns = vec![Column::left(""); rows.iter().map(Vec::len).max().unwrap_or_default()];
    Sheet { columns: &columns, has_titles: false, rows }.draw(width)
}

fn escaped(rows: impl IntoIterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let escaped = |row: Vec<String>| row.iter().map(|cell| escape(cell).into_owned()).collect();
    rows.into_iter().map(escaped).collect()
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
    fn what_does_not_fit_stands_below_and_no_name_is_broken() {
        let columns = [
            Column::left("queue").whole(),
            Column::right("ready"),
            Column::right("lateness"),
            Column::left("dead letters go to"),
            Column::left("policy").whole(),
        ];
        let rows = [
            ["order.delay.queue", "7", "1.5 ms", "order.dead.exchange / order.dead", "the limits"],
            ["name of spaces", "", "", "", ""],
            ["a.very.very.very.long.queue", "1", "", "exchange / key", ""],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let sample = |width| table(&columns, rows.clone(), Some(width));
        assert_snapshot!(sample(80), @r"
        queue                        ready  lateness  dead letters go to      policy
        ────────────────────────────────────────────────────────────────────────────────
        order.delay.queue                7    1.5 ms  order.dead.exchange /   the limits
                                                      order.dead
        name of spaces
        a.very.very.very.long.queue      1            exchange / key
        ");
        assert_snapshot!(sample(60), @r"
        queue                        ready  lateness
        ────────────────────────────────────────────
        order.delay.queue                7    1.5 ms
            dead letters go to: order.dead.exchange / order.dead
            policy: the limits
        name of spaces
        a.very.very.very.long.queue      1
            dead letters go to: exchange / key
        ");
        assert_snapshot!(sample(40), @r"
        queue                        ready
        ──────────────────────────────────
        order.delay.queue                7
            lateness: 1.5 ms
            dead letters go to:
            order.dead.exchange / order.dead
            policy: the limits
        name of spaces
        a.very.very.very.long.queue      1
            dead letters go to: exchange / key
        ");
        assert_snapshot!(sample(20), @r"
        queue
        ───────────────────────────
        order.delay.queue
            ready: 7
            lateness: 1.5 ms
            dead letters go
            to:
            order.dead.exchange
            / order.dead
            policy: the limits
        name of spaces
        a.very.very.very.long.queue
            ready: 1
            dead letters go
            to: exchange /
            key
        ");
        for width in 20..100 {
            let shown = sample(width);
            for name in rows.iter().flat_map(|row| [&row[0], &row[2], &row[4]]) {
                assert!(shown.contains(name.as_str()), "{name} at {width}:\n{shown}");
            }
        }
        let without_titles =
            grid([["+", "queue", "order.delay.queue"].map(str::to_owned).to_vec()], Some(20));
        assert_eq!(without_titles, "+  queue\n    order.delay.queue");
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
