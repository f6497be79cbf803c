//! Running the binary under test: to its end, or step by step.

#![allow(dead_code, reason = "each test binary uses its own part of it")]

pub mod command;
pub mod readme;
pub mod session;
pub mod skip;
pub mod terminal;
