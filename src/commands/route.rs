//! `route`: what a publisher must do for a message to arrive after a delay.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::{Shell, load, pick};
use crate::cli::{Format, Route};
use crate::duration::Millis;
use crate::exit::Exit;
use crate::message::{self, PLUGIN_DELAY_HEADER};
use crate::render::table::{self, Column};
use crate::strategy::Rounding;

pub async fn run(args: Route, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let delay = pick::delay(&topology, args.name.as_deref())?;
    let rounding = if args.round.is_some() { Rounding::Up } else { Rounding::Exact };
    let routes =
        args.delay.iter().map(|asked| Ok(Row::new(*asked, delay.route(*asked, rounding)?)));
    let rows = routes.collect::<anyhow::Result<Vec<_>>>()?;
    match shell.output.format {
        Format::Json => shell.output.json(&rows)?,
        _ => shell.output.data(&as_table(&rows, shell.output.width()))?,
    }
    Ok(Exit::Done)
}

/// One delay, and the publish that keeps it.
#[derive(Serialize)]
struct Row {
    /// The delay asked for.
    delay_ms: u64,
    /// The delay that messages get: the one asked for, or more.
    promised_ms: u64,
    exchange: String,
    routing_key: String,
    /// Properties of the message, by their AMQP names. `expiration` is a text there.
    properties: Map<String, Json>,
    headers: Map<String, Json>,
    /// Whether an unroutable message can be told by publishing as mandatory.
    mandatory: bool,
}

impl Row {
    fn new(asked: Millis, route: message::Route) -> Self {
        let expiration =
            route.expiration.map(|ms| ("expiration".to_owned(), json!(ms.to_string())));
        let header = route.plugin_delay.map(|ms| (PLUGIN_DELAY_HEADER.to_owned(), json!(ms)));
        Row {
            delay_ms: asked.0,
            promised_ms: route.delay_ms,
            exchange: route.exchange,
            routing_key: route.routing_key,
            properties: expiration.into_iter().collect(),
            headers: header.into_iter().collect(),
            mandatory: route.mandatory,
        }
    }

    /// `expiration="30000"`, `header x-delay=30000`.
    fn extras(&self) -> String {
        let properties = self.properties.iter().map(|(name, value)| format!("{name}={value}"));
        let headers = self.headers.iter().map(|(name, value)| format!("header {name}={value}"));
        properties.chain(headers).collect::<Vec<_>>().join(", ")
    }
}

fn as_table(rows: &[Row], width: Option<u16>) -> String {
    let header = [
        Column::right("delay"),
        Column::right("promised"),
        Column::left("exchange").whole(),
        Column::left("routing key").whole(),
        Column::left("and"),
    ];
    let cells = rows.iter().map(|row| {
        let exchange = if row.exchange.is_empty() { "(default)" } else { &row.exchange };
        vec![
            Millis(row.delay_ms).to_string(),
            Millis(row.promised_ms).to_string(),
            exchange.to_owned(),
            row.routing_key.clone(),
            row.extras(),
        ]
    });
    table::table(&header, cells, width)
}
