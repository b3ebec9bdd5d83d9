import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Content, Located, Thing, WholeThing } from "../api/answers";
import { children } from "../api/queries";
import { Bars } from "../parts/Bars";
import { NameLink } from "../parts/Name";
import { Empty } from "../parts/States";
import { visible } from "../words/names";
import { bytes, counted } from "../words/numbers";

/** Where a table's data lies; of a path, what is in it and which tables lie around it. */
export function FilesTab({ thing }: { thing: WholeThing }) {
  const { location } = thing;
  const content: (Content & Partial<Thing>) | null = location ? location.directory : thing;
  const isDirectory = thing.type === "DIRECTORY";
  if (!location && !thing.locatedHere) return <Empty>Its source tells no location.</Empty>;
  return (
    <div className="stack">
      {location && (
        <dl className="pairs">
          <dt>lies at</dt>
          <dd className="code">{visible(location.written)}</dd>
          <dt>which means</dt>
          <dd>
            <span className="code">{visible(location.path)}</span>
            <br />
            <span className="quiet">{location.ruleInWords}</span>
          </dd>
          {location.directory && (
            <>
              <dt>directory</dt>
              <dd>
                <NameLink thing={location.directory} />
              </dd>
            </>
          )}
        </dl>
      )}
      {(location?.note ?? thing.note) && <p className="note">{visible(location?.note ?? String(thing.note))}</p>}
      {content?.fileCount !== undefined && <ContentNumbers content={content} />}
      <Tables title="Tables whose data lies here too" tables={location?.alsoHere} />
      <Tables title="Tables whose data lies here" tables={thing.locatedHere} />
      <Tables title="In the directory of" tables={thing.locatedAbove} />
      {thing.locatedBelow && thing.locatedBelow.tables + thing.locatedBelow.partitions > 0 && (
        <>
          <p>
            Below: {thing.locatedBelow.isExact ? "" : "at least "}
            {counted(thing.locatedBelow.databases, "database")}, {counted(thing.locatedBelow.tables, "table")},{" "}
            {counted(thing.locatedBelow.partitions, "partition")}.
          </p>
          <Tables title="The first tables below" tables={thing.locatedBelow.first} />
        </>
      )}
      {isDirectory && <Inside directory={thing} />}
      {thing.namespaceState && <p className="quiet small">The file system {thing.namespaceState.inWords}.</p>}
    </div>
  );
}

function ContentNumbers({ content }: { content: Content }) {
  return (
    <>
      <dl className="pairs">
        <dt>files</dt>
        <dd>
          {counted(content.fileCount ?? 0, "file")} in {counted((content.directoryCount ?? 0) + 1, "folder")}
          {content.smallFileCount ? `, ${counted(content.smallFileCount, "small file")}` : ""}
        </dd>
        <dt>size</dt>
        <dd>
          {bytes(content.totalSize ?? 0)} ({bytes(content.totalSizeWithCopies ?? 0)} with copies)
        </dd>
      </dl>
      {content.lastChanged && content.lastChanged.length > 0 && (
        <figure className="run-chart">
          <Bars
            height={44}
            label={`bytes by the quarter they were last changed in: ${content.lastChanged.map((part) => `${part.quarter} ${bytes(part.bytes)}`).join(", ")}`}
            bars={content.lastChanged.map((part) => ({
              key: part.quarter,
              value: part.bytes,
              title: `${part.quarter}: ${bytes(part.bytes)}`,
            }))}
          />
          <figcaption className="quiet small">bytes by the quarter they were last changed in</figcaption>
        </figure>
      )}
    </>
  );
}

function Tables({ title, tables }: { title: string; tables: readonly Located[] | undefined }) {
  if (!tables || tables.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul className="ends">
        {tables.map((table) => (
          <li key={`${table.id} ${table.path}`}>
            <NameLink thing={table} />{" "}
            <span className="quiet small code">{visible(table.path ?? table.location ?? "")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Inside({ directory }: { directory: WholeThing }) {
  const { data } = useQuery(children(directory.id));
  if (!data || data.results.length === 0) return null;
  return (
    <section>
      <h3>In it</h3>
      <ul className="ends">
        {data.results.map((part) => (
          <li key={part.id}>
            <NameLink thing={{ ...part, qualifiedName: null }} />
          </li>
        ))}
      </ul>
      {data.next !== null && (
        <p className="small">
          <Link href={`/search?query=${encodeURIComponent(`parentPath:"${directory.qualifiedName}"`)}&sort=name`}>
            All of it by search
          </Link>
        </p>
      )}
    </section>
  );
}
