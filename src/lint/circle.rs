//! Finding circles among dead letters.

use std::collections::{HashMap, VecDeque};

use super::scene::Scene;
use crate::policy::Effective;

/// The queues that can be part of a circle, in the order of the file: without those that lead to no
/// other queue, again and again until all that remain do.
pub(super) fn core<'a>(scene: &Scene<'a>) -> Vec<&'a str> {
    let ends = |name: &str| scene.reach.dead_letters_of(name);
    let mut before: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut ways: HashMap<&str, usize> = HashMap::new();
    for name in scene.queues.keys() {
        ways.insert(name, ends(name).len());
        for end in ends(name) {
            before.entry(end).or_default().push(name);
        }
    }
    let mut open: Vec<_> = ways.iter().filter(|(_, ways)| **ways == 0).map(|(n, _)| *n).collect();
    while let Some(name) = open.pop() {
        ways.remove(name);
        for upper in before.get(name).into_iter().flatten() {
            if let Some(left) = ways.get_mut(upper) {
                *left -= 1;
                if *left == 0 {
                    open.push(upper);
                }
            }
        }
    }
    scene.queues.keys().copied().filter(|name| ways.contains_key(name)).collect()
}

/// The shortest way along dead letters from a queue back to itself, through queues that `passes`.
pub(super) fn way_back<'a, 's>(
    scene: &'s Scene<'a>,
    start: &'s Effective<'a>,
    passes: impl Fn(&Effective<'a>) -> bool,
) -> Option<Vec<&'s Effective<'a>>> {
    let mut from: HashMap<&str, &str> = HashMap::new();
    let mut open = VecDeque::from([start.name]);
    while let Some(name) = open.pop_front() {
        for end in scene.reach.dead_letters_of(name) {
            if *end == start.name {
                let mut path = vec![scene.queues.get(name)?];
                while let Some(upper) = from.get(path.last()?.name) {
                    path.push(scene.queues.get(upper)?);
                }
                path.reverse();
                return Some(path);
            }
            let queue = scene.queues.get(end)?;
            if passes(queue) && !from.contains_key(end) {
                from.insert(end, name);
                open.push_back(end);
            }
        }
    }
    None
}
