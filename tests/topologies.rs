//! Each file in `topologies/` compiles to a recorded listing.

#[test]
fn each_example_compiles() {
    for entry in std::fs::read_dir("topologies").unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err(error) = delayctl::topology::parse(&text) {
            panic!("{}:\n{error}", path.display());
        }
    }
}
