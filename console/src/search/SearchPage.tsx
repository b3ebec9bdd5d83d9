import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { AskError } from "../api/ask";
import { search } from "../api/queries";
import { useTitle } from "../parts/Page";
import { Failed, Loading } from "../parts/States";
import { counted } from "../words/numbers";
import { Facets } from "./Facets";
import { Results } from "./Results";
import { SearchBox } from "./SearchBox";
import { fromAddress, fullQuery, placeInText, SORTS, type Sort, toAddress, type Wanted } from "./wanted";
import "./search.css";

const SORT_WORDS: Record<Sort, string> = {
  relevance: "best match first",
  name: "by name",
  "-created": "newest first",
  created: "oldest first",
  "-started": "last run first",
  "-lastSeen": "last seen first",
};

export function SearchPage() {
  const [address, setAddress] = useSearchParams();
  const wanted = fromAddress(address);
  const want = (next: Wanted) => setAddress(toAddress(next));
  const query = fullQuery(wanted);
  const [isFullShown, showFull] = useState(false);
  const found = useInfiniteQuery(search(query, wanted.sort));
  const first = found.data?.pages[0];
  const wrong = found.error instanceof AskError && found.error.status === 400 ? found.error : null;
  useTitle(wanted.text ? `${wanted.text} · Search` : "Search");

  return (
    <div className="search-page">
      <div className="search-top">
        <h1 className="unseen">Search</h1>
        <SearchBox text={wanted.text} isWrong={wrong !== null} onSearch={(text) => want({ ...wanted, text })} />
        {wrong && <WrongQuery error={wrong} wanted={wanted} />}
        <div className="search-line">
          <p role="status">
            {first && !wrong && (
              <strong>
                {first.totalIsExact ? "" : "about "}
                {counted(first.total, "result")}
              </strong>
            )}
          </p>
          <label className="small">
            <span className="unseen">Order</span>
            <select
              className="field"
              value={wanted.sort}
              onChange={(event) => want({ ...wanted, sort: event.target.value as Sort })}
            >
              {SORTS.map((sort) => (
                <option key={sort} value={sort}>
                  {SORT_WORDS[sort]}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            className="link-button small"
            aria-expanded={isFullShown}
            onClick={() => showFull(!isFullShown)}
          >
            {isFullShown ? "hide full query" : "show full query"}
          </button>
        </div>
        {isFullShown && <pre className="statement">{query || "*"}</pre>}
      </div>
      <Facets wanted={wanted} facets={first?.facets ?? {}} onChange={want} />
      <div className="search-results">
        {found.error && !found.data && !wrong && <Failed error={found.error} retry={found.refetch} />}
        {found.isPending && <Loading what="what is found" />}
        {found.data && !wrong && (
          <Results
            results={found.data.pages.flatMap((page) => page.results)}
            total={first?.total ?? 0}
            query={wanted.text}
            isMore={found.hasNextPage && !found.isFetchingNextPage}
            more={found.fetchNextPage}
            trouble={found.error}
          />
        )}
      </div>
    </div>
  );
}

/** Shows where a query is wrong, under the place. */
function WrongQuery({ error, wanted }: { error: AskError; wanted: Wanted }) {
  const { position, hint } = error.refusal;
  const place = position === undefined ? null : placeInText(wanted, position);
  const why = error.refusal.error.replace(/^the query is wrong at character \d+: /, "");
  return (
    <div className="wrong-query" role="alert">
      {place !== null && (
        <pre className="code">
          {wanted.text}
          {"\n"}
          {" ".repeat(place)}^
        </pre>
      )}
      <p>
        <strong>{why}</strong>
        {place !== null && <span className="unseen"> at character {place + 1}</span>}
      </p>
      {hint && <p className="quiet">{hint}</p>}
    </div>
  );
}
