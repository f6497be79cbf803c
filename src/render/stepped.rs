//! Stepped checks as a table, and in words.

use super::table::{Column, table};
use super::wrap::wrap;
use crate::duration::Millis;
use crate::stepped::{Outcome, Row};
use crate::timing::Span;

/// What became of the orders at each check and in the end, and what that saves. `scale` is that of a
/// run on a broker, whose lateness is shown; `width` that of the terminal, if it is one. No final
/// line feed.
pub fn report(outcome: &Outcome, scale: Option<f64>, width: Option<u16>) -> String {
    let text = ["check", "after", "orders", "paid", "unpaid"].map(Column::right);
    let late = ["late p50", "late max"].map(Column::right);
    let columns = match scale {
        None => text.to_vec(),
        Some(_) => [&text[..], &late].concat(),
    };
    let rows = outcome.checks.iter().map(|row| cells(row, scale.is_some()));
    let columns_left = usize::from(width.unwrap_or(80));
    let words = [ends(outcome, scale), saving(outcome)].map(|words| wrap(&words, columns_left));
    format!("{}\n\n{}", table(&columns, rows, width), words.join("\n"))
}

fn cells(row: &Row, measured: bool) -> Vec<String> {
    let mut cells = vec![
        Millis(row.at_ms).to_string(),
        Millis(row.wait_ms).to_string(),
        row.looked_at.to_string(),
        row.paid.to_string(),
        (row.looked_at - row.paid).to_string(),
    ];
    if measured {
        let late = [row.lateness_p50_ms, row.lateness_max_ms];
        cells
            .extend(late.map(|ms| ms.map_or_else(String::new, |ms| Span::from_ms(ms).to_string())));
    }
    cells
}

fn ends(outcome: &Outcome, scale: Option<f64>) -> String {
    // Cut to whole seconds: what is rounded up would hide an order that was cancelled early.
    let ages = [outcome.earliest_cancelled_ms, outcome.latest_cancelled_ms];
    let ages = match ages.map(|age| age.map(|age| Millis(age / 1000 * 1000))) {
        [Some(earliest), Some(latest)] if earliest == latest => format!(" after {earliest}"),
        [Some(earliest), Some(latest)] => format!(" after {earliest} to {latest}"),
        _ => String::new(),
    };
    let Outcome { orders, paid, cancelled, open, .. } = outcome;
    let lost = if *open > 0 { format!(", {open} not heard of again") } else { String::new() };
    // In quick motion a broker's milliseconds are an order's seconds.
    let motion = match scale {
        Some(scale) if *cancelled > 0 && scale < 1.0 => {
            format!(" (1 ms late counts as {})", Span::from_ms(1.0 / scale))
        }
        _ => String::new(),
    };
    format!("{orders} orders: {paid} paid, {cancelled} cancelled{ages}{motion}{lost}")
}

/// How many messages wait at a time is how many come in a time, times how long each waits.
fn saving(outcome: &Outcome) -> String {
    let whole = |ms: f64| Millis((ms / 1000.0).round() as u64 * 1000);
    let share = 100.0 * outcome.waited_ms / outcome.waited_with_one_check_ms.max(1.0);
    format!(
        "{} messages waited {} together. One check at the end would take {} messages that wait {}: \
         with steps, {share:.0} % as many wait at a time.",
        outcome.messages,
        whole(outcome.waited_ms),
        outcome.orders,
        whole(outcome.waited_with_one_check_ms),
    )
}
