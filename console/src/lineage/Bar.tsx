import { dayOf, endOfDay } from "../words/when";
import type { Actions } from "./keys";
import type { ViewControl } from "./useView";
import { MAX_DEPTH, SWITCHES, type View } from "./view";

interface Props {
  control: ViewControl;
  actions: Actions;
}

const DIRECTIONS = [
  { direction: "upstream", word: "Only Upstream" },
  { direction: "both", word: "Both" },
  { direction: "downstream", word: "Only Downstream" },
] as const;

/** The options of the view. */
export function Bar({ control, actions }: Props) {
  const { view, change } = control;
  return (
    <div className="bar" role="toolbar" aria-label="What the lineage shows">
      <fieldset className="group" aria-label="Direction">
        {DIRECTIONS.map(({ direction, word }) => (
          <button
            key={direction}
            type="button"
            aria-pressed={view.direction === direction}
            onClick={() => change({ direction })}
          >
            {word}
          </button>
        ))}
      </fieldset>
      <fieldset className="group" aria-label="Depth in hops">
        <span className="label">Depth</span>
        <button type="button" aria-label="one hop less" disabled={view.depth === 1} onClick={() => actions.deeper(-1)}>
          −
        </button>
        <output aria-live="polite">
          <strong>{view.depth}</strong>
        </output>
        <button
          type="button"
          aria-label="one hop more"
          disabled={view.depth === MAX_DEPTH}
          onClick={() => actions.deeper(1)}
        >
          +
        </button>
        <button type="button" onClick={() => actions.all("upstream")} title="everything upstream">
          <span className="unseen">Expand </span>all ←
        </button>
        <button type="button" onClick={() => actions.all("downstream")} title="everything downstream">
          <span className="unseen">Expand </span>all →
        </button>
      </fieldset>
      <fieldset className="group" aria-label="Options">
        {SWITCHES.map(({ key, word, says }) => (
          <button
            key={key}
            type="button"
            aria-pressed={view[key]}
            title={says}
            onClick={() => change({ [key]: !view[key] })}
          >
            {word}
          </button>
        ))}
      </fieldset>
      <AsOf view={view} change={change} />
      <span className="bar-space" />
      <fieldset className="group" aria-label="Form">
        {(["graph", "list"] as const).map((form) => (
          <button key={form} type="button" aria-pressed={view.form === form} onClick={() => change({ form })}>
            {form === "graph" ? "Graph" : "List"}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

function AsOf({ view, change }: { view: View; change: (part: Partial<View>) => void }) {
  const choose = (day: string) => {
    const asOf = day ? endOfDay(day) : null;
    if (asOf !== view.asOf) change({ asOf });
  };
  return (
    <fieldset className="group" aria-label="As of">
      <label className={`as-of${view.asOf ? " on" : ""}`}>
        <span>As of</span>
        {/* Taken over once it is whole: a year that is being typed is another year with each digit. */}
        <input
          key={view.asOf}
          type="date"
          defaultValue={view.asOf ? dayOf(view.asOf) : ""}
          onBlur={(event) => choose(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && choose(event.currentTarget.value)}
        />
      </label>
      {view.asOf && (
        <button type="button" onClick={() => change({ asOf: null })}>
          now
        </button>
      )}
    </fieldset>
  );
}
