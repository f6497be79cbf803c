//! The codes of all hazards, and the story behind each.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::{
    arguments, at_least_once, consumers, cycle, dead_letter, durability, expiry, head_of_line,
    names, overflow, plugin, policies, retry,
};

/// The story of a hazard, for `lint --explain`.
#[derive(Debug)]
pub struct Story {
    /// The hazard in one line.
    pub title: &'static str,
    /// Why the broker does so.
    pub why: &'static str,
    /// What happens when, in three lines.
    pub timeline: [&'static str; 3],
    /// What to do about it.
    pub mend: &'static str,
}

macro_rules! codes {
    ($($text:literal => $code:ident, $story:path;)*) => {
        /// A hazard. Codes are words that stay the same from version to version.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(
                #[doc = concat!("`", $text, "`")]
                $code,
            )*
        }

        impl Code {
            /// All of them, those that belong together side by side.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The code as it is written.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$code => $text),* }
            }

            /// Its story.
            pub fn story(self) -> &'static Story {
                match self { $(Code::$code => &$story),* }
            }
        }
    };
}

codes! {
    "head-of-line" => HeadOfLine, head_of_line::HEAD_OF_LINE;
    "ttl-cut-short" => TtlCutShort, head_of_line::TTL_CUT_SHORT;
    "dlx-missing" => DlxMissing, dead_letter::DLX_MISSING;
    "dlx-nowhere" => DlxNowhere, dead_letter::DLX_NOWHERE;
    "at-least-once-stall" => AtLeastOnceStall, dead_letter::STALL;
    "cycle-dropped" => CycleDropped, cycle::DROPPED;
    "cycle-kept" => CycleKept, cycle::KEPT;
    "retry-loop" => RetryLoop, cycle::RETRY_LOOP;
    "retry-loop-limit" => RetryLoopLimit, cycle::RETRY_LOOP_LIMIT;
    "overflow-early" => OverflowEarly, overflow::EARLY;
    "at-least-once-void" => AtLeastOnceVoid, at_least_once::VOID;
    "at-least-once-policy" => AtLeastOncePolicy, at_least_once::POLICY;
    "expires-quorum" => ExpiresQuorum, expiry::QUORUM;
    "expires-short" => ExpiresShort, expiry::SHORT;
    "consumer-on-waiting" => ConsumerOnWaiting, consumers::ON_WAITING;
    "reject-nowhere" => RejectNowhere, consumers::REJECT_NOWHERE;
    "chain-unlimited" => ChainUnlimited, consumers::CHAIN_UNLIMITED;
    "plugin-version" => PluginVersion, plugin::VERSION;
    "plugin-alternate" => PluginAlternate, plugin::ALTERNATE;
    "plugin-delay-range" => PluginDelayRange, plugin::DELAY_RANGE;
    "plugin-mandatory" => PluginMandatory, plugin::MANDATORY;
    "argument-unknown" => ArgumentUnknown, arguments::UNKNOWN;
    "argument-ignored" => ArgumentIgnored, arguments::IGNORED;
    "argument-refused" => ArgumentRefused, arguments::REFUSED;
    "delayed-retry-version" => DelayedRetryVersion, retry::VERSION;
    "delayed-retry-endless" => DelayedRetryEndless, retry::ENDLESS;
    "delayed-retry-idle" => DelayedRetryIdle, retry::IDLE;
    "transient-queue" => TransientQueue, durability::TRANSIENT;
    "auto-delete-waiting" => AutoDeleteWaiting, durability::AUTO_DELETE;
    "policy-not-applied" => PolicyNotApplied, policies::NOT_APPLIED;
    "policy-refused" => PolicyRefused, policies::REFUSED;
    "policy-tie" => PolicyTie, policies::TIE;
    "wildcard-literal" => WildcardLiteral, names::WILDCARD;
    "name-whitespace" => NameWhitespace, names::WHITESPACE;
}

impl Code {
    /// The story for people: what happens, why, a timeline, and the mend.
    pub fn explain(self) -> String {
        let Story { title, why, timeline, mend } = self.story();
        let timeline = timeline.map(|line| format!("    {line}")).join("\n");
        format!("{self}: {title}\n\n{why}\n\n{timeline}\n\nMend: {mend}\n")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A text that is no code, and the one that was perhaps meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no finding `{given}`; did you mean `{nearest}`?")]
pub struct UnknownCode {
    /// The text.
    pub given: String,
    /// The code most like it.
    pub nearest: Code,
}

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        if let Some(code) = Code::ALL.iter().find(|code| code.as_str() == text) {
            return Ok(*code);
        }
        let likeness = |code: &Code| strsim::jaro_winkler(code.as_str(), text);
        let nearest = Code::ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        Err(UnknownCode {
            given: text.to_owned(),
            nearest: nearest.copied().unwrap_or(Code::HeadOfLine),
        })
    }
}
