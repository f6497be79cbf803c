//! How wide columns are that stand side by side.

use comfy_table::Table;

/// Two spaces, between a column and the next.
const GAP: usize = 2;

/// The widths that a column can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// Less would break what must stay whole.
    pub least: usize,
    /// More would stay empty.
    pub most: usize,
}

/// The widths of as many columns as fit side by side, from the left; one does, however wide it is.
/// What is left beyond the least goes to all alike, as far as they can use it.
pub(super) fn share(needs: &[Need], width: usize) -> Vec<usize> {
    let least = |count: usize| {
        let columns: usize = needs[..count].iter().map(|need| need.least).sum();
        columns + GAP * count.saturating_sub(1)
    };
    let fits = (1..=needs.len()).rev().find(|count| least(*count) <= width);
    let count = fits.unwrap_or(1).min(needs.len());
    let mut widths: Vec<_> = needs[..count].iter().map(|need| need.least).collect();
    let mut spare = width.saturating_sub(least(count));
    let wish = |index: usize| needs[index].most - needs[index].least;
    let mut modest_first: Vec<_> = (0..count).collect();
    modest_first.sort_by_key(|index| wish(*index));
    for (served, index) in modest_first.into_iter().enumerate() {
        let more = wish(index).min(spare / (count - served));
        widths[index] += more;
        spare -= more;
    }
    widths
}

/// The width of each column's widest line.
pub(super) fn widest(rows: impl Iterator<Item = Vec<String>>) -> Vec<usize> {
    let mut table = Table::new();
    table.add_rows(rows);
    table.column_max_content_widths().into_iter().map(usize::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_fit_share_what_there_is() {
        let needs = [(5, 5), (4, 8), (10, 50)].map(|(least, most)| Need { least, most });
        for (width, expected) in [
            (100, &[5, 8, 50][..]),
            (67, &[5, 8, 50]),
            (40, &[5, 8, 23]),
            (25, &[5, 5, 11]),
            (23, &[5, 4, 10]),
            (22, &[5, 8]),
            (12, &[5, 5]),
            (10, &[5]),
            (3, &[5]),
        ] {
            assert_eq!(share(&needs, width), expected, "{width}");
        }
        assert_eq!(share(&[], 10), [0; 0]);
    }
}
