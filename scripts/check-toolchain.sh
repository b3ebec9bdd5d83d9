#!/usr/bin/env bash
# Is everything here that building and testing need? What Debian has is installed when we are root;
# for the rest, the command that installs it is said.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/realcluster/lib.sh

needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
command -v cargo > /dev/null || die "cargo is missing; install Rust $needed or newer with rustup"
found=$(rustc --version | cut -d' ' -f2)
[ "$(printf '%s\n' "$needed" "$found" | sort -V | head -1)" = "$needed" ] ||
  die "Rust $found is too old; get $needed or newer with: rustup update"
cargo clippy --version > /dev/null 2>&1 || die "clippy is missing; install it with: rustup component add clippy"
cargo fmt --version > /dev/null 2>&1 || die "rustfmt is missing; install it with: rustup component add rustfmt"
# SQLite, zstd and aws-lc are compiled from C.
command -v cc > /dev/null || install_packages "a C compiler" gcc libc6-dev
need_java
need_python
say "Rust $found, $("$JAVA" -version 2>&1 | head -1), $(python3 --version)"
