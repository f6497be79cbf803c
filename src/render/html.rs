//! A page that needs nothing but itself: a picture, the story, and every figure in tables.

use super::svg::Caption;
use super::svg::markup::Markup;
use super::table::Figures;

const STYLE: &str = "\
:root{color-scheme:light dark}
body{margin:0;background:#fff;color:#1f2328;font:15px/1.55 system-ui,-apple-system,'Segoe UI',\
Roboto,'Helvetica Neue',Arial,sans-serif}
main{max-width:1000px;margin:0 auto;padding:24px 20px 48px}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.5rem 0;max-width:75ch;overflow-wrap:anywhere}
.sub{color:#59636e}
figure{margin:1.25rem 0;overflow-x:auto;border:1px solid #d1d9e0;border-radius:8px}
figure svg{display:block;width:100%;min-width:640px;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:0 0 .4rem}
th,td{padding:.3rem .9rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #d1d9e0}
th{color:#59636e;font-weight:600;white-space:nowrap}
td{max-width:36ch;overflow-wrap:anywhere}
.num{text-align:right;white-space:nowrap}
@media (prefers-color-scheme:dark){
body{background:#0d1117;color:#e6edf3}
.sub,th{color:#9aa4af}
figure,th,td{border-color:#30363d}
}
";

/// Nothing is fetched, and nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page. `svg` is markup; all else is text.
pub fn page(caption: &Caption, svg: &str, story: &[String], figures: &[Figures]) -> String {
    let mut page = Markup::new();
    page.raw("<!DOCTYPE html>");
    page.tag("html").at("lang", "en").open();
    page.tag("head").open();
    page.tag("meta").at("charset", "utf-8").void();
    page.tag("meta").at("http-equiv", "Content-Security-Policy").at("content", POLICY).void();
    let viewport = "width=device-width, initial-scale=1";
    page.tag("meta").at("name", "viewport").at("content", viewport).void();
    page.tag("meta").at("name", "color-scheme").at("content", "light dark").void();
    page.tag("title").text(&caption.title);
    page.raw(&format!("<style>\n{STYLE}</style>"));
    page.close();
    page.tag("body").open();
    page.tag("main").open();
    page.tag("h1").text(&caption.title);
    if !caption.subtitle.is_empty() {
        page.tag("p").at("class", "sub").text(&caption.subtitle);
    }
    page.tag("figure").open();
    page.raw(svg);
    page.close();
    story.iter().for_each(|sentence| page.tag("p").text(sentence));
    figures.iter().for_each(|figures| table(&mut page, figures));
    page.finish()
}

fn table(page: &mut Markup, figures: &Figures) {
    page.tag("h2").text(&figures.caption);
    page.tag("div").at("class", "scroll").open();
    page.tag("table").open();
    page.tag("thead").open();
    page.tag("tr").open();
    for (title, number) in &figures.columns {
        page.tag("th").at("scope", "col").at("class", class(*number)).text(title);
    }
    page.close();
    page.close();
    page.tag("tbody").open();
    for row in &figures.rows {
        page.tag("tr").open();
        for (cell, (_, number)) in row.iter().zip(&figures.columns) {
            page.tag("td").at("class", class(*number)).text(cell);
        }
        page.close();
    }
    page.close();
    page.close();
    page.close();
}

fn class(number: bool) -> &'static str {
    if number { "num" } else { "text" }
}
