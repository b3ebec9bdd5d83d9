import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ask, segment } from "../api/ask";

/** Starts a run, and says that it did. */
export function RunNow({ extractor, isRunning }: { extractor: string; isRunning: boolean }) {
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: () => ask<unknown>(`extractors/${segment(extractor)}/run`, { wait: "false" }, { method: "POST" }),
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <>
      <button type="button" className="button" disabled={isRunning || run.isPending} onClick={() => run.mutate()}>
        {isRunning ? "Running" : "Run now"}
        <span className="unseen"> {extractor}</span>
      </button>
      <span role="status" className="small">
        {run.isSuccess && !isRunning && " started"}
        {run.error && <span className="bad"> {run.error.message}</span>}
      </span>
    </>
  );
}
