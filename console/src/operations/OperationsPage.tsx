import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { latestOperations } from "../api/queries";
import { Page } from "../parts/Page";
import { Failed, Loading } from "../parts/States";
import { OperationsTable } from "./OperationsTable";

const FEW = 50;
const MANY = 200;

/** The statements that ran last; all of them are found by search. */
export function OperationsPage() {
  const [limit, setLimit] = useState(FEW);
  const { data, error, refetch } = useQuery(latestOperations(limit));
  const lead = (
    <>
      The statements that ran last, each shape once.{" "}
      <Link href="/search?query=type%3Aoperation">Search among all statements</Link> or{" "}
      <Link href="/search?query=type%3Aoperation_execution&sort=-started">among all runs</Link>.
    </>
  );
  return (
    <Page title="Operations" lead={lead}>
      <div className="section">
        {error && <Failed error={error} retry={refetch} />}
        {!data && !error && <Loading what="the last statements" />}
        {data && <OperationsTable operations={data.results} whenEmpty="No statement has arrived yet." />}
        {data && data.results.length === limit && limit < MANY && (
          <p>
            <button type="button" className="button" onClick={() => setLimit(MANY)}>
              Show the last {MANY}
            </button>
          </p>
        )}
      </div>
    </Page>
  );
}
