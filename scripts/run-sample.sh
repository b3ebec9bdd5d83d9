#!/usr/bin/env bash
# Shows the main job on a real sample: a server with an embedded store, an agent on a spool folder, a
# recorded metastore. Everything it makes is in run/; nothing but Rust and a C compiler is needed.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/realcluster/lib.sh
SAMPLE=samples/walkthrough
PORT=${PORT:-7187}
URL=http://127.0.0.1:$PORT

command -v cargo > /dev/null || die "cargo is missing; install Rust with rustup"
command -v cc > /dev/null || install_packages "a C compiler" gcc libc6-dev
if (exec 3<> "/dev/tcp/127.0.0.1/$PORT") 2> /dev/null; then
  die "port $PORT is taken; stop what listens there, or run: make run PORT=7188"
fi
say "building (the first time takes some minutes)"
cargo build --quiet --workspace --bins
PATH="$PWD/${CARGO_TARGET_DIR:-target}/debug:$PATH"
export SEXTANT_SERVER=$URL

rm -rf run
mkdir -p run/spool
RUN="$PWD/run"
cat > run/sextant.toml << TOML
[server]
listen = "127.0.0.1:$PORT"
data_dir = "$RUN/data"

# A real metastore has: uri = "thrift://metastore-1:9083"
[[extractor]]
name = "hive"
kind = "hms"
uri = "file://$RUN/metastore.jsonl"
TOML
cat > run/agent.toml << TOML
[server]
url = "$URL"

[agent]
state_dir = "$RUN/agent"

[[spool]]
path = "$RUN/spool/hive-lineage.log.*"
format = "hive"
TOML

stop() {
  trap - EXIT INT TERM
  kill "${AGENT_PID:-}" "${SERVER_PID:-}" 2> /dev/null || true
  wait 2> /dev/null || true
}
trap stop EXIT
trap 'exit 0' INT TERM

# Two temporary tables came and went. The first snapshot saw one of them, the second neither.
cp $SAMPLE/metastore-1.jsonl run/metastore.jsonl
sextant server --config run/sextant.toml 2> run/server.log &
SERVER_PID=$!
for _ in $(seq 300); do
  (exec 3<> "/dev/tcp/127.0.0.1/$PORT") 2> /dev/null && break
  kill -0 "$SERVER_PID" 2> /dev/null || die "the server did not start: $(tail -n 3 run/server.log)"
  sleep 0.1
done
cp $SAMPLE/lineage/hive-lineage.log.1 run/spool/
sextant-agent --config run/agent.toml 2> run/agent.log &
AGENT_PID=$!
say "the agent looks every 5 seconds; waiting until its four records can be searched"
for _ in $(seq 300); do
  sextant search type:operation_execution -o json 2> /dev/null | grep -q '"total": *4' && break
  kill -0 "$AGENT_PID" 2> /dev/null || die "the agent ended: $(tail -n 3 run/agent.log)"
  sleep 0.2
done
sextant extract hive
cp $SAMPLE/metastore-2.jsonl run/metastore.jsonl
sextant extract hive

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}
show sextant lineage sample_merge --direction upstream --depth 3
show sextant lineage sample_merge --deleted --operations --unlinked
show sextant search 'queryText:*temp_sample_08*'
cat << TEXT

Open $URL in a browser, or try in another terminal:
  cd $PWD; export PATH="$PWD/${CARGO_TARGET_DIR:-target}/debug:\$PATH" SEXTANT_SERVER=$URL
  sextant status
  sextant entity temp_sample_07
  sextant lineage default.sample_merge.salary --direction upstream --deleted
  sextant search 'type:table AND deleted:true'
To see temp_sample_07 come back in a second life:
  cp $SAMPLE/lineage/hive-lineage.log.2 run/spool/ && cp $SAMPLE/metastore-3.jsonl run/metastore.jsonl && sextant extract hive
Logs: run/server.log, run/agent.log. Ctrl-C stops server and agent.
TEXT
wait
