#!/usr/bin/env python3
"""Prints a metastore's databases, tables and partitions, or its notification events, one JSON object a line.

usage: python.sh hms_dump.py thrift://127.0.0.1:PORT [--events] [DATABASE...]
"""

import json
import sys

from hms_objects import connect, ttypes


def plain(value):
    """A Thrift object as what JSON can hold, without its unset fields."""
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if hasattr(value, "thrift_spec"):
        return {name: plain(member) for name, member in vars(value).items() if member is not None}
    return value


def show(value):
    print(json.dumps(plain(value)))


def dump_events(client, databases):
    last = 0
    while events := client.get_next_notification(ttypes.NotificationEventRequest(last, 1000)).events:
        last = events[-1].eventId
        for event in events:
            if not databases or event.dbName in databases:
                show(event)


def dump_catalog(client, databases):
    for database in databases or client.get_all_databases():
        show({"database": client.get_database(database)})
        for table in client.get_table_objects_by_name(database, client.get_all_tables(database)):
            show({"table": table})
            if table.partitionKeys:
                show({"partitions": client.get_partitions(database, table.tableName, -1)})


metastore = connect(sys.argv[1])
wanted = [argument for argument in sys.argv[2:] if argument != "--events"]
if "--events" in sys.argv:
    dump_events(metastore, wanted)
else:
    dump_catalog(metastore, wanted)
