#!/usr/bin/env bash
# Builds and tests the web console. Nothing is done twice: packages are installed when the lock file
# changed, the console is built when its sources did.
# usage: console.sh build | build-if-possible | check | unit | end-to-end
cd "$(dirname "${BASH_SOURCE[0]}")/../console"
. ../tests/realcluster/lib.sh
OLDEST_NODE=20.19

# have_node: is there a Node that the build tool runs on?
have_node() {
  command -v npm > /dev/null && command -v node > /dev/null || return 1
  printf '%s\n%s\n' "$OLDEST_NODE" "$(node --version | tr -d v)" | sort --check=quiet --version-sort
}

# unless_same STAMP STATE COMMAND...: runs the command if the stamp tells another state, and notes it.
unless_same() {
  local stamp=$1 state=$2
  shift 2
  [ "$(cat "$stamp" 2> /dev/null)" != "$state" ] || return 0
  "$@"
  echo "$state" > "$stamp"
}

install() {
  have_node || die "node $OLDEST_NODE or newer with npm is missing; install it from https://nodejs.org or your distribution"
  unless_same node_modules/.installed "$(sha256sum package-lock.json)" quietly npm ci --no-audit --no-fund
}

built_from() {
  find src build public index.html vite.config.ts package.json package-lock.json -type f -print0 |
    sort -z | xargs -0 sha256sum | sha256sum
}

build() {
  install
  [ -e dist/index.html ] || rm -f node_modules/.built
  unless_same node_modules/.built "$(built_from)" quietly npm run --silent build
}

# quietly COMMAND...: its output only if it fails.
quietly() {
  local output
  output=$("$@" 2>&1) || { printf '%s\n' "$output" >&2; return 1; }
}

case "${1:-}" in
  build) build ;;
  build-if-possible)
    if have_node; then build; else say "node $OLDEST_NODE is missing: the server will have no console"; fi
    ;;
  check) install && npm run --silent check ;;
  unit) install && npm run --silent test ;;
  end-to-end)
    build
    [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || install_packages "Chromium" chromium
    npm run --silent e2e
    ;;
  *) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
