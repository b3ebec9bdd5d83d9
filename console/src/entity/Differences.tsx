import { Link } from "wouter";
import { runAddress } from "../extractors/address";
import { visible } from "../words/names";
import { counted } from "../words/numbers";
import { exactly } from "../words/when";
import { type Change, type Difference, saysLess } from "./changes";

/** What one run found changed: each difference in words, long values to open, and the run. */
export function Differences({ change }: { change: Change }) {
  return (
    <>
      <ul>
        {change.differences.map((difference) => (
          <li key={`${difference.kind} ${difference.column} ${difference.property}`}>
            {visible(difference.inWords)}
            {saysLess(difference) && <Values difference={difference} />}
          </li>
        ))}
      </ul>
      {change.more > 0 && <small className="quiet">and {counted(change.more, "more difference")}</small>}
      <small className="quiet">
        found by the{" "}
        <Link href={runAddress(change.extractor, change.run)}>
          run of {visible(change.extractor)} at {exactly(change.run)}
        </Link>
      </small>
    </>
  );
}

function Values({ difference: { before, after, cut } }: { difference: Difference }) {
  return (
    <details>
      <summary>both values{cut && ", of which the first 400 bytes are kept"}</summary>
      <dl className="pairs">
        <dt>before</dt>
        <dd>
          {before === null ? <span className="quiet">none</span> : <pre className="statement">{visible(before)}</pre>}
        </dd>
        <dt>after</dt>
        <dd>
          {after === null ? <span className="quiet">none</span> : <pre className="statement">{visible(after)}</pre>}
        </dd>
      </dl>
    </details>
  );
}
