import { Link } from "wouter";
import type { WholeThing } from "../api/answers";
import { quoted } from "../search/completion";
import { typeWord } from "../words/kinds";
import { counted } from "../words/numbers";
import { onDate } from "../words/when";
import type { Graph } from "./graph";
import type { View } from "./view";

interface Props {
  graph: Graph;
  view: View;
  root: WholeThing;
  change: (part: Partial<View>) => void;
}

/** Looked, and found nothing: since when, what may hide something, and where to look next. */
export function EmptyNote({ graph, view, root, change }: Props) {
  const node = graph.nodes.get(graph.root);
  const byName = (node?.unlinkedInputs ?? 0) + (node?.unlinkedOutputs ?? 0);
  const narrowed = narrowedBy(view);
  const since = root.firstSeen ? ` since ${onDate(root.firstSeen)}` : "";
  return (
    <div className="stage-note" role="status">
      {narrowed ? (
        <p>
          <strong>{narrowed.says}</strong>{" "}
          <button type="button" className="link-button" onClick={() => change(narrowed.undo)}>
            {narrowed.word}
          </button>
        </p>
      ) : (
        <p>
          <strong>
            No lineage recorded for this {typeWord(root.type)}
            {since}.
          </strong>
        </p>
      )}
      {graph.operationsWithoutLineage > 0 && (
        <p>
          {counted(graph.operationsWithoutLineage, "statement")} that{" "}
          {graph.operationsWithoutLineage === 1 ? "names" : "name"} it told no lineage.
        </p>
      )}
      {byName > 0 && !view.unlinked && (
        <p>
          {counted(byName, "name")} known from query text only:{" "}
          <button type="button" className="link-button" onClick={() => change({ unlinked: true })}>
            show
          </button>
        </p>
      )}
      {!view.operations && (root.usedByTotal ?? 0) > 0 && (
        <p>
          {counted(root.usedByTotal ?? 0, "statement")} used it:{" "}
          <button type="button" className="link-button" onClick={() => change({ operations: true })}>
            show Operations
          </button>
        </p>
      )}
      <p className="quiet small">
        <Link href={`/search?query=${encodeURIComponent(`queryText:${quoted(root.originalName ?? "")}`)}`}>
          Search for statements that name it
        </Link>
        {" · "}
        <Link href="/extractors">see whether records arrive</Link>
      </p>
    </div>
  );
}

interface Narrowed {
  says: string;
  word: string;
  undo: Partial<View>;
}

/** What of the view leaves something out, so that nothing is said of what was recorded. */
function narrowedBy(view: View): Narrowed | null {
  if (view.asOf) {
    return { says: `Nothing had been seen by ${onDate(view.asOf)}.`, word: "as of now", undo: { asOf: null } };
  }
  if (view.direction !== "both") {
    return {
      says: `Nothing ${view.direction} of this one is recorded.`,
      word: "both directions",
      undo: { direction: "both" },
    };
  }
  return null;
}
