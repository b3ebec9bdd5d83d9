// Every action of the explorer has a key. One table is what is done and what `?` shows.
import type { KeyboardEvent } from "react";
import type { Direction } from "../api/answers";
import type { Side, Switch } from "./view";
import type { Step } from "./walk";

export interface Actions {
  walk: (step: Step) => void;
  open: () => void;
  clear: () => void;
  toRoot: () => void;
  columns: () => void;
  more: (side: Side) => void;
  all: (side: Side) => void;
  page: () => void;
  undo: () => void;
  redo: () => void;
  fit: () => void;
  full: () => void;
  tidy: () => void;
  form: () => void;
  turn: (key: Switch) => void;
  direction: (direction: Direction) => void;
  deeper: (by: 1 | -1) => void;
  find: () => void;
  keys: () => void;
  zoom: (by: 1 | -1) => void;
}

interface Key {
  keys: readonly string[];
  says: string;
  does: (actions: Actions) => void;
  /** Only when the graph itself has the focus. */
  inGraph?: boolean;
}

export const KEYS: readonly { title: string; keys: readonly Key[] }[] = [
  {
    title: "In the graph",
    keys: [
      { keys: ["ArrowLeft"], says: "to what it comes from", does: (a) => a.walk("left"), inGraph: true },
      { keys: ["ArrowRight"], says: "to what it goes to", does: (a) => a.walk("right"), inGraph: true },
      { keys: ["ArrowUp"], says: "to the one above", does: (a) => a.walk("up"), inGraph: true },
      { keys: ["ArrowDown"], says: "to the one below", does: (a) => a.walk("down"), inGraph: true },
      { keys: ["Home"], says: "to where the lineage begins", does: (a) => a.toRoot(), inGraph: true },
      { keys: ["Enter"], says: "tell more of it, beside the graph", does: (a) => a.open(), inGraph: true },
      { keys: ["g"], says: "go to its page", does: (a) => a.page(), inGraph: true },
      { keys: ["c"], says: "open or close its columns", does: (a) => a.columns(), inGraph: true },
      { keys: ["["], says: "show more of what it comes from", does: (a) => a.more("upstream"), inGraph: true },
      { keys: ["]"], says: "show more of what it goes to", does: (a) => a.more("downstream"), inGraph: true },
      { keys: ["Escape"], says: "clear the selection and the lit path", does: (a) => a.clear() },
    ],
  },
  {
    title: "What is shown",
    keys: [
      { keys: ["o"], says: "Operations", does: (a) => a.turn("operations") },
      { keys: ["d"], says: "Deleted Entities", does: (a) => a.turn("deleted") },
      { keys: ["k"], says: "Control Flow Relations", does: (a) => a.turn("controlFlow") },
      { keys: ["n"], says: "Unlinked", does: (a) => a.turn("unlinked") },
      { keys: ["p"], says: "Directories", does: (a) => a.turn("directories") },
      { keys: ["1"], says: "Only Upstream", does: (a) => a.direction("upstream") },
      { keys: ["2"], says: "both directions", does: (a) => a.direction("both") },
      { keys: ["3"], says: "Only Downstream", does: (a) => a.direction("downstream") },
      { keys: [","], says: "one hop less", does: (a) => a.deeper(-1) },
      { keys: ["."], says: "one hop more", does: (a) => a.deeper(1) },
      { keys: ["{"], says: "expand all upstream", does: (a) => a.all("upstream") },
      { keys: ["}"], says: "expand all downstream", does: (a) => a.all("downstream") },
    ],
  },
  {
    title: "The view",
    keys: [
      { keys: ["u"], says: "undo a step", does: (a) => a.undo() },
      { keys: ["r"], says: "redo it", does: (a) => a.redo() },
      { keys: ["s"], says: "search in the graph", does: (a) => a.find() },
      { keys: ["l"], says: "graph or list", does: (a) => a.form() },
      { keys: ["f"], says: "fit all on the screen", does: (a) => a.fit() },
      { keys: ["t"], says: "tidy: lay everything out anew", does: (a) => a.tidy() },
      { keys: ["+", "="], says: "larger", does: (a) => a.zoom(1) },
      { keys: ["-"], says: "smaller", does: (a) => a.zoom(-1) },
      { keys: ["F"], says: "full screen", does: (a) => a.full() },
      { keys: ["?"], says: "these keys", does: (a) => a.keys() },
    ],
  },
];

const KEY_WORDS: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
};

export function keyWord(key: string): string {
  return KEY_WORDS[key] ?? key;
}

/** Does what a key stands for; in a field, keys are text. */
export function act(event: KeyboardEvent, actions: Actions, isGraphFocused: boolean): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.closest("input, textarea, select, [role=dialog], [role=menu]")) return;
  const isPressed = ({ keys, inGraph }: Key) => keys.includes(event.key) && (!inGraph || isGraphFocused);
  const key = KEYS.flatMap((group) => group.keys).find(isPressed);
  if (!key) return;
  event.preventDefault();
  event.stopPropagation();
  key.does(actions);
}
