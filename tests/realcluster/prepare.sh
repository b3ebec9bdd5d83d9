#!/usr/bin/env bash
# Downloads and compiles what hms.sh, hive.sh and hdfs.sh need, so that later starts are quick. They do it
# themselves where this was not run. usage: prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hadoop
say "ready: $("$JAVA" -version 2>&1 | head -1), jars in $JARS"
# Where one version of Hadoop cannot be had, the tests that want it step aside.
for version in 2.7.3 3.5.0; do
  HDFS_VERSION=$version "$HERE/hdfs.sh" prepare || [ $? = 3 ]
done
"$HERE/hdfs-jni.sh" > /dev/null || [ $? = 3 ]
