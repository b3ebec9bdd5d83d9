import { segment } from "../api/ask";

/** Where a run of an extractor is shown: with what it logged. */
export function runAddress(extractor: string, started: string): string {
  return `/extractors/${segment(extractor)}?run=${encodeURIComponent(started)}`;
}
