import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { Link } from "wouter";
import type { Thing } from "../api/answers";
import { KindMark } from "../parts/KindMark";
import { hrefOf } from "../parts/Name";
import { Empty, Failed } from "../parts/States";
import { kindOf, markOf, stateOf } from "../words/kinds";
import { nameOf, shortened, shortenedPath, visible } from "../words/names";
import { counted } from "../words/numbers";
import { ago } from "../words/when";
import { excerpt, marked, needles } from "./highlight";

const ROW_PX = 62;
const BEFORE_THE_END = 10;
const TEXT_SHOWN = 220;

interface Props {
  results: readonly Thing[];
  total: number;
  query: string;
  isMore: boolean;
  more: () => void;
  /** Why the next ones did not come. */
  trouble: Error | null;
}

/** Results; only those on the screen are in the page, and the next ones are asked for before the last is seen. */
export function Results({ results, total, query, isMore, more, trouble }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const wanted = useMemo(() => needles(query), [query]);
  const rows = useWindowVirtualizer({
    count: results.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isMore && !trouble && last >= results.length - BEFORE_THE_END) more();
  }, [isMore, trouble, last, results.length, more]);

  if (results.length === 0) {
    return (
      <Empty>
        <p>Nothing matches.</p>
        <p className="small">
          A name that only lived between two snapshots is found by the statements that name it:{" "}
          <Link href={`/search?query=${encodeURIComponent(`queryText:*${wanted[0] ?? "name"}*`)}`}>
            <code>queryText:*{wanted[0] ?? "name"}*</code>
          </Link>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <ul className="results" ref={list} style={{ height: rows.getTotalSize() }} aria-label="Results">
        {shown.map((row) => {
          const result = results[row.index];
          return (
            result && (
              <li
                key={result.id}
                ref={rows.measureElement}
                data-index={row.index}
                aria-posinset={row.index + 1}
                aria-setsize={total}
                style={{ translate: `0 ${row.start - rows.options.scrollMargin}px` }}
              >
                <Result result={result} wanted={wanted} />
              </li>
            )
          );
        })}
      </ul>
      {trouble && <Failed error={trouble} retry={more} />}
    </>
  );
}

function Result({ result, wanted }: { result: Thing; wanted: readonly string[] }) {
  const { place, own } = nameOf(result);
  const isStatement = !result.qualifiedName;
  const state = stateOf(result);
  const gone = result.deleted ? " name-deleted" : "";
  return (
    <article className="result">
      <p className="result-name">
        <KindMark mark={markOf(result)} ghost={result.unlinked ?? false} />
        <Link
          href={hrefOf(result.type === "OPERATION_EXECUTION" ? runOf(result) : result.id)}
          title={shortened(place + own, 2000)}
        >
          <bdi className={`name${gone}${isStatement ? " code" : ""}`}>
            <span className="name-place">
              <Marked text={shortenedPath(place, 70)} wanted={wanted} />
            </span>
            <span className={isStatement ? "" : "name-own"}>
              <Marked text={isStatement ? excerpt(own, wanted, TEXT_SHOWN) : shortened(own, 120)} wanted={wanted} />
            </span>
          </bdi>
        </Link>
        {state && <span className="chip">{state}</span>}
      </p>
      <p className="result-more">{moreOf(result).join(" · ")}</p>
    </article>
  );
}

function runOf(run: Thing & { operation?: string }): string {
  return run.operation ?? run.id;
}

function moreOf(result: Thing): string[] {
  const said = [kindOf(result)];
  if (result.dataType) said.push(visible(result.dataType));
  if (result.columnCount) said.push(counted(result.columnCount, "column"));
  if (result.owner) said.push(`owner ${visible(result.owner)}`);
  if (result.executions) said.push(counted(result.executions, "run"));
  if (result.principal) said.push(`by ${visible(result.principal)}`);
  if (result.deleted && result.deleteTime) said.push(`gone since ${ago(result.deleteTime)}`);
  else if (result.started) said.push(`ran ${ago(result.started)}`);
  else if (result.lastModified) said.push(`changed ${ago(result.lastModified)}`);
  if (result.cluster) said.push(`cluster ${visible(result.cluster)}`);
  if (result.originalDescription) said.push(visible(shortened(result.originalDescription, 100)));
  return said;
}

function Marked({ text, wanted }: { text: string; wanted: readonly string[] }) {
  return marked(text, wanted).map((stretch, place) =>
    stretch.isFound ? <mark key={place}>{stretch.text}</mark> : stretch.text,
  );
}
