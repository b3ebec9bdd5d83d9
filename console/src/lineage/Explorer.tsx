import { useReactFlow } from "@xyflow/react";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Id, WholeThing } from "../api/answers";
import { hrefOf } from "../parts/Name";
import { Failed, Loading } from "../parts/States";
import { Bar } from "./Bar";
import { boxesOf } from "./boxes";
import { NOTHING_LIT, pathOf } from "./columns";
import { FrameContext, type Stage, StageContext } from "./context";
import { EmptyNote } from "./EmptyNote";
import { type Actions, act } from "./keys";
import { Legend } from "./Legend";
import { Pane } from "./Pane";
import { Picture } from "./Picture";
import { sayNode } from "./say";
import { around, type Sight, sightOf, whole } from "./sight";
import { Tools } from "./Tools";
import { useGraph } from "./useGraph";
import { usePlaces } from "./usePlaces";
import { useView } from "./useView";
import { MAX_DEPTH, type Side } from "./view";
import { next } from "./walk";

const ExpandAll = lazy(() => import("./ExpandAll"));
const KeysDialog = lazy(() => import("./KeysDialog"));
const ListForm = lazy(() => import("./ListForm"));

const NO_FILTERS: ReadonlyMap<Id, string> = new Map();

/** The lineage explorer: the picture or the list, what they show, and what is known of what is selected. */
export function Explorer({ root }: { root: WholeThing }) {
  const control = useView();
  const { view, change } = control;
  const flow = useReactFlow();
  const [, go] = useLocation();
  const frame = useRef<HTMLElement>(null);
  const graphBox = useRef<HTMLDivElement>(null);
  const [filters, setFilters] = useState(NO_FILTERS);
  const [hovered, hover] = useState<string | null>(null);
  const [focused, setFocused] = useState<Id | null>(null);
  const [found, setFound] = useState<ReadonlySet<Id>>(new Set());
  const [tidied, setTidied] = useState(0);
  const [asking, setAsking] = useState<Side | null>(null);
  const [areKeysShown, showKeys] = useState(false);

  const loaded = useGraph(root.id, view, filters);
  const { graph, flows, open } = loaded;
  const boxes = useMemo(() => (graph ? boxesOf(graph, open) : new Map()), [graph, open]);
  const { places, ways, arrangement, error: layoutError } = usePlaces(graph, loaded.arrangement, boxes, tidied);
  const column = hovered ?? view.pinned;
  const lit = useMemo(() => (column ? pathOf(column, flows) : NOTHING_LIT), [column, flows]);

  const select = (selected: string | null) => change({ selected });
  const toggleColumns = (id: Id) =>
    change({ open: view.open.includes(id) ? view.open.filter((other) => other !== id) : [...view.open, id] });
  const more = (id: Id, side: Side) => {
    if (view.expansions.some((expansion) => expansion.id === id && expansion.side === side)) return;
    change({ expansions: [...view.expansions, { id, side, depth: 1 }] });
  };
  const pin = (name: string) => change({ pinned: view.pinned === name ? null : name });
  const filter = (id: Id, text: string) => setFilters(new Map(filters).set(id, text));
  // Nodes are drawn anew when the stage is another one; what they may do is the same all the time.
  const doing = useRef({ select, toggleColumns, more, pin, filter });
  doing.current = { select, toggleColumns, more, pin, filter };
  const stageRoot = graph?.root ?? root.id;
  const { selected, pinned } = view;
  const stage: Stage = useMemo(
    () => ({
      root: stageRoot,
      selected,
      focused,
      found,
      lit,
      pinned,
      hover,
      select: (what) => doing.current.select(what),
      toggleColumns: (id) => doing.current.toggleColumns(id),
      more: (id, side) => doing.current.more(id, side),
      pin: (name) => doing.current.pin(name),
      filter: (id, text) => doing.current.filter(id, text),
    }),
    [stageRoot, selected, focused, found, lit, pinned],
  );

  const size = () => {
    const element = graphBox.current;
    return { width: element?.clientWidth ?? innerWidth, height: element?.clientHeight ?? innerHeight };
  };
  const lookAt = (sight: Sight) => {
    flow.setViewport(sight);
    const at = places?.get(stageRoot);
    if (at) control.lookAt(sightOf(sight, at, size()));
  };
  const showAll = () => places && lookAt(whole(places, boxes, size()));
  /** Brings a node onto the screen, if it is not there, and never otherwise. */
  const reveal = (id: Id) => {
    const place = places?.get(id);
    const box = boxes.get(id);
    if (!place || !box || !places) return;
    const { x, y, zoom } = flow.getViewport();
    const { width, height } = size();
    const [left, top] = [place.x * zoom + x, place.y * zoom + y];
    if (left >= 0 && top >= 48 && left + box.width * zoom <= width && top + 36 * zoom <= height) return;
    const sight = around(id, places, boxes, size(), zoom);
    if (sight) lookAt(sight);
  };
  const goTo = (id: Id) => {
    setFocused(id);
    reveal(id);
  };

  const actions: Actions = {
    walk: (step) => {
      if (!graph || !places) return;
      const to = focused && graph.nodes.has(focused) ? next(focused, step, graph, places) : graph.root;
      if (to) goTo(to);
    },
    open: () => focused && select(focused),
    clear: () => {
      setFound(new Set());
      hover(null);
      change({ selected: null, pinned: null });
      // What had the focus may be gone with the pane; the keys go on from the picture.
      if (view.selected) graphBox.current?.focus();
    },
    toRoot: () => graph && goTo(graph.root),
    columns: () => focused && toggleColumns(focused),
    more: (side) => focused && more(focused, side),
    all: setAsking,
    page: () => focused && go(hrefOf(focused)),
    undo: control.undo,
    redo: control.redo,
    fit: showAll,
    full: () => toggleFullScreen(frame.current),
    tidy: () => setTidied((times) => times + 1),
    form: () => change({ form: view.form === "graph" ? "list" : "graph" }),
    turn: (key) => change({ [key]: !view[key] }),
    direction: (direction) => change({ direction }),
    deeper: (by) => change({ depth: Math.min(MAX_DEPTH, Math.max(1, view.depth + by)) }),
    find: () => frame.current?.querySelector<HTMLInputElement>(".find-input")?.focus(),
    keys: () => showKeys(true),
    zoom: (by) => (by > 0 ? flow.zoomIn() : flow.zoomOut()),
  };

  const isList = view.form === "list";
  const error = loaded.error ?? layoutError;
  return (
    <FrameContext.Provider value={frame}>
      <StageContext.Provider value={stage}>
        <section
          className="explorer"
          ref={frame}
          aria-label="Lineage"
          onKeyDown={(event) => act(event, actions, event.target === graphBox.current)}
        >
          <Bar control={control} actions={actions} />
          <div className="explorer-body">
            <div className="explorer-main">
              <Tools
                control={control}
                loaded={loaded}
                places={places}
                ways={ways}
                boxes={boxes}
                root={root}
                actions={actions}
                onFound={(ids, current) => {
                  setFound(ids);
                  if (current) goTo(current);
                }}
              />
              <div
                className="explorer-stage"
                ref={graphBox}
                {...(isList
                  ? { tabIndex: -1 }
                  : {
                      tabIndex: 0,
                      role: "application",
                      "aria-label": "Lineage graph",
                      "aria-roledescription": "graph",
                      "aria-describedby": "graph-keys",
                      onFocus: (event) => {
                        if (event.target === graphBox.current && !focused && graph) setFocused(graph.root);
                      },
                    })}
              >
                <p id="graph-keys" className="unseen">
                  Arrow keys move between nodes along edges, Enter tells more, question mark lists all keys. The list
                  form holds every edge.
                </p>
                <p className="unseen" role="status">
                  {focused && graph && !isList ? sayNode(focused, graph) : ""}
                </p>
                {error && (
                  <div className="stage-note">
                    <Failed error={error} retry={loaded.retry} />
                  </div>
                )}
                {!graph && !error && <Loading what="the lineage" />}
                {graph && isList && (
                  <Suspense fallback={<Loading what="the list" />}>
                    <ListForm graph={graph} />
                  </Suspense>
                )}
                {graph && !isList && places && (
                  <Picture
                    graph={graph}
                    places={places}
                    ways={ways}
                    arrangement={arrangement}
                    boxes={boxes}
                    open={open}
                    flows={flows}
                    lit={lit}
                    lookingAt={control.lookingAt}
                    onLook={control.lookAt}
                    onClear={actions.clear}
                  />
                )}
                {graph && !isList && !places && !error && <Loading what="the places of the nodes" />}
              </div>
              {graph && graph.nodes.size === 1 && <EmptyNote graph={graph} view={view} root={root} change={change} />}
              {graph && <Legend graph={graph} view={view} change={change} isBusy={loaded.isBusy} />}
            </div>
            {graph && view.selected && <Pane graph={graph} selected={view.selected} open={open} flows={flows} />}
          </div>
          <Suspense>
            {asking && (
              <ExpandAll
                side={asking}
                root={root.id}
                view={view}
                shown={graph?.nodes.size ?? 0}
                onClose={() => setAsking(null)}
                change={change}
              />
            )}
            {areKeysShown && <KeysDialog onClose={() => showKeys(false)} />}
          </Suspense>
        </section>
      </StageContext.Provider>
    </FrameContext.Provider>
  );
}

function toggleFullScreen(element: HTMLElement | null): void {
  if (document.fullscreenElement) document.exitFullscreen();
  else element?.requestFullscreen().catch(() => {});
}
