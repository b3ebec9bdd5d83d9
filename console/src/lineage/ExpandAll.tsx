import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import type { Id } from "../api/answers";
import { lineage } from "../api/queries";
import { Failed, Loading } from "../parts/States";
import { counted, grouped } from "../words/numbers";
import { useFrame } from "./context";
import { type Expansion, MAX_DEPTH, needsColumns, parametersOfExpansion, type Side, type View } from "./view";

/** So many nodes take a while, and cannot be read at once. */
const MANY = 300;

interface Props {
  side: Side;
  root: Id;
  view: View;
  shown: number;
  onClose: () => void;
  change: (part: Partial<View>) => void;
}

/** Everything upstream or downstream: says how much that is before it is shown. */
export default function ExpandAll({ side, root, view, shown, onClose, change }: Props) {
  const container = useFrame();
  const expansion: Expansion = { id: root, side, depth: MAX_DEPTH };
  const { data, error, refetch } = useQuery(lineage(root, parametersOfExpansion(view, expansion, needsColumns(view))));
  const all = () => {
    change({ expansions: [...view.expansions.filter((other) => other.id !== root || other.side !== side), expansion] });
    onClose();
  };
  const count = data?.nodes.length ?? 0;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal container={container}>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Expand all {side}</Dialog.Title>
          {error && <Failed error={error} retry={refetch} />}
          {!data && !error && <Loading what="how much that is" />}
          {data && (
            <p>
              {counted(count, "node")} within {MAX_DEPTH} hops {side}, {grouped(shown)} are shown now.
              {count > MANY && (
                <strong className="warn">
                  {" "}
                  That is a lot: it takes a while to draw, and the list may serve better.
                </strong>
              )}
              {data.cut && <> There are still more, which are cut off.</>}
            </p>
          )}
          <p className="dialog-buttons">
            <button type="button" className="button first" disabled={!data} onClick={all}>
              Show {data ? grouped(count) : ""}
            </button>
            <Dialog.Close className="button">Leave it</Dialog.Close>
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
