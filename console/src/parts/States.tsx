import type { ReactNode } from "react";
import { AskError } from "../api/ask";
import { NameLink } from "./Name";
import "./states.css";

export function Loading({ what }: { what: string }) {
  return (
    <div className="state" role="status">
      <span className="state-bar" aria-hidden="true" />
      Reading {what}…
    </div>
  );
}

interface Question {
  data: unknown;
  error: Error | null;
  refetch: () => unknown;
}

/** Of several questions that a page needs, some are not answered: reading still, or what failed. */
export function Awaited({ what, questions }: { what: string; questions: readonly Question[] }) {
  const failed = questions.find((question) => question.error && question.data === undefined);
  if (!failed?.error) return <Loading what={what} />;
  return <Failed error={failed.error} retry={() => askAgain(questions)} />;
}

/** What is shown was answered earlier, and could not be asked for anew. */
export function Stale({ questions }: { questions: readonly Question[] }) {
  const failed = questions.find((question) => question.error);
  return failed?.error ? <Failed error={failed.error} retry={() => askAgain(questions)} /> : null;
}

function askAgain(questions: readonly Question[]): void {
  for (const question of questions) if (question.error) question.refetch();
}

/** Looked, and found nothing: says what was looked for, and why there may be nothing. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="state state-empty">{children}</div>;
}

/** What failed, why, and what to do. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const refusal = error instanceof AskError ? error.refusal : { error: error.message };
  return (
    <div className="state state-failed" role="alert">
      <p>
        <strong>{refusal.error}</strong>
      </p>
      {refusal.hint && <p className="quiet">{refusal.hint}</p>}
      {refusal.candidates && (
        <ul>
          {refusal.candidates.map((candidate) => (
            <li key={candidate.id}>
              <NameLink thing={candidate} /> <span className="quiet small">cluster {candidate.cluster}</span>
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
