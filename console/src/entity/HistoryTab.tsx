import type { WholeThing } from "../api/answers";
import { visible } from "../words/names";
import { exactly } from "../words/when";

interface Event {
  time: string;
  what: string;
  more?: string;
}

/** What happened to a thing, as far as snapshots and records tell, the newest first. */
export function HistoryTab({ thing }: { thing: WholeThing }) {
  const events = eventsOf(thing);
  return (
    <div className="stack">
      <ol className="history">
        {events.map((event) => (
          <li key={`${event.time} ${event.what}`}>
            <time dateTime={event.time}>{exactly(event.time)}</time>
            <span>
              {event.what}
              {event.more && <small className="quiet code">{event.more}</small>}
            </span>
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
      <p className="quiet small">
        A snapshot sees a change when it is taken, so the time is that of the next snapshot; what its source itself
        dates is exact.
      </p>
    </div>
  );
}

export function eventsOf(thing: WholeThing): Event[] {
  const events: Event[] = [];
  const add = (time: string | null | undefined, what: string, more?: string | null) => {
    if (time) events.push({ time, what, ...(more ? { more } : {}) });
  };
  add(thing.created, "created, says its source");
  add(thing.lastModified, "changed last, says its source");
  add(thing.firstSeen, "first seen by a snapshot");
  if (thing.deleted) {
    add(thing.lastSeen, "last seen by a snapshot");
    add(thing.deleteTime, "found to be gone");
  }
  for (const usage of thing.usedBy ?? []) {
    const does = usage.role === "input" ? "read" : "written";
    const text = visible((usage.queryText ?? "").replace(/\s+/g, " ")).slice(0, 160);
    add(usage.lastSeen, `last ${does} by ${visible(usage.principal ?? "somebody unknown")}`, text);
  }
  return events.sort((a, b) => b.time.localeCompare(a.time));
}
