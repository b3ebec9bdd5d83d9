// Asking the server. Every question is a GET of JSON from the same origin, but for the few that do
// something.
import type { Refusal } from "./answers";

/** The server refused, or could not be reached. */
export class AskError extends Error {
  readonly status: number;
  readonly refusal: Refusal;

  constructor(status: number, refusal: Refusal) {
    super(refusal.error);
    this.name = "AskError";
    this.status = status;
    this.refusal = refusal;
  }
}

export type Parameters = Record<string, string | number | boolean | null | undefined>;

/** The address of a question; what is undefined, null or false is left out. */
export function address(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== false) search.set(name, String(value));
  }
  const text = search.toString();
  return `/api/v1/${path}${text ? `?${text}` : ""}`;
}

/** A name or id as a part of a path. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}

export async function ask<T>(path: string, parameters: Parameters = {}, options: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address(path, parameters), { ...options, headers: { accept: "application/json" } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new AskError(0, { error: "the server does not answer", hint: "look whether it runs: sextant status" });
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new AskError(response.status, refusalOf(body, response));
  if (body === undefined) {
    throw new AskError(response.status, {
      error: "the answer is not Sextant's",
      hint: "something between here and the server answers in its place: a proxy, or a page to log in",
    });
  }
  return body as T;
}

function refusalOf(body: unknown, response: Response): Refusal {
  if (body && typeof body === "object" && "error" in body && typeof body.error === "string") return body as Refusal;
  return { error: `the server answered ${response.status} ${response.statusText}`.trim() };
}
