# Sourced by hdfs.sh and hdfs-pair.sh: where a Hadoop with its servers comes from, for each version, and how a program
# of it is run.
#
# 3.5.0  Maven Central: the shaded jars that Hadoop's own mini cluster is run from
# 2.7.3  PyPI: the last pyspark with the servers among its jars is 2.4.8
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v curl > /dev/null || install_packages "curl" curl ca-certificates
HDFS_VERSION=${HDFS_VERSION:-3.5.0}
HDFS_JARS="$CACHE/jars-hadoop-$HDFS_VERSION"
# Debian's Jersey 1, without which the WebHDFS of 2.7.3 is off; 3.5.0 has all that it needs.
JERSEY=(/usr/share/java/jersey1-{core,server,servlet}.jar)
OUT_OF_REACH=3

MAVEN=${SEXTANT_MAVEN:-https://repo1.maven.org/maven2}
MAVEN_FILES=(
  org/apache/hadoop/hadoop-client-minicluster/3.5.0/hadoop-client-minicluster-3.5.0.jar
  org/apache/hadoop/hadoop-client-runtime/3.5.0/hadoop-client-runtime-3.5.0.jar
  org/apache/hadoop/hadoop-client-api/3.5.0/hadoop-client-api-3.5.0.jar
  org/xerial/snappy/snappy-java/1.1.10.4/snappy-java-1.1.10.4.jar
  at/yawk/lz4/lz4-java/1.10.4/lz4-java-1.10.4.jar
  org/slf4j/slf4j-api/1.7.36/slf4j-api-1.7.36.jar
  org/slf4j/slf4j-reload4j/1.7.36/slf4j-reload4j-1.7.36.jar
  ch/qos/reload4j/reload4j/1.2.22/reload4j-1.2.22.jar
  commons-logging/commons-logging/1.3.0/commons-logging-1.3.0.jar
)

# download_maven: each file is checked against the sum that Maven Central publishes beside it.
download_maven() {
  [ ! -d "$HDFS_JARS" ] || return 0
  local stage="$CACHE/download-hadoop-$HDFS_VERSION" file name sum begin=$SECONDS
  local curl=(curl --silent --show-error --fail --location --retry 2 --connect-timeout 10 --max-time 900)
  rm -rf "$stage"
  mkdir -p "$stage"
  say "downloading Hadoop $HDFS_VERSION from $MAVEN (109 MB, once for this machine)"
  for file in "${MAVEN_FILES[@]}"; do
    name=${file##*/}
    { sum=$("${curl[@]}" "$MAVEN/$file.sha1") && "${curl[@]}" -o "$stage/$name" "$MAVEN/$file"; } || {
      say "stepping aside: $name cannot be had from $MAVEN (SEXTANT_MAVEN names a mirror)"
      return "$OUT_OF_REACH"
    }
    echo "${sum:0:40}  $stage/$name" | sha1sum --check --quiet >&2 || die "$name from $MAVEN is not what its sum says"
    say "  $name, $(du -sm "$stage" | cut -f1) MB after $((SECONDS - begin)) s"
  done
  mv "$stage" "$HDFS_JARS"
}

download_hadoop_2() {
  download_pyspark 2.4.8 220 "$HDFS_JARS" || return "$OUT_OF_REACH"
}

# resources FOLDER: what Hadoop insists on finding beside its jars.
resources() {
  local pages
  mkdir -p "$1"
  echo '<configuration/>' > "$1/core-site.xml" # everything is set by HdfsMain and by options
  for pages in hdfs datanode; do
    mkdir -p "$1/webapps/$pages/WEB-INF" "$1/webapps/static" # not among the jars of 2.7.3
    echo '<web-app version="2.4" xmlns="http://java.sun.com/xml/ns/j2ee"/>' > "$1/webapps/$pages/WEB-INF/web.xml"
  done
}

install_jersey() {
  [ ! -e "${JERSEY[1]}" ] || return 0
  install_packages "Jersey 1, which WebHDFS of Hadoop 2.7.3 rests on," libjersey1-server-java libjersey1-servlet-java
}

# need_hdfs: sets HDFS_CLASSPATH and HDFS_JAVA_OPTIONS for HDFS_VERSION; ends with OUT_OF_REACH where it cannot be had.
need_hdfs() {
  local sources download
  case $HDFS_VERSION in
  2.7.3) sources="$HERE/java/hdfs-2.7" download=download_hadoop_2 ;;
  3.5.0) sources="$HERE/java/hdfs-3" download=download_maven ;;
  *) die "no Hadoop $HDFS_VERSION is known here; HDFS_VERSION is 2.7.3 or 3.5.0" ;;
  esac
  need_java
  [ -d "$HDFS_JARS" ] || with_lock "hadoop-$HDFS_VERSION" "$download" || exit $?
  need_classes "$HDFS_JARS" "$HERE/java/hdfs" "$sources"
  resources "$HDFS_JARS/resources"
  # The resources come last, so that Hadoop's own pages are found where it has them.
  HDFS_CLASSPATH="$CLASSES:$HDFS_JARS/*:$HDFS_JARS/resources"
  if [ "$HDFS_VERSION" = 2.7.3 ]; then
    # WebHDFS is left out where Jersey cannot be installed.
    [ -e "${JERSEY[1]}" ] || with_lock packages install_jersey || true
    # Jersey 1 comes last: among the jars is Jersey 2, whose javax.ws.rs is the one that both are to use.
    HDFS_CLASSPATH="$HDFS_CLASSPATH:$(IFS=:; echo "${JERSEY[*]}")"
  fi
  HDFS_JAVA_OPTIONS=(
    "${JAVA_OPENS[@]}" --add-exports java.security.jgss/sun.security.krb5=ALL-UNNAMED
    -Djava.net.preferIPv4Stack=true -Dfile.encoding=UTF-8 -Duser.timezone=UTC
    # Hadoop 2.7 keeps keys in classes that Java has refused to read from a key store since 8u171.
    '-Djceks.key.serialFilter=org.apache.hadoop.crypto.key.JavaKeyStoreProvider$KeyMetadata;java.**;javax.crypto.**;!*'
  )
}

# hadoop CLASS ARGUMENT...: becomes that program. HDFS is the folder of its files.
hadoop() {
  local compiler=(-XX:TieredStopAtLevel=1) # what runs for seconds is not worth optimising
  [ "$command" != oiv ] && [ -z "${HDFS_OPTIMISE:-}" ] || compiler=()
  mkdir -p "$HDFS"
  exec "$JAVA" "-Xmx${HDFS_HEAP:-512m}" "${compiler[@]}" "${HDFS_JAVA_OPTIONS[@]}" \
    -Djdk.net.hosts.file="$(offline_hosts)" \
    -Dlog4j.configuration="file:$HERE/hdfs-log4j.properties" -Daudit.file="${HDFS_AUDIT:-/dev/null}" \
    -cp "$HDFS_CLASSPATH" "$@"
}
