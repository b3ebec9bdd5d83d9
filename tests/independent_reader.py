#!/usr/bin/env python3
"""A second, independent reading of Hive and Impala lineage records, to compare the engine's answers with.

It shares no code with the engine, so that a mistake has to be made twice to go unseen. It reads any
number of files and prints one JSON object a record, in file order:

    {"file", "queryText", "known",
     "inputs": ["db.table"], "outputs": ["db.table"],
     "tables":  [["db.source", "db.target", "DATA_FLOW" | "CONTROL_FLOW"]],
     "columns": [["db.source.column", "db.target.column", "DATA_FLOW" | "CONTROL_FLOW"]]}

Lists are sorted and hold each edge once. `known` is false for a record without edges and vertices: its
statement ran, and the record does not say what flowed. A column may be a path into a nested type. A whole
table as source (`count(*)`) makes a table edge and no column edge; a result column, which no table keeps,
makes neither. Totals, and what could not be read, go to stderr; the exit code is 1 if anything was not read.

usage: independent_reader.py FILE...
"""

import json
import re
import sys
from collections import Counter
from typing import Iterator, NamedTuple, Optional

# A record is found wherever it begins: alone on its line, behind a log line's prefix, indented over many
# lines, or glued to a record that was cut.
RECORD_BEGIN = re.compile(r'\{\s*"(?:version|queryText)"\s*:')
IDENTIFIER = re.compile(r"\w+\Z")
KINDS = {"PROJECTION": "DATA_FLOW", "PREDICATE": "CONTROL_FLOW"}


class Place(NamedTuple):
    """What a vertex stands for in a metastore: a column, or with no column a whole table."""

    table: str
    column: Optional[str]

    def qualified(self) -> str:
        return f"{self.table}.{self.column}"


def records_of(text: str) -> Iterator[tuple[Optional[dict], int, str]]:
    """(record, line number, "") for what can be read, (None, line number, reason) for what cannot."""
    decoder = json.JSONDecoder()
    position = 0
    while begin := RECORD_BEGIN.search(text, position):
        line = text.count("\n", 0, begin.start()) + 1
        try:
            record, position = decoder.raw_decode(text, begin.start())
        except json.JSONDecodeError as error:
            position = begin.end()
            yield None, line, str(error)
            continue
        yield record, line, ""


def members(record: dict, key: str) -> list[dict]:
    """`edges` or `vertices`; some Impala builds wrote each member as a string that holds the object."""
    return [json.loads(member) if isinstance(member, str) else member for member in record.get(key, [])]


def split_name(name: str) -> Optional[Place]:
    """`db.table.column`, the column perhaps with dots of its own; None if the name is a result's label."""
    parts = name.split(".", 2)
    if len(parts) < 3 or not IDENTIFIER.match(parts[0]) or not IDENTIFIER.match(parts[1]):
        return None
    return Place(f"{parts[0]}.{parts[1]}".lower(), parts[2].lower())


def place_of(vertex: dict, record_has_metadata: bool) -> Optional[Place]:
    name = vertex["vertexId"]
    if vertex.get("vertexType") == "TABLE":
        return Place(name.lower(), None)
    metadata = vertex.get("metadata")
    if metadata:
        table = metadata["tableName"].lower()
        # Since Impala 3.3 a target is the bare column, a source still carries its table.
        return Place(table, name.lower().removeprefix(table + "."))
    # Where other vertices name their table apart, one that does not has none, whatever its label looks like.
    return None if record_has_metadata else split_name(name)


def read_record(record: dict) -> dict:
    vertices = members(record, "vertices")
    has_metadata = any("metadata" in vertex for vertex in vertices)
    places = {vertex["id"]: place_of(vertex, has_metadata) for vertex in vertices}

    inputs, outputs, table_edges, column_edges = set(), set(), set(), set()
    for edge in members(record, "edges"):
        # Hive gathers statistics within the statement; that is no flow of its own.
        if edge.get("expression", "").startswith("compute_stats("):
            continue
        kind = KINDS[edge["edgeType"]]
        sources = [places[source] for source in edge["sources"]]
        targets = [places[target] for target in edge["targets"]]
        inputs.update(source.table for source in sources if source)
        outputs.update(target.table for target in targets if target)
        for source in sources:
            for target in targets:
                if not source or not target:
                    continue
                table_edges.add((source.table, target.table, kind))
                if source.column and target.column:
                    column_edges.add((source.qualified(), target.qualified(), kind))
    return {
        "queryText": record["queryText"],
        "known": bool(vertices or members(record, "edges")),
        "inputs": sorted(inputs),
        "outputs": sorted(outputs),
        "tables": sorted(table_edges),
        "columns": sorted(column_edges),
    }


def main(paths: list[str]) -> int:
    if not paths or paths[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    total = Counter()
    for path in paths:
        count = Counter()
        # Impala passes a statement's bytes through as they are, valid UTF-8 or not.
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for record, line, reason in records_of(text):
            if record is None:
                count["not read"] += 1
                print(f"{path}:{line}: not read: {reason}", file=sys.stderr)
                continue
            answer = read_record(record)
            count["records"] += 1
            count["records of unknown lineage"] += not answer["known"]
            count["table edges"] += len(answer["tables"])
            count["column edges"] += len(answer["columns"])
            print(json.dumps({"file": path, **answer}, ensure_ascii=False))
        print(f"{path}: " + ", ".join(f"{number} {what}" for what, number in count.items()), file=sys.stderr)
        total.update(count)
    print("total: " + ", ".join(f"{number} {what}" for what, number in total.items()), file=sys.stderr)
    return 1 if total["not read"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
