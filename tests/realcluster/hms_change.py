#!/usr/bin/env python3
"""Gives the first COUNT tables of `hms_load.py` one more column.

usage: python.sh hms_change.py thrift://127.0.0.1:PORT COUNT
"""

import sys

from hms_objects import column, connect

address, count = sys.argv[1], int(sys.argv[2])
client = connect(address)
changed = 0
for database in sorted(name for name in client.get_all_databases() if name.startswith("load")):
    for name in sorted(client.get_all_tables(database)):
        if changed == count:
            break
        table = client.get_table(database, name)
        table.sd.cols.append(column("added_later", "string"))
        client.alter_table(database, name, table)
        changed += 1
print(f"{changed} tables changed", file=sys.stderr)
