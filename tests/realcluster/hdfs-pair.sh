#!/usr/bin/env bash
# A real pair of NameNodes (high availability) on 127.0.0.1: Hadoop's own programs, one process each, their edits in a
# shared folder. There is no DataNode: directories and empty files are all that the pair can hold. Failover is manual.
#
# usage: hdfs-pair.sh start WORK RPC1 HTTP1 RPC2 HTTP2   formats and starts nn1, active, and nn2, standby, at these
#                                                        ports. WORK/pair/conf has core-site.xml and hdfs-site.xml
#        hdfs-pair.sh run WORK NAMENODE [OPTION...]      starts a NameNode that was killed, as a standby; an option is
#                                                        such as -Ddfs.namenode.checkpoint.period=1
#        hdfs-pair.sh kill WORK NAMENODE                 kills it, as a host that loses its power does
#        hdfs-pair.sh activate WORK NAMENODE             makes it the active one
#        hdfs-pair.sh checkpoint WORK NAMENODE           has it write an image, which the other one does not get
#        hdfs-pair.sh fs WORK -mkdir /directory          as `hdfs dfs`, by the name of the pair, hdfs://pair
#        hdfs-pair.sh stop WORK                          ends both
#
# Environment: HDFS_WATCH=PID   they end by themselves when this process has
#
# WORK/pair/NAMENODE.audit is a NameNode's audit log. Exit status 3 as of hdfs.sh.
usage() { sed -n '2,/^usage/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
command=$1 WORK=$2
shift 2
HDFS_VERSION=3.5.0
. "$(dirname "${BASH_SOURCE[0]}")/hdfs-jars.sh"
HDFS="$WORK/pair" CONF="$WORK/pair/conf"
need_hdfs
HDFS_CLASSPATH="$CONF:$HDFS_CLASSPATH"
SERVER=org.apache.hadoop.hdfs.server.namenode.NameNode

configure() {
  mkdir -p "$CONF"
  {
    echo '<configuration>'
    property fs.defaultFS hdfs://pair
    property hadoop.tmp.dir "$HDFS/tmp"
    echo '</configuration>'
  } > "$CONF/core-site.xml"
  {
    echo '<configuration>'
    property dfs.nameservices pair
    property dfs.ha.namenodes.pair nn1,nn2
    property dfs.namenode.rpc-address.pair.nn1 "127.0.0.1:$1"
    property dfs.namenode.http-address.pair.nn1 "127.0.0.1:$2"
    property dfs.namenode.name.dir.pair.nn1 "file://$HDFS/nn1"
    property dfs.namenode.rpc-address.pair.nn2 "127.0.0.1:$3"
    property dfs.namenode.http-address.pair.nn2 "127.0.0.1:$4"
    property dfs.namenode.name.dir.pair.nn2 "file://$HDFS/nn2"
    property dfs.namenode.shared.edits.dir "file://$HDFS/shared"
    property dfs.client.failover.proxy.provider.pair \
      org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider
    property dfs.ha.log-roll.period 1
    property dfs.ha.tail-edits.period 1
    echo '</configuration>'
  } > "$CONF/hdfs-site.xml"
}

# quietly WHAT CLASS ARGUMENT...: runs a program to its end; its output is of interest only when it fails.
quietly() {
  local what=$1
  shift
  (hadoop "$@") > "$HDFS/$what.log" 2>&1 < /dev/null || die "$what failed; its output is $HDFS/$what.log"
}

# run NAMENODE OPTION...: starts it, and waits until it says what it is.
run() {
  local namenode=$1 http tries PID="$HDFS/$1.pid" LOG="$HDFS/$1.log"
  shift
  http=$(grep -o "http-address.pair.$namenode</name><value>[^<]*" "$CONF/hdfs-site.xml")
  http=${http##*>}
  HDFS_AUDIT="$HDFS/$namenode.audit" hadoop Watched "${HDFS_WATCH:-1}" "$SERVER" \
    "-Ddfs.ha.namenode.id=$namenode" "$@" >> "$LOG" 2>&1 < /dev/null &
  echo $! > "$PID"
  for ((tries = 0; tries < 600; tries++)); do
    ! curl --silent --fail "http://$http/jmx?get=Hadoop:service=NameNode,name=NameNodeStatus::State" 2> /dev/null |
      grep -q standby || return 0
    ! gone "$(cat "$PID")" || die "$namenode ended at its start; its log is $LOG"
    sleep 0.1
  done
  die "$namenode did not answer within 60 seconds; its log is $LOG"
}

# Without --forceactive it wants the other one's word that it is not active, which may be dead.
activate() {
  quietly "activate-$1" org.apache.hadoop.hdfs.tools.DFSHAAdmin -transitionToActive --forceactive "$1"
}

case $command in
start)
  [ $# = 4 ] || usage
  configure "$@"
  quietly format "$SERVER" -Ddfs.ha.namenode.id=nn1 -format -force
  run nn1
  activate nn1
  quietly bootstrap "$SERVER" -Ddfs.ha.namenode.id=nn2 -bootstrapStandby -force
  run nn2
  ;;
run) run "$@" ;;
kill)
  kill -9 "$(cat "$HDFS/$1.pid")"
  stop_process "$HDFS/$1.pid"
  ;;
activate) activate "$1" ;;
checkpoint)
  address=$(grep -o "rpc-address.pair.$1</name><value>[^<]*" "$CONF/hdfs-site.xml")
  for step in "-safemode enter" -saveNamespace "-safemode leave"; do
    quietly "checkpoint-$1" org.apache.hadoop.hdfs.tools.DFSAdmin -fs "hdfs://${address##*>}" $step
  done
  ;;
fs) hadoop org.apache.hadoop.fs.FsShell "$@" ;;
stop)
  for namenode in nn1 nn2; do
    stop_process "$HDFS/$namenode.pid"
  done
  ;;
*) usage ;;
esac
