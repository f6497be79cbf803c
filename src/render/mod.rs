//! Values as text: tables, listings, trees and timelines.
//!
//! Everything here is a pure function from values to text. Names, bodies and headers come from a
//! broker that anyone may have written to, so all of them pass through [`escape`].

pub mod diff;
pub mod dot;
pub mod escape;
pub mod forecast;
mod graph;
pub mod html;
pub mod lanes;
pub mod listing;
pub mod mermaid;
pub mod stepped;
pub mod svg;
pub mod table;
pub mod ticks;
pub mod timeline;
pub mod tree;
pub mod wrap;
