//! The delayed-message plugin: exchanges of type `x-delayed-message`.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::Scene;
use crate::objects::{DELAYED_MESSAGE_TYPE, argument};
use crate::strategy::PLUGIN_DELAY_MAX_MS;
use crate::version::Version;

pub(super) static VERSION: Story = Story {
    title: "the delayed-message plugin has no future",
    why: "`rabbitmq_delayed_message_exchange` was archived in January 2026. It keeps waiting messages in \
          Mnesia, which RabbitMQ 4.3 removed, so it cannot run there. What waits in it has one copy, on \
          one node.",
    timeline: [
        " Mon   thousands of messages wait in the plugin on RabbitMQ 4.2",
        " Tue   the broker is upgraded to 4.3: the exchange type is unknown",
        " Tue   what waited is lost, and declaring the exchange is refused",
    ],
    mend: "move to `ladder` (any delay) or `tiers` (fixed delays) while the plugin still runs, and watch \
           its `messages_delayed` fall to zero before upgrading.",
};

pub(super) static ALTERNATE: Story = Story {
    title: "a delayed exchange sends every message to its alternate exchange at once",
    why: "The plugin takes a message away to delay it and tells the broker that it went nowhere. So an \
          alternate exchange gets it, immediately; the delayed copy follows when it is due. One that is \
          unroutable then goes to the alternate exchange a second time.",
    timeline: [
        " 0 s   a message with x-delay 30000 is published, to a bound key",
        " 0 s   a copy arrives behind the alternate exchange",
        "30 s   the message itself arrives where it should: processed twice",
    ],
    mend: "no alternate exchange on the delayed exchange. To catch what is unroutable, bind the delayed \
           exchange to an ordinary one that has an alternate exchange.",
};

pub(super) static DELAY_RANGE: Story = Story {
    title: "a delay that the plugin does not understand is no delay, and no error",
    why: "The plugin delays by 1 ms to 4,294,967,295 ms (49.7 days). A message whose `x-delay` is longer, \
          negative, zero or a boolean it delivers at once. RabbitMQ 4.0 hands out the header negated, so \
          republishing a message with the headers it came with has no delay either.",
    timeline: [
        " 0 d   a reminder is published with x-delay 5,184,000,000: 60 days",
        " 0 d   it is delivered at once",
        "60 d   nothing happens",
    ],
    mend: "publishers check the range; longer delays go by `ladder` or `tiers` (10 years).",
};

pub(super) static MANDATORY: Story = Story {
    title: "a mandatory message to a delayed exchange is always returned, and delivered all the same",
    why: "The plugin tells the broker that a delayed message went nowhere, so a publisher who set \
          `mandatory` gets each one back as NO_ROUTE. And one that really is unroutable is lost in \
          silence when it is due.",
    timeline: [
        " 0 s   a message with x-delay 30000 is published as mandatory",
        " 0 s   it comes back as NO_ROUTE; the publisher sends it again",
        "30 s   both arrive",
    ],
    mend: "do not set `mandatory` when publishing to it; check once that its bindings are there.",
};

/// The first version that the plugin cannot run on.
const GONE: Version = Version::new(4, 3);

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let exchanges = scene.objects.exchanges.iter();
    let delayed = exchanges.filter(|(_, exchange)| exchange.kind == DELAYED_MESSAGE_TYPE);
    delayed.flat_map(|(name, _)| check_exchange(scene, name)).collect()
}

fn check_exchange(scene: &Scene<'_>, name: &str) -> Vec<Finding> {
    let mut findings: Vec<_> = version(scene, name).into_iter().collect();
    if scene.is_at_least(GONE) == Some(true) {
        return findings;
    }
    findings.extend(alternate(scene, name));
    // `publish` keeps to both rules; what else publishes to an exchange is not known.
    if !scene.is_of_delay(name) {
        findings.extend(publishers(scene, name));
    }
    findings
}

fn version(scene: &Scene<'_>, name: &str) -> Option<Finding> {
    let what = match scene.version {
        Some(version) if version >= GONE => format!(
            "RabbitMQ {version} refuses `{name}`: the plugin cannot run on 4.3 or later, and its exchange \
             type is unknown there"
        ),
        Some(_) => return None,
        None => format!(
            "`{name}` needs the delayed-message plugin, which was archived in January 2026 and cannot run \
             on RabbitMQ 4.3 or later"
        ),
    };
    let field = scene.topology.fields.exchange(name);
    let mend = "use `ladder` for any delay, or `tiers` for fixed ones";
    Some(Finding::warning(Code::PluginVersion, name, field).says(what, mend))
}

fn alternate(scene: &Scene<'_>, name: &str) -> Option<Finding> {
    let alternate = scene.routes.alternate(name)?;
    let own = scene.objects.exchanges.get(name).and_then(|exchange| exchange.alternate());
    let policy = scene.policies.for_exchange(name).filter(|_| own.is_none());
    let field = match policy {
        Some(policy) => {
            format!("policies.{}.definition.{}", policy.name, argument::ALTERNATE_EXCHANGE)
        }
        None => scene.topology.fields.exchange_argument(name, argument::ALTERNATE_EXCHANGE),
    };
    let what = format!(
        "every delayed message goes to `{alternate}` at once, before it goes where it should when it is \
         due: the plugin reports each as unroutable"
    );
    let mend = "give the alternate exchange to an ordinary exchange behind the delayed one";
    Some(Finding::error(Code::PluginAlternate, name, field).says(what, mend))
}

fn publishers(scene: &Scene<'_>, name: &str) -> [Finding; 2] {
    let field = scene.topology.fields.exchange(name);
    let range = format!(
        "a message to `{name}` whose `x-delay` is above {PLUGIN_DELAY_MAX_MS} ms (49.7 days), or is no \
         positive number, is delivered at once, without an error"
    );
    let mandatory = format!(
        "a mandatory message to `{name}` is always returned as NO_ROUTE, and delivered all the same when \
         it is due"
    );
    [
        Finding::warning(Code::PluginDelayRange, name, field.clone())
            .says(range, "let publishers check the range, or offer the delay in `delays`"),
        Finding::warning(Code::PluginMandatory, name, field)
            .says(mandatory, "do not publish to it as mandatory"),
    ]
}
