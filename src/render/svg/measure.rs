//! How wide text will be, as well as can be known without its font.

/// The width of a text in pixels at this size, in a wide font: in a narrower one there is room left.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| size * em(c)).sum()
}

fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '`' => 0.34,
        'f' | 'r' | 't' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' => 0.95,
        'A'..='Z' | '_' => 0.7,
        c if c.is_ascii() => 0.62,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffff}' | '\u{1f000}'..='\u{3ffff}' => 1.02,
        _ => 0.62,
    }
}

/// The text, cut with an ellipsis if it would be wider than this.
pub fn cut(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut left = most - width("…", size);
    let fits = |c: &char| {
        left -= size * em(*c);
        left >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// The text in lines that are no wider than this, if their words allow it.
pub fn wrap(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, size, most)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_and_wrapped() {
        assert_eq!(cut("order", 12.0, 100.0), "order");
        assert_eq!(cut("order.delay.queue", 12.0, 60.0), "order.de…");
        assert_eq!(cut("注文注文注文", 10.0, 40.0), "注文注…");
        assert_eq!(wrap("one two three", 10.0, 45.0), ["one two", "three"]);
        assert_eq!(wrap("", 10.0, 45.0), Vec::<String>::new());
        assert!(width(&cut(&"W".repeat(300), 12.0, 200.0), 12.0) <= 200.0);
    }
}
