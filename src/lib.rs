//! delayctl

pub mod broker;
pub mod duration;
pub mod lint;
pub mod message;
pub mod objects;
pub mod plan;
pub mod routing;
pub mod strategy;
pub mod topology;
