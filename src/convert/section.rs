//! Another entry in a section of a file: in a mapping or a list right below the root.

/// The text with one more entry, the first of its section; without that section, with the section
/// at the end. `mark` is what an entry on a line of its own begins with. `None` when the section is
/// neither a block nor in brackets.
pub fn insert(text: &str, section: &str, mark: &str, entry: &str) -> Option<String> {
    let Some(at) = value_of(text, section) else {
        let break_ = if text.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{text}{break_}\n{section}:\n  {mark}{entry}\n"));
    };
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let line = text[at..line_end].trim_start();
    if line.starts_with(['{', '[']) {
        let open = line_end - line.len() + 1;
        let is_empty = text[open..].trim_start().starts_with(['}', ']']);
        let separator = if is_empty { "" } else { ", " };
        let before = &text[..open];
        return Some(format!("{before} {entry}{separator}{}", text[open..].trim_start()));
    }
    if !line.trim().is_empty() && !line.starts_with('#') {
        return None;
    }
    let (before, after) = text.split_at(line_end);
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let first = after.lines().find(is_entry)?;
    let indent = &first[..first.len() - first.trim_start().len()];
    Some(format!("{before}{indent}{mark}{entry}\n{after}"))
}

/// Where the value of a section begins, behind the colon of its key.
fn value_of(text: &str, section: &str) -> Option<usize> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        let rest = line.strip_prefix(section)?.trim_start_matches(' ').strip_prefix(':')?;
        Some(start + line.len() - rest.len())
    })
}

#[cfg(test)]
mod tests {
    use super::insert;

    #[test]
    fn every_way_of_writing_a_section() {
        let table = [
            ("a: 1\n", Some("a: 1\n\ns:\n  - new\n")),
            ("a: 1", Some("a: 1\n\ns:\n  - new\n")),
            ("s: [ old ]\n", Some("s: [ new, old ]\n")),
            ("s: []\n", Some("s: [ new]\n")),
            ("s: # why\n- old\na: 1\n", Some("s: # why\n- new\n- old\na: 1\n")),
            ("s:\n\n  # old one\n  - old\n", Some("s:\n  - new\n\n  # old one\n  - old\n")),
            ("s: *anchor\n", None),
        ];
        for (text, expected) in table {
            assert_eq!(insert(text, "s", "- ", "new").as_deref(), expected, "{text}");
        }
    }
}
