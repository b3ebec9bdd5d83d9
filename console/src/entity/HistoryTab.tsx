import { useQuery } from "@tanstack/react-query";
import type { History, WholeThing } from "../api/answers";
import { history } from "../api/queries";
import { Failed } from "../parts/States";
import { visible } from "../words/names";
import { counted } from "../words/numbers";
import { exactly } from "../words/when";
import type { Change, KeptChanges } from "./changes";
import { Differences } from "./Differences";

interface Event {
  time: string;
  what: string;
  more?: string;
  change?: Change;
}

/** What happened to a thing, as far as snapshots, runs and records tell, the newest first. */
export function HistoryTab({ thing }: { thing: WholeThing }) {
  const { data, error, refetch } = useQuery(history(thing.id));
  const events = eventsOf(thing, data);
  const former = (data?.names ?? []).filter((name) => !name.present);
  return (
    <div className="stack">
      {error && <Failed error={error} retry={refetch} />}
      {data && data.lives.length > 1 && (
        <p>It was dropped and created again: {counted(data.lives.length, "life")}, of which this is the last.</p>
      )}
      {former.length > 0 && (
        <p>
          Former names that lead here:{" "}
          <span className="code">{former.map((name) => visible(name.qualifiedName)).join(", ")}</span>
        </p>
      )}
      <ol className="history">
        {events.map((event) => (
          <li key={`${event.time} ${event.what} ${event.change?.run}`}>
            <time dateTime={event.time}>{exactly(event.time)}</time>
            <div>
              {event.change ? <Differences change={event.change} /> : event.what}
              {event.more && <small className="quiet code">{event.more}</small>}
            </div>
          </li>
        ))}
      </ol>
      {thing.formerPaths && thing.formerPaths.length > 0 && (
        <section>
          <h3>Former places</h3>
          <ul>
            {thing.formerPaths.map((path) => (
              <li key={path} className="code">
                {visible(path)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {data && data.changesForgotten > 0 && (
        <p className="quiet small">
          The newest {data.changes.length} changes are kept; {counted(data.changesForgotten, "older change")} not.
        </p>
      )}
      {data && data.changes.length === 0 && <p className="quiet small">{noChange(thing)}</p>}
      <p className="quiet small">
        A snapshot sees a change when it is taken, so the time is that of the next snapshot; what its source itself
        dates is exact.
      </p>
    </div>
  );
}

/** Why there may be none, said where none is. */
function noChange(thing: WholeThing): string {
  if (thing.type === "DIRECTORY" || thing.type === "FILE")
    return "No change was found by a run. Changes of directories and files are kept where a table's location or a statement names them.";
  return "No change of its columns, owner, location, text or parameters was found by a run.";
}

export function eventsOf(thing: WholeThing, lives: (History & KeptChanges) | undefined): Event[] {
  const events: Event[] = [];
  const add = (time: string | null | undefined, what: string, more?: string | null) => {
    if (time) events.push({ time, what, ...(more ? { more } : {}) });
  };
  const known = lives?.lives ?? [];
  for (const life of known) {
    const of = known.length > 1 ? ` (life ${life.number})` : "";
    add(life.created, `created, says its source${of}`);
    add(life.firstSeen, `first seen by a snapshot${of}`);
    add(life.lastSeen, `last seen by a snapshot${of}`);
    add(life.over, `found to be gone${of}`);
  }
  if (known.length === 0) {
    add(thing.created, "created, says its source");
    add(thing.firstSeen, "first seen by a snapshot");
    if (thing.deleted) add(thing.lastSeen, "last seen by a snapshot");
    if (thing.deleted) add(thing.deleteTime, "found to be gone");
  }
  for (const change of lives?.changes ?? []) events.push({ time: change.time, what: "changed", change });
  add(thing.lastModified, "changed last, says its source");
  for (const usage of thing.usedBy ?? []) {
    const does = usage.role === "input" ? "read" : "written";
    const text = visible((usage.queryText ?? "").replace(/\s+/g, " ")).slice(0, 160);
    add(usage.lastSeen, `last ${does} by ${visible(usage.principal ?? "somebody unknown")}`, text);
  }
  return events.sort((a, b) => b.time.localeCompare(a.time));
}
