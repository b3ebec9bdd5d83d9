#!/usr/bin/env python3
"""Asks a metastore everything that an extractor may ask, and times it; the exit code is 1 if a call fails.

usage: python.sh hms_check.py thrift://127.0.0.1:PORT
"""

import sys
import time

from hms_objects import column, connect, partition, table, ttypes

client = connect(sys.argv[1])
failures = []


def step(label, call):
    begin = time.monotonic()
    try:
        answer, verdict = call(), "ok"
    except Exception as error:  # whatever the service throws is what we want to see
        answer, verdict = error, "FAILED"
        failures.append(label)
    shown = "" if answer is None else str(answer)[:100]
    print(f"{label:38} {verdict:6} {time.monotonic() - begin:.3f} s {shown}")
    return None if verdict == "FAILED" else answer


def add_column():
    changed = client.get_table("check", "orders")
    changed.sd.cols.append(column("added", "string"))
    client.alter_table("check", "orders", changed)


def rename_table():
    changed = client.get_table("check", "external")
    changed.tableName = "renamed"
    client.alter_table("check", "external", changed)


def add_partitions():
    location = client.get_table("check", "orders").sd.location
    client.add_partitions(
        [partition("check", "orders", [day], columns, f"{location}/dt={day}") for day in ("2026-01-01", "2026-01-02")]
    )


# Dropping a database that is not there answers MetaException(NullPointerException) in Hive 2.3.
if "check" in client.get_all_databases():
    client.drop_database("check", True, True)
columns = [column("id", "bigint", "key"), column("item", "struct<a:int,b:array<string>>")]
orders = table("check", "orders", columns, partition_keys=[column("dt", "string")], parameters={"comment": "o"})
external = table("check", "external", columns, tableType="EXTERNAL_TABLE", parameters={"EXTERNAL": "TRUE"})
view = table("check", "view", columns[:1], tableType="VIRTUAL_VIEW", viewOriginalText="select id from orders",
             viewExpandedText="select `orders`.`id` from `check`.`orders`")

events_before = step("get_current_notificationEventId", client.get_current_notificationEventId)
step("create_database", lambda: client.create_database(ttypes.Database("check", "a check", None, {})))
step("create_table, partitioned", lambda: client.create_table(orders))
step("create_table, external", lambda: client.create_table(external))
step("create_table, view", lambda: client.create_table(view))
step("add_partitions", add_partitions)
step("get_all_databases", client.get_all_databases)
step("get_database", lambda: client.get_database("check").locationUri)
step("get_all_tables", lambda: client.get_all_tables("check"))
step("get_tables", lambda: client.get_tables("check", "o*"))
step("get_tables_by_type", lambda: client.get_tables_by_type("check", "*", "VIRTUAL_VIEW"))
step("get_table_meta", lambda: [meta.tableName for meta in client.get_table_meta("*", "*", [])])
step("get_table_objects_by_name",
     lambda: [t.tableName for t in client.get_table_objects_by_name("check", ["orders", "view", "absent"])])
step("get_table_req", lambda: client.get_table_req(ttypes.GetTableRequest("check", "view")).table.viewExpandedText)
step("get_partition_names", lambda: client.get_partition_names("check", "orders", -1))
step("get_partitions_by_names", lambda: len(client.get_partitions_by_names("check", "orders", ["dt=2026-01-02"])))
step("alter_table, a column more", add_column)
step("alter_table, another name", rename_table)
step("get_config_value", lambda: client.get_config_value("hive.metastore.warehouse.dir", ""))
step("drop_partition", lambda: client.drop_partition("check", "orders", ["2026-01-02"], False))
step("drop_table", lambda: client.drop_table("check", "renamed", False))
step("drop_database, with its tables", lambda: client.drop_database("check", True, True))
if events_before:
    request = ttypes.NotificationEventRequest(events_before.eventId, 1000)
    step("get_next_notification", lambda: [event.eventType for event in client.get_next_notification(request).events])
sys.exit(f"{len(failures)} calls failed: {', '.join(failures)}" if failures else 0)
