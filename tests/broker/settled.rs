//! What `consume --count` has settled does not come again.

use crate::scene::scene;

#[test]
fn more_than_a_quorum_queue_takes_at_once() {
    let scene = scene!(
        "queues: { T.q: { type: quorum } }
delays: { d: { target: { queue: T.q }, tiers: { exchange: T.in, queue: T.wait, delays: [1h] } } }"
    )
    .declared();
    for how in [&["--ack"][..], &["--reject"], &["--reject-every", "3"]] {
        scene.run("publish", &["-n", "200"]).expect(0);
        let arguments = [&["-n", "200", "--timeout", "30s"], how].concat();
        scene.run("consume", &arguments).expect(0);
        let rest = scene.run("consume", &["--idle", "500ms"]).expect(0);
        assert!(rest.stdout.starts_with("0 deliveries"), "{how:?}: {rest}");
    }
}
