//! A series in one line of text.

const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The samples as blocks in at most so many columns, each as high as the greatest that it stands
/// for; what is not zero can be seen.
pub fn spark(samples: &[u64], columns: usize) -> String {
    let most = samples.iter().copied().max().unwrap_or_default();
    let size = samples.len().div_ceil(columns.max(1)).max(1);
    let level = |part: &[u64]| {
        let value = part.iter().copied().max().unwrap_or_default();
        if value == 0 { 0 } else { (u128::from(value) * 8).div_ceil(u128::from(most)) as usize }
    };
    samples.chunks(size).map(|part| LEVELS[level(part).min(8)]).collect()
}

#[cfg(test)]
mod tests {
    use super::spark;

    #[test]
    fn sparks() {
        assert_eq!(spark(&[], 10), "");
        assert_eq!(spark(&[0, 1, 4, 8, 1000], 10), " ▁▁▁█");
        assert_eq!(spark(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 9), " ▁▂▃▄▅▆▇█");
        assert_eq!(spark(&[1, 8, 4, 4, 0], 3), "█▄ ");
        assert_eq!(spark(&[u64::MAX, 0], 2), "█ ");
    }
}
