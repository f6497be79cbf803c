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

/// A column of the table: its head, whether it is there only when it says something, and its cells.
type Field = (Column<'static>, bool, fn(&Row<'_>) -> String);

/// The rows as a table. Columns that say nothing at all are left out.
pub fn table(rows: &[Row<'_>], width: Option<u16>) -> String {
    let fields: [Field; 13] = [
        (Column::left(""), true, |row| row.kind.to_owned()),
        (Column::left("object"), true, |row| row.name.to_owned()),
        (Column::left("type"), true, |row| row.object_type.shown(str::to_owned)),
        (Column::left("there"), true, |row| row.there().to_owned()),
        (Column::right("ready"), true, |row| shown(row.ready)),
        (Column::right("unacked"), false, |row| shown(row.unacknowledged)),
        (Column::right("dead-lettering"), false, |row| shown(row.dead_lettering)),
        (Column::right("delayed"), false, |row| shown(row.delayed)),
        (Column::right("consumers"), true, |row| shown(row.consumers)),
        (Column::right("TTL"), true, |row| row.ttl()),
        (Column::right("due within"), false, |row| row.due()),
        (Column::left("dead letters go to"), true, |row| row.target()),
        (Column::left("policy"), false, |row| row.policies()),
    ];
    let says = |field: &&Field| field.1 || rows.iter().any(|row| !field.2(row).is_empty());
    let fields: Vec<_> = fields.iter().filter(says).collect();
    let header: Vec<_> = fields.iter().map(|field| field.0).collect();
    let cells = rows.iter().map(|row| fields.iter().map(|field| field.2(row)).collect());
    table::table(&header, cells, width)
}

fn shown(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}
