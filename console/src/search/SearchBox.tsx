import { Autocomplete } from "@base-ui/react/autocomplete";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Completion } from "./completion";
import { useCompletions } from "./useCompletions";
import "./search-box.css";

interface Props {
  className?: string;
  /** What stands in the box at first. */
  text?: string;
  /** Without one, the query is looked for on the search page. */
  onSearch?: (text: string) => void;
  isWrong?: boolean;
}

/** One box for the query language, with fields and values to choose from. `/` leads to it from anywhere. */
export function SearchBox({ className = "", text = "", onSearch, isWrong = false }: Props) {
  const [, go] = useLocation();
  const [written, write] = useState(text);
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const completions = useCompletions(written, isOpen);
  useEffect(() => write(text), [text]);
  useEffect(() => focusAtSlash(box), []);

  const search = (event: FormEvent) => {
    event.preventDefault();
    setOpen(false);
    if (onSearch) onSearch(written);
    else go(`/search?query=${encodeURIComponent(written)}`);
  };

  return (
    <search className={className}>
      <form className="search-box" onSubmit={search}>
        <Autocomplete.Root
          items={completions}
          filter={null}
          mode="none"
          value={written}
          open={isOpen && completions.length > 0}
          onOpenChange={(open) => setOpen(open)}
          onValueChange={(value, { reason }) => {
            write(value);
            // A field that was chosen wants a value next.
            setOpen(reason !== "item-press" || value.endsWith(":"));
          }}
          itemToStringValue={(completion: Completion) => completion.whole}
        >
          <Autocomplete.Input
            ref={box}
            className="search-input"
            aria-label="Search"
            aria-invalid={isWrong}
            placeholder="a name, type:table owner:etl, queryText:*sample_08*"
            spellCheck={false}
            autoCapitalize="off"
          />
          <kbd className="search-key" title="the key that leads here">
            /
          </kbd>
          <button type="submit" className="unseen">
            Find
          </button>
          <Autocomplete.Portal>
            <Autocomplete.Positioner sideOffset={4} align="start" className="search-positioner">
              <Autocomplete.Popup className="menu search-menu">
                <Autocomplete.List>
                  {(completion: Completion) => (
                    <Autocomplete.Item key={completion.whole} value={completion}>
                      <code>{completion.shown}</code>
                      <span className="quiet">{completion.says}</span>
                    </Autocomplete.Item>
                  )}
                </Autocomplete.List>
              </Autocomplete.Popup>
            </Autocomplete.Positioner>
          </Autocomplete.Portal>
        </Autocomplete.Root>
      </form>
    </search>
  );
}

function focusAtSlash(box: { current: HTMLInputElement | null }): () => void {
  const listen = (event: KeyboardEvent) => {
    const isWriting = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
    if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.current?.focus();
    box.current?.select();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}
