//! `inspect`: what of a topology is there, and what it holds.

use std::collections::HashMap;

use serde::Serialize;

use super::{Shell, load};
use crate::cli::{Format, Inspect};
use crate::duration::Millis;
use crate::exit::Exit;
use crate::objects::{Objects, Queue};
use crate::plan::{Live, Observed, Seen};
use crate::render::table::{self, Column};
use crate::render::tree::{self, Named};

pub async fn run(args: Inspect, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let mut broker = shell.connect(Some(&topology)).await?;
    let observed = shell.interrupt.or(broker.observe(&topology.objects)).await??;
    broker.close().await;
    let rows = rows(&topology.objects, &observed);
    let missing: Vec<_> = rows.iter().filter(|row| !row.present).collect();
    if args.check {
        for row in &missing {
            shell.output.data(&format!("missing: {} `{}`", row.kind, row.name))?;
        }
        return Ok(Exit::yes(missing.is_empty()));
    }
    match shell.output.format {
        Format::Json => shell.output.json(&rows)?,
        Format::Table => shell.output.data(&as_table(&rows, shell.output.width()))?,
        Format::Tree => shell.output.data(&as_tree(&topology.objects, &rows))?,
    }
    if !missing.is_empty() {
        shell.output.say(&format!("{} of {} are missing", missing.len(), rows.len()));
    }
    Ok(Exit::Done)
}

/// One exchange or queue of the file, as it is on the broker.
#[derive(Serialize)]
struct Row<'a> {
    kind: &'static str,
    name: &'a str,
    present: bool,
    #[serde(rename = "type")]
    object_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_letter_exchange: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_letter_routing_key: Option<&'a str>,
}

fn rows<'a>(objects: &'a Objects, observed: &Observed) -> Vec<Row<'a>> {
    let exchanges = objects.exchanges.iter().map(|(name, exchange)| Row {
        kind: "exchange",
        name,
        present: is_present(observed.exchanges.get(name)),
        object_type: &exchange.kind,
        ready: None,
        consumers: None,
        message_ttl_ms: None,
        dead_letter_exchange: None,
        dead_letter_routing_key: None,
    });
    let queues = objects.queues.iter().map(|(name, queue)| {
        let present = is_present(observed.queues.get(name));
        queue_row(name, queue, present, observed.live.get(name))
    });
    exchanges.chain(queues).collect()
}

fn queue_row<'a>(name: &'a str, queue: &'a Queue, present: bool, live: Option<&Live>) -> Row<'a> {
    let dead_letter = queue.dead_letter();
    Row {
        kind: "queue",
        name,
        present,
        object_type: queue.queue_type().unwrap_or("default"),
        ready: live.and_then(|live| live.ready),
        consumers: live.and_then(|live| live.consumers),
        message_ttl_ms: queue.message_ttl(),
        dead_letter_exchange: dead_letter.map(|to| to.exchange),
        dead_letter_routing_key: dead_letter.and_then(|to| to.routing_key),
    }
}

fn is_present<T>(seen: Option<&Seen<T>>) -> bool {
    matches!(seen, Some(Seen::Present | Seen::Known(_)))
}

fn as_table(rows: &[Row<'_>], width: Option<u16>) -> String {
    let header = [
        Column::left(""),
        Column::left("object"),
        Column::left("type"),
        Column::left("there"),
        Column::right("ready"),
        Column::right("consumers"),
        Column::right("TTL"),
        Column::left("dead letters go to"),
    ];
    let rows = rows.iter().map(|row| {
        let number = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
        let target = row.dead_letter_exchange.map(|exchange| {
            let exchange = if exchange.is_empty() { "(default)" } else { exchange };
            format!("{exchange} / {}", row.dead_letter_routing_key.unwrap_or("(own key)"))
        });
        vec![
            row.kind.to_owned(),
            row.name.to_owned(),
            row.object_type.to_owned(),
            if row.present { "yes" } else { "MISSING" }.to_owned(),
            number(row.ready),
            number(row.consumers),
            row.message_ttl_ms.map(|ms| Millis(ms).to_string()).unwrap_or_default(),
            target.unwrap_or_default(),
        ]
    });
    table::table(&header, rows, width)
}

fn as_tree(objects: &Objects, rows: &[Row<'_>]) -> String {
    let notes = rows.iter().map(|row| {
        let note = match (row.present, row.ready, row.consumers) {
            (false, ..) => "MISSING".to_owned(),
            (true, Some(ready), Some(consumers)) => {
                format!("{ready} ready, {consumers} consumers")
            }
            (true, ..) => String::new(),
        };
        ((row.kind, row.name), note)
    });
    let notes: HashMap<_, _> = notes.filter(|(_, note)| !note.is_empty()).collect();
    let note = |object: Named<'_>| match object {
        Named::Exchange(name) => notes.get(&("exchange", name)).cloned(),
        Named::Queue(name) => notes.get(&("queue", name)).cloned(),
    };
    tree::tree(objects, &note)
}
