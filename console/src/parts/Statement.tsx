import { useMemo } from "react";
import { Link } from "wouter";
import { visible } from "../words/names";
import { isNameOf, pieces } from "../words/statement";
import { hrefOf } from "./Name";

export interface NamedEnd {
  id: string;
  name: string;
  linked: boolean;
}

/** A statement's text, with its keywords set off, and the tables it names leading to themselves. */
export function Statement({ text, ends = [] }: { text: string; ends?: readonly NamedEnd[] }) {
  const shown = useMemo(() => pieces(text), [text]);
  const names = useMemo(() => ends.map((end) => end.name), [ends]);
  return (
    <pre className="statement" dir="ltr">
      {shown.map((piece, place) => {
        const words = visible(piece.text);
        const name = isNameOf(piece, names);
        const end = name === null ? undefined : ends.find((candidate) => candidate.name === name);
        if (end) {
          const title = end.linked ? end.name : `${end.name}: known from query text only`;
          return (
            <Link key={place} href={hrefOf(end.id)} className={end.linked ? "linked" : "unlinked"} title={title}>
              {words}
            </Link>
          );
        }
        if (piece.kind === "text" || piece.kind === "name") return words;
        return (
          <span key={place} className={piece.kind}>
            {words}
          </span>
        );
      })}
    </pre>
  );
}
