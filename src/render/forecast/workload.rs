//! A workload in figures: what waits where, what is delivered, what is lost.

use super::spark::spark;
use crate::duration::Millis;
use crate::forecast::{Count, Outlook, Series};
use crate::render::escape::escape;
use crate::render::table::{self, Column};
use crate::timing::Span;

/// Columns of a series' line.
const SPARK: usize = 40;

/// The tables, without a final line feed.
pub fn workload(outlook: &Outlook, width: Option<u16>) -> String {
    let mut parts = vec![waiting(outlook, width), deliveries(outlook, width)];
    parts.push(losses(outlook).join("\n"));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn waiting(outlook: &Outlook, width: Option<u16>) -> String {
    if outlook.waiting.is_empty() {
        return "nothing ever waits".to_owned();
    }
    let over_time = format!("0 to {} (most in each part)", Millis(outlook.ended_ms as u64));
    let columns = [
        Column::left("waiting in"),
        Column::right("peak"),
        Column::right("from"),
        Column::right("left at the end"),
        Column::left(&over_time),
    ];
    let row = |series: &Series| {
        let kind = if series.exchange { " (exchange)" } else { "" };
        vec![
            format!("{}{kind}", series.place),
            series.peak.to_string(),
            Millis(series.peak_at_ms).to_string(),
            series.left.to_string(),
            spark(&series.samples, SPARK),
        ]
    };
    table::table(&columns, outlook.waiting.iter().map(row), width)
}

fn deliveries(outlook: &Outlook, width: Option<u16>) -> String {
    if outlook.deliveries.is_empty() {
        return "nothing is delivered".to_owned();
    }
    let columns = [
        Column::left("delivered from"),
        Column::right("messages"),
        Column::right("again"),
        Column::right("early"),
        Column::right("lateness p50"),
        Column::right("p99"),
        Column::right("max"),
    ];
    let rows = outlook.deliveries.iter().map(|from| {
        let figures = &from.figures;
        let span =
            |ms: Option<f64>| ms.map_or_else(|| "—".into(), |ms| Span::from_ms(ms).to_string());
        vec![
            from.queue.clone(),
            figures.count.to_string(),
            from.again.to_string(),
            figures.early.to_string(),
            span(figures.lateness_p50_ms),
            span(figures.lateness_p99_ms),
            span(figures.lateness_max_ms),
        ]
    });
    table::table(&columns, rows, width)
}

/// A line for each place and reason that messages are lost for, and for each queue in which some
/// are stuck.
pub fn losses(outlook: &Outlook) -> Vec<String> {
    let lost = outlook.lost.iter().map(|Count { place, because, count, first_at_ms, .. }| {
        let first = Span::from_ms(*first_at_ms);
        format!("lost: {count} in `{}`, the first at {first}: {because}", escape(place))
    });
    let stuck = outlook.stuck.iter().map(|(place, count)| {
        format!("stuck: {count} in `{}`, which cannot pass them on", escape(place))
    });
    let lines: Vec<_> = lost.chain(stuck).collect();
    if lines.is_empty() { vec!["lost: none".to_owned()] } else { lines }
}
