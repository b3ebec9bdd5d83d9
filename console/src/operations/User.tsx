import type { Ran } from "../api/answers";
import { visible } from "../words/names";

/** Who ran a statement; a service's own name is not the person's. */
export function User({ of }: { of: Ran }) {
  if (!of.principal) return <span className="quiet">unknown</span>;
  const original = of.principalOriginal ?? undefined;
  return (
    <span title={original}>
      <bdi>{visible(of.principal)}</bdi>
      {of.userIsService && <span className="quiet"> (service, end user unknown)</span>}
    </span>
  );
}
