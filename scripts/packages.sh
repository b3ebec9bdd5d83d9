#!/usr/bin/env bash
# Builds the .deb and .rpm packages of server and agent into target/packages. The tools that make them
# are installed into target/tools, in the versions that were tried.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/realcluster/lib.sh
TOOLS="$PWD/target/tools"
PACKAGES="$PWD/target/packages"
BUILT="${CARGO_TARGET_DIR:-$PWD/target}/release"

# install_tool NAME VERSION OPTION...: once for each version.
install_tool() {
  local name=$1 version=$2
  shift 2
  if [ "$("$TOOLS/bin/$name" --version 2> /dev/null | grep -o '[0-9][0-9.]*' | head -1)" != "$version" ]; then
    say "installing $name $version into target/tools"
    cargo install --quiet --locked --root "$TOOLS" "$name" --version "$version" "$@"
  fi
}

install_tool cargo-deb 3.8.0 --no-default-features
install_tool cargo-generate-rpm 0.21.1
command -v strip > /dev/null || install_packages "strip" binutils
say "building"
cargo build --release --locked --workspace --bins

# Both kinds of package take the same stripped programs, as if they had been built into this folder.
mkdir -p "$PACKAGES/release"
rm -f "$PACKAGES"/*.deb "$PACKAGES"/*.rpm
strip -o "$PACKAGES/release/sextant" "$BUILT/sextant"
strip -o "$PACKAGES/release/sextant-agent" "$BUILT/sextant-agent"
for package in sextant sextant-agent; do
  folder=${package#sextant-}
  [ "$folder" != sextant ] || folder=server
  CARGO_TARGET_DIR=$PACKAGES "$TOOLS/bin/cargo-deb" deb --quiet --no-build --no-strip -p "$package" --output "$PACKAGES/"
  "$TOOLS/bin/cargo-generate-rpm" generate-rpm -p "$folder" --target-dir "$PACKAGES" --output "$PACKAGES/"
done
ls -l "$PACKAGES"/*.deb "$PACKAGES"/*.rpm
