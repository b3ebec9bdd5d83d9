import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { WholeThing } from "../api/answers";
import { thing } from "../api/queries";
import { useTitle } from "../parts/Page";
import { Failed, Loading } from "../parts/States";
import { shortened, wholeName } from "../words/names";
import { ContentsTab } from "./ContentsTab";
import { DetailsTab } from "./DetailsTab";
import { EntityHeader } from "./EntityHeader";
import { FilesTab } from "./FilesTab";
import { HistoryTab } from "./HistoryTab";
import { OperationsTab } from "./OperationsTab";
import { RunsTab } from "./RunsTab";
import { SchemaTab } from "./SchemaTab";
import { StatementTab } from "./StatementTab";
import { type Tab, tabsOf } from "./tabs";
import "./entity.css";

const Lineage = lazy(() => import("../lineage/Lineage"));

/** One thing: an entity, a statement, or a name that no source has shown. */
export default function EntityPage({ name, tab }: { name: string; tab?: string | undefined }) {
  const { data, error, refetch } = useQuery(thing(name));
  useTitle(data ? shortened(wholeName(data), 80) : "…");
  if (error && !data) {
    return (
      <div className="page">
        <Failed error={error} retry={refetch} />
      </div>
    );
  }
  if (!data) return <Loading what="what is known of it" />;
  const tabs = tabsOf(data);
  const open = tabs.find((candidate) => candidate === tab) ?? tabs[0] ?? "details";
  return (
    <div className={`entity${open === "lineage" ? " entity-wide" : ""}`}>
      <EntityHeader thing={data} tabs={tabs} open={open} name={name} />
      <div className="entity-body">
        <Suspense fallback={<Loading what="the page" />}>
          <Content thing={data} open={open} />
        </Suspense>
      </div>
    </div>
  );
}

function Content({ thing: shown, open }: { thing: WholeThing; open: Tab }) {
  switch (open) {
    case "statement":
      return <StatementTab operation={shown} />;
    case "schema":
      return <SchemaTab table={shown} />;
    case "contents":
      return <ContentsTab parent={shown} />;
    case "lineage":
      return <Lineage root={shown} />;
    case "operations":
      return <OperationsTab thing={shown} />;
    case "runs":
      return <RunsTab operation={shown} />;
    case "files":
      return <FilesTab thing={shown} />;
    case "history":
      return <HistoryTab thing={shown} />;
    default:
      return <DetailsTab thing={shown} />;
  }
}
