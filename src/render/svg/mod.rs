//! Pictures as SVG: self-contained, for light and dark, with their words for those who cannot see
//! them.

mod canvas;
mod key;
mod lanes;
pub mod markup;
mod measure;
mod row;
mod theme;
mod waiting;

pub use lanes::lanes;
pub use waiting::waiting;

/// What stands above a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// What it shows.
    pub title: String,
    /// The circumstances.
    pub subtitle: String,
}

#[cfg(test)]
mod tests;
