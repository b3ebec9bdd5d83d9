import { type FormEvent, useMemo, useState } from "react";
import type { Id } from "../api/answers";
import type { Graph } from "./graph";

/** Search in the graph: marks what matches, Enter goes from one to the next. */
export function Find({
  graph,
  onFound,
}: {
  graph: Graph | null;
  onFound: (ids: ReadonlySet<Id>, current: Id | null) => void;
}) {
  const [text, setText] = useState("");
  const [place, setPlace] = useState(-1);
  const found = useMemo(() => matches(graph, text), [graph, text]);
  const write = (next: string) => {
    setText(next);
    setPlace(-1);
    onFound(new Set(matches(graph, next)), null);
  };
  const step = (event: FormEvent) => {
    event.preventDefault();
    if (found.length === 0) return;
    const following = (place + 1) % found.length;
    setPlace(following);
    onFound(new Set(found), found[following] ?? null);
  };
  return (
    <form className="find" onSubmit={step}>
      <input
        type="search"
        className="field find-input"
        aria-label="Search in the graph"
        placeholder="find in graph"
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      <span className="small quiet" role="status">
        {text &&
          (found.length === 0 ? "none" : place < 0 ? `${found.length} found` : `${place + 1} of ${found.length}`)}
      </span>
    </form>
  );
}

export function matches(graph: Graph | null, text: string): Id[] {
  const wanted = text.trim().toLowerCase();
  if (!graph || !wanted) return [];
  const ids: Id[] = [];
  for (const node of graph.nodes.values()) {
    const said = `${node.qualifiedName ?? ""} ${node.queryText ?? ""} ${node.principal ?? ""}`.toLowerCase();
    if (said.includes(wanted)) ids.push(node.id);
  }
  return ids;
}
