import { Dialog } from "@base-ui/react/dialog";
import { useFrame } from "./context";
import { KEYS, keyWord } from "./keys";

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  const container = useFrame();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal container={container}>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog keys">
          <Dialog.Title>Keys</Dialog.Title>
          {KEYS.map(({ title, keys }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {keys.map((key) => (
                  <div key={key.says}>
                    <dt>
                      {key.keys.map((name) => (
                        <kbd key={name}>{keyWord(name)}</kbd>
                      ))}
                    </dt>
                    <dd>{key.says}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <p className="quiet small">The picture is drawn with React Flow.</p>
          <Dialog.Close className="button">Close</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
