//! A workload in figures: what waits where, what is delivered, what is lost.

use super::spark::spark;
use crate::duration::Millis;
use crate::forecast::{Count, Deliveries, Outlook, Series};
use crate::render::escape::escape;
use crate::render::table::Figures;
use crate::render::ticks::grouped;
use crate::timing::Span;

/// Columns of a series' line.
const SPARK: usize = 40;

/// The tables, without a final line feed.
pub fn workload(outlook: &Outlook, width: Option<u16>) -> String {
    let mut parts = Vec::new();
    let mut waits = waiting(outlook);
    if waits.rows.is_empty() {
        parts.push("nothing ever waits".to_owned());
    } else {
        let end = Millis(outlook.ended_ms as u64);
        waits.columns.push((format!("0 to {end}, the most in each part"), false));
        for (row, series) in waits.rows.iter_mut().zip(&outlook.waiting) {
            row.push(spark(&series.samples, SPARK));
        }
        parts.push(waits.table(width));
    }
    let delivered = deliveries(outlook);
    parts.push(if delivered.rows.is_empty() {
        "nothing is delivered".to_owned()
    } else {
        delivered.table(width)
    });
    parts.push(losses(outlook).join("\n"));
    parts.join("\n\n")
}

/// What waits where.
pub fn waiting(outlook: &Outlook) -> Figures {
    let titles = ["waiting in", "#peak", "#at", "#left at the end"];
    let mut figures = Figures::new("Messages waiting", &titles);
    let row = |series: &Series| {
        let kind = if series.exchange { " (exchange)" } else { "" };
        vec![
            format!("{}{kind}", series.place),
            grouped(series.peak),
            first_peak(series).to_string(),
            grouped(series.left),
        ]
    };
    figures.rows = outlook.waiting.iter().map(row).collect();
    figures
}

/// When the most waited first.
pub fn first_peak(series: &Series) -> Millis {
    // A cast from a float saturates.
    Millis(series.peak_at_ms.round() as u64)
}

/// What is delivered, and how late.
pub fn deliveries(outlook: &Outlook) -> Figures {
    let titles =
        ["delivered from", "#messages", "#again", "#early", "#lateness p50", "#p99", "#max"];
    let mut figures = Figures::new("Deliveries", &titles);
    let row = |from: &Deliveries| {
        let Deliveries { queue, again, figures } = from;
        let span =
            |ms: Option<f64>| ms.map_or_else(|| "—".to_owned(), |ms| Span::from_ms(ms).to_string());
        vec![
            queue.clone(),
            grouped(figures.count),
            grouped(*again),
            grouped(figures.early),
            span(figures.lateness_p50_ms),
            span(figures.lateness_p99_ms),
            span(figures.lateness_max_ms),
        ]
    };
    figures.rows = outlook.deliveries.iter().map(row).collect();
    figures
}

/// A line for each place and reason that messages are lost for, and for each queue in which some
/// are stuck.
pub fn losses(outlook: &Outlook) -> Vec<String> {
    let lost = outlook.lost.iter().map(|Count { place, because, count, first_at_ms, .. }| {
        let first = Span::from_ms(*first_at_ms);
        format!("lost: {} in `{}`, the first at {first}: {because}", grouped(*count), escape(place))
    });
    let stuck = outlook.stuck.iter().map(|(place, count)| {
        format!("stuck: {} in `{}`, which cannot pass them on", grouped(*count), escape(place))
    });
    let lines: Vec<_> = lost.chain(stuck).collect();
    if lines.is_empty() { vec!["lost: none".to_owned()] } else { lines }
}
