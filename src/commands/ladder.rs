//! `ladder`: what each radix of a ladder costs.

use serde::Serialize;

use super::Shell;
use crate::cli::{Format, LadderCost};
use crate::exit::{Exit, Failure};
use crate::render::table::{self, Column};
use crate::strategy::ladder::{Bound, Cost, choose, frontier};

pub fn run(args: &LadderCost, shell: &Shell) -> anyhow::Result<Exit> {
    if args.resolution.0 == 0 || args.max < args.resolution {
        let message = "the longest delay must be at least the resolution, and that more than 0";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let bound = args.max_queues.map(Bound::Queues).or(args.max_hops.map(Bound::Hops));
    let chosen = bound.map(|bound| choose(args.resolution, args.max, bound)).transpose();
    let chosen = chosen.map_err(|error| Failure::new(Exit::No, error.to_string()))?;
    let mut costs = frontier(args.resolution, args.max);
    if let Some(chosen) = chosen
        && !costs.iter().any(|cost| cost.radix == chosen.radix)
    {
        costs.push(chosen);
        costs.sort_by_key(|cost| cost.queues);
    }
    let rows: Vec<_> = costs.iter().map(|cost| Row::of(cost, chosen.as_ref())).collect();
    match shell.output.format {
        Format::Json => shell.output.json(&rows)?,
        _ => shell.output.data(&as_table(&rows, shell.output.width()))?,
    }
    Ok(Exit::Done)
}

/// A radix worth choosing.
#[derive(Serialize)]
struct Row {
    radix: u64,
    queues: u64,
    hops_at_most: u64,
    hops_on_average: f64,
    chosen: bool,
}

impl Row {
    fn of(cost: &Cost, chosen: Option<&Cost>) -> Self {
        Row {
            radix: cost.radix,
            queues: cost.queues,
            hops_at_most: cost.worst_hops,
            hops_on_average: cost.mean_hops,
            chosen: chosen.is_some_and(|chosen| chosen.radix == cost.radix),
        }
    }
}

fn as_table(rows: &[Row], width: Option<u16>) -> String {
    let columns = [
        Column::right("radix"),
        Column::right("queues"),
        Column::right("hops at most"),
        Column::right("on average"),
        Column::left(""),
    ];
    let cells = rows.iter().map(|row| {
        vec![
            row.radix.to_string(),
            row.queues.to_string(),
            row.hops_at_most.to_string(),
            format!("{:.1}", row.hops_on_average),
            if row.chosen { "the best within the bound" } else { "" }.to_owned(),
        ]
    });
    table::table(&columns, cells, width)
}
