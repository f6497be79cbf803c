//! What goes out of delayctl's files and comes in from elsewhere: definitions, captures, the JSON
//! Schema, routes, conversions. What a broker makes of it: `management/capture.rs`.

mod command;
mod roundtrip;
mod schema;
mod validator;

#[path = "../support/mod.rs"]
mod support;
