//! A property of an object, when the object may be seen and the property not.

use serde::{Serialize, Serializer};

/// What is known of one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    /// The object has none, or is not there itself.
    Nothing,
    /// It may have one; nobody could look.
    Unseen,
    /// This.
    Is(T),
}

impl<T> Fact<T> {
    /// A property of an object of which it is known at most whether it is there.
    pub fn of_one_that_is(present: Option<bool>) -> Self {
        if present == Some(false) { Fact::Nothing } else { Fact::Unseen }
    }

    /// A property that was looked for.
    pub fn seen(found: Option<T>) -> Self {
        found.map_or(Fact::Nothing, Fact::Is)
    }

    pub fn is_nothing(&self) -> bool {
        matches!(self, Fact::Nothing)
    }

    /// For a table: what is not known must look neither like a value nor like none.
    pub fn shown(self, show: impl FnOnce(T) -> String) -> String {
        match self {
            Fact::Nothing => String::new(),
            Fact::Unseen => "?".to_owned(),
            Fact::Is(value) => show(value),
        }
    }
}

/// Only what is [`Fact::Is`] has a value; what is [`Fact::Nothing`] can be left out beside that.
impl<T: Serialize> Serialize for Fact<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Fact::Is(value) => value.serialize(serializer),
            Fact::Nothing | Fact::Unseen => serializer.serialize_none(),
        }
    }
}
