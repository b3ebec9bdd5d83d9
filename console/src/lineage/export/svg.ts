// The picture as a drawing of its own, without the page around it: plain shapes and text.
import type { Id, LineageNode } from "../../api/answers";
import { markOf } from "../../words/kinds";
import { nameOf, shortened } from "../../words/names";
import { counted } from "../../words/numbers";
import { type Box, LINE, linesOf as linesBelow, type OpenColumns } from "../boxes";
import { NOTHING_LIT } from "../columns";
import { type Graph, isOperation } from "../graph";
import type { Places, Ways } from "../layout";
import { linesOf } from "../lines";
import { titleOf } from "../say";
import { bounds } from "../sight";

export interface Drawn {
  text: string;
  width: number;
  height: number;
}

const MARGIN = 24;
const LONGEST_NAME = 30;
/** The light theme's colours: a picture is printed and pasted. */
const INK = { text: "#15213a", quiet: "#5f6a82", line: "#47536a", border: "#b9c2d0", accent: "#c47d12" };
const KINDS: Record<string, string> = { table: "#1f5f99", view: "#5b4bb0", directory: "#4c6a2f", file: "#4c6a2f" };
const STROKES: Record<string, string> = {
  data: 'stroke-width="1.5"',
  control: 'stroke-width="1.1" stroke-dasharray="4 5"',
  physical: 'stroke-width="3.5"',
  thread: 'stroke-width="1"',
};

export function svg(graph: Graph, places: Places, ways: Ways, boxes: ReadonlyMap<Id, Box>, open: OpenColumns): Drawn {
  const { left, top, width, height } = bounds(places, boxes);
  const [wide, high] = [Math.ceil(width + 2 * MARGIN), Math.ceil(height + 2 * MARGIN)];
  const parts: string[] = [];
  for (const line of linesOf(graph, places, ways, boxes, [], NOTHING_LIT)) {
    const colour = line.kind === "physical" ? KINDS.directory : line.kind === "control" ? INK.quiet : INK.line;
    const arrow = line.kind === "physical" ? "" : ' marker-end="url(#arrow)"';
    parts.push(`<path d="${line.path}" fill="none" stroke="${colour}" ${STROKES[line.kind]}${arrow}/>`);
    if (line.kind === "physical")
      parts.push(`<path d="${line.path}" fill="none" stroke="#ffffff" stroke-width="1.2"/>`);
  }
  for (const node of graph.nodes.values()) {
    const [place, box] = [places.get(node.id), boxes.get(node.id)];
    if (place && box)
      parts.push(`<g transform="translate(${place.x} ${place.y})">${drawnNode(node, box, graph, open)}</g>`);
  }
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="${left - MARGIN} ${top - MARGIN} ${wide} ${high}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="14">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .6 8 4 0 7.4Z" fill="${INK.line}"/></marker></defs>
<rect x="${left - MARGIN}" y="${top - MARGIN}" width="${wide}" height="${high}" fill="#ffffff"/>
${parts.join("\n")}
</svg>
`;
  return { text, width: wide, height: high };
}

function drawnNode(node: LineageNode, box: Box, graph: Graph, open: OpenColumns): string {
  const isRoot = node.id === graph.root;
  const ghost = node.unlinked ? ' stroke-dasharray="1.5 3"' : "";
  const fill = node.deleted || isOperation(node) ? "#eef1f5" : "#ffffff";
  const parts = [
    `<rect width="${box.width}" height="${box.height}" rx="${isOperation(node) ? 18 : 6}" fill="${fill}" stroke="${isRoot ? INK.accent : INK.border}"${ghost}/>`,
  ];
  if (isOperation(node)) {
    parts.push(`<circle cx="16" cy="18" r="4.5" fill="none" stroke="${INK.line}" stroke-width="1.6"/>`);
    parts.push(words(28, 23, `${titleOf(node)} · ${counted(node.executions ?? 0, "run")}`, INK.text, 12));
  } else {
    parts.push(
      `<rect x="11" y="14" width="8" height="8" rx="2" fill="${node.unlinked ? "none" : (KINDS[markOf(node)] ?? INK.line)}" stroke="${node.unlinked ? INK.quiet : "none"}"/>`,
    );
    const { place, own } = nameOf(node);
    const shown = shortened(own, LONGEST_NAME);
    const before = shortened(place, Math.max(4, LONGEST_NAME - shown.length));
    const struck = node.deleted ? ' text-decoration="line-through"' : "";
    parts.push(
      `<text x="27" y="23"${struck} fill="${INK.text}"><title>${escaped(place + own)}</title><tspan fill="${INK.quiet}">${escaped(before)}</tspan><tspan font-weight="560">${escaped(shown)}</tspan></text>`,
    );
  }
  linesBelow(node).forEach((line, place) => {
    parts.push(words(11, 44 + place * LINE, line, INK.quiet, 11));
  });
  const columns = new Map((open.get(node.id)?.columns ?? []).map((column) => [column.qualifiedName, column]));
  for (const [name, y] of box.rows) {
    const column = columns.get(name);
    parts.push(words(11, y + 4, shortened(column?.name ?? name, 24), INK.text, 12.5));
    parts.push(words(box.width - 11, y + 4, shortened(column?.dataType ?? "", 12), INK.quiet, 11, "end"));
  }
  return parts.join("");
}

function words(x: number, y: number, text: string, colour: string, size: number, anchor = "start"): string {
  return `<text x="${x}" y="${y}" fill="${colour}" font-size="${size}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

/** Text that cannot be taken for markup. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
