import type { Agent, Spool } from "../api/answers";
import { Empty } from "../parts/States";
import { When } from "../parts/When";
import { visible } from "../words/names";
import { bytes, counted, grouped } from "../words/numbers";

const LONG_LAG_SECONDS = 600;

/** Every agent with its spools and how far each is behind. */
export function AgentsTable({ agents }: { agents: readonly Agent[] }) {
  if (agents.length === 0) {
    return (
      <Empty>
        No agent has delivered yet: start <code>sextant-agent</code> on the hosts that write lineage files.
      </Empty>
    );
  }
  return (
    <table className="sheet folds">
      <thead>
        <tr>
          <th>Host</th>
          <th>Contact</th>
          <th>Spool</th>
          <th>Behind</th>
          <th className="number">Records, last hour</th>
          <th className="number">Problems</th>
        </tr>
      </thead>
      <tbody>
        {agents.map((agent) => (
          <AgentRows key={agent.agent} agent={agent} />
        ))}
      </tbody>
    </table>
  );
}

function AgentRows({ agent }: { agent: Agent }) {
  const spools: (Spool | null)[] = agent.spools.length > 0 ? agent.spools : [null];
  return spools.map((spool, place) => (
    <tr key={spool ? `${spool.format} ${spool.path}` : "none"}>
      <td>
        {place === 0 && (
          <>
            <strong>{visible(agent.host)}</strong>
            <small>version {agent.version ?? "unknown"}</small>
          </>
        )}
      </td>
      <td data-label="Contact">
        {place === 0 && (
          <span className={agent.silent ? "bad" : undefined}>
            <When time={agent.lastContact} />
            {agent.silent && <small className="bad">{agent.inWords}</small>}
          </span>
        )}
      </td>
      {spool ? (
        <SpoolCells spool={spool} />
      ) : (
        <td colSpan={4} className="quiet">
          has told of no spool; {bytes(agent.bytes)} kept
        </td>
      )}
    </tr>
  ));
}

function SpoolCells({ spool }: { spool: Spool }) {
  const isLate = (spool.secondsBehind ?? 0) > LONG_LAG_SECONDS;
  const tone = spool.trouble ? "bad" : isLate ? "warn" : spool.reported ? "good" : "quiet";
  return (
    <>
      <td data-label="Spool">
        <span className="code">{visible(spool.path)}</span>
        <small>
          {spool.format}, cluster {visible(spool.cluster)}
          {spool.filesKnown !== null && `, ${counted(spool.filesKnown, "file")}`}
        </small>
      </td>
      <td data-label="Behind">
        <span className={tone}>{spool.inWords}</span>
        {spool.trouble && <small className="bad">{visible(spool.trouble)}</small>}
        {spool.lastError && spool.lastError.inWords !== spool.trouble && (
          <small>
            <When time={spool.lastError.at} />: {visible(spool.lastError.inWords)}
          </small>
        )}
      </td>
      <td data-label="Records, last hour" className="number">
        {grouped(spool.recordsLastHour)}
      </td>
      <td data-label="Problems" className={`number${spool.problemsLastHour > 0 ? " warn" : ""}`}>
        {grouped(spool.problemsLastHour)}
      </td>
    </>
  );
}
