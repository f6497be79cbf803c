//! delayctl

pub mod broker;
pub mod message;
pub mod objects;
pub mod plan;
