//! The keys that policies may have, as the brokers list them: `policy_validator`s of 3.10.8, 4.0.5 and
//! 4.3.6.

use crate::version::Version;

/// Policy keys, and the versions from which (and before which) brokers take them.
pub(super) const KEYS: [(&str, Option<Version>, Option<Version>); 32] = {
    const NEW: Option<Version> = Some(Version::new(4, 3));
    const NEWISH: Option<Version> = Some(Version::new(3, 12));
    const MIRRORS: Option<Version> = Some(Version::new(4, 0));
    [
        ("message-ttl", None, None),
        ("expires", None, None),
        ("max-length", None, None),
        ("max-length-bytes", None, None),
        ("overflow", None, None),
        ("dead-letter-exchange", None, None),
        ("dead-letter-routing-key", None, None),
        ("dead-letter-strategy", None, None),
        ("delivery-limit", None, None),
        ("alternate-exchange", None, None),
        ("queue-mode", None, None),
        ("queue-version", None, None),
        ("queue-master-locator", None, None),
        ("queue-leader-locator", None, None),
        ("max-age", None, None),
        ("stream-max-segment-size-bytes", None, None),
        ("initial-cluster-size", None, None),
        ("max-in-memory-length", None, None),
        ("max-in-memory-bytes", None, None),
        ("stream-filter-size-bytes", NEWISH, None),
        ("consumer-timeout", NEWISH, None),
        ("target-group-size", NEWISH, None),
        ("delayed-retry-type", NEW, None),
        ("delayed-retry-min", NEW, None),
        ("delayed-retry-max", NEW, None),
        ("consumer-disconnected-timeout", NEW, None),
        ("ha-mode", None, MIRRORS),
        ("ha-params", None, MIRRORS),
        ("ha-sync-mode", None, MIRRORS),
        ("ha-sync-batch-size", None, MIRRORS),
        ("ha-promote-on-shutdown", None, MIRRORS),
        ("ha-promote-on-failure", None, MIRRORS),
    ]
};

/// Keys of plugins that come with RabbitMQ.
pub(super) const OF_PLUGINS: [&str; 5] = [
    "federation-upstream",
    "federation-upstream-set",
    "federation-upstream-pattern",
    "shards-per-node",
    "routing-key",
];
