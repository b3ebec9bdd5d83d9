#!/usr/bin/env bash
# Runs a Python script of this folder with the metastore's client library at hand.
# usage: python.sh SCRIPT.py ARGUMENT...
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
VENV="$CACHE/venv-hmsclient-0.1.1"

make_venv() {
  [ ! -e "$VENV/ready" ] || return 0
  say "installing hmsclient 0.1.1 from the Python package index (1 MB, once for this machine)"
  rm -rf "$VENV" # a virtual environment cannot be moved: it is made in place and marked when it is whole
  new_venv "$VENV"
  "$VENV/bin/pip" install --quiet --disable-pip-version-check hmsclient==0.1.1 >&2 ||
    die "pip could not install hmsclient 0.1.1; is the Python package index in reach?"
  touch "$VENV/ready"
}

[ -e "$VENV/ready" ] || with_lock python make_venv
script=$1
shift
exec "$VENV/bin/python" "$HERE/$script" "$@"
