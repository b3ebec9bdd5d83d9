// The fields of the query language, as docs/search.md lists them.

export interface Field {
  name: string;
  says: string;
  /** Values that may stand behind the colon, where the index does not count them. */
  values?: readonly string[];
  /** Whether the index counts its values. */
  isCounted?: boolean;
}

const DATES = [">=NOW-1DAY", ">=NOW-7DAY", ">=NOW-30DAY", ">=NOW-1YEAR"] as const;
const NUMBERS = [">0", ">100", "[1 TO 10]"] as const;
const SIZES = [">1MB", ">1GB", ">1TB"] as const;
const FLAGS = ["true", "false"] as const;

export const FIELDS: readonly Field[] = [
  { name: "type", says: "table, view, column, statement, …", isCounted: true },
  { name: "owner", says: "the owner, as the source tells it", isCounted: true },
  { name: "database", says: "the database that holds it", isCounted: true },
  { name: "deleted", says: "whether the source said that it is gone", isCounted: true },
  { name: "queryText", says: "a statement's text, anywhere with *…*" },
  { name: "originalName", says: "its own name" },
  { name: "qualifiedName", says: "db.table, db.table.column, /path" },
  { name: "sourceType", says: "Hive, Impala, HDFS", isCounted: true },
  { name: "source", says: "the extractor's name" },
  { name: "cluster", says: "the cluster", isCounted: true },
  { name: "principal", says: "who ran it" },
  { name: "state", says: "living, deleted, out of scope", values: ["LIVING", "DELETED", "OUT_OF_SCOPE"] },
  {
    name: "operationType",
    says: "what a statement does",
    values: ["QUERY", "CREATETABLE_AS_SELECT", "CREATEVIEW", "ALTERVIEW_AS"],
  },
  { name: "engine", says: "what a run ran on", values: ["mr", "tez", "spark"] },
  { name: "tableType", says: "managed, external, view", values: ["MANAGED_TABLE", "EXTERNAL_TABLE", "VIRTUAL_VIEW"] },
  { name: "inputFormat", says: "a table's class" },
  { name: "outputFormat", says: "a table's class" },
  { name: "serdeLibName", says: "a table's class" },
  { name: "tableParameters", says: "a table's parameter, key=value" },
  { name: "identity", says: "the id" },
  { name: "parentId", says: "what it is part of" },
  { name: "queryId", says: "the engine's own id of a run" },
  { name: "jobId", says: "a YARN job of a run" },
  { name: "parentPath", says: "/db for a table, the folder of a file" },
  { name: "fileSystemPath", says: "where its data lies; /a/* is all below" },
  { name: "originalDescription", says: "the comment given at the source" },
  { name: "dataType", says: "a column's type" },
  { name: "created", says: "as the source tells it", values: DATES },
  { name: "lastModified", says: "as the source tells it", values: DATES },
  { name: "lastAccessed", says: "as the source tells it", values: DATES },
  { name: "started", says: "when a run began", values: DATES },
  { name: "ended", says: "when a run ended", values: DATES },
  { name: "deleteTime", says: "when it was found to be gone", values: DATES },
  { name: "firstSeen", says: "when a snapshot first saw it", values: DATES },
  { name: "lastSeen", says: "the last snapshot that saw it, once it is gone", values: DATES },
  { name: "columnCount", says: "columns", values: NUMBERS },
  { name: "partitionCount", says: "partitions", values: NUMBERS },
  { name: "rowCount", says: "rows, as the statistics say", values: NUMBERS },
  { name: "group", says: "the group of a directory or file" },
  { name: "permissions", says: "as rwxr-x---" },
  { name: "size", says: "of a file", values: SIZES },
  { name: "replication", says: "of a file", values: NUMBERS },
  { name: "blockSize", says: "of a file", values: SIZES },
  { name: "fileCount", says: "of a directory with everything below", values: NUMBERS },
  { name: "directoryCount", says: "of a directory with everything below", values: NUMBERS },
  { name: "smallFileCount", says: "of a directory with everything below", values: NUMBERS },
  { name: "totalSize", says: "of a directory with everything below", values: SIZES },
  { name: "totalSizeWithCopies", says: "of a directory with everything below", values: SIZES },
  { name: "nameQuota", says: "of a directory", values: NUMBERS },
  { name: "spaceQuota", says: "of a directory", values: SIZES },
  { name: "storagePolicy", says: "set on a path itself" },
  { name: "erasureCodingPolicy", says: "set on a path itself" },
  { name: "encryptionKey", says: "set on a path itself" },
  { name: "formerPaths", says: "where it was before it was renamed" },
  { name: "trash", says: "whether a path lies in a trash", values: FLAGS },
];

export function fieldNamed(name: string): Field | undefined {
  const wanted = name.toLowerCase();
  return FIELDS.find((field) => field.name.toLowerCase() === wanted);
}
