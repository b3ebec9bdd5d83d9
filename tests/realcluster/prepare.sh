#!/usr/bin/env bash
# Downloads and compiles what hms.sh and hive.sh need, so that later starts are quick. They do it
# themselves where this was not run. usage: prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_hadoop
say "ready: $("$JAVA" -version 2>&1 | head -1), jars in $JARS"
