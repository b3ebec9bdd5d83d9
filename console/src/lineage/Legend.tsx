import { counted } from "../words/numbers";
import { assets, type Graph } from "./graph";
import { sayExtent } from "./say";
import { LIMITS, type View } from "./view";
import "./legend.css";

interface Props {
  graph: Graph;
  view: View;
  change: (part: Partial<View>) => void;
  isBusy: boolean;
}

/** What the lines mean, how much is shown, and what is not and how to see it. */
export function Legend({ graph, view, change, isBusy }: Props) {
  const edges = [...graph.edges.values()];
  const hides = new Set(edges.flatMap((edge) => edge.hides.map((hidden) => hidden.id)));
  const byNameOnly = Math.max(
    0,
    ...assets(graph)
      .filter((node) => !node.unlinked)
      .map((node) => node.unlinkedInputs + node.unlinkedOutputs),
  );
  const larger = LIMITS.find((limit) => limit > view.limit);
  const isUnlinkedHidden = byNameOnly > 0 && !view.unlinked;
  return (
    <aside className="legend" aria-label="Legend and extent">
      <ul className="legend-lines">
        {edges.some((edge) => edge.type === "DATA_FLOW") && <Sample kind="data" word="observed in a run" />}
        {edges.some((edge) => edge.type === "CONTROL_FLOW") && <Sample kind="control" word="control flow" />}
        {edges.some((edge) => edge.type === "LOGICAL_PHYSICAL") && (
          <Sample kind="physical" word="logical to physical" />
        )}
        {edges.some((edge) => edge.formerIncarnation) && <Sample kind="former" word="of a former incarnation" />}
        {assets(graph).some((node) => node.deleted) && (
          <li>
            <s>name</s> deleted
          </li>
        )}
        {assets(graph).some((node) => node.unlinked) && (
          <li>
            <span className="legend-ghost">name</span> known from query text only
          </li>
        )}
      </ul>
      <p className="legend-extent" role="status">
        {isBusy ? "Reading… " : ""}
        {sayExtent(graph)}
        {graph.cut && larger && (
          <>
            {" · "}
            <button type="button" className="link-button" onClick={() => change({ limit: larger })}>
              show up to {larger}
            </button>
          </>
        )}
        {hides.size > 0 && !view.deleted && (
          <>
            {" · "}
            {counted(hides.size, "deleted asset")} folded through:{" "}
            <button type="button" className="link-button" onClick={() => change({ deleted: true })}>
              show
            </button>
          </>
        )}
        {isUnlinkedHidden && (
          <>
            {" · "}
            {counted(byNameOnly, "name")} from query text only:{" "}
            <button type="button" className="link-button" onClick={() => change({ unlinked: true })}>
              show
            </button>
          </>
        )}
        {graph.operationsWithoutLineage > 0 && (
          <>
            {" · "}
            {counted(graph.operationsWithoutLineage, "statement")} that{" "}
            {graph.operationsWithoutLineage === 1 ? "names" : "name"} it told no lineage
          </>
        )}
      </p>
      {graph.notes.length > 0 && (
        <details className="legend-notes">
          <summary>{counted(graph.notes.length, "note")}</summary>
          <ul>
            {graph.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </aside>
  );
}

function Sample({ kind, word }: { kind: string; word: string }) {
  return (
    <li>
      <svg aria-hidden="true" width="34" height="8" viewBox="0 0 34 8">
        {kind === "physical" && <path className="line line-physical-outer" d="M0 4H34" />}
        <path className={`line line-${kind}`} d="M0 4H34" />
      </svg>
      {word}
    </li>
  );
}
