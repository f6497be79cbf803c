//! What goes out of delayctl's files and comes in from elsewhere: definitions, captures, the JSON
//! Schema, routes, conversions.

mod broker;
mod command;
mod roundtrip;
mod schema;
mod validator;
