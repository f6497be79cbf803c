//! `inspect --watch`.

use crate::stage::stage;

#[test]
fn one_picture_after_the_other_until_interrupted() {
    let stage = stage!("queues: { q: { type: classic } }");
    stage.run("declare", &[]).expect(0);
    let mut watching = stage.start("inspect", &["--watch=200ms"]);
    watching.wait_for(" q ");
    stage.send("q");
    watching.wait_for("q       classic  yes        1");
    watching.interrupt();
    let ended = watching.end().expect(0);
    assert!(ended.stdout.matches("object").count() >= 2, "{ended}");
    assert!(!ended.stdout.contains('\x1b'), "{ended}");
    let mut watching = stage.start("inspect", &["--watch", "-o", "json"]);
    watching.wait_for("\"name\":\"q\"");
    watching.interrupt();
    let lines = watching.end().expect(0).json_lines();
    assert_eq!(lines[0][0]["ready"], 1);
}
