#!/usr/bin/env python3
"""Fills a metastore with external tables of 20 columns in ten databases, by four connections.

All tables lie over the one folder LOCATION, which exists: making a managed table's folder costs more time
than the table.

usage: python.sh hms_load.py thrift://127.0.0.1:PORT TABLES LOCATION [PARTITIONS_PER_TABLE]
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from hms_objects import column, connect, many_columns, partition, table, ttypes

CONNECTIONS = 4
DATABASES = [f"load{i:02}" for i in range(10)]
COLUMNS = many_columns(20)

address, tables, location = sys.argv[1], int(sys.argv[2]), sys.argv[3]
partitions = int(sys.argv[4]) if len(sys.argv) > 4 else 0


def create_every_nth(first):
    client = connect(address)
    for number in range(first, tables, CONNECTIONS):
        database, name = DATABASES[number % len(DATABASES)], f"t{number:06}"
        keys = [column("dt", "string")] if partitions else []
        client.create_table(
            table(database, name, COLUMNS, location, keys, tableType="EXTERNAL_TABLE", parameters={"EXTERNAL": "TRUE"})
        )
        if partitions:
            days = [f"d{day:05}" for day in range(partitions)]
            client.add_partitions([partition(database, name, [day], COLUMNS, location) for day in days])


begin = time.monotonic()
client = connect(address)
for missing in set(DATABASES) - set(client.get_all_databases()):
    client.create_database(ttypes.Database(missing, None, None, {}))
with ThreadPoolExecutor(CONNECTIONS) as pool:
    list(pool.map(create_every_nth, range(CONNECTIONS)))
seconds = time.monotonic() - begin
print(f"{tables} tables, {tables * partitions} partitions: {seconds:.1f} s ({tables / seconds:.0f} tables/s)")
