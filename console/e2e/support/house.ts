// A real server and a real agent with the sample of the walk-through, as `make run` has it, and with
// names that nobody should trust. The tests' base address is in SEXTANT_CONSOLE_URL.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { hostileRecords, hostileTables, LONG, RIGHT_TO_LEFT } from "./hostile";

const SOURCES = resolve(import.meta.dirname, "../../..");
const BUILT = resolve(SOURCES, process.env.CARGO_TARGET_DIR ?? "target", "debug");
const SAMPLE = join(SOURCES, "samples/walkthrough");
const READY_WITHIN_MS = 60_000;

export default async function start(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-console-"));
  const url = `http://127.0.0.1:${await freePort()}`;
  const metastore = join(folder, "metastore.jsonl");
  const spool = join(folder, "spool");
  mkdirSync(spool);
  writeFileSync(
    join(folder, "sextant.toml"),
    `[server]\nlisten = "${url.slice("http://".length)}"\ndata_dir = "${folder}/data"\n\n` +
      `[[extractor]]\nname = "hive"\nkind = "hms"\nuri = "file://${metastore}"\n`,
  );
  writeFileSync(
    join(folder, "agent.toml"),
    `[server]\nurl = "${url}"\n\n[agent]\nstate_dir = "${folder}/agent"\npoll_interval = "500ms"\n\n` +
      `[[spool]]\npath = "${spool}/hive-lineage.log.*"\nformat = "hive"\n`,
  );
  const show = (snapshot: string, parameter: string) => {
    copyFileSync(join(SAMPLE, snapshot), metastore);
    appendFileSync(metastore, `${hostileTables(parameter)}\n`);
  };

  const processes: ChildProcess[] = [];
  const begin = (program: string, parameters: string[]) => {
    const log = join(folder, `${program}.log`);
    const started = spawn(join(BUILT, program), parameters, { stdio: ["ignore", "ignore", "pipe"] });
    started.stderr.on("data", (text) => appendFileSync(log, text));
    processes.push(started);
    return () => readFileSync(log, "utf8");
  };
  const client = (...parameters: string[]) =>
    execFileSync(join(BUILT, "sextant"), ["--server", url, ...parameters], { encoding: "utf8" });

  // Two temporary tables came and went. The first snapshot saw one of them, the second neither.
  show("metastore-1.jsonl", RIGHT_TO_LEFT);
  const log = begin("sextant", ["server", "--config", join(folder, "sextant.toml")]);
  await until(
    async () => (await fetch(`${url}/healthz`)).ok,
    () => `the server did not start: ${log()}`,
  );
  copyFileSync(join(SAMPLE, "lineage/hive-lineage.log.1"), join(spool, "hive-lineage.log.1"));
  writeFileSync(join(spool, "hive-lineage.log.2"), `${hostileRecords()}\n{"version":"1.0","edges":[}\n`);
  const agentLog = begin("sextant-agent", ["--config", join(folder, "agent.toml")]);
  const wanted = 4 + hostileRecords().split("\n").length;
  await until(
    async () => (await runsFound(url)) >= wanted,
    () => `the records did not arrive: ${agentLog()}`,
  );
  client("extract", "hive");
  show("metastore-2.jsonl", LONG);
  client("extract", "hive");
  process.env.SEXTANT_CONSOLE_URL = url;

  return async () => {
    for (const started of processes.reverse()) {
      const ended = new Promise((done) => started.once("exit", done));
      started.kill();
      await ended;
    }
    rmSync(folder, { recursive: true });
  };
}

async function runsFound(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/search?query=type:operation_execution&limit=0`);
  return ((await answer.json()) as { total: number }).total;
}

async function until(isSo: () => Promise<boolean>, whyNot: () => string): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (Date.now() < end) {
    if (await isSo().catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(whyNot());
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const place = server.address();
      server.close(() => (place && typeof place === "object" ? done(place.port) : failed(new Error("no port"))));
    });
  });
}
