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
#              HDFS_OPTIMISE=1      Java optimises as it does by default, for measurements
#              HDFS_HEAP=512m       the largest heap
#              HDFS_AUDIT=FILE      the NameNode's audit log is written here
#              HDFS_IMAGE=FILE      a new one begins with the namespace of this image, whose name is fsimage_ and its
#                                   last transaction in nineteen digits
#              HDFS_TLS=1           it answers by https alone, and prints that address; the certificate of its
#                                   authority is WORK/hdfs-VERSION/tls/authority.pem
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
LOG="$WORK/hdfs-$HDFS_VERSION/log" TLS="$WORK/hdfs-$HDFS_VERSION/tls"

# key ARGUMENT...: keytool on the key store of the authority or of the NameNode, which the first argument names.
key() {
  "${JAVA%/*}/keytool" "${@:2}" -keystore "$TLS/$1.p12" -storetype PKCS12 -storepass not-a-secret > "$TLS/log" 2>&1 ||
    die "keytool failed: $(tail -1 "$TLS/log")"
}

# make_keys: an authority, and a certificate of it for 127.0.0.1.
make_keys() {
  mkdir -p "$TLS"
  key authority -genkeypair -alias authority -dname CN=authority -keyalg EC -ext bc:critical=ca:true
  key authority -exportcert -alias authority -rfc -file "$TLS/authority.pem"
  key namenode -genkeypair -alias namenode -dname CN=namenode -keyalg EC
  key namenode -certreq -alias namenode -file "$TLS/request"
  key authority -gencert -alias authority -ext san=ip:127.0.0.1 -infile "$TLS/request" -outfile "$TLS/certificate"
  key namenode -importcert -noprompt -alias authority -file "$TLS/authority.pem"
  key namenode -importcert -alias namenode -file "$TLS/certificate"
  {
    echo '<configuration>'
    property ssl.server.keystore.location "$TLS/namenode.p12"
    property ssl.server.keystore.type PKCS12
    property ssl.server.keystore.password not-a-secret
    property ssl.server.keystore.keypassword not-a-secret
    echo '</configuration>'
  } > "$TLS/ssl-server.xml"
}

start() {
  if alive "$PID" && [ -s "$ADDRESS" ]; then
    cat "$ADDRESS"
    return
  fi
  need_hdfs
  mkdir -p "$HDFS"
  rm -f "$ADDRESS"
  [ -z "${HDFS_IMAGE:-}" ] || HDFS_JAVA_OPTIONS+=("-Dhdfs.image=$HDFS_IMAGE")
  if [ -n "${HDFS_TLS:-}" ]; then
    [ -d "$TLS" ] || make_keys
    HDFS_CLASSPATH="$TLS:$HDFS_CLASSPATH" # for ssl-server.xml
    HDFS_JAVA_OPTIONS+=(-Dhdfs.tls=true)
  fi
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
  curl=(curl --silent --show-error --fail)
  [ ! -d "$TLS" ] || curl+=(--cacert "$TLS/authority.pem")
  "${curl[@]}" -o "$1" "$http/imagetransfer?getimage=1&txid=latest"
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
