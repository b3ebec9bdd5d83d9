import { lazy, Suspense } from "react";
import { Link, Route, Router, Switch, useLocation } from "wouter";
import { ExtractorPage } from "../extractors/ExtractorPage";
import { ExtractorsPage } from "../extractors/ExtractorsPage";
import { OperationsPage } from "../operations/OperationsPage";
import { OverviewPage } from "../overview/OverviewPage";
import { Page } from "../parts/Page";
import { Loading } from "../parts/States";
import { ProblemsPage } from "../problems/ProblemsPage";
import { SearchPage } from "../search/SearchPage";
import { usePathAsItStands, useSearchAsItStands } from "./address";
import { Boundary } from "./Boundary";
import { Header } from "./Header";
import "./app.css";

const EntityPage = lazy(() => import("../entity/EntityPage"));

export function App() {
  return (
    <Router hook={usePathAsItStands} searchHook={useSearchAsItStands}>
      <Pages />
    </Router>
  );
}

function Pages() {
  const [path] = useLocation();
  return (
    <>
      <a className="skip" href="#main">
        To the content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Boundary key={path}>
          <Suspense fallback={<Loading what="the page" />}>
            <Switch>
              <Route path="/" component={OverviewPage} />
              <Route path="/search" component={SearchPage} />
              <Route path="/entity/:name/:tab?">
                {({ name, tab }) => <EntityPage key={name} name={decoded(name)} tab={tab} />}
              </Route>
              <Route path="/operations" component={OperationsPage} />
              <Route path="/extractors" component={ExtractorsPage} />
              <Route path="/extractors/:name">{({ name }) => <ExtractorPage name={decoded(name)} />}</Route>
              <Route path="/problems" component={ProblemsPage} />
              <Route component={NoSuchPage} />
            </Switch>
          </Suspense>
        </Boundary>
      </main>
    </>
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function NoSuchPage() {
  return (
    <Page title="There is no such page" lead="The address leads nowhere.">
      <p>
        <Link href="/">To the first page</Link>
      </p>
    </Page>
  );
}
