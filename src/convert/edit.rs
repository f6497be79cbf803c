//! Where in a YAML text a mapping's entry stands, found by its key.
//!
//! This is no YAML parser: it knows quotes, comments, brackets and indentation. Whoever edits with
//! it reads the result again.

use std::ops::Range;

/// The entries (key and value) of all mappings that have this key, in the order of the text. Values
/// are flow mappings or indented blocks; an entry with any other value is not found.
pub fn blocks(text: &str, key: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut scan = Scan { text, at: 0 };
    while let Some(c) = scan.peek() {
        if scan.skip_quoted_or_comment() {
            continue;
        }
        let start = scan.at;
        if is_word(c) {
            let word = scan.word();
            if word == key
                && let Some(end) = value_end(text, start, scan.at)
            {
                found.push(start..end);
                scan.at = end;
            }
        } else {
            scan.at += c.len_utf8();
        }
    }
    found
}

/// All comments.
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut scan = Scan { text, at: 0 };
    while let Some(c) = scan.peek() {
        let start = scan.at;
        if !scan.skip_quoted_or_comment() {
            scan.at += c.len_utf8();
        } else if c == '#' {
            found.push(start..scan.at);
        }
    }
    found
}

/// The values of all entries that have this key and this text as the value, plain or quoted.
pub fn values(text: &str, key: &str, value: &str) -> Vec<Range<usize>> {
    let forms = [value.to_owned(), format!("\"{value}\""), format!("'{value}'")];
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\n', '\r', ',', '}', ']']);
    let mut found = Vec::new();
    let mut scan = Scan { text, at: 0 };
    while let Some(c) = scan.peek() {
        if scan.skip_quoted_or_comment() {
            continue;
        }
        if !is_word(c) {
            scan.at += c.len_utf8();
        } else if scan.word() == key
            && let Some(after) = scan.rest().trim_start_matches(' ').strip_prefix(':')
        {
            let rest = after.trim_start_matches(' ');
            let stands = |form: &&String| rest.strip_prefix(form.as_str()).is_some_and(ends);
            let start = text.len() - rest.len();
            found.extend(forms.iter().find(stands).map(|form| start..start + form.len()));
        }
    }
    found
}

/// The text with other entries in the places of these.
pub fn replace(
    text: &str,
    blocks: &[Range<usize>],
    entries: impl Iterator<Item = String>,
) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (block, entry) in blocks.iter().zip(entries) {
        result.push_str(&text[from..block.start]);
        result.push_str(&entry);
        from = block.end;
    }
    result + &text[from..]
}

fn is_word(c: char) -> bool {
    !c.is_whitespace() && !"{}[],:#\"'".contains(c)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips what begins here, if that is a comment or a quoted text.
    fn skip_quoted_or_comment(&mut self) -> bool {
        let rest = self.rest();
        let begins = |c: char| c.is_whitespace() || "{[,:".contains(c);
        if !self.text[..self.at].chars().next_back().is_none_or(begins) {
            return false;
        }
        let length = match rest.chars().next() {
            Some('#') => rest.find('\n').unwrap_or(rest.len()),
            Some('"') => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            Some('\'') => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            _ => return false,
        };
        self.at += length;
        true
    }
}

/// Where the value of a key ends; `None`: this is no key, or its value has another form.
fn value_end(text: &str, key_start: usize, key_end: usize) -> Option<usize> {
    let after = text[key_end..].trim_start_matches(' ').strip_prefix(':')?;
    let at = text.len() - after.len();
    let value = after.trim_start_matches([' ', '\t', '\n', '\r']);
    if value.starts_with('{') {
        return flow_end(text, text.len() - value.len());
    }
    let line_end = after.find('\n').map_or(text.len(), |end| at + end);
    let rest_of_line = text[at..line_end].trim();
    if rest_of_line.is_empty() || rest_of_line.starts_with('#') {
        block_end(text, key_start, line_end)
    } else {
        None
    }
}

/// The end of the brackets that open here.
fn flow_end(text: &str, open: usize) -> Option<usize> {
    let mut scan = Scan { text, at: open };
    let mut depth = 0_usize;
    while let Some(c) = scan.peek() {
        if scan.skip_quoted_or_comment() {
            continue;
        }
        scan.at += c.len_utf8();
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(scan.at);
        }
    }
    None
}

/// The end of the last line after `line_end` that is indented deeper than the key.
fn block_end(text: &str, key_start: usize, line_end: usize) -> Option<usize> {
    let line_start = text[..key_start].rfind('\n').map_or(0, |end| end + 1);
    let indent = key_start - line_start;
    let (mut end, mut at) = (None, line_end);
    for line in text[line_end..].split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() {
            let deeper = line.len() - line.trim_start_matches(' ').len() > indent;
            if deeper && !content.starts_with('#') {
                end = Some(at + line.trim_end().len());
            } else if !deeper {
                break;
            }
        }
        at += line.len();
    }
    end
}
