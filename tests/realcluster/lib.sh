# Shared by the scripts of this folder. Source it after setting WORK, the work directory of one run.
#
# What a run downloads or compiles is kept in CACHE, once, for any number of work directories; what a
# run writes is kept in WORK alone. Two runs that start at the same moment wait for each other (flock).
set -euo pipefail

HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/sextant-test"
mkdir -p "$CACHE"
if [ -n "${WORK:-}" ]; then
  mkdir -p "$WORK"
  WORK="$(cd "$WORK" && pwd)"
fi

# The pyspark release whose jars are Hive 2.3.9 and the Hadoop 3.3.4 client.
PYSPARK=3.5.9
JARS="$CACHE/jars-$PYSPARK"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# with_lock NAME FUNCTION ARGUMENT...: runs FUNCTION in a subshell while this process alone holds NAME.
with_lock() {
  (
    if ! flock --nonblock 9; then
      say "waiting for another run that prepares $1"
      flock 9
    fi
    "${@:2}"
  ) 9> "$CACHE/lock-$1"
}

# install_packages WHAT PACKAGE...: asks Debian's package manager when we are root, else says the command.
install_packages() {
  local what=$1
  shift
  command -v apt-get > /dev/null || die "$what is missing, and so is apt-get to install it (Debian's package: $*)"
  [ "$(id -u)" = 0 ] || die "$what is missing; install it with: sudo apt-get install -y --no-install-recommends $*"
  say "$what is missing: installing $*"
  local apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
  { "${apt[@]}" update && DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends "$@"; } >&2 ||
    die "$what is missing, and apt-get could not install it (package: $*)"
}

# usable_java HOME: is it a JDK that Hadoop 3.3.4 runs on? Everything here was run on 17;
# from 24 on the JDK refuses Subject.getSubject, on which Hadoop 3.3 rests.
usable_java() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  local major
  major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  [ "${major:-0}" -ge 17 ] && [ "$major" -le 21 ]
}

find_java() {
  local on_path home
  on_path=$(readlink -f "$(command -v javac || true)" || true)
  for home in "${JAVA_HOME:-}" "${on_path%/bin/javac}" /usr/lib/jvm/java-17-* /usr/lib/jvm/*; do
    if [ -n "$home" ] && usable_java "$home"; then
      JAVA="$home/bin/java" JAVAC="$home/bin/javac"
      return
    fi
  done
  return 1
}

install_java() {
  find_java || install_packages "a Java development kit (17)" openjdk-17-jdk-headless
}

need_java() {
  find_java && return
  with_lock packages install_java
  find_java || die "no Java development kit of version 17 to 21 found; set JAVA_HOME to one"
}

install_python() {
  command -v python3 > /dev/null || install_packages "python3" python3
  # Debian splits ensurepip, without which a virtual environment has no pip, into a package of its own.
  python3 -c 'import ensurepip, venv' 2> /dev/null || install_packages "python3's venv module" python3-venv
}

need_python() {
  python3 -c 'import ensurepip, venv' 2> /dev/null || with_lock packages install_python
}

# new_venv FOLDER: a virtual environment in a folder that does not exist.
new_venv() {
  need_python
  python3 -m venv "$1" > /dev/null || die "python3 -m venv could not make $1"
  # Older Pythons put a setuptools into a venv, newer ones none.
  "$1/bin/pip" install --quiet --disable-pip-version-check setuptools wheel >&2 ||
    die "pip could not install setuptools; is the Python package index in reach?"
}

# download_pyspark VERSION MEGABYTES FOLDER: PyPI's source archive of pyspark holds a whole set of Hive and Hadoop jars.
download_pyspark() {
  local version=$1 megabytes=$2 jars=$3
  [ ! -d "$jars" ] || return 0
  local stage="$CACHE/download-$version" begin=$SECONDS
  rm -rf "$stage"
  mkdir -p "$stage/temporary" "$stage/jars"
  say "downloading pyspark $version from the Python package index ($megabytes MB, once for this machine)"
  # pip runs setup.py to learn the archive's name: in a fresh venv, nothing else that is installed disturbs it.
  new_venv "$stage/venv"
  TMPDIR="$stage/temporary" "$stage/venv/bin/pip" download --quiet --progress-bar off --disable-pip-version-check \
    --no-cache-dir --no-deps --no-build-isolation --no-binary :all: -d "$stage" "pyspark==$version" >&2 &
  pip_pid=$!
  trap 'kill "$pip_pid" 2> /dev/null || true' EXIT
  while kill -0 "$pip_pid" 2> /dev/null; do
    sleep 1
    [ $(((SECONDS - begin) % 10)) != 0 ] || say "  $(du -sm "$stage" | cut -f1) MB after $((SECONDS - begin)) s"
  done
  trap - EXIT
  wait "$pip_pid" || die "pip could not download pyspark $version; is the Python package index in reach?"
  tar xzf "$stage/pyspark-$version.tar.gz" -C "$stage/jars" --strip-components=3 --wildcards '*/deps/jars/*.jar'
  mv "$stage/jars" "$jars"
  rm -rf "$stage"
  say "  $(du -sm "$jars" | cut -f1) MB of jars in $jars after $((SECONDS - begin)) s"
}

need_jars() {
  [ -d "$JARS" ] || with_lock jars download_pyspark "$PYSPARK" 318 "$JARS"
}

# compile_classes JARS FOLDER...: the few classes of java/, into CLASSES.
compile_classes() {
  [ ! -d "$CLASSES" ] || return 0
  local jars=$1 stage="$CACHE/compile"
  shift
  rm -rf "$stage"
  mkdir -p "$stage"
  find "$@" -name '*.java' -exec "$JAVAC" -nowarn -Xlint:-deprecation -cp "$jars/*" -d "$stage" {} + >&2 ||
    die "javac could not compile $*"
  mv "$stage" "$CLASSES"
}

# need_classes JARS FOLDER...: sets CLASSES, a folder that is named for its content.
need_classes() {
  local sum
  sum=$({ echo "$1"; find "${@:2}" -name '*.java' -print0 | sort -z | xargs -0 cat; } | sha256sum)
  CLASSES="$CACHE/classes-${sum:0:16}"
  [ -d "$CLASSES" ] || with_lock classes compile_classes "$@"
}

# need_hadoop: everything that hms.sh and hive.sh run on; sets JAVA, JARS, CLASSES.
need_hadoop() {
  need_java
  need_jars
  need_classes "$JARS" "$HERE/java/hive"
}

# What Hive 2.3 and Hadoop 3.3 open by reflection; the JDK has kept it shut since 16.
JAVA_OPENS=()
for package in java.lang java.lang.reflect java.net java.nio java.io java.util java.util.concurrent \
  java.util.concurrent.atomic java.util.regex java.time java.math java.text sun.nio.ch sun.nio.fs; do
  JAVA_OPENS+=(--add-opens "java.base/$package=ALL-UNNAMED")
done

# offline_hosts: prints the file of host names for Java (-Djdk.net.hosts.file). Hadoop looks up this machine's own
# name, which a container may not be able to resolve; and nothing here needs another machine.
offline_hosts() {
  printf '127.0.0.1 localhost %s\n' "$(uname -n)" > "$WORK/hosts"
  echo "$WORK/hosts"
}

# property NAME VALUE: one property of a Hadoop configuration file.
property() { printf ' <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }

# alive PIDFILE: does a process run that these scripts started for WORK? A pid file of a machine that was
# switched off may name the pid of something else; ours has WORK on its command line.
alive() { [ -s "$1" ] && grep -qaF "$WORK/" "/proc/$(cat "$1")/cmdline" 2> /dev/null; }

# gone PID: has it ended with all that it held? A process loses its command line before its sockets; a zombie
# holds nothing any more.
gone() { ! [ -e "/proc/$1" ] || grep -q '^State:.[ZX]' "/proc/$1/status" 2> /dev/null; }

# stop_process PIDFILE: asks it to end, and kills it when it has not after 10 seconds.
stop_process() {
  if alive "$1"; then
    local pid tries
    pid=$(cat "$1")
    kill "$pid" || true
    for ((tries = 0; tries < 200; tries++)); do
      ! gone "$pid" || break
      [ "$tries" != 100 ] || kill -9 "$pid" || true
      sleep 0.1
    done
  fi
  rm -f "$1"
}

# wait_for_address PROCESS WHAT SECONDS: the file $ADDRESS is written when connections are accepted, not before. The
# process has its id in the file $PID and its log in $LOG.
wait_for_address() {
  local tries
  for ((tries = 0; tries < $3 * 10; tries++)); do
    [ ! -s "$ADDRESS" ] || return 0
    if gone "$1"; then
      { grep -E '^([a-z.]*Exception|Caused by)' "$LOG" || tail -20 "$LOG"; } | cut -c1-300 >&2
      die "$2 ended at its start; its log is $LOG"
    fi
    sleep 0.1
  done
  stop_process "$PID"
  die "$2 did not answer within $3 seconds; its log is $LOG"
}
