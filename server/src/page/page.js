// Reads the API and shows it. Everything from outside is set as text, never as markup.
"use strict";

const REFRESH_EVERY_MS = 10000;
const place = (id) => document.getElementById(id);

// An element with text, a class, and children.
function element(name, text, className, ...children) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = String(text);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

const row = (...cells) => element("tr", null, null, ...cells);

function fill(id, children, whenEmpty) {
  const target = place(id);
  if (children.length === 0 && whenEmpty) {
    const cell = element("td", whenEmpty, "quiet");
    cell.colSpan = 5;
    target.replaceChildren(row(cell));
  } else {
    target.replaceChildren(...children);
  }
}

async function ask(path) {
  const response = await fetch(path, { headers: { accept: "application/json" } });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error || response.statusText), { answer });
  return answer;
}

function when(text) {
  if (!text) return "never";
  const time = new Date(text);
  const seconds = Math.round((time - Date.now()) / 1000);
  const size = Math.abs(seconds);
  const inWords = size < 90 ? `${size} s` : size < 5400 ? `${Math.round(size / 60)} min` : size < 129600 ? `${Math.round(size / 3600)} h` : `${Math.round(size / 86400)} days`;
  return seconds > 0 ? `in ${inWords}` : `${inWords} ago`;
}

const plural = (word) => word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
const counted = (count, word) => `${count.toLocaleString()} ${count === 1 ? word : plural(word)}`;
const numbers = (counts) => Object.entries(counts || {}).map(([word, count]) => counted(count, word.toLowerCase())).join(", ") || "none";

function nameOf(thing) {
  if (thing.qualifiedName) return thing.qualifiedName;
  const text = thing.queryText || thing.originalName || thing.id;
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

// A name that opens the thing; what is deleted is struck through and says so.
function linkTo(thing) {
  const button = element("button", nameOf(thing), thing.deleted ? "link gone" : "link");
  button.type = "button";
  button.addEventListener("click", () => { location.hash = `thing=${encodeURIComponent(thing.id)}`; });
  return element("span", null, null, button, stateOf(thing));
}

function stateOf(thing) {
  if (thing.deleted) return " (deleted)";
  if (thing.unlinked) return " (known by name only)";
  return thing.state === "OUT_OF_SCOPE" ? " (out of scope)" : "";
}

function extractorRow(extractor) {
  const run = extractor.lastRun;
  const state = extractor.running ? element("td", extractor.running.phase, "warn")
    : !run ? element("td", "has not run yet", "quiet")
    : element("td", run.outcome, run.outcome === "complete" ? "good" : run.outcome === "failed" ? "bad" : "warn");
  const last = element("td", run ? when(run.finished) : "never");
  if (run) last.append(element("small", run.inWords));
  if (extractor.state) last.append(element("small", extractor.state.inWords));
  return row(
    element("td", extractor.name, null, element("small", `${extractor.uri}, ${extractor.clusters.join(", ")}`)),
    state,
    last,
    element("td", extractor.nextRun ? when(extractor.nextRun) : "not scheduled"),
  );
}

// A row for each spool of an agent, or one for an agent that has none.
function agentRows(agent) {
  const spools = agent.spools.length === 0 ? [null] : agent.spools;
  return spools.map((spool, index) => {
    const host = element("td", index === 0 ? agent.host : "");
    if (index === 0) host.append(element("small", `${agent.agent}, version ${agent.version || "unknown"}`));
    const contact = element("td", index === 0 ? when(agent.lastContact) : "", agent.silent ? "bad" : null);
    if (index === 0 && agent.silent) contact.append(element("small", agent.inWords));
    if (!spool) return row(host, contact, element("td", "none told", "quiet"), element("td"), element("td", `${size(agent.bytes)} kept`, "number"));
    const path = element("td", spool.path, "code", element("small", `${spool.format}, cluster ${spool.cluster}`));
    const behind = element("td", spool.inWords, spool.trouble ? "bad" : spool.secondsBehind > 600 ? "warn" : spool.reported ? null : "quiet");
    if (spool.filesKnown !== null) behind.append(element("small", counted(spool.filesKnown, "file")));
    if (spool.trouble) behind.append(element("small", spool.trouble));
    if (spool.lastError && spool.lastError.inWords !== spool.trouble) behind.append(element("small", `${when(spool.lastError.at)}: ${spool.lastError.inWords}`));
    const hour = element("td", counted(spool.recordsLastHour, "record"), "number");
    if (spool.problemsLastHour > 0) hour.append(element("small", counted(spool.problemsLastHour, "problem")));
    return row(host, contact, path, behind, hour);
  });
}

function pair(word, value) {
  return [element("dt", word), element("dd", value)];
}

async function showStatus() {
  const status = await ask("api/v1/status");
  const attention = status.attention || [];
  place("lead").textContent = attention.length === 0 ? "All is well." : attention.length === 1 ? "One thing needs you." : `${attention.length} things need you.`;
  fill("attention", attention.map((sentence) => element("li", sentence)));
  fill("extractors", status.extractors.map(extractorRow), "No extractor is configured.");
  fill("agents", status.agents.flatMap(agentRows), "No agent has delivered yet.");
  fill("quarantine", Object.entries(status.quarantine || {}).map(([kind, count]) => row(
    element("td", kind),
    element("td", count.toLocaleString(), "number"),
  )), "Everything that arrived could be read.");
  const intake = status.intake;
  fill("counts", [
    ...pair("living", numbers(status.counts.living)),
    ...pair("deleted", numbers(status.counts.deleted)),
    ...pair("statements", `${status.counts.operations.toLocaleString()} with ${status.counts.executions.toLocaleString()} runs`),
    ...pair("known by name only", counted(status.unlinkedNames, "name")),
    ...pair("disk", status.disk.inWords),
    ...pair("on the way", `${intake.waiting} batches to link, ${intake.notSearchable} changes to index`),
  ]);
  const latest = await ask("api/v1/operations/latest?limit=15");
  fill("operations", latest.results.map((operation) => row(
    element("td", when(operation.lastSeen)),
    element("td", operation.sourceType),
    element("td", operation.userIsService ? `${operation.principal} (service, end user unknown)` : operation.principal || "unknown"),
    element("td", null, "code", linkTo(operation)),
  )), "No statement has arrived yet.");
}

async function refresh() {
  try {
    await showStatus();
  } catch (error) {
    place("lead").textContent = "The server does not answer.";
    fill("attention", [element("li", error.message)]);
  }
}

async function search(query, cursor) {
  place("found").hidden = false;
  const error = place("query-error");
  error.hidden = true;
  try {
    const parameters = new URLSearchParams({ query, limit: "25" });
    if (cursor) parameters.set("cursor", cursor);
    const answer = await ask(`api/v1/search?${parameters}`);
    place("found-total").textContent = `${answer.totalIsExact === false ? "about " : ""}${answer.total.toLocaleString()}`;
    const rows = answer.results.map((thing) => row(
      element("td", thing.type.toLowerCase()),
      element("td", null, thing.qualifiedName ? null : "code", linkTo(thing)),
      element("td", thing.cluster),
      element("td", thing.deleted ? "deleted" : thing.state === "OUT_OF_SCOPE" ? "out of scope" : ""),
    ));
    if (cursor) place("results").append(...rows);
    else fill("results", rows, "Nothing matches.");
    const more = place("more");
    more.hidden = !answer.next;
    more.onclick = () => search(query, answer.next);
  } catch (failure) {
    const answer = failure.answer || {};
    error.textContent = [answer.detail || failure.message, answer.hint].filter(Boolean).join("\n");
    error.hidden = false;
    fill("results", [], "Nothing was searched.");
  }
}

const HIDDEN_PROPERTIES = new Set(["id", "queryText", "queryTexts", "usedBy", "inputs", "outputs", "qualifiedName", "position", "parentId", "unlinked", "location", "locatedHere", "locatedAbove", "locatedBelow", "namespaceState", "bytesByQuarter", "lastChanged"]);

const UNITS = ["bytes", "KB", "MB", "GB", "TB", "PB"];

function size(bytes) {
  let unit = 0;
  let number = bytes || 0;
  while (number >= 1024 && unit + 1 < UNITS.length) { number /= 1024; unit += 1; }
  return unit === 0 ? `${number} ${UNITS[0]}` : `${number.toFixed(1)} ${UNITS[unit]}`;
}

// Where the data of a table lies, or which tables lie around a path; a list of words and values.
function whereabouts(thing) {
  const said = [];
  const list = (word, things) => (things || []).forEach((other) => said.push(element("dt", word), element("dd", null, null, linkTo(other), element("small", other.location || other.path || ""))));
  const location = thing.location;
  if (location) {
    said.push(...pair("lies at", location.written), ...pair("which means", `${location.path} (${location.ruleInWords})`));
    if (location.note) said.push(...pair("but", location.note));
    if (location.directory) list("directory", [location.directory]);
    list("also here", location.alsoHere);
  }
  list("here lies", thing.locatedHere);
  list("in the directory of", thing.locatedAbove);
  const below = thing.locatedBelow;
  if (below && below.databases + below.tables + below.partitions > 0) {
    said.push(...pair("below", `${below.isExact ? "" : "at least "}${counted(below.tables, "table")}, ${counted(below.databases, "database")}, ${counted(below.partitions, "partition")}`));
    list("", below.first);
  }
  const content = location ? location.directory : thing;
  if (content && content.fileCount !== undefined) {
    said.push(...pair("content", `${counted(content.fileCount, "file")}, ${size(content.totalSize)} (${size(content.totalSizeWithCopies)} with copies), ${counted(content.smallFileCount, "small file")}`));
  }
  ((content && content.lastChanged) || []).forEach((part) => said.push(...pair(`last changed in ${part.quarter}`, size(part.bytes))));
  if (thing.namespaceState) said.push(...pair("file system", thing.namespaceState.inWords));
  return said;
}

function howKnown(edge) {
  if (edge.type === "LOGICAL_PHYSICAL") {
    return `${edge.below ? "lies below its location" : "its location"}: ${edge.location ? edge.location.written : "unknown"}`;
  }
  return [edge.mark, edge.formerIncarnation ? "former incarnation" : "", `last seen ${when(edge.lastSeen)}`].filter(Boolean).join(", ");
}

async function showThing(id) {
  const section = place("thing");
  section.hidden = false;
  try {
    const thing = await ask(`api/v1/entities/${encodeURIComponent(id)}`);
    place("thing-name").textContent = nameOf(thing);
    place("thing-note").textContent = `${thing.type ? thing.type.toLowerCase() : "name"}${stateOf(thing)}`;
    place("thing-text").hidden = !thing.queryText;
    place("thing-text").textContent = thing.queryText || "";
    const shown = Object.entries(thing).filter(([key, value]) => !HIDDEN_PROPERTIES.has(key) && value !== null && value !== "");
    fill("thing-properties", [...whereabouts(thing), ...shown.flatMap(([key, value]) => pair(key, typeof value === "object" ? JSON.stringify(value) : value))]);
    const lineage = await ask(`api/v1/lineage/${encodeURIComponent(id)}?depth=2&deleted=true&unlinked=true&physical=true`);
    const nodes = new Map(lineage.nodes.map((node) => [node.id, node]));
    fill("thing-edges", lineage.edges.map((edge) => row(
      element("td", null, null, linkTo(nodes.get(edge.source))),
      element("td", null, null, linkTo(nodes.get(edge.target))),
      element("td", howKnown(edge)),
    )), "No flow was seen.");
    fill("thing-coverage", (lineage.coverage.notes || []).map((note) => element("li", note)));
  } catch (failure) {
    fill("thing-edges", [], failure.message);
  }
  section.scrollIntoView({ block: "nearest" });
}

function follow() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const query = parameters.get("query");
  if (query !== null) {
    place("query").value = query;
    place("thing").hidden = true;
    search(query);
  }
  const id = parameters.get("thing");
  if (id) showThing(id);
}

place("search").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = `query=${encodeURIComponent(place("query").value)}`;
});
addEventListener("hashchange", follow);
follow();
refresh();
setInterval(refresh, REFRESH_EVERY_MS);
