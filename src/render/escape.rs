//! Untrusted text made harmless.
//!
//! A terminal obeys control characters, and Unicode's format characters can reorder or hide what
//! stands beside them. Both are shown as what they are.

use std::borrow::Cow;
use std::fmt::Write;

use bytesize::ByteSize;

/// The text with every control and invisible format character written as an escape.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push(&mut shown, c));
    Cow::Owned(shown)
}

/// A message body as text of at most `max_chars` characters, then `…` and the body's size if that
/// is not all of it. Bytes that are not UTF-8 are shown as `\xNN`.
pub fn body_preview(body: &[u8], max_chars: usize) -> String {
    let mut shown = String::new();
    let mut left = max_chars;
    let mut add = |piece: &str| {
        let fits = piece.chars().count() <= left;
        if fits {
            left -= piece.chars().count();
            shown.push_str(piece);
        }
        fits
    };
    let mut piece = String::new();
    for chunk in body.utf8_chunks() {
        let characters = chunk.valid().chars().map(Unit::Char);
        for unit in characters.chain(chunk.invalid().iter().copied().map(Unit::Byte)) {
            piece.clear();
            unit.push_to(&mut piece);
            if !add(&piece) {
                return format!("{shown}… ({})", ByteSize(body.len() as u64).display().iec());
            }
        }
    }
    shown
}

enum Unit {
    Char(char),
    Byte(u8),
}

impl Unit {
    fn push_to(&self, text: &mut String) {
        match self {
            Unit::Char(c) => push(text, *c),
            Unit::Byte(byte) => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
}

fn push(text: &mut String, c: char) {
    let code = u32::from(c);
    let written = match c {
        '\n' => text.write_str("\\n"),
        '\r' => text.write_str("\\r"),
        '\t' => text.write_str("\\t"),
        _ if !is_unsafe(c) => text.write_char(c),
        _ if c.is_ascii() => write!(text, "\\x{code:02x}"),
        _ => write!(text, "\\u{{{code:x}}}"),
    };
    written.expect("a String takes everything");
}

/// Control characters (C0, DEL, C1), and those that reorder text, break a line or have no width.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped() {
        let table = [
            ("", ""),
            ("order.paid — Grüße, 注文", "order.paid — Grüße, 注文"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\x1b[2J\x07\0\x7f", "\\x1b[2J\\x07\\x00\\x7f"),
            ("\u{9b}31m\u{85}", "\\u{9b}31m\\u{85}"),
            ("gpj.\u{202e}exe", "gpj.\\u{202e}exe"),
            ("a\u{200b}b\u{2066}c\u{feff}", "a\\u{200b}b\\u{2066}c\\u{feff}"),
            ("\u{2028}\u{e0041}", "\\u{2028}\\u{e0041}"),
            (r"C:\new", r"C:\new"),
        ];
        for (text, shown) in table {
            assert_eq!(escape(text), shown);
        }
        assert!(matches!(escape("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn bodies() {
        let long = "0123456789".repeat(200);
        let table: [(&[u8], usize, &str); 8] = [
            (b"", 5, ""),
            (b"hello", 5, "hello"),
            (b"hello!", 5, "hello… (6 B)"),
            (b"ab\nd", 4, "ab\\n… (4 B)"),
            (b"abc\n", 4, "abc… (4 B)"),
            (b"a\xff\xfe\x1b", 50, "a\\xff\\xfe\\x1b"),
            ("é€".as_bytes(), 2, "é€"),
            (long.as_bytes(), 10, "0123456789… (2.0 KiB)"),
        ];
        for (body, max_chars, shown) in table {
            assert_eq!(body_preview(body, max_chars), shown);
        }
    }
}
