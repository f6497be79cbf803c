#!/usr/bin/env bash
# Every check and test of this project, as CI runs them. All it needs beforehand is cargo.
#
# The tests talk to a real RabbitMQ: the one in AMQP_URL, else a node of their own, apart from
# the demo's, since they restart it (with $DELAYCTL_BROKER_SCRIPT, which is unset for a broker
# that is not theirs). A test that this broker cannot run prints `SKIPPED <test>: <reason>` to
# standard error and appends the same line to the file $DELAYCTL_SKIP_LOG; all are listed last.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n== %s\n' "$*" >&2; }

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }

need_shellcheck() {
    ! command -v shellcheck >/dev/null || return 0
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
        step "apt-get install shellcheck"
        as_root apt-get -qq update || true # old lists may do
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
            -o DPkg::Lock::Timeout=300 install shellcheck >/dev/null
    else
        echo "shellcheck is missing: apt-get, dnf or brew install it under that name" >&2
        exit 69
    fi
}

if ! command -v cargo >/dev/null; then
    echo "cargo is missing: https://rustup.rs tells how to install Rust" >&2
    exit 69
fi

need_shellcheck
step "shellcheck"
shellcheck -x scripts/*.sh .ci/run

step "cargo fmt"
cargo fmt --all --check

step "cargo clippy"
cargo clippy --all-targets --locked -- -D warnings

started=
stop_broker() { [[ -z $started ]] || scripts/broker.sh stop; }
trap stop_broker EXIT

if [[ -n ${AMQP_URL:-} ]]; then
    step "broker: the one in AMQP_URL"
    unset DELAYCTL_BROKER_SCRIPT # that one is not ours to restart
else
    step "broker"
    unset DELAYCTL_BROKER_{MANAGEMENT,DIST,EPMD}_PORT # they follow from the first
    export DELAYCTL_BROKER_SCRIPT=$PWD/scripts/broker.sh
    export DELAYCTL_BROKER_DIR=$PWD/target/test-broker DELAYCTL_BROKER_PORT=5674
    # One that ran before stays: it may be kept for many runs of the tests.
    if ! scripts/broker.sh status >/dev/null; then
        started=yes
        scripts/broker.sh stop --purge 2>/dev/null # nothing of an earlier run
    fi
    scripts/broker.sh start
    urls=$(scripts/broker.sh env)
    eval "$urls"
fi

step "cargo test"
DELAYCTL_SKIP_LOG=$(mktemp)
export DELAYCTL_SKIP_LOG
outcome=passed
cargo test --locked --no-fail-fast || outcome=failed

trap - EXIT
stop_broker
skipped=$(sort "$DELAYCTL_SKIP_LOG")
count=$(grep -c . <<<"$skipped") || true
rm -f "$DELAYCTL_SKIP_LOG"
step "tests $outcome; $count broker tests skipped${skipped:+:
$skipped}"
[[ $outcome == passed ]]
