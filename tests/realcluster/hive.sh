#!/usr/bin/env bash
# Runs Hive statements (Hive 2.3.9, local MapReduce) against the metastore that hms.sh started in WORK.
# Hive's own LineageLogger appends one JSON line a statement to LINEAGE_LOG, as on a cluster.
#
# usage: hive.sh WORK LINEAGE_LOG FILE.sql...   the files one after another, in one session
#
# Results of queries go to stdout. The first statement that fails ends the run with its error.
# Environment: HIVE_USER=etl      who the statements are run by
#              HIVE_TIMEOUT=900   seconds after which the run is given up
#
# Cost-based optimisation is off, since its Calcite is not among the jars: expressions in the records are
# those of a cluster without it. Statements that name ${hiveconf:export} get a folder inside WORK.
usage() { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 3 ] || usage
WORK=$1 lineage_log=$(realpath -m "$2")
shift 2
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HIVE="$WORK/hive" LOG="$WORK/hive/log"
alive "$WORK/hms/pid" || die "no metastore runs in $WORK; start one with: hms.sh start $WORK"
need_hadoop

mkdir -p "$HIVE/conf" "$WORK/warehouse" "$(dirname "$lineage_log")"
{
  echo '<configuration>'
  property hive.metastore.uris "$(cat "$WORK/hms/address")"
  property hive.metastore.warehouse.dir "file:$WORK/warehouse"
  property fs.defaultFS file:///
  property hive.exec.scratchdir "$HIVE/scratch"
  property hive.exec.local.scratchdir "$HIVE/scratch-local"
  property hive.downloaded.resources.dir "$HIVE/resources"
  property hive.querylog.location "$HIVE/querylog"
  property hadoop.tmp.dir "$HIVE/hadoop"
  property mapreduce.framework.name local
  property hive.execution.engine mr
  property hive.exec.submit.local.task.via.child false # a map join's local task: in this process
  property hive.cbo.enable false
  property hive.async.log.enabled false # its lmax disruptor is not among the jars
  property hive.support.concurrency false
  property hive.exec.dynamic.partition.mode nonstrict
  property hive.exec.post.hooks org.apache.hadoop.hive.ql.hooks.LineageLogger
  echo '</configuration>'
} > "$HIVE/conf/hive-site.xml"
cat > "$HIVE/conf/hive-log4j2.properties" <<'LOG4J'
status = error
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
appender.lineage.type = File
appender.lineage.name = lineage
appender.lineage.fileName = ${sys:lineage.log}
appender.lineage.layout.type = PatternLayout
appender.lineage.layout.pattern = %m%n
appender.lineage.layout.charset = UTF-8
logger.lineage.name = org.apache.hadoop.hive.ql.hooks.LineageLogger
logger.lineage.level = info
logger.lineage.additivity = false
logger.lineage.appenderRef.lineage.ref = lineage
LOG4J

# The command line client takes one file; a line feed ends a last line that has none.
for file in "$@"; do
  cat "$file"
  echo
done > "$HIVE/statements.sql"

cd "$HIVE"
status=0
HADOOP_USER_NAME="${HIVE_USER:-etl}" timeout "${HIVE_TIMEOUT:-900}" \
  "$JAVA" -Xmx1g "${JAVA_OPENS[@]}" -Djdk.net.hosts.file="$(offline_hosts)" \
  -Dfile.encoding=UTF-8 -Dlineage.log="$lineage_log" \
  -cp "$CLASSES" Isolated "$HIVE/conf:$CLASSES:$JARS/*" org.apache.hadoop.hive.cli.CliDriver \
  --hiveconf export="$WORK/export" -f "$HIVE/statements.sql" 2> "$LOG" || status=$?
[ "$status" = 0 ] || {
  # Hive names what failed in one line; a stack trace as long as a screen follows it.
  { grep -E '^(FAILED|Error)' "$LOG" || tail -20 "$LOG"; } | cut -c1-300 >&2
  die "Hive ended with status $status (124: not done within ${HIVE_TIMEOUT:-900} seconds); its log is $LOG"
}
