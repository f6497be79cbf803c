//! Cells, laid out.
//!
//! A name that is broken over lines cannot be read, copied or searched for. So a cell is folded
//! between words only, and where the columns do not fit side by side even so, the last ones go
//! below each row, with their titles:
//!
//! ```text
//! queue  type
//! ──────────────
//! wait   classic
//!     TTL: 30m  dead letters go to: order.dead.exchange / order.dead
//! ```

use comfy_table::{ColumnConstraint, LineStyle, Table, TableStyle, Width};

use super::Column;
use super::widths::{Need, share, widest};
use crate::render::wrap::wrap;

const LOOK: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Marks where a row ends, for what goes below it. No cell has it: they are escaped.
const END: char = '\u{1}';

/// What stands before each line below a row.
const INDENT: &str = "    ";

/// Escaped cells below their columns' titles.
pub(super) struct Sheet<'a> {
    pub columns: &'a [Column<'a>],
    pub has_titles: bool,
    pub rows: Vec<Vec<String>>,
}

impl Sheet<'_> {
    /// The cells in lines of this width; without one a row is a line.
    pub fn draw(&self, width: Option<u16>) -> String {
        let Some(width) = width.map(usize::from) else {
            return self.beside(self.columns.len(), LOOK).trim_fmt();
        };
        let widths = share(&self.needs(), width);
        let count = widths.len();
        if count == self.columns.len() {
            return folded(self.beside(count, LOOK), &widths);
        }
        let end = LineStyle::none().fill(END).junction(END);
        let rows = folded(self.beside(count, LOOK.row_separator(end)), &widths);
        let mut rest = self.rows.iter().map(|row| self.below(row, count, width));
        let mut lines = Vec::new();
        for line in rows.lines() {
            if line.starts_with(END) {
                lines.extend(rest.next().unwrap_or_default());
            } else {
                lines.push(line.to_owned());
            }
        }
        // Nothing marks the last row's end.
        lines.extend(rest.flatten());
        lines.join("\n")
    }

    fn needs(&self) -> Vec<Need> {
        let titles = || self.columns.iter().map(|column| column.title.to_owned()).collect();
        let most = widest(self.rows.iter().cloned().chain([titles()]));
        let words = |row: &Vec<String>| {
            let cells = row.iter().zip(self.columns);
            let word = |(cell, column): (&String, &Column<'_>)| match column.is_whole {
                true => cell.clone(),
                false => cell.replace(' ', "\n"),
            };
            cells.map(word).collect()
        };
        let least = widest(self.rows.iter().map(words).chain([titles()]));
        let needs = least.into_iter().zip(most);
        needs.map(|(least, most)| Need { least, most }).collect()
    }

    /// The first columns.
    fn beside(&self, count: usize, look: TableStyle) -> Table {
        let mut table = Table::new();
        // Without this the crate would ask the terminal for its width.
        table.force_no_tty().load_style(look);
        if self.has_titles {
            table.set_header(self.columns[..count].iter().map(|column| column.title));
        }
        table.add_rows(self.rows.iter().map(|row| row.iter().take(count)));
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_cell_alignment(self.columns[index].alignment);
            // The rule's junctions put one more space between columns.
            column.set_padding((0, u16::from(index + 1 < count)));
        }
        table
    }

    /// A row's cells from this column on, as many on a line as there is room for.
    fn below(&self, row: &[String], from: usize, width: usize) -> Vec<String> {
        let room = width.saturating_sub(INDENT.len());
        let mut lines: Vec<String> = Vec::new();
        for (cell, column) in row.iter().zip(self.columns).skip(from) {
            if cell.is_empty() {
                continue;
            }
            let text = match column.title {
                "" => cell.clone(),
                title => format!("{title}: {cell}"),
            };
            match lines.last_mut() {
                Some(line) if line.chars().count() + 2 + text.chars().count() <= room => {
                    line.push_str("  ");
                    line.push_str(&text);
                }
                _ if column.is_whole => lines.push(text),
                _ => lines.extend(wrap(&text, room).lines().map(str::to_owned)),
            }
        }
        lines.iter().map(|line| format!("{INDENT}{line}")).collect()
    }
}

/// The table with columns of these widths.
fn folded(mut table: Table, widths: &[usize]) -> String {
    for (column, width) in table.column_iter_mut().zip(widths) {
        let padded =
            u16::try_from(*width).unwrap_or(u16::MAX).saturating_add(column.padding_width());
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(padded)));
    }
    table.trim_fmt()
}
