//! Where the management API is, and as whom.

use std::fmt;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::broker::endpoint::Endpoint;

use super::error::ManagementError;

/// Which management API to use.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum ManagementAddress {
    /// None.
    #[default]
    Off,
    /// The one on the AMQP URI's host, at its usual port, if it answers.
    Usual,
    /// The one at this URL. It may hold a user and a password; `Debug` does not show it.
    At(String),
}

impl fmt::Debug for ManagementAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManagementAddress::Off => f.write_str("Off"),
            ManagementAddress::Usual => f.write_str("Usual"),
            ManagementAddress::At(url) => match Site::parse(url, "", "") {
                Ok(site) => write!(f, "At({})", site.shown),
                Err(_) => f.write_str("At(not a URL)"),
            },
        }
    }
}

impl ManagementAddress {
    /// Whether it is reached with TLS.
    pub(in crate::broker) fn is_tls(&self) -> bool {
        matches!(self, ManagementAddress::At(url) if url.starts_with("https://"))
    }

    /// The site, with the AMQP user where the URL names none.
    ///
    /// # Errors
    /// [`ManagementError::Url`].
    pub(super) fn site(&self, endpoint: &Endpoint) -> Result<Option<Site>, ManagementError> {
        let (user, password) = (&endpoint.user, &endpoint.password);
        match self {
            ManagementAddress::Off => Ok(None),
            ManagementAddress::At(url) => Site::parse(url, user, password).map(Some),
            ManagementAddress::Usual => {
                let (scheme, port) = if endpoint.tls { ("https", 15671) } else { ("http", 15672) };
                let host = Endpoint { port, ..endpoint.clone() }.authority();
                Site::parse(&format!("{scheme}://{host}"), user, password).map(Some)
            }
        }
    }
}

/// A URL taken apart.
pub(super) struct Site {
    /// What every path starts with: `http://host:15672/api`.
    pub base: String,
    /// The same without `/api`, for people.
    pub shown: String,
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl Site {
    fn parse(text: &str, user: &str, password: &str) -> Result<Self, ManagementError> {
        let wrong = |reason: String| ManagementError::Url { reason };
        let mut url =
            Url::parse(text).map_err(|error| wrong(format!("it is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            let reason = format!("its scheme is `{}`, not `http` or `https`", url.scheme());
            return Err(wrong(reason));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("it ends with its path: no `?` and no `#`".to_owned()));
        }
        let decode = |part: &str, what: &str| {
            let text = percent_decode_str(part).decode_utf8();
            text.map(String::from).map_err(|_| wrong(format!("its {what} is not UTF-8")))
        };
        let own_user = decode(url.username(), "user")?;
        let own_password = url.password().map(|it| decode(it, "password")).transpose()?;
        let (user, password) = match (own_user.as_str(), own_password) {
            ("", _) => (user.to_owned(), password.to_owned()),
            // The AMQP URI's password goes with the AMQP URI's user only.
            (own, None) if own == user => (own_user, password.to_owned()),
            (_, own) => (own_user, own.unwrap_or_default()),
        };
        let cleared = url.set_username("").and_then(|()| url.set_password(None));
        cleared.map_err(|()| wrong("it has no host".to_owned()))?;
        let trimmed = url.as_str().trim_end_matches('/');
        let shown = trimmed.strip_suffix("/api").unwrap_or(trimmed).to_owned();
        Ok(Site { base: format!("{shown}/api"), shown, user, password })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(address: &ManagementAddress) -> String {
        let endpoint = Endpoint::parse("amqp://app:s%2F@h:5673/v").unwrap();
        match address.site(&endpoint) {
            Ok(Some(site)) => format!("{} {} {:?}", site.base, site.user, site.password),
            Ok(None) => "off".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn where_it_is() {
        for (text, expected) in [
            ("http://m:1", "http://m:1/api app \"s/\""),
            ("https://m/", "https://m/api app \"s/\""),
            ("http://m:1/rabbit/api/", "http://m:1/rabbit/api app \"s/\""),
            ("http://ops:p%20q@m", "http://m/api ops \"p q\""),
            ("http://app@m", "http://m/api app \"s/\""),
            ("http://ops@m", "http://m/api ops \"\""),
            (
                "m:15672",
                "the management API's URL is wrong: its scheme is `m`, not `http` or `https`",
            ),
            (
                "http://m?x=1",
                "the management API's URL is wrong: it ends with its path: no `?` and no `#`",
            ),
        ] {
            assert_eq!(shown(&ManagementAddress::At(text.to_owned())), expected, "{text}");
        }
        assert_eq!(shown(&ManagementAddress::Off), "off");
        assert_eq!(shown(&ManagementAddress::Usual), "http://h:15672/api app \"s/\"");
        let tls = Endpoint::parse("amqps://[::1]/").unwrap();
        let site = ManagementAddress::Usual.site(&tls).unwrap().unwrap();
        assert_eq!(site.base, "https://[::1]:15671/api");
    }

    #[test]
    fn no_password_is_shown() {
        let address = ManagementAddress::At("http://ops:hunter2@m".to_owned());
        assert_eq!(format!("{address:?}"), "At(http://m)");
    }
}
