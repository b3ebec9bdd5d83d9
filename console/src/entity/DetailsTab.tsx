import type { WholeThing } from "../api/answers";
import { Copy } from "../parts/Copy";
import { hrefOf } from "../parts/Name";
import { Statement } from "../parts/Statement";
import { visible } from "../words/names";
import { bytes } from "../words/numbers";
import { exactly } from "../words/when";

/** Shown elsewhere on the page, or in sheets of their own. */
const ELSEWHERE = new Set([
  "usedBy",
  "usedByTotal",
  "inputs",
  "outputs",
  "queryTexts",
  "location",
  "locatedHere",
  "locatedHereTotal",
  "locatedAbove",
  "locatedAboveTotal",
  "locatedBelow",
  "namespaceState",
  "lastChanged",
  "bytesByQuarter",
  "queryText",
  "unlinked",
  "knownByNameOnly",
]);
const TIMES = new Set([
  "created",
  "lastModified",
  "lastAccessed",
  "firstSeen",
  "lastSeen",
  "deleteTime",
  "started",
  "ended",
  "received",
]);
const SIZES = new Set(["size", "totalSize", "totalSizeWithCopies", "blockSize", "spaceQuota"]);
const LEADS = new Set(["parentId", "operation"]);
const FIRST = [
  "qualifiedName",
  "originalName",
  "type",
  "sourceType",
  "cluster",
  "source",
  "owner",
  "originalDescription",
];

/** Every property by its name in the API, each to be copied. */
export function DetailsTab({ thing }: { thing: WholeThing }) {
  const rows = rowsOf(thing);
  return (
    <>
      {thing.queryText && <Statement text={thing.queryText} />}
      <table className="sheet properties">
        <thead>
          <tr>
            <th>Property</th>
            <th>Value</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">
                <span className="property">
                  <code>{visible(name)}</code>
                  <Copy text={name} what={`the name ${name}`} />
                </span>
              </th>
              <td>
                <span className="property">
                  <Value name={name} value={value} />
                  <Copy text={textOf(value)} what={`the value of ${name}`} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface Row {
  name: string;
  value: unknown;
}

/** Properties in a steady order; what is a map of its own is taken apart. */
export function rowsOf(thing: WholeThing): Row[] {
  const rows: Row[] = [];
  for (const [name, value] of Object.entries(thing)) {
    if (ELSEWHERE.has(name) || value === null || value === undefined || value === "") continue;
    if (typeof value === "object" && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) rows.push({ name: `${name}.${key}`, value: inner });
    } else rows.push({ name, value });
  }
  const rank = ({ name }: Row) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return rows.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Value({ name, value }: Row) {
  if (TIMES.has(name) && typeof value === "string") {
    return (
      <time dateTime={value} title={value}>
        {exactly(value)}
      </time>
    );
  }
  if (SIZES.has(name) && typeof value === "number") return <span title={String(value)}>{bytes(value)}</span>;
  if (LEADS.has(name) && typeof value === "string") {
    return (
      <a href={hrefOf(value)} className="code">
        {value}
      </a>
    );
  }
  return <bdi className="value">{visible(textOf(value))}</bdi>;
}
