import { useQuery } from "@tanstack/react-query";
import { values } from "../api/queries";
import { counted } from "../words/numbers";
import { type Completion, fieldCompletions, unfinished, valueCompletions } from "./completion";
import { fieldNamed } from "./fields";

/** What may stand next in a query; values come from the index where it counts them. */
export function useCompletions(query: string, isWanted: boolean): Completion[] {
  const rest = unfinished(query);
  const field = rest?.field ? fieldNamed(rest.field) : undefined;
  const asked = useQuery({
    ...values(field?.name ?? "", ""),
    enabled: isWanted && field?.isCounted === true,
  });
  if (!rest || !isWanted) return [];
  if (rest.field === null) return fieldCompletions(rest);
  if (!field) return [];
  if (field.isCounted) {
    const counts = asked.data?.facets[field.name] ?? [];
    return valueCompletions(
      rest,
      counts.map(({ value, count }) => ({ value, says: counted(count, "result") })),
    );
  }
  return valueCompletions(
    rest,
    (field.values ?? []).map((value) => ({ value, says: field.says })),
  );
}
