import { Link } from "wouter";
import type { WholeThing } from "../api/answers";
import { Copy } from "../parts/Copy";
import { KindMark } from "../parts/KindMark";
import { hrefOf, Name } from "../parts/Name";
import { kindOf, markOf } from "../words/kinds";
import { isPath, visible } from "../words/names";
import { counted, grouped } from "../words/numbers";
import { ago, exactly } from "../words/when";
import { sizeOf, TAB_WORDS, type Tab } from "./tabs";

interface Props {
  thing: WholeThing;
  tabs: readonly Tab[];
  open: Tab;
  name: string;
}

export function EntityHeader({ thing, tabs, open, name }: Props) {
  const copied = thing.qualifiedName ?? thing.queryText ?? thing.id;
  return (
    <header className="entity-header">
      <div className="entity-title">
        <h1>
          <Name thing={thing} longest={90} />
        </h1>
        <span className="chip">
          <KindMark mark={markOf(thing)} ghost={thing.unlinked ?? false} />
          {thing.unlinked ? "name only" : kindOf(thing)}
        </span>
        <Copy text={copied} what="the name" />
        <p className="entity-meta">{metaOf(thing).join(" · ")}</p>
      </div>
      <StateNote thing={thing} />
      <nav className="tabs" aria-label="Sheets">
        {tabs.map((tab) => {
          const size = sizeOf(thing, tab);
          return (
            <Link key={tab} href={hrefOf(name, tab)} aria-current={tab === open ? "page" : undefined}>
              {TAB_WORDS[tab]}
              {size !== null && <small>{grouped(size)}</small>}
            </Link>
          );
        })}
      </nav>
    </header>
  );
}

function metaOf(thing: WholeThing): string[] {
  const said: string[] = [];
  if (thing.owner) said.push(`owner ${visible(thing.owner)}`);
  if (thing.columnCount) said.push(counted(thing.columnCount, "column"));
  if (thing.dataType) said.push(visible(thing.dataType));
  if (thing.executions) said.push(counted(thing.executions, "run"));
  if (thing.type === "OPERATION" && thing.principal) said.push(`last by ${visible(thing.principal)}`);
  if (thing.lastModified) said.push(`changed ${ago(thing.lastModified)}`);
  if (thing.type === "OPERATION" && thing.lastSeen) said.push(`last run ${ago(thing.lastSeen)}`);
  if (thing.fileSystemPath) said.push(visible(thing.fileSystemPath));
  if (thing.cluster) said.push(`cluster ${visible(thing.cluster)}`);
  return said;
}

/** What is unusual about a thing, in a sentence. */
function StateNote({ thing }: { thing: WholeThing }) {
  if (thing.deleted) {
    return (
      <p className="note">
        Deleted: found to be gone {ago(thing.deleteTime)} ({exactly(thing.deleteTime)}); seen last{" "}
        {exactly(thing.lastSeen)}.
      </p>
    );
  }
  if (thing.unlinked && thing.qualifiedName !== null && isPath(thing.qualifiedName)) {
    return (
      <p className="note">
        No file system has shown this path: it is known because a table lies there or a statement names it.
      </p>
    );
  }
  if (thing.unlinked) {
    return (
      <p className="note">
        Known from query text only: statements name it, and no source has shown it. It lived between two snapshots, or
        no extractor reads where it is.
      </p>
    );
  }
  if (thing.state === "OUT_OF_SCOPE") {
    return <p className="note">Out of scope: the extractor's patterns leave it out now. It may still exist.</p>;
  }
  const born = thing.created && thing.firstSeen ? Date.parse(thing.created) - Date.parse(thing.firstSeen) : 0;
  if (born > 0) {
    return (
      <p className="note">
        Created again {exactly(thing.created)}: a thing of this name was first seen {exactly(thing.firstSeen)} and was
        dropped since.
      </p>
    );
  }
  return null;
}
