#!/usr/bin/env bash
# A real Hive Metastore (Hive 2.3.9, Derby) on 127.0.0.1; prints its address, thrift://127.0.0.1:PORT.
#
# usage: hms.sh start WORK [PORT]   starts it, or says where it runs; PORT 0, the default, takes a free one
#        hms.sh stop WORK           ends it; its database stays for the next start
#        hms.sh wipe WORK           ends it and forgets database and warehouse
#
# Environment: HMS_WATCH=PID   the metastore ends by itself when this process has
#              HMS_EVENTS=0    without notification events (they are on)
#              HMS_HEAP=512m   the largest heap
usage() { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
command=$1 WORK=$2 port=${3:-0}
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HMS="$WORK/hms" PID="$WORK/hms/pid" ADDRESS="$WORK/hms/address" LOG="$WORK/hms/log"

write_configuration() {
  mkdir -p "$HMS/conf" "$WORK/warehouse"
  {
    echo '<configuration>'
    property javax.jdo.option.ConnectionURL "jdbc:derby:;databaseName=$HMS/derby;create=true"
    property javax.jdo.option.ConnectionDriverName org.apache.derby.jdbc.EmbeddedDriver
    property datanucleus.schema.autoCreateAll true
    property hive.metastore.schema.verification false
    property hive.metastore.warehouse.dir "file:$WORK/warehouse"
    property hive.metastore.uris ''
    property hive.async.log.enabled false # its lmax disruptor is not among the jars
    [ "${HMS_EVENTS:-1}" = 0 ] || property hive.metastore.transactional.event.listeners NotificationListener
    echo '</configuration>'
  } > "$HMS/conf/hive-site.xml"
  cat > "$HMS/conf/log4j2.properties" <<'LOG4J'
status = error
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
logger.datanucleus.name = DataNucleus
logger.datanucleus.level = error
LOG4J
}

start() {
  if alive "$PID" && [ -s "$ADDRESS" ]; then
    cat "$ADDRESS"
    return
  fi
  need_hadoop
  write_configuration
  rm -f "$ADDRESS"
  cd "$HMS"
  # The database is a throw-away: it need not survive a power cut (derby.system.durability).
  nohup "$JAVA" "-Xmx${HMS_HEAP:-512m}" "${JAVA_OPENS[@]}" -Djdk.net.hosts.file="$(offline_hosts)" \
    -Dderby.system.durability=test -Dderby.stream.error.file="$HMS/derby.log" \
    -Dlog4j.configurationFile="$HMS/conf/log4j2.properties" \
    -cp "$HMS/conf:$CLASSES:$JARS/*" HmsMain "$port" "$ADDRESS" ${HMS_WATCH:+"$HMS_WATCH"} \
    > "$LOG" 2>&1 < /dev/null &
  echo $! > "$PID"
  wait_for_address $! "the metastore" 120
  cat "$ADDRESS"
}

stop() {
  stop_process "$PID"
  rm -f "$ADDRESS"
}

case $command in
start) start ;;
stop) stop ;;
wipe)
  stop
  rm -rf "$HMS" "$WORK/warehouse"
  ;;
*) usage ;;
esac
