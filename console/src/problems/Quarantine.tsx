import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Quarantine, Quarantined } from "../api/answers";
import { ask } from "../api/ask";
import { Empty } from "../parts/States";
import { When } from "../parts/When";
import { shortened, visible } from "../words/names";
import { bytes, counted, grouped } from "../words/numbers";
import { exactly } from "../words/when";

const TEXT_SHOWN = 240;
const WHAT_TO_DO: Record<string, string> = {
  malformed: "broken in the file: look at what wrote it; cannot be mended here",
  "not-a-record": "something else writes into the spool: narrow the agent's pattern",
  inconsistent: "the record contradicts itself: keep it, and report it with its bytes",
  "too-long": "longer than any record may be: look at what wrote it",
  "cut-off": "the file ended within a record: the writer was killed, or is still writing",
  "unknown-format": "written by a newer version: read it again after an upgrade",
  failed: "sextant's own fault: report it, and read it again after an upgrade",
};

export function GroupsTable({ groups }: { groups: Quarantine["groups"] }) {
  return (
    <table className="sheet folds">
      <thead>
        <tr>
          <th>Reason</th>
          <th>Host</th>
          <th>Format</th>
          <th className="number">Stretches</th>
          <th>Newest</th>
          <th>What to do</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={`${group.kind} ${group.host} ${group.format}`}>
            <td>
              <Link href={`/problems?kind=${encodeURIComponent(group.kind)}`}>{group.kind}</Link>
            </td>
            <td data-label="Host">{visible(group.host)}</td>
            <td data-label="Format">{group.format}</td>
            <td data-label="Stretches" className="number">
              {grouped(group.stretches)}
              <small>{bytes(group.bytes)}</small>
            </td>
            <td data-label="Newest">
              <When time={group.newest} />
            </td>
            <td>
              {WHAT_TO_DO[group.kind] ?? "read it again after an upgrade"}
              <Replay {...group} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Replay({ kind, host, format }: { kind: string; host: string; format: string }) {
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      ask<{ stretches: number; read: number; remaining: number }>(
        "quarantine/replay",
        { kind, host, format },
        { method: "POST" },
      ),
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <p>
      <button type="button" className="button" disabled={replay.isPending} onClick={() => replay.mutate()}>
        Read again
      </button>{" "}
      <span role="status" className="small">
        {replay.data && `${replay.data.read} of ${replay.data.stretches} could be read now`}
        {replay.error?.message}
      </span>
    </p>
  );
}

export function StretchesTable({
  stretches,
  lookedAt,
  total,
}: {
  stretches: readonly Quarantined[];
  /** Of how many, the newest, these are the wanted ones. */
  lookedAt: number;
  total: number;
}) {
  if (stretches.length === 0) return <Empty>None of the newest {grouped(lookedAt)} is of this kind.</Empty>;
  return (
    <>
      <h3>
        The newest {stretches.length < total ? `${stretches.length} of ${grouped(total)}` : counted(total, "stretch")}
      </h3>
      <table className="sheet folds">
        <thead>
          <tr>
            <th>Where</th>
            <th>Why</th>
            <th>Text</th>
          </tr>
        </thead>
        <tbody>
          {stretches.map((stretch) => (
            <tr key={stretch.id}>
              <td className="code">
                {visible(stretch.host)}:{visible(stretch.file)}
                <small title={exactly(stretch.received)}>
                  bytes {grouped(stretch.offset)} to {grouped(stretch.offset + stretch.length)}, arrived{" "}
                  <When time={stretch.received} />
                </small>
              </td>
              <td>
                {stretch.kind}
                <small>{visible(stretch.reason)}</small>
              </td>
              <td className="code">{visible(shortened(stretch.text, TEXT_SHOWN))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
