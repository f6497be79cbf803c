//! `--svg` and `--html`: pictures into files.

use super::{Shell, save};
use crate::cli::Pictures;
use crate::render::html;
use crate::render::svg::Caption;
use crate::render::table::Figures;

/// A picture, and its words and figures for a page.
pub struct Picture<'p> {
    /// What stands above it.
    pub caption: Caption,
    /// Draws the picture as SVG.
    pub draw: Box<dyn Fn(&Caption) -> String + 'p>,
    /// What it tells, in sentences.
    pub story: Vec<String>,
    /// What it shows, in figures.
    pub figures: Vec<Figures>,
}

/// Writes what the command line asks for.
pub fn write<'p>(
    args: &Pictures,
    shell: &Shell,
    picture: impl FnOnce() -> Picture<'p>,
) -> anyhow::Result<()> {
    if args.svg.is_none() && args.html.is_none() {
        return Ok(());
    }
    let Picture { caption, draw, story, figures } = picture();
    if let Some(path) = &args.svg {
        save::text(path, &draw(&caption))?;
        shell.output.say(&format!("picture: {}", path.display()));
    }
    if let Some(path) = &args.html {
        save::text(path, &html::page(&caption, &draw(&caption.silent()), &story, &figures))?;
        shell.output.say(&format!("page: {}", path.display()));
    }
    Ok(())
}
