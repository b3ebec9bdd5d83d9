import { Link } from "wouter";
import type { LineageEdge, LineageNode } from "../api/answers";
import { hrefOf, NameLink } from "../parts/Name";
import { visible } from "../words/names";
import { exactly } from "../words/when";
import { useStage } from "./context";
import { type Graph, isOperation } from "./graph";
import { kindOfEdge, titleOf } from "./say";

const COLUMNS_SHOWN = 60;

/** An edge: how it is known, since when, through what. */
export function EdgePane({ edge, graph }: { edge: LineageEdge; graph: Graph }) {
  const [source, target] = [graph.nodes.get(edge.source), graph.nodes.get(edge.target)];
  return (
    <>
      <h2>{kindOfEdge(edge)}</h2>
      <p className="stack">
        <End node={source} word="from" />
        <End node={target} word="to" />
      </p>
      <h3>How it is known</h3>
      <dl className="pairs">
        <dt>mark</dt>
        <dd>{edge.mark}</dd>
        {edge.formerIncarnation && (
          <>
            <dt>life</dt>
            <dd>of a former incarnation of one of its ends</dd>
          </>
        )}
        {edge.firstSeen && (
          <>
            <dt>first seen</dt>
            <dd>{exactly(edge.firstSeen)}</dd>
            <dt>last seen</dt>
            <dd>{exactly(edge.lastSeen)}</dd>
          </>
        )}
        {edge.location && (
          <>
            <dt>location</dt>
            <dd className="code">{visible(edge.location.written)}</dd>
            <dt>means it by</dt>
            <dd>{edge.location.ruleInWords}</dd>
          </>
        )}
        {edge.via.length > 0 && (
          <>
            <dt>through</dt>
            <dd>
              {edge.via.map((id, place) => (
                <Link key={id} href={hrefOf(id)}>
                  {place > 0 && ", "}statement {place + 1}
                </Link>
              ))}
            </dd>
          </>
        )}
        {edge.hides.length > 0 && (
          <>
            <dt>folded</dt>
            <dd>
              {edge.hides.map((hidden) => (
                <span key={hidden.id}>
                  <Link href={hrefOf(hidden.id)}>{visible(hidden.qualifiedName ?? hidden.id)}</Link> ({hidden.reason}){" "}
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      {edge.columns.length > 0 && (
        <>
          <h3>Columns</h3>
          <table className="sheet">
            <thead>
              <tr>
                <th>From</th>
                <th>To</th>
              </tr>
            </thead>
            <tbody>
              {edge.columns.slice(0, COLUMNS_SHOWN).map((pair) => (
                <tr key={`${pair.source}>${pair.target}:${pair.type}`}>
                  <td>{visible(pair.source)}</td>
                  <td>
                    {visible(pair.target)}
                    {pair.expression && <small className="code">{visible(pair.expression)}</small>}
                    {pair.type === "CONTROL_FLOW" && <small>control flow</small>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {edge.columns.length > COLUMNS_SHOWN && (
            <p className="quiet small">{edge.columns.length - COLUMNS_SHOWN} more</p>
          )}
        </>
      )}
    </>
  );
}

function End({ node, word }: { node: LineageNode | undefined; word: string }) {
  const stage = useStage();
  if (!node) return null;
  return (
    <span>
      <span className="quiet">{word} </span>
      {isOperation(node) ? (
        <button type="button" className="link-button" onClick={() => stage.select(node.id)}>
          {titleOf(node)}
        </button>
      ) : (
        <NameLink thing={node} tab="lineage" />
      )}
    </span>
  );
}
