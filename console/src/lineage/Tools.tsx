import type { Id, WholeThing } from "../api/answers";
import { FitIcon, FullIcon, RedoIcon, TidyIcon, UndoIcon } from "../parts/icons";
import type { Box } from "./boxes";
import { Export } from "./Export";
import { Find } from "./Find";
import type { Actions } from "./keys";
import type { Places, Ways } from "./layout";
import type { Loaded } from "./useGraph";
import type { ViewControl } from "./useView";

interface Props {
  control: ViewControl;
  loaded: Loaded;
  places: Places | null;
  ways: Ways;
  boxes: ReadonlyMap<Id, Box>;
  root: WholeThing;
  actions: Actions;
  onFound: (ids: ReadonlySet<Id>, current: Id | null) => void;
}

/** What can be done with the view; it stands over the picture. */
export function Tools({ control, loaded, places, ways, boxes, root, actions, onFound }: Props) {
  const isGraph = control.view.form === "graph";
  const tools = [
    { name: "undo", key: "u", icon: <UndoIcon />, does: actions.undo, isOff: !control.canUndo },
    { name: "redo", key: "r", icon: <RedoIcon />, does: actions.redo, isOff: !control.canRedo },
    { name: "tidy: lay out anew", key: "t", icon: <TidyIcon />, does: actions.tidy, isOff: !isGraph },
    { name: "fit all on the screen", key: "f", icon: <FitIcon />, does: actions.fit, isOff: !isGraph },
    { name: "full screen", key: "F", icon: <FullIcon />, does: actions.full, isOff: false },
    { name: "keys", key: "?", icon: <kbd>?</kbd>, does: actions.keys, isOff: false },
  ];
  return (
    <div className="tools" role="toolbar" aria-label="What can be done with the lineage">
      {isGraph && <Find graph={loaded.graph} onFound={onFound} />}
      <span className="bar-space" />
      {tools.map(({ name, key, icon, does, isOff }) => (
        <button
          key={name}
          type="button"
          className="icon-button"
          title={`${name} (${key})`}
          aria-label={name}
          disabled={isOff}
          onClick={does}
        >
          {icon}
        </button>
      ))}
      <Export loaded={loaded} places={places} ways={ways} boxes={boxes} root={root} />
    </div>
  );
}
