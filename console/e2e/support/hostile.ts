// Names and texts that nobody should trust: markup, an end of a script, right-to-left, and length.

export const MARKUP = "<img src=x onerror=alert(1)>";
export const SCRIPT_END = "</script><script>alert(2)</script>";
export const RIGHT_TO_LEFT = "evil\u202Egpj.exe";
export const LONG = "x".repeat(4_000);
export const HOSTILE = [MARKUP, SCRIPT_END, RIGHT_TO_LEFT, LONG];
export const WIDE_TABLE = "wide";
export const WIDE_COLUMNS = 60;

/** What a metastore would show of them, a line each; `parameter` is the value of a table's parameter. */
export function hostileTables(parameter: string): string {
  const database = {
    name: { database: "hostile", relation: null },
    entityType: "DATABASE",
    sourceType: "HIVE",
    created: null,
    properties: { owner: MARKUP },
    fields: [],
    partitions: null,
  };
  const table = (relation: string, fields: string[]) => ({
    name: { database: "hostile", relation },
    entityType: "TABLE",
    sourceType: "HIVE",
    created: "2026-11-30T19:07:19.000Z",
    properties: { owner: MARKUP, originalDescription: SCRIPT_END, params: { [MARKUP]: parameter } },
    fields: fields.map((name) => ({ name, dataType: "string", comment: MARKUP, partitionKey: false })),
    partitions: null,
  });
  const wide = table(
    WIDE_TABLE,
    Array.from({ length: WIDE_COLUMNS }, (_, place) => `column_${place}`),
  );
  const tables = HOSTILE.map((name) => table(name, ["id", MARKUP]));
  return [database, ...tables, wide].map((line) => JSON.stringify(line)).join("\n");
}

/** A statement that copies the first of them into the wide table, and one that only reads. */
export function hostileRecords(): string {
  const record = (queryText: string, target: string | null, time: number) => ({
    version: "1.0",
    user: MARKUP,
    timestamp: time,
    duration: 1000,
    jobIds: ["job_1"],
    engine: "mr",
    database: "hostile",
    hash: String(time),
    queryText,
    edges: [{ sources: [1], targets: [0], edgeType: "PROJECTION" }],
    vertices: [
      { id: 0, vertexType: "COLUMN", vertexId: target ? `${target}.column_0` : "id" },
      { id: 1, vertexType: "COLUMN", vertexId: "default.sample_07.code" },
    ],
  });
  return [
    record(
      `insert into hostile.wide select code /* ${MARKUP} ${SCRIPT_END} */ from default.sample_07`,
      "hostile.wide",
      1_796_070_000,
    ),
    record("select code as id from default.sample_07 where salary > 10", null, 1_796_070_100),
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");
}
