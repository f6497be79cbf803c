//! Pictures as SVG: self-contained, for light and dark, with their words for those who cannot see
//! them.

mod canvas;
mod curves;
mod key;
mod lanes;
pub mod markup;
mod measure;
mod row;
mod theme;
mod waiting;
mod words;

pub use lanes::lanes;
pub use waiting::waiting;

/// What stands above a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// What it shows.
    pub title: String,
    /// The circumstances.
    pub subtitle: String,
    /// Not to be drawn: a page around the picture says it already.
    pub silent: bool,
}

impl Caption {
    /// A caption that is drawn.
    pub fn new(title: String, subtitle: String) -> Self {
        Caption { title, subtitle, silent: false }
    }

    /// The same, for a picture in a page that says it.
    #[must_use]
    pub fn silent(&self) -> Self {
        Caption { silent: true, ..self.clone() }
    }
}

#[cfg(test)]
mod tests;
