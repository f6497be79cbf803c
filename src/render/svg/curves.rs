//! The lines of a chart: one for each place with the highest peaks, and one for the rest.

use super::theme::DASHES;
use crate::forecast::Series;
use crate::render::forecast::first_peak;
use crate::render::ticks::grouped;

/// One line of the chart.
pub struct Curve {
    pub name: String,
    pub remark: String,
    pub samples: Vec<u64>,
    /// Nothing is left at the end.
    pub empties: bool,
}

/// A curve for each place with the highest peaks, and one for all others.
pub fn curves(all: &[Series]) -> Vec<Curve> {
    let mut ordered: Vec<_> = all.iter().collect();
    ordered.sort_by_key(|series| std::cmp::Reverse(series.peak));
    let own = if ordered.len() > DASHES.len() { DASHES.len() - 1 } else { ordered.len() };
    let (own, others) = ordered.split_at(own);
    let mut curves: Vec<_> = own.iter().map(|series| curve(series)).collect();
    if !others.is_empty() {
        let length = others.iter().map(|series| series.samples.len()).max().unwrap_or_default();
        let at = |index: usize| {
            others
                .iter()
                .filter_map(|series| series.samples.get(index))
                .fold(0, |sum: u64, n| sum.saturating_add(*n))
        };
        let samples: Vec<_> = (0..length).map(at).collect();
        let peak = grouped(samples.iter().copied().max().unwrap_or_default());
        curves.push(Curve {
            name: format!("{} others together", others.len()),
            remark: format!("at most {peak}"),
            samples,
            empties: others.iter().all(|series| series.left == 0),
        });
    }
    curves
}

fn curve(series: &Series) -> Curve {
    let kind = if series.exchange { " (exchange)" } else { "" };
    let left = match series.left {
        0 => String::new(),
        left => format!(", {} left at the end", grouped(left)),
    };
    let at = first_peak(series);
    Curve {
        name: format!("{}{kind}", series.place),
        remark: format!("peak {} at {at}{left}", grouped(series.peak)),
        samples: series.samples.clone(),
        empties: series.left == 0,
    }
}
