import { Link } from "wouter";
import type { Thing } from "../api/answers";
import { markOf, stateOf, typeWord } from "../words/kinds";
import { isPath, nameOf, shortened, shortenedPath } from "../words/names";
import { KindMark } from "./KindMark";
import "./name.css";

type Named = Pick<
  Thing,
  "id" | "type" | "qualifiedName" | "originalName" | "queryText" | "deleted" | "unlinked" | "state"
>;

/** A thing's name: where it is quietly, what it is called aloud. Its state is struck, dotted, and said. */
export function Name({ thing, longest = 120 }: { thing: Named; longest?: number }) {
  const { place, own } = nameOf(thing);
  const gone = thing.deleted ? " name-deleted" : thing.unlinked ? " name-unlinked" : "";
  const path = thing.qualifiedName !== null && isPath(thing.qualifiedName);
  const shownPlace = path ? shortenedPath(place, Math.max(12, longest - own.length)) : shortened(place, longest);
  return (
    <bdi className={`name${gone}`} title={place + own}>
      {shownPlace && <span className="name-place">{shownPlace}</span>}
      <span className="name-own">{shortened(own, longest)}</span>
    </bdi>
  );
}

/** The address of a thing in the console. */
export function hrefOf(id: string, tab?: string): string {
  return `/entity/${encodeURIComponent(id)}${tab ? `/${tab}` : ""}`;
}

/** A name that leads to the thing, with its kind's sign and its state in words. */
export function NameLink({
  thing,
  tab,
  longest,
  withState = true,
}: {
  thing: Named;
  tab?: string;
  longest?: number;
  withState?: boolean;
}) {
  const state = withState ? stateOf(thing) : null;
  return (
    <span className="name-line">
      <KindMark mark={markOf(thing)} ghost={thing.unlinked ?? false} />
      <span className="unseen">{typeWord(thing.type)} </span>
      <Link href={hrefOf(thing.id, tab)}>
        <Name thing={thing} {...(longest === undefined ? {} : { longest })} />
      </Link>
      {state && <span className="name-state">{state}</span>}
    </span>
  );
}
