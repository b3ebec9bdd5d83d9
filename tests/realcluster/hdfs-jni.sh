#!/usr/bin/env bash
# The program sextant-hdfs-jni, built, and what it needs to run on the client of Hadoop 3.5.0.
#
# usage: hdfs-jni.sh   builds it, and prints three lines: the program, and the values of JAVA_HOME and CLASSPATH
#
# Exit status 3: Hadoop, or a crate that the program rests on, is not here and is out of reach.
HDFS_VERSION=3.5.0
. "$(dirname "${BASH_SOURCE[0]}")/hdfs-jars.sh"
PROJECT=$(cd "$HERE/../.." && pwd)
need_hdfs
need_jars # for commons-lang3, by which libhdfs prints exceptions
JAVA_HOME=${JAVA%/bin/java}
export JAVA_HOME
# A workspace of its own: in the other one's target folder it would take turns with it.
MANIFEST="$PROJECT/hdfs-jni/Cargo.toml" TARGET="$PROJECT/target/hdfs-jni"

build() {
  cargo fetch --quiet --locked --manifest-path "$MANIFEST" >&2 || {
    say "stepping aside: the crates that sextant-hdfs-jni rests on cannot be had"
    return "$OUT_OF_REACH"
  }
  cargo build --quiet --locked --manifest-path "$MANIFEST" --target-dir "$TARGET" >&2 ||
    die "sextant-hdfs-jni cannot be built"
}

with_lock hdfs-jni build || exit $?
echo "$TARGET/debug/sextant-hdfs-jni"
echo "$JAVA_HOME"
(IFS=:; set -- "$HDFS_JARS"/*.jar "$JARS"/commons-lang3-*.jar; echo "$*")
