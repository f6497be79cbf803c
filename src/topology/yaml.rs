//! Values as YAML text: mappings and lists in one line where they fit, else over several.
//!
//! What it writes, `serde_yaml` reads as the very same values; a text is quoted whenever YAML could
//! take it for something else.

use serde_json::{Map, Value};

use crate::duration::Millis;

/// Lines are at most this long, where they can be.
const WIDTH: usize = 100;

/// A mapping's entries as lines, each indented by `indent` spaces.
pub fn mapping(entries: &Map<String, Value>, indent: usize) -> String {
    let mut text = String::new();
    for (key, value) in entries {
        let before = format!("{:indent$}{}:", "", scalar(key));
        entry(&mut text, before, value, indent);
    }
    text
}

/// A list's items as lines.
fn list(items: &[Value], indent: usize) -> String {
    let mut text = String::new();
    for item in items {
        match (flow(item), item) {
            (line, Value::Object(map)) if indent + 2 + line.len() > WIDTH && !map.is_empty() => {
                let block = mapping(map, indent + 2);
                text.push_str(&format!("{:indent$}- {}", "", block.trim_start()));
            }
            (line, _) => text.push_str(&format!("{:indent$}- {line}\n", "")),
        }
    }
    text
}

fn entry(text: &mut String, before: String, value: &Value, indent: usize) {
    let line = flow(value);
    let fits = before.len() + 1 + line.len() <= WIDTH;
    text.push_str(&before);
    match value {
        Value::Object(map) if !fits && !map.is_empty() => {
            text.push('\n');
            text.push_str(&mapping(map, indent + 2));
        }
        Value::Array(items) if !fits && !items.is_empty() => {
            text.push('\n');
            text.push_str(&list(items, indent + 2));
        }
        _ => text.push_str(&format!(" {line}\n")),
    }
}

/// A section of a file: its entries on lines of their own, however short they are.
pub fn section(name: &str, content: &Value) -> String {
    match content {
        Value::Object(map) if !map.is_empty() => format!("{name}:\n{}", mapping(map, 2)),
        Value::Array(items) if !items.is_empty() => format!("{name}:\n{}", list(items, 2)),
        other => format!("{name}: {}\n", flow(other)),
    }
}

/// A value in one line.
pub fn flow(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entries =
                map.iter().map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => scalar(text),
        // JSON's numbers, booleans and null are YAML's.
        other => other.to_string(),
    }
}

/// A text, quoted unless it is plain in every place and version of YAML.
pub fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan"];
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    let Some(first) = text.bytes().next() else { return false };
    if !text.bytes().all(inside) || WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return false;
    }
    match first {
        b'0'..=b'9' => text.parse::<Millis>().is_ok() && text != "0",
        b'.' | b'-' => false,
        _ => true,
    }
}

/// In double quotes. YAML forbids control characters even there, and a key of 255 bytes must not
/// grow beyond the 1024 characters that YAML allows for one: `\x01` is the shortest escape.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match u32::from(c) {
            0x22 | 0x5c => quoted.extend(['\\', c]),
            0x0a => quoted.push_str("\\n"),
            0x09 => quoted.push_str("\\t"),
            code @ (0..0x20 | 0x7f..=0xa0 | 0xad) => quoted.push_str(&format!("\\x{code:02x}")),
            code @ (0x2028 | 0x2029 | 0xfeff | 0xfffe | 0xffff) => {
                quoted.push_str(&format!("\\u{code:04x}"));
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars() {
        let table = [
            ("order.delay.queue", "order.delay.queue"),
            ("/", "/"),
            ("30s", "30s"),
            ("1h30m", "1h30m"),
            ("", r#""""#),
            ("No", r#""No""#),
            ("null", r#""null""#),
            ("12", r#""12""#),
            ("1e5", r#""1e5""#),
            ("0", r#""0""#),
            ("0x1f", r#""0x1f""#),
            (".inf", r#"".inf""#),
            ("-", r#""-""#),
            ("order.#", r##""order.#""##),
            ("a: b", r#""a: b""#),
            ("delay.{delay}.q", r#""delay.{delay}.q""#),
            ("say \"\\\"\n\u{1b}\u{85}\u{2028}", r#""say \"\\\"\n\x1b\x85\u2028""#),
            ("注文", r#""注文""#),
        ];
        for (text, shown) in table {
            assert_eq!(scalar(text), shown);
        }
    }
}
