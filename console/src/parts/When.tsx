import { ago, exactly } from "../words/when";

/** A time as people say it; the exact one is the tooltip. */
export function When({ time }: { time: string | null | undefined }) {
  if (!time) return <span className="quiet">never</span>;
  return (
    <time dateTime={time} title={exactly(time)}>
      {ago(time)}
    </time>
  );
}
