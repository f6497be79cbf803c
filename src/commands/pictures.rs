//! `--svg` and `--html`: pictures into files.

use super::{Shell, save};
use crate::cli::Pictures;
use crate::render::html;
use crate::render::svg::Caption;
use crate::render::table::Figures;

/// A picture, and its words and figures for a page.
pub struct Picture {
    /// What stands above it.
    pub caption: Caption,
    /// The picture as SVG.
    pub svg: String,
    /// What it tells, in sentences.
    pub story: Vec<String>,
    /// What it shows, in figures.
    pub figures: Vec<Figures>,
}

/// Writes what the command line asks for.
pub fn write(
    args: &Pictures,
    shell: &Shell,
    picture: impl FnOnce() -> Picture,
) -> anyhow::Result<()> {
    if args.svg.is_none() && args.html.is_none() {
        return Ok(());
    }
    let Picture { caption, svg, story, figures } = picture();
    if let Some(path) = &args.svg {
        save::text(path, &svg)?;
        shell.output.say(&format!("picture: {}", path.display()));
    }
    if let Some(path) = &args.html {
        save::text(path, &html::page(&caption, &svg, &story, &figures))?;
        shell.output.say(&format!("page: {}", path.display()));
    }
    Ok(())
}
