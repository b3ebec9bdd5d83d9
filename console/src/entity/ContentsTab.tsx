import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { WholeThing } from "../api/answers";
import { children } from "../api/queries";
import { NameLink } from "../parts/Name";
import { Scroller } from "../parts/Scroller";
import { Empty, Failed, Loading } from "../parts/States";
import { When } from "../parts/When";
import { quoted } from "../search/completion";
import { typeWord } from "../words/kinds";
import { visible } from "../words/names";

/** A database's tables and views. */
export function ContentsTab({ parent }: { parent: WholeThing }) {
  const { data, error, refetch } = useQuery(children(parent.id));
  if (error && !data) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what="what is in it" />;
  if (data.results.length === 0) return <Empty>Nothing is in it.</Empty>;
  return (
    <>
      <Scroller what="Contents">
        <table className="sheet">
          <thead>
            <tr>
              <th>Name</th>
              <th>Type</th>
              <th>Owner</th>
              <th>Changed</th>
            </tr>
          </thead>
          <tbody>
            {data.results.map((part) => (
              <tr key={part.id}>
                <td>
                  <NameLink thing={part} />
                </td>
                <td>{typeWord(part.type)}</td>
                <td>{visible(part.owner ?? "")}</td>
                <td>
                  {part.lastModified ? <When time={part.lastModified} /> : <span className="quiet">unknown</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      {data.next !== null && (
        <p>
          The first {data.results.length}.{" "}
          <Link href={`/search?query=${encodeURIComponent(`database:${quoted(parent.originalName ?? "")}`)}&sort=name`}>
            All of them are found by search.
          </Link>
        </p>
      )}
    </>
  );
}
