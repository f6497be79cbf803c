//! XML, written so that nothing in it can be mistaken for markup.

use std::fmt::Write;

use crate::render::escape::is_unsafe;

/// XML or HTML that is being written.
#[derive(Debug, Default)]
pub struct Markup {
    text: String,
    open: Vec<&'static str>,
}

impl Markup {
    /// Nothing yet.
    pub fn new() -> Self {
        Markup::default()
    }

    /// Begins an element.
    pub fn tag(&mut self, name: &'static str) -> Tag<'_> {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        Tag { markup: self, name }
    }

    /// Ends the element that was opened last.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            let _ = writeln!(self.text, "</{name}>");
        }
    }

    /// Puts in what is markup already.
    pub fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
        if !markup.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Ends everything.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n(' ', self.open.len()));
    }
}

/// An element of which the attributes are being written.
#[must_use]
pub struct Tag<'m> {
    markup: &'m mut Markup,
    name: &'static str,
}

impl Tag<'_> {
    /// An attribute.
    pub fn at(self, name: &str, value: &str) -> Self {
        let _ = write!(self.markup.text, " {name}=\"{}\"", escaped(value));
        self
    }

    /// An attribute that is a number, to a tenth of a pixel.
    pub fn n(self, name: &str, value: f64) -> Self {
        let value = if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 };
        let _ = write!(self.markup.text, " {name}=\"{value}\"");
        self
    }

    /// Ends an element without content.
    pub fn end(self) {
        self.markup.text.push_str("/>\n");
    }

    /// Ends an element with this text in it.
    pub fn text(self, text: &str) {
        let _ = writeln!(self.markup.text, ">{}</{}>", escaped(text), self.name);
    }

    /// The element's content follows, until [`Markup::close`].
    pub fn open(self) {
        self.markup.text.push_str(">\n");
        self.markup.open.push(self.name);
    }

    /// An HTML element that has no content and no end.
    pub fn void(self) {
        self.markup.text.push_str(">\n");
    }
}

/// Text that can stand in an element or in an attribute: without control and invisible format
/// characters, and without those that XML forbids.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unsafe(*c) && !matches!(c, '\u{fffe}' | '\u{ffff}')) {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_be_mistaken_for_markup() {
        let table = [
            ("order — 注文", "order — 注文"),
            ("</text><script>", "&lt;/text&gt;&lt;script&gt;"),
            ("\" onload='x' & co", "&quot; onload=&#39;x&#39; &amp; co"),
            ("a\0b\x1b[2J\u{202e}c\u{ffff}\n", "ab[2Jc"),
        ];
        for (text, safe) in table {
            assert_eq!(escaped(text), safe);
        }
    }

    #[test]
    fn elements() {
        let mut markup = Markup::new();
        markup.tag("g").at("class", "a\"b").open();
        markup.tag("rect").n("x", 1.0).n("y", 2.25).n("width", f64::NAN).end();
        markup.tag("text").text("<");
        insta::assert_snapshot!(markup.finish(), @r#"
        <g class="a&quot;b">
         <rect x="1" y="2.3" width="0"/>
         <text>&lt;</text>
        </g>
        "#);
    }
}
