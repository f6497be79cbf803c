//! The version of a broker, and what depends on it.

use std::fmt;
use std::str::FromStr;

/// From here on RabbitMQ has no Mnesia, and the delayed-message plugin, which keeps its messages
/// there, cannot run.
pub const PLUGIN_GONE: Version = Version::new(4, 3);

/// A version of RabbitMQ. Numbers left out are zero, and a suffix such as `-rc.1` is not kept: a
/// release candidate behaves like its release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u64,
    /// The second.
    pub minor: u64,
    /// The third.
    pub patch: u64,
}

impl Version {
    /// The first release of a minor version.
    pub const fn new(major: u64, minor: u64) -> Self {
        Version { major, minor, patch: 0 }
    }
}

/// A text that is no version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version of RabbitMQ: write one like `4.3` or `3.13.7`")]
pub struct VersionError(String);

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let fail = || VersionError(text.to_owned());
        let numbers = text.trim().split(['-', '+']).next().unwrap_or_default();
        let numbers: Result<Vec<u64>, _> = numbers.split('.').map(str::parse).collect();
        match numbers.map_err(|_| fail())?.as_slice() {
            [major] => Ok(Version { major: *major, ..Version::default() }),
            [major, minor] => Ok(Version::new(*major, *minor)),
            [major, minor, patch] => Ok(Version { major: *major, minor: *minor, patch: *patch }),
            _ => Err(fail()),
        }
    }
}

impl fmt::Display for Version {
    /// `4.3`, `3.10.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch == 0 { Ok(()) } else { write!(f, ".{}", self.patch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_and_compared() {
        for (text, shown) in [
            ("4.3", "4.3"),
            ("4", "4.0"),
            ("3.10.8", "3.10.8"),
            ("4.1.0-rc.1", "4.1"),
            ("4.2.1+build.7", "4.2.1"),
        ] {
            assert_eq!(text.parse::<Version>().unwrap().to_string(), shown, "{text}");
        }
        assert!("3.10.8".parse::<Version>().unwrap() < Version::new(3, 12));
        assert!("4.0.5".parse::<Version>().unwrap() > Version::new(4, 0));
        for text in ["", "four", "4.3.6.1", "4.x", "-1"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
