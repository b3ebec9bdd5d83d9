import { Menu } from "@base-ui/react/menu";
import { useState } from "react";
import type { Id, WholeThing } from "../api/answers";
import { fileName } from "../words/names";
import type { Box } from "./boxes";
import { useFrame } from "./context";
import { save } from "./export/save";
import type { Places, Ways } from "./layout";
import type { Loaded } from "./useGraph";

export interface Props {
  loaded: Loaded;
  places: Places | null;
  ways: Ways;
  boxes: ReadonlyMap<Id, Box>;
  root: WholeThing;
}

/** The graph as a file; it is open when it comes. */
export default function ExportMenu({ loaded: { graph, answers, open }, places, ways, boxes, root }: Props) {
  const container = useFrame();
  const [trouble, setTrouble] = useState<string | null>(null);
  const name = `lineage-${fileName(root)}`;
  const drawn = async () => {
    if (!graph || !places) return null;
    const { svg } = await import("./export/svg");
    return svg(graph, places, ways, boxes, open);
  };
  const forms = [
    {
      word: "PNG",
      says: "picture",
      make: async () => {
        const picture = await drawn();
        if (!picture) return;
        const { png } = await import("./export/png");
        save(`${name}.png`, await png(picture));
      },
    },
    {
      word: "SVG",
      says: "picture",
      make: async () => {
        const picture = await drawn();
        if (picture) save(`${name}.svg`, new Blob([picture.text], { type: "image/svg+xml" }));
      },
    },
    {
      word: "CSV",
      says: "one row an edge",
      make: async () => {
        if (!graph) return;
        const { csv } = await import("./export/csv");
        save(`${name}.csv`, new Blob([csv(graph)], { type: "text/csv" }));
      },
    },
    {
      word: "JSON",
      says: "as the API answers",
      make: async () => {
        const text = JSON.stringify(answers.length === 1 ? answers[0] : answers, null, 2);
        save(`${name}.json`, new Blob([text], { type: "application/json" }));
      },
    },
  ];
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className="button" disabled={!graph}>
        Export
      </Menu.Trigger>
      {trouble && (
        <span role="alert" className="bad small">
          {trouble}
        </span>
      )}
      <Menu.Portal container={container}>
        <Menu.Positioner sideOffset={4} align="end" className="search-positioner">
          <Menu.Popup className="menu">
            {forms.map(({ word, says, make }) => (
              <Menu.Item key={word} onClick={() => make().catch((error: Error) => setTrouble(error.message))}>
                <strong>{word}</strong> <span className="quiet">{says}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
