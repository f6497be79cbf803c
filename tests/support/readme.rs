//! README.md, as what people paste from it.

/// The text of the section under this heading.
pub fn section(heading: &str) -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let start = format!("\n## {heading}\n");
    let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("no section `{heading}`"));
    rest.split("\n## ").next().unwrap().to_owned()
}

/// The fenced blocks of this language.
pub fn blocks(section: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    let parts = section.split(&open).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}
