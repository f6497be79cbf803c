//! The rows of `inspect` as a table.

use crate::duration::Millis;
use crate::objects::argument;
use crate::render::table::{self, Column};

use super::fact::Fact;
use super::rows::Row;

impl Row<'_> {
    fn there(&self) -> &'static str {
        match (self.present, self.differs) {
            (Some(false), _) => "MISSING",
            (Some(true), true) => "DIFFERS",
            (Some(true), false) => "yes",
            (None, _) => "?",
        }
    }

    fn target(&self) -> String {
        let by = self.by(&[argument::DEAD_LETTER_EXCHANGE, argument::DEAD_LETTER_ROUTING_KEY]);
        let key = match self.dead_letter_routing_key {
            Fact::Is(key) => key,
            Fact::Nothing | Fact::Unseen => "(own key)",
        };
        self.dead_letter_exchange.shown(|exchange| match exchange {
            "" => format!("(default) / {key}{by}"),
            exchange => format!("{exchange} / {key}{by}"),
        })
    }

    fn ttl(&self) -> String {
        let by = self.by(&[argument::MESSAGE_TTL]);
        self.message_ttl_ms.shown(|ms| format!("{}{by}", Millis(ms)))
    }

    fn due(&self) -> String {
        self.due_within_ms.map(|ms| Millis(ms).to_string()).unwrap_or_default()
    }

    fn by(&self, arguments: &[&str]) -> &'static str {
        let decided = self.by_policy.iter().any(|argument| arguments.contains(argument));
        if decided { " (policy)" } else { "" }
    }

    fn policies(&self) -> String {
        let both = [self.policy, self.operator_policy];
        let both: Vec<_> = both.into_iter().flatten().collect();
        both.join(" + ")
    }
}

/// A column of the table: its head, whether it says something of a row, and its cells.
type Field = (Column<'static>, fn(&Row<'_>) -> bool, fn(&Row<'_>) -> String);

/// The rows as a table. Columns that say nothing of any row are left out: there is hardly room for
/// the others.
pub fn table(rows: &[Row<'_>], width: Option<u16>) -> String {
    let fields: [Field; 13] = [
        (Column::left(""), |_| true, |row| row.kind.to_owned()),
        (Column::left("object").whole(), |_| true, |row| row.name.to_owned()),
        (Column::left("type"), |_| true, |row| row.object_type.shown(str::to_owned)),
        (Column::left("there"), |_| true, |row| row.there().to_owned()),
        (Column::right("ready"), |_| true, |row| shown(row.ready)),
        (Column::right("unacked"), |row| some(row.unacknowledged), |row| shown(row.unacknowledged)),
        (
            Column::right("dead-lettering"),
            |row| some(row.dead_lettering),
            |row| shown(row.dead_lettering),
        ),
        // That nothing is left of them is what people wait for who leave the plugin.
        (Column::right("delayed"), |row| row.delayed.is_some(), |row| shown(row.delayed)),
        (Column::right("consumers"), |_| true, |row| shown(row.consumers)),
        (Column::right("TTL"), |_| true, |row| row.ttl()),
        (Column::right("due within"), |row| row.due_within_ms.is_some(), |row| row.due()),
        (Column::left("dead letters go to"), |_| true, |row| row.target()),
        (Column::left("policy"), |row| !row.policies().is_empty(), |row| row.policies()),
    ];
    let fields: Vec<_> = fields.iter().filter(|field| rows.iter().any(field.1)).collect();
    let header: Vec<_> = fields.iter().map(|field| field.0).collect();
    let cells = rows.iter().map(|row| fields.iter().map(|field| field.2(row)).collect());
    table::table(&header, cells, width)
}

fn shown(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn some(number: Option<u64>) -> bool {
    number.is_some_and(|number| number > 0)
}
