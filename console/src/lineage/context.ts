import { createContext, type RefObject, useContext } from "react";
import type { Id } from "../api/answers";
import { type Lit, NOTHING_LIT } from "./columns";
import type { Side } from "./view";

/** What nodes and edges of the picture need to know, and what they may do. */
export interface Stage {
  root: Id;
  selected: string | null;
  focused: Id | null;
  found: ReadonlySet<Id>;
  lit: Lit;
  pinned: string | null;
  select: (what: string | null) => void;
  toggleColumns: (id: Id) => void;
  more: (id: Id, side: Side) => void;
  hover: (column: string | null) => void;
  pin: (column: string) => void;
  filter: (id: Id, text: string) => void;
}

const nothing = () => {};

export const StageContext = createContext<Stage>({
  root: "",
  selected: null,
  focused: null,
  found: new Set(),
  lit: NOTHING_LIT,
  pinned: null,
  select: nothing,
  toggleColumns: nothing,
  more: nothing,
  hover: nothing,
  pin: nothing,
  filter: nothing,
});

export const useStage = () => useContext(StageContext);

/** The element that fills the screen in full screen: what is drawn outside of it is not seen then. */
export const FrameContext = createContext<RefObject<HTMLElement | null> | undefined>(undefined);

export const useFrame = () => useContext(FrameContext);
