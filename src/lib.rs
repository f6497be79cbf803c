//! delayctl

pub mod broker;
pub mod duration;
pub mod message;
pub mod objects;
pub mod plan;
pub mod render;
pub mod routing;
pub mod strategy;
pub mod timing;
pub mod topology;
