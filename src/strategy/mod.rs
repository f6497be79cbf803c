//! Delay strategies: how a topology holds a message back.
//!
//! A publisher's route and a declarer's bindings must agree, so each strategy keeps both in its
//! one file: its YAML fields, its invariants, its names, [`Contract::compile`] and
//! [`Contract::route`]. A new strategy is a new file and one line in `strategies!` below.

use schemars::{Schema, SchemaGenerator};
use serde::de::MapAccess;

use crate::duration::Millis;
use crate::message::Route;
use crate::objects::{Clash, Objects};

mod count;
mod delayed_exchange;
pub mod ladder;
mod names;
mod per_message_ttl;
mod target;
mod tiers;
mod waiting;

pub use count::count;
pub use delayed_exchange::{DelayedExchange, PLUGIN_DELAY_MAX_MS};
pub use ladder::Ladder;
pub use per_message_ttl::PerMessageTtl;
pub use target::Target;
pub use tiers::{Tier, Tiers};
pub use waiting::{Overflow, QUEUE_OF_EXCHANGE_TYPE, QueueType};

/// What every delay strategy does. A delay's `name` is its key in the file.
pub trait Contract {
    /// What its fields break, as (field, message) pairs; the field is relative to the strategy's
    /// own key and empty for the strategy as a whole. [`Contract::compile`] is called only when
    /// there is none.
    fn problems(&self, name: &str, target: &Target) -> Vec<(String, String)>;

    /// The objects it needs on the broker, without the target's own.
    ///
    /// # Errors
    /// [`Clash`] when two of its own objects share a name and differ.
    fn compile(&self, name: &str, target: &Target) -> Result<Objects, Clash>;

    /// Where a message must be published to arrive at the target after `delay`, which is not 0.
    ///
    /// # Errors
    /// [`CannotDelay`] when it has no way of keeping this delay.
    fn route(
        &self,
        name: &str,
        target: &Target,
        delay: Millis,
        rounding: Rounding,
    ) -> Result<Route, CannotDelay>;

    /// The delays it can do, for people.
    fn offers(&self) -> String;
}

/// What to do with a delay that a strategy can only do longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// Refuse it.
    #[default]
    Exact,
    /// Take the next longer one.
    Up,
}

/// A delay that a strategy cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotDelay {
    /// None of the listed delays.
    #[error("no tier of {delay}: there are {offered}")]
    NoTier {
        /// The delay asked for.
        delay: Millis,
        /// Those there are.
        offered: String,
        /// The listed delay closest to it.
        nearest: Millis,
        /// The next longer one, if there is one.
        longer: Option<Millis>,
    },
    /// Longer than it can hold a message back.
    #[error("{delay} is longer than {max}, {why}")]
    TooLong {
        /// The delay asked for.
        delay: Millis,
        /// The longest one.
        max: Millis,
        /// What sets the limit.
        why: &'static str,
    },
}

impl CannotDelay {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            CannotDelay::NoTier { nearest, longer: Some(longer), .. } => {
                format!("the nearest is {nearest}; `--round up` takes {longer}")
            }
            CannotDelay::NoTier { nearest, longer: None, .. } => {
                format!("the nearest is {nearest}, the longest; add a tier to the file")
            }
            CannotDelay::TooLong { max, .. } => format!("ask for at most {max}"),
        }
    }
}

macro_rules! strategies {
    ($($key:literal => $kind:ident),* $(,)?) => {
        /// A delay's strategy, as its file says it.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Strategy {
            $(
                #[doc = concat!("`", $key, "`")]
                $kind($kind),
            )*
        }

        impl Strategy {
            /// The keys by which a file names the strategies.
            pub const KEYS: &[&str] = &[$($key),*];

            /// The key by which a file names this strategy.
            pub fn key(&self) -> &'static str {
                match self { $(Strategy::$kind(_) => $key),* }
            }

            /// Its fields as a file writes them, those with default values left out.
            pub(crate) fn to_json(&self) -> serde_json::Value {
                // Strings, numbers and lists of them: there is nothing that could fail.
                match self { $(Strategy::$kind(strategy) => serde_json::json!(strategy)),* }
            }

            /// The JSON Schema of each strategy's fields, under its key.
            pub(crate) fn schemas(
                generator: &mut SchemaGenerator,
            ) -> Vec<(&'static str, Schema)> {
                vec![$(($key, generator.subschema_for::<$kind>())),*]
            }

            fn contract(&self) -> &dyn Contract {
                match self { $(Strategy::$kind(strategy) => strategy),* }
            }

            /// Reads the value of the map entry `key`; `None` when no strategy has this key.
            pub(crate) fn read_entry<'de, A: MapAccess<'de>>(
                key: &str,
                map: &mut A,
            ) -> Option<Result<Self, A::Error>> {
                match key {
                    $($key => Some(map.next_value().map(Strategy::$kind)),)*
                    _ => None,
                }
            }
        }
    };
}

strategies! {
    "tiers" => Tiers,
    "per_message_ttl" => PerMessageTtl,
    "delayed_exchange" => DelayedExchange,
    "ladder" => Ladder,
}

/// One entry of a file's `delays`: a way to hold messages back, and where they go afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// Its key in the file.
    pub name: String,
    /// Where messages arrive.
    pub target: Target,
    /// How they are held back.
    pub strategy: Strategy,
}

impl Delay {
    /// What the strategy's fields break, as (field, message) pairs; see [`Contract::problems`].
    pub fn problems(&self) -> Vec<(String, String)> {
        self.strategy.contract().problems(&self.name, &self.target)
    }

    /// The objects that hold the messages back, without the target's own.
    ///
    /// # Errors
    /// [`Clash`] when two of them share a name and differ.
    pub fn compile(&self) -> Result<Objects, Clash> {
        self.strategy.contract().compile(&self.name, &self.target)
    }

    /// Where to publish a message that is to arrive after `delay`. A delay of zero goes straight
    /// to the target, whatever the strategy.
    ///
    /// # Errors
    /// [`CannotDelay`] when the strategy has no way of keeping this delay.
    pub fn route(&self, delay: Millis, rounding: Rounding) -> Result<Route, CannotDelay> {
        if delay == Millis(0) {
            return Ok(Route::plain(self.target.exchange(), self.target.routing_key(), delay));
        }
        self.strategy.contract().route(&self.name, &self.target, delay, rounding)
    }

    /// The delays that it can do, for people.
    pub fn offers(&self) -> String {
        self.strategy.contract().offers()
    }
}

/// Whether a field says nothing that leaving it out would not say.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
