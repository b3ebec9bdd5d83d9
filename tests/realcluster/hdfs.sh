#!/usr/bin/env bash
# A real HDFS (NameNode and DataNode) on 127.0.0.1, its images, and Hadoop's own image viewer.
#
# usage: hdfs.sh start WORK [PORT HTTP_PORT]   starts it, or says where it runs; ports of 0, the default, take free
#                                              ones. Prints hdfs://127.0.0.1:PORT, http://127.0.0.1:HTTP_PORT
#        hdfs.sh stop WORK                     ends it; its files stay for the next start
#        hdfs.sh wipe WORK                     ends it and forgets its files
#        hdfs.sh fs WORK -ls -R /              as `hdfs dfs`
#        hdfs.sh admin WORK -report            as `hdfs dfsadmin`
#        hdfs.sh image WORK OUT                saves the namespace and fetches the image into the file OUT
#        hdfs.sh images WORK OUT               fills a namespace of its own with one of everything, and saves it in
#                                              every form into the folder OUT, beside what the viewer prints of it
#        hdfs.sh oiv WORK -p Delimited -i IMAGE -o FILE   as `hdfs oiv`
#        hdfs.sh prepare                       downloads and compiles what the others need
#
# Environment: HDFS_VERSION=3.5.0   or 2.7.3; a work directory holds one HDFS of each
#              HDFS_WATCH=PID       it ends by itself when this process has
#              HDFS_HEAP=512m       the largest heap
#              HDFS_AUDIT=FILE      the NameNode's audit log is written here
#
# Exit status 3: Hadoop is not among what was downloaded, and where it comes from is out of reach.
usage() { sed -n '2,/^usage/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
[ $# -ge 1 ] || usage
command=$1 WORK=${2:-}
shift
[ -n "$WORK" ] || [ "$command" = prepare ] || usage
[ $# = 0 ] || shift
. "$(dirname "${BASH_SOURCE[0]}")/hdfs-jars.sh"
HDFS="$WORK/hdfs-$HDFS_VERSION" PID="$WORK/hdfs-$HDFS_VERSION/pid" ADDRESS="$WORK/hdfs-$HDFS_VERSION/address"
LOG="$WORK/hdfs-$HDFS_VERSION/log"

# hadoop CLASS ARGUMENT...: becomes that program.
hadoop() {
  local compiler=(-XX:TieredStopAtLevel=1) # what runs for seconds is not worth optimising
  [ "$command" != oiv ] || compiler=()
  mkdir -p "$HDFS"
  exec "$JAVA" "-Xmx${HDFS_HEAP:-512m}" "${compiler[@]}" "${HDFS_JAVA_OPTIONS[@]}" \
    -Djdk.net.hosts.file="$(offline_hosts)" \
    -Dlog4j.configuration="file:$HERE/hdfs-log4j.properties" -Daudit.file="${HDFS_AUDIT:-/dev/null}" \
    -cp "$HDFS_CLASSPATH" "$@"
}

start() {
  if alive "$PID" && [ -s "$ADDRESS" ]; then
    cat "$ADDRESS"
    return
  fi
  need_hdfs
  mkdir -p "$HDFS"
  rm -f "$ADDRESS"
  hadoop HdfsMain "$HDFS" "${1:-0}" "${2:-0}" "$ADDRESS" ${HDFS_WATCH:+"$HDFS_WATCH"} > "$LOG" 2>&1 < /dev/null &
  echo $! > "$PID"
  wait_for_address $! "the NameNode" 60
  cat "$ADDRESS"
}

stop() {
  stop_process "$PID"
  rm -f "$ADDRESS"
}

# address LINE: of the HDFS that runs, 1 for its RPC and 2 for its HTTP.
address() {
  { alive "$PID" && [ -s "$ADDRESS" ]; } ||
    die "no HDFS $HDFS_VERSION runs in $WORK; start one with: hdfs.sh start $WORK"
  sed -n "$1p" "$ADDRESS"
}

admin() {
  local uri
  uri=$(address 1)
  (hadoop org.apache.hadoop.hdfs.tools.DFSAdmin -fs "$uri" "$@")
}

case $command in
start) start "$@" ;;
stop) stop ;;
wipe)
  stop
  rm -rf "$HDFS"
  ;;
fs)
  uri=$(address 1)
  need_hdfs
  hadoop org.apache.hadoop.fs.FsShell -fs "$uri" "$@"
  ;;
admin)
  need_hdfs
  admin "$@"
  ;;
image)
  [ $# = 1 ] || usage
  http=$(address 2)
  need_hdfs
  for step in "-safemode enter" -saveNamespace "-safemode leave"; do
    admin $step > "$LOG.admin" 2>&1 || die "dfsadmin $step failed; its output is $LOG.admin"
  done
  # What `dfsadmin -fetchImage` asks for.
  curl --silent --show-error --fail -o "$1" "$http/imagetransfer?getimage=1&txid=latest"
  ;;
images)
  [ $# = 1 ] || usage
  out=$(realpath -m "$1")
  need_hdfs
  [ ! -e "$out" ] || [ -z "$(ls -A "$out")" ] || die "$out is not empty"
  folder=$(mktemp -d "$WORK/images-XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  (hadoop HdfsImages "$folder" "$out") > "$WORK/images.log" 2>&1 || {
    grep -m 3 -E '^([a-z.]*Exception|Caused by)' "$WORK/images.log" | cut -c1-300 >&2
    die "the images could not be made; the log is $WORK/images.log"
  }
  ;;
oiv)
  need_hdfs
  hadoop org.apache.hadoop.hdfs.tools.offlineImageViewer.OfflineImageViewerPB "$@"
  ;;
prepare)
  need_hdfs
  say "ready: Hadoop $HDFS_VERSION, jars in $HDFS_JARS"
  ;;
*) usage ;;
esac
