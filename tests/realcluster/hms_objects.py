"""Metastore objects over Hive's own Thrift types (PyPI: hmsclient), for the hms_*.py scripts."""

import time
from urllib.parse import urlparse

from hmsclient import hmsclient
from hmsclient.genthrift.hive_metastore import ttypes


def connect(address):
    """A client of `thrift://HOST:PORT`, as hms.sh prints it."""
    parts = urlparse(address)
    client = hmsclient.HMSClient(host=parts.hostname, port=parts.port)
    client.open()
    return client


def column(name, column_type, comment=None):
    return ttypes.FieldSchema(name=name, type=column_type, comment=comment)


def many_columns(count):
    types = ("bigint", "string", "double", "decimal(18,4)")
    return [column(f"c{i:02}", types[i % len(types)], f"column {i}") for i in range(count)]


def storage(columns, location=None):
    serde = ttypes.SerDeInfo(
        name="lazy", serializationLib="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe", parameters={}
    )
    return ttypes.StorageDescriptor(
        cols=columns,
        location=location,
        inputFormat="org.apache.hadoop.mapred.TextInputFormat",
        outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        numBuckets=-1,
        bucketCols=[],
        sortCols=[],
        parameters={},
        serdeInfo=serde,
    )


def table(database, name, columns, location=None, partition_keys=(), **others):
    fields = {"tableType": "MANAGED_TABLE", "parameters": {}, **others}
    return ttypes.Table(
        dbName=database,
        tableName=name,
        owner="etl",
        createTime=int(time.time()),
        sd=storage(columns, location),
        partitionKeys=list(partition_keys),
        **fields,
    )


def partition(database, table_name, values, columns, location):
    return ttypes.Partition(
        dbName=database,
        tableName=table_name,
        values=values,
        parameters={},
        createTime=int(time.time()),
        sd=storage(columns, location),
    )
