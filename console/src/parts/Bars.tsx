import "./bars.css";

const BAR_PX = 11;

export interface Bar {
  key: string;
  /** How tall, in any unit. */
  value: number;
  /** What is said of it. */
  title: string;
  tone?: "bad" | "warn" | "now" | undefined;
}

/** A row of bars; what each stands for is its tooltip, and all of it is said in `label`. */
export function Bars({ bars, label, height = 30 }: { bars: readonly Bar[]; label: string; height?: number }) {
  const largest = Math.max(1, ...bars.map((bar) => bar.value));
  return (
    <svg
      className="bars"
      role="img"
      aria-label={label}
      width={bars.length * BAR_PX}
      height={height}
      viewBox={`0 0 ${Math.max(bars.length, 1) * BAR_PX} ${height}`}
      preserveAspectRatio="none"
    >
      {bars.map((bar, place) => {
        const tall = bar.value > 0 || bar.tone ? Math.max(3, (bar.value / largest) * (height - 1)) : 1;
        return (
          <rect
            key={bar.key}
            className={`bar${bar.tone ? ` bar-${bar.tone}` : ""}`}
            x={place * BAR_PX + 1}
            y={height - tall}
            width={BAR_PX - 2}
            height={tall}
          >
            <title>{bar.title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
