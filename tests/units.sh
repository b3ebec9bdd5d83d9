#!/usr/bin/env bash
# Starts both programs from their packages under a real systemd, with all of the units' hardening, in a
# throwaway container over this host's system: what is written goes into memory and away. The agent has
# to deliver a file that only a group may read, and must not see what lies beside it.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/realcluster/lib.sh
PACKAGES="$PWD/target/packages"

leave_out() { say "left out, since $1: the units under systemd"; exit 0; }
[ "$(id -u)" = 0 ] || leave_out "only the superuser may start a container"
command -v dpkg > /dev/null || leave_out "there is no dpkg"
[ -x /lib/systemd/systemd ] || leave_out "there is no systemd"
command -v systemd-nspawn > /dev/null || install_packages "systemd-nspawn" systemd-container
grep -qw overlay /proc/filesystems || leave_out "this kernel has no overlay file system"

PLACE=$(mktemp -d)
cleanup() {
  umount -l "$PLACE/root" 2> /dev/null || true
  umount -l "$PLACE" 2> /dev/null || true
  rmdir "$PLACE"
}
trap cleanup EXIT
mount -t tmpfs -o size=1g tmpfs "$PLACE" 2> /dev/null || leave_out "nothing may be mounted here"
mkdir "$PLACE/upper" "$PLACE/work" "$PLACE/root" "$PLACE/out"
mount -t overlay overlay -o "lowerdir=/,upperdir=$PLACE/upper,workdir=$PLACE/work" "$PLACE/root" 2> /dev/null ||
  leave_out "nothing may be laid over this file system"
ROOT="$PLACE/root"

mkdir "$ROOT/packages"
cp "$PACKAGES"/sextant_*.deb "$PACKAGES"/sextant-agent_*.deb "$ROOT/packages/"
chroot "$ROOT" sh -c 'dpkg -i /packages/*.deb && groupadd -f hive && usermod -aG hive sextant-agent' > "$PLACE/out/install" 2>&1 ||
  { cat "$PLACE/out/install"; die "FAILED: the packages are installed"; }
mkdir -p "$ROOT/var/log/hive/lineage"
cp samples/walkthrough/lineage/hive-lineage.log.1 "$ROOT/var/log/hive/lineage/"
chroot "$ROOT" chgrp -R hive /var/log/hive
chmod -R u=rwX,g=rX,o= "$ROOT/var/log/hive"

# What is looked at from inside. The container ends when it is done, whatever came of it.
cat > "$ROOT/usr/bin/look-at-units" << 'SCRIPT'
#!/usr/bin/env bash
exec > /out/result 2>&1
for _ in $(seq 150); do
  sextant search type:operation_execution -o json 2> /dev/null | grep -q '"total": *4' && break
  sleep 0.2
done
sextant search type:operation_execution -o json | grep '"total"'
systemctl is-active sextant sextant-agent
for program in sextant sextant-agent; do
  pid=$(systemctl show -p MainPID --value $program)
  grep -E '^(NoNewPrivs|CapBnd|Seccomp):' "/proc/$pid/status" | tr '\t\n' '  '
  echo "user=$(stat -c %U "/proc/$pid")"
done
echo "agent sees: $(nsenter -t "$pid" -m ls /var/log | tr '\n' ' ')"
stat -c 'data %a %U' /var/lib/sextant
systemd-run --quiet --pipe --wait -p User=sextant-agent -p TemporaryFileSystem=/var:ro \
  -p BindPaths=/var/lib/sextant-agent -p BindReadOnlyPaths=/var/log/hive sextant-agent check
systemctl stop sextant sextant-agent
systemctl show -p Result --value sextant sextant-agent
systemctl status --no-pager --lines=20 sextant sextant-agent > /out/status 2>&1
SCRIPT
chmod 755 "$ROOT/usr/bin/look-at-units"
cat > "$ROOT/etc/systemd/system/look-at-units.service" << 'UNIT'
[Unit]
After=sextant.service sextant-agent.service
[Service]
Type=oneshot
ExecStart=/usr/bin/look-at-units
ExecStopPost=systemctl poweroff
UNIT
wants="$ROOT/etc/systemd/system/multi-user.target.wants"
mkdir -p "$wants"
ln -sf /usr/lib/systemd/system/sextant.service /usr/lib/systemd/system/sextant-agent.service \
  /etc/systemd/system/look-at-units.service "$wants/"

# No network of the host's: the server's port is the container's own.
timeout 120 systemd-nspawn --quiet --directory="$ROOT" --machine="sextant-units-$$" --register=no --keep-unit \
  --private-network --bind="$PLACE/out:/out" --boot > "$PLACE/out/console" 2>&1 || true
[ -s "$PLACE/out/result" ] || leave_out "no container could be started ($(tail -1 "$PLACE/out/console"))"

passed=0
says() {
  grep -q "$2" "$PLACE/out/result" || { cat "$PLACE/out/result" "$PLACE/out/status"; die "FAILED: $1"; }
  passed=$((passed + 1))
}
says "all four records are delivered and found" '"total": *4'
says "the server has no privileges" 'CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 .*user=sextant$'
says "the agent has no privileges" 'CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 .*user=sextant-agent$'
says "the agent sees spool directories and its own" '^agent sees: hive \(impala.* \)\?sextant-agent *$'
says "a check sees what the unit sees" 'hive-lineage.log.1  readable'
says "the data directory is the server's alone" '^data 700 sextant$'
[ "$(grep -c '^active$' "$PLACE/out/result")" = 2 ] || { cat "$PLACE/out/result"; die "FAILED: both run"; }
[ "$(grep -c '^success$' "$PLACE/out/result")" = 2 ] || { cat "$PLACE/out/result"; die "FAILED: both end well"; }
echo "units: $((passed + 2)) passed, 0 failed"
