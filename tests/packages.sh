#!/usr/bin/env bash
# Installs the packages of `make packages` into throwaway roots, upgrades and removes them there, and
# looks at what is in place. Nothing of this host is changed. It takes root, to give files their owners.
# The units are looked at as files here; tests/units.sh starts them.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/realcluster/lib.sh
PACKAGES="$PWD/target/packages"

if [ "$(id -u)" != 0 ]; then
  say "left out, since only the superuser may install packages: the packages"
  exit 0
fi
command -v dpkg > /dev/null || { say "left out, since there is no dpkg: the packages"; exit 0; }
command -v rpm > /dev/null || install_packages "rpm" rpm
ls "$PACKAGES"/sextant_*.deb "$PACKAGES"/sextant-agent_*.deb "$PACKAGES"/sextant-*.rpm > /dev/null ||
  die "there are no packages; build them with: make packages"

ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
passed=0
is() {
  local what=$1
  shift
  "$@" || die "FAILED: $what ($*)"
  passed=$((passed + 1))
}
absent() { [ ! -e "$1" ]; }
holds() { grep -q "$2" "$1"; }

# --- .deb ---
DEB="$ROOT/deb"
mkdir -p "$DEB/var/lib/dpkg/"{info,updates} "$DEB/etc"
touch "$DEB/var/lib/dpkg/status"
# The scripts of the packages know DPKG_ROOT and touch nothing outside. What the packages depend on is
# not in the root, which is why dependencies are not looked at here.
dpkg_in_root() { dpkg --root="$DEB" --force-script-chrootless --force-depends --log=/dev/null "$@" > "$ROOT/dpkg.log" 2>&1 || { cat "$ROOT/dpkg.log"; return 1; }; }

is "both packages are installed" dpkg_in_root -i "$PACKAGES"/sextant_*.deb "$PACKAGES"/sextant-agent_*.deb
for file in usr/bin/sextant usr/bin/sextant-agent usr/lib/systemd/system/sextant.service \
  usr/lib/systemd/system/sextant-agent.service etc/sextant/sextant.toml etc/sextant/agent.toml \
  usr/share/doc/sextant/packaging/prometheus/sextant.rules.yml \
  usr/share/doc/sextant/packaging/grafana/sextant.json \
  usr/share/doc/sextant-agent/examples/agent-impala.toml; do
  is "$file is in place" test -f "$DEB/$file"
done
for page in "$DEB"/usr/share/doc/sextant*/*.md "$DEB"/usr/share/doc/sextant*/docs/*.md; do
  for link in $(grep -oE '\]\([^)#]*|src="[^"]*' "$page" | sed -E 's/^(\]\(|src=")//' | grep -v '^http'); do
    is "$link of ${page#"$DEB"} leads somewhere" test -e "${page%/*}/$link"
  done
done
is "the server's user is made" holds "$DEB/etc/passwd" '^sextant:'
is "the agent's user is made" holds "$DEB/etc/passwd" '^sextant-agent:'
is "the server starts" "$DEB/usr/bin/sextant" --version
is "the server's configuration is good" "$DEB/usr/bin/sextant" config check "$DEB/etc/sextant/sextant.toml"
is "nothing is enabled" absent "$DEB/etc/systemd/system/multi-user.target.wants/sextant.service"

# A configuration that was made for this host, with a spool that is there.
mkdir -p "$DEB/spool"
echo '{}' > "$DEB/spool/hive-lineage.log.1"
sed -i "s|^path = .*|path = \"$DEB/spool\"|; s|^state_dir = .*|state_dir = \"$DEB/var/lib/sextant-agent\"|" "$DEB/etc/sextant/agent.toml"
for sample in "$DEB"/etc/sextant/agent.toml "$DEB"/usr/share/doc/sextant-agent/examples/*.toml; do
  # Exit code 1: the server does not answer, and the samples' spools are not here. 2 would be the configuration.
  code=0
  "$DEB/usr/bin/sextant-agent" --config "$sample" check > "$ROOT/check.log" 2>&1 || code=$?
  # A token file that does not exist is told as such, not as a wrong key.
  [ "$code" != 2 ] || holds "$ROOT/check.log" "agent.token" || { cat "$ROOT/check.log"; die "FAILED: $sample is a good configuration"; }
  passed=$((passed + 1))
done
"$DEB/usr/bin/sextant-agent" --config "$DEB/etc/sextant/agent.toml" check > "$ROOT/check.log" 2>&1 || true
is "the agent tells what it would read" holds "$ROOT/check.log" 'hive-lineage.log.1  readable'

# An upgrade brings another configuration, and the edited one stays.
mkdir -p "$DEB/var/lib/sextant" "$DEB/var/lib/sextant-agent"
echo kept > "$DEB/var/lib/sextant/facts.db"
echo kept > "$DEB/var/lib/sextant-agent/state"
dpkg-deb -R "$PACKAGES"/sextant-agent_*.deb "$ROOT/newer"
sed -i 's/^Version: .*/Version: 99.0.0/' "$ROOT/newer/DEBIAN/control"
echo '# newer' >> "$ROOT/newer/etc/sextant/agent.toml"
dpkg-deb -b "$ROOT/newer" "$ROOT/newer.deb" > /dev/null
is "an upgrade" dpkg_in_root --force-confdef --force-confold -i "$ROOT/newer.deb"
is "the edited configuration stays" holds "$DEB/etc/sextant/agent.toml" "$DEB/spool"
is "the new one lies beside it" test -f "$DEB/etc/sextant/agent.toml.dpkg-dist"
is "removing" dpkg_in_root -r sextant sextant-agent
is "the program is gone" absent "$DEB/usr/bin/sextant"
is "the configuration stays" test -f "$DEB/etc/sextant/agent.toml"
is "purging" dpkg_in_root -P sextant sextant-agent
is "the configuration is gone" absent "$DEB/etc/sextant/agent.toml"
is "what was collected stays" test -f "$DEB/var/lib/sextant/facts.db"
is "positions stay" test -f "$DEB/var/lib/sextant-agent/state"

# --- .rpm ---
RPM="$ROOT/rpm"
mkdir -p "$RPM"
rpm_in_root() { rpm --root "$RPM" --nodeps --noscripts --nosignature "$@" > "$ROOT/rpm.log" 2>&1 || { cat "$ROOT/rpm.log"; return 1; }; }
for package in "$PACKAGES"/*.rpm; do
  is "the metadata of ${package##*/} can be read" rpm -qp --nosignature --info "$package" > /dev/null
done
is "configuration is marked" test "$(rpm -qpc --nosignature "$PACKAGES"/*.rpm 2> /dev/null | sort | tr '\n' ' ')" = "/etc/sextant/agent.toml /etc/sextant/sextant.toml "
is "both packages are installed" rpm_in_root -i "$PACKAGES"/*.rpm
is "the server starts" "$RPM/usr/bin/sextant" --version
is "the unit is in place" test -f "$RPM/usr/lib/systemd/system/sextant-agent.service"
echo '# edited' >> "$RPM/etc/sextant/agent.toml"
mkdir -p "$RPM/var/lib/sextant"
echo kept > "$RPM/var/lib/sextant/facts.db"
is "removing" rpm_in_root -e sextant sextant-agent
is "the program is gone" absent "$RPM/usr/bin/sextant-agent"
is "the edited configuration stays" test -f "$RPM/etc/sextant/agent.toml.rpmsave"
is "what was collected stays" test -f "$RPM/var/lib/sextant/facts.db"

# --- units and rules as files ---
if command -v systemd-analyze > /dev/null; then
  for unit in sextant sextant-agent; do
    # The unit's program has to exist for it.
    sed "s|/usr/bin/|$RPM-bin/|" "packaging/systemd/$unit.service" > "$ROOT/$unit.service"
    mkdir -p "$RPM-bin"
    cp "$PACKAGES/release/$unit" "$RPM-bin/"
    is "$unit.service is well-formed" systemd-analyze verify --man=no "$ROOT/$unit.service"
    is "$unit.service is hardened" systemd-analyze security --offline=true --threshold=20 "$ROOT/$unit.service" > "$ROOT/security.log"
  done
else
  say "left out, since there is no systemd-analyze: the units"
fi
if command -v promtool > /dev/null; then
  is "the rules do what they say" promtool test rules packaging/prometheus/sextant.rules.test.yml
else
  say "left out, since there is no promtool (Debian's package: prometheus): the rules' own tests"
fi
echo "packages: $passed passed, 0 failed"
