// What the API answers, as far as the console reads it. The OpenAPI document describes these bodies
// as any value; the types stand here until it says more.

export type Id = string;
/** RFC 3339, UTC. */
export type Time = string;
export type Direction = "upstream" | "downstream" | "both";

/** An entity, operation, execution, or a name that no source has shown. */
export interface Thing {
  id: Id;
  type: string | null;
  sourceType: string | null;
  source?: string;
  cluster: string | null;
  originalName: string | null;
  parentPath: string | null;
  parentId?: Id | null;
  qualifiedName: string | null;
  deleted: boolean;
  unlinked?: boolean;
  state?: string;
  deleteTime?: Time | null;
  firstSeen?: Time | null;
  lastSeen?: Time | null;
  created?: Time | null;
  lastModified?: Time | null;
  owner?: string | null;
  queryText?: string | null;
  columnCount?: number;
  dataType?: string;
  originalDescription?: string | null;
  fileSystemPath?: string;
  operationType?: string | null;
  executions?: number;
  principal?: string | null;
  principalOriginal?: string | null;
  userIsService?: boolean;
  started?: Time | null;
  ended?: Time | null;
}

export interface Usage {
  operation: Id;
  role: "input" | "output";
  operationType: string | null;
  sourceType: string | null;
  queryText: string | null;
  principal: string | null;
  userIsService?: boolean;
  firstSeen: Time | null;
  lastSeen: Time | null;
}

export interface OperationEnd {
  id: Id;
  name: string;
  cluster: string;
  linked: boolean;
  role: "input" | "output";
  lives: number;
}

export interface Located extends Thing {
  path?: string;
  location?: string;
}

export interface Location {
  written: string;
  path: string;
  cluster: string;
  fileSystem: string | null;
  rule: string;
  ruleInWords: string;
  note: string | null;
  directory: (Thing & Content) | null;
  alsoHere: Located[];
  alsoHereTotal: number;
}

export interface Content {
  fileCount?: number;
  directoryCount?: number;
  totalSize?: number;
  totalSizeWithCopies?: number;
  smallFileCount?: number;
  group?: string;
  permissions?: string;
  lastChanged?: { quarter: string; bytes: number }[];
}

/** One thing with everything that is known of it. */
export interface WholeThing extends Thing, Content {
  usedBy?: Usage[];
  usedByTotal?: number;
  inputs?: OperationEnd[];
  outputs?: OperationEnd[];
  queryTexts?: { text: string; firstSeen: Time | null }[];
  distinctTexts?: number;
  lineageKnown?: boolean;
  knownByNameOnly?: boolean;
  location?: Location;
  locatedHere?: Located[];
  locatedAbove?: Located[];
  locatedBelow?: { databases: number; tables: number; partitions: number; isExact: boolean; first: Located[] };
  namespaceState?: { inWords: string; source: string } | null;
  formerPaths?: string[];
  operation?: Id;
  note?: string | null;
  [property: string]: unknown;
}

export interface Execution extends Thing {
  operation: Id;
  received: Time;
  queryId: string | null;
  engine: string | null;
  jobIds: string[];
  evidence: { host: string; file: string; offset: number } | null;
}

/** An operation that reads or writes something. */
export interface UsingOperation {
  id: Id;
  role: "reads" | "writes" | "both";
  operationType: string | null;
  sourceType: string | null;
  shortText: string;
  executions: number;
  firstUsed: Time;
  lastUsed: Time;
  users: Ran[];
  usersOfRuns: number;
}

export interface UsingOperations extends Part<UsingOperation> {
  total: number;
  reads: number;
  writes: number;
}

/** Who ran a statement. */
export interface Ran {
  principal?: string | null;
  principalOriginal?: string | null;
  userIsService?: boolean;
}

/** What became of a thing. */
export interface History {
  lives: {
    number: number;
    created: Time | null;
    firstSeen: Time;
    lastSeen: Time | null;
    over: Time | null;
  }[];
  names: { qualifiedName: string; present: boolean }[];
}

export interface Part<T> {
  results: T[];
  next: number | null;
}

export interface Facet {
  value: string;
  count: number;
}

export interface Found {
  total: number;
  totalIsExact: boolean;
  results: Thing[];
  facets: Record<string, Facet[]>;
  next: string | null;
}

export interface ColumnPair {
  source: string;
  target: string;
  type: FlowType;
  expression: string | null;
}

export type FlowType = "DATA_FLOW" | "CONTROL_FLOW" | "LOGICAL_PHYSICAL";

export interface LineageNode extends Thing {
  hidden: boolean;
  unlinked: boolean;
  distance: number;
  moreUpstream: number;
  moreUpstreamIsLeast: boolean;
  moreDownstream: number;
  moreDownstreamIsLeast: boolean;
  unlinkedInputs: number;
  unlinkedOutputs: number;
}

export interface LineageEdge {
  source: Id;
  target: Id;
  type: FlowType;
  mark: string;
  via: Id[];
  hides: { id: Id; qualifiedName: string | null; reason: string }[];
  columns: ColumnPair[];
  firstSeen: Time | null;
  lastSeen: Time | null;
  formerIncarnation: boolean;
  below?: boolean;
  location?: { written: string; ruleInWords: string; ownerName?: string } | null;
}

export interface LineageAnswer {
  root: Id;
  direction: Direction;
  depth: number;
  limit: number;
  nodes: LineageNode[];
  edges: LineageEdge[];
  cut: boolean;
  coverage: { operationsWithoutLineage: number; notes: string[] };
  namespaceStates: { inWords: string; source: string }[];
}

export type Outcome = "complete" | "incomplete" | "held" | "failed";

export interface Run {
  extractor: string;
  started: Time;
  finished: Time;
  outcome: Outcome;
  inWords: string;
  message: string | null;
  counts: Record<"seen" | "created" | "changed" | "deleted" | "failed" | "held" | "outOfScope" | "revived", number>;
  problems: { object: string | null; reason: string }[];
  idlePatterns: string[];
}

export interface Extractor {
  name: string;
  kind: string;
  clusters: string[];
  uri: string;
  schedule: string | null;
  state: { inWords: string } | null;
  running: { phase: string } | null;
  lastRun: Run | null;
  nextRun: Time | null;
  skipped: number;
}

export interface SpoolError {
  at: Time;
  inWords: string;
}

export interface PushExtractor {
  format: string;
  spools: number;
  recordsLastHour: number;
  problemsLastHour: number;
  lastError: SpoolError | null;
}

export interface Spool {
  path: string;
  format: string;
  cluster: string;
  filesKnown: number | null;
  bytesBehind: number | null;
  secondsBehind: number | null;
  inWords: string;
  trouble: string | null;
  lastError: SpoolError | null;
  recordsLastHour: number;
  problemsLastHour: number;
  reported: Time | null;
}

export interface Agent {
  agent: string;
  host: string;
  version: string | null;
  lastContact: Time | null;
  silent: boolean;
  inWords: string;
  bytes: number;
  lastError: SpoolError | null;
  spools: Spool[];
}

export interface UnlinkedName {
  id: Id;
  name: string;
  cluster: string;
  operations: number;
}

export interface Status {
  version: string;
  started: Time;
  attention: string[];
  extractors: Extractor[];
  agents: Agent[];
  disk: { inWords: string; path: string };
  intake: { waiting: number; waitingBytes: number; notSearchable: number; trouble: string | null };
  counts: {
    living: Record<string, number>;
    deleted: Record<string, number>;
    operations: number;
    executions: number;
  };
  mostUsedUnlinkedNames: UnlinkedName[];
  unlinkedNames: number;
  quarantine: Record<string, number>;
}

export interface Quarantined {
  id: Id;
  kind: string;
  reason: string;
  host: string;
  file: string;
  offset: number;
  length: number;
  kept: number;
  replayable: boolean;
  format: string;
  cluster: string;
  received: Time;
  text: string;
}

export interface Quarantine {
  total: number;
  groups: {
    kind: string;
    host: string;
    format: string;
    stretches: number;
    bytes: number;
    oldest: Time;
    newest: Time;
  }[];
  results: Quarantined[];
}

/** A refusal. */
export interface Refusal {
  error: string;
  hint?: string;
  /** Where a query is wrong, in characters from its beginning. */
  position?: number;
  detail?: string;
  candidates?: Thing[];
}
