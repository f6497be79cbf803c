#!/usr/bin/env bash
# From nothing to delayed messages on a real RabbitMQ, in one command. The broker stays up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

topology=topologies/tiered-delays.yaml

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 && -z ${NO_COLOR:-} ]] || say() { printf '\n%s\n' "$*"; }

run() {
    printf '$ %s\n' "$*"
    "$@"
}

if ! command -v cargo >/dev/null; then
    cat >&2 <<'END'
cargo, Rust's build tool, is missing. Install it, open a new shell and try again:
  any system   see https://rustup.rs
  macOS        brew install rust
END
    exit 69
fi

say "1. A real RabbitMQ on this machine"
run scripts/broker.sh start
urls=$(scripts/broker.sh env)
eval "$urls"

say "2. delayctl, built from this source (the first time takes a few minutes)"
run cargo build --release --locked
target=$(cargo metadata --format-version 1 --no-deps --locked)
[[ $target =~ \"target_directory\":\"([^\"]+)\" ]]
delayctl=${BASH_REMATCH[1]}/release/delayctl
delayctl=${delayctl#"$PWD/"}

say "3. A topology: one queue per delay, dead-lettering to the queue that a consumer reads"
run "$delayctl" declare "$topology"

say "4. Head-of-line blocking: messages of 30 s, 5 s and 10 s in one queue, and its mends"
run "$delayctl" hol-demo

say "The broker is still up. Next, type:"
cat <<END
  eval "\$(scripts/broker.sh env)"
  $delayctl publish $topology --delay 5s --body 'order 1'
  $delayctl consume $topology --count 1
  $delayctl inspect $topology

and when you are done:
  scripts/broker.sh stop
END
