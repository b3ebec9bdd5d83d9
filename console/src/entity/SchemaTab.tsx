import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { LineageAnswer, Thing, WholeThing } from "../api/answers";
import { children, lineage } from "../api/queries";
import { NameLink } from "../parts/Name";
import { Scroller } from "../parts/Scroller";
import { Empty, Failed, Loading } from "../parts/States";
import { visible } from "../words/names";
import { counted } from "../words/numbers";

const FILTER_FROM = 20;
const EVERYTHING_NEAR = {
  depth: 1,
  columns: true,
  operations: true,
  deleted: true,
  unlinked: true,
  controlFlow: true,
  limit: 1000,
};

/** A table's columns, with how many of the statements that write something use each. */
export function SchemaTab({ table }: { table: WholeThing }) {
  const parts = useQuery(children(table.id));
  const near = useQuery(lineage(table.id, EVERYTHING_NEAR));
  const used = useMemo(() => (near.data ? usesOf(near.data) : null), [near.data]);
  const [filter, setFilter] = useState("");
  if (parts.error && !parts.data) return <Failed error={parts.error} retry={parts.refetch} />;
  if (!parts.data) return <Loading what="the columns" />;
  const columns = parts.data.results.filter((part) => part.type === "FIELD");
  if (columns.length === 0) return <Empty>No column is known of it.</Empty>;
  const wanted = filter.toLowerCase();
  const shown = columns.filter((column) => (column.originalName ?? "").toLowerCase().includes(wanted));
  return (
    <>
      {columns.length >= FILTER_FROM && (
        <p>
          <input
            type="search"
            className="field"
            aria-label="Filter the columns"
            placeholder={`filter ${columns.length} columns`}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </p>
      )}
      <Scroller what="Columns">
        <table className="sheet">
          <thead>
            <tr>
              <th className="number">#</th>
              <th>Column</th>
              <th>Type</th>
              <th>Comment</th>
              <th>Used by</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((column) => (
              <ColumnRow
                key={column.id}
                column={column}
                uses={used?.get(column.qualifiedName ?? "")}
                isKnown={!!used}
                isCut={near.data?.cut ?? false}
                trouble={near.error}
              />
            ))}
          </tbody>
        </table>
      </Scroller>
      {parts.data.next !== null && <p className="quiet">The first {columns.length} parts; there are more.</p>}
    </>
  );
}

function ColumnRow({
  column,
  uses,
  isKnown,
  isCut,
  trouble,
}: {
  column: Thing & { position?: number };
  uses: Uses | undefined;
  isKnown: boolean;
  /** Whether there was too much to look at. */
  isCut: boolean;
  /** Why nothing is known. */
  trouble: Error | null;
}) {
  return (
    <tr>
      <td className="number quiet">{(column.position ?? 0) + 1}</td>
      <td>
        <NameLink
          tab="lineage"
          thing={{ ...column, qualifiedName: null, originalName: column.originalName ?? column.qualifiedName }}
        />
      </td>
      <td className="code">{visible(column.dataType ?? "")}</td>
      <td>{visible(column.originalDescription ?? "")}</td>
      <td className="quiet">
        {!isKnown && (trouble ? "not known" : "…")}
        {isKnown && !uses && (isCut ? "not among what was looked at" : "no statement that writes something")}
        {uses &&
          [
            uses.reads.size > 0 && `read by ${counted(uses.reads.size, "statement")}`,
            uses.writes.size > 0 && `written by ${counted(uses.writes.size, "statement")}`,
          ]
            .filter(Boolean)
            .join(", ")}
      </td>
    </tr>
  );
}

interface Uses {
  reads: Set<string>;
  writes: Set<string>;
}

/** By column: which statements read it and which write it. */
export function usesOf(answer: LineageAnswer): Map<string, Uses> {
  const uses = new Map<string, Uses>();
  const of = (column: string) => {
    const known = uses.get(column) ?? { reads: new Set<string>(), writes: new Set<string>() };
    uses.set(column, known);
    return known;
  };
  const operations = new Set(answer.nodes.filter((node) => node.type === "OPERATION").map((node) => node.id));
  for (const edge of answer.edges) {
    const by = operations.has(edge.source) ? [edge.source] : edge.via;
    for (const pair of edge.columns) {
      for (const operation of by) {
        of(pair.source).reads.add(operation);
        of(pair.target).writes.add(operation);
      }
    }
  }
  return uses;
}
