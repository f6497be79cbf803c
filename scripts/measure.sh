# What bench.sh and compare.sh share; they source it from the project's root. It builds $delayctl,
# makes $scratch, and finds or starts the broker in AMQP_URL and RABBITMQ_MANAGEMENT_URL, where
# the caller has the vhost $vhost to itself. What it does is undone when the script ends.
# shellcheck shell=bash disable=SC2034,SC2154 # the caller's variables

say() { printf '%s\n' "$*" >&2; }

for tool in cargo curl awk; do
    command -v $tool >/dev/null || { say "$tool is missing: install it first"; exit 69; }
done

say "== building the release binary"
cargo build --release --locked --quiet
delayctl=${CARGO_TARGET_DIR:-target}/release/delayctl

scratch=$(mktemp -d)
private= # the broker is ours, and new
api() { curl -fsS -X "$1" -H 'content-type: application/json' "${@:3}" "$RABBITMQ_MANAGEMENT_URL$2"; }
finish() {
    jobs -p | xargs -r kill 2>/dev/null || true
    rm -rf "$scratch"
    if [[ -n $private ]]; then
        scripts/broker.sh stop --purge
    else
        api DELETE "/api/vhosts/$vhost" 2>/dev/null || true
    fi
}

if [[ -n ${AMQP_URL:-} && -z ${RABBITMQ_MANAGEMENT_URL:-} ]]; then
    say "AMQP_URL is set and RABBITMQ_MANAGEMENT_URL is not: set it too"
    exit 2
fi
trap finish EXIT
if [[ -z ${AMQP_URL:-} ]]; then
    private=yes
    export DELAYCTL_BROKER_DIR=$PWD/target/bench-broker DELAYCTL_BROKER_PORT=5675
    scripts/broker.sh stop --purge 2>/dev/null # one that an earlier run left
    scripts/broker.sh start >&2
    eval "$(scripts/broker.sh env)"
fi

# median FILE: of its lines, which are numbers.
median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
