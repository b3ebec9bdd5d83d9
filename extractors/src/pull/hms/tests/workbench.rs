//! Makes databases and tables in a real metastore, with the same codec.

use tokio::net::TcpStream;

use crate::pull::hms::thrift::Value;
use crate::pull::hms::thrift::message::{Reply, decode_reply, encode_call};
use crate::pull::hms::thrift::transport::{Framing, Transport};

pub(super) struct Workbench {
    transport: Transport<TcpStream>,
    sequence: i32,
}

impl Workbench {
    pub(super) async fn at(uri: &str) -> Self {
        let address = uri.strip_prefix("thrift://").expect("the test metastore's address is a thrift:// URI");
        let stream = TcpStream::connect(address).await.unwrap();
        Self { transport: Transport::new(stream, Framing::Buffered), sequence: 0 }
    }

    pub(super) async fn call(&mut self, method: &str, arguments: &[Value]) -> Reply {
        self.sequence += 1;
        self.transport.send(&encode_call(method, self.sequence, arguments)).await.unwrap();
        decode_reply(&self.transport.receive().await.unwrap(), method, self.sequence).unwrap()
    }

    async fn must(&mut self, method: &str, arguments: &[Value]) {
        let reply = self.call(method, arguments).await;
        assert!(matches!(reply, Reply::Success(_)), "{method}: {reply:?}");
    }

    /// An empty database, whatever was there before.
    pub(super) async fn fresh_database(&mut self, name: &str) {
        self.call("drop_database", &[text(name), Value::Bool(true), Value::Bool(true)]).await;
        let parameters = Value::Map(vec![(text("team"), text("etl"))]);
        let database = Value::Struct(vec![(1, text(name)), (2, text("made by a test")), (4, parameters)]);
        self.must("create_database", &[database]).await;
    }

    pub(super) async fn drop_database(&mut self, name: &str) {
        self.must("drop_database", &[text(name), Value::Bool(true), Value::Bool(true)]).await;
    }

    pub(super) async fn drop_table(&mut self, database: &str, table: &str) {
        self.must("drop_table", &[text(database), text(table), Value::Bool(true)]).await;
    }

    /// A table with the given fields beyond names, storage and parameters.
    pub(super) async fn create_table(
        &mut self,
        database: &str,
        table: &str,
        columns: Vec<Value>,
        others: Vec<(i16, Value)>,
    ) {
        let record =
            [vec![(1, text(table)), (2, text(database)), (7, storage(columns)), (9, Value::Map(vec![]))], others];
        self.must("create_table", &[Value::Struct(record.concat())]).await;
    }

    /// Partitions of those values; they lie below the table.
    pub(super) async fn add_partitions(&mut self, database: &str, table: &str, values: &[&str]) {
        let partition = |value: &&str| {
            Value::Struct(vec![
                (1, Value::list_of_texts(&[value])),
                (2, text(database)),
                (3, text(table)),
                (6, storage(vec![column("id", "bigint")])),
                (7, Value::Map(vec![])),
            ])
        };
        self.must("add_partitions", &[Value::List(values.iter().map(partition).collect())]).await;
    }
}

pub(super) fn text(text: &str) -> Value {
    Value::text_of(text)
}

pub(super) fn column(name: &str, data_type: &str) -> Value {
    Value::Struct(vec![(1, text(name)), (2, text(data_type)), (3, text("a comment"))])
}

fn storage(columns: Vec<Value>) -> Value {
    let serde = vec![
        (1, text("s")),
        (2, text("org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe")),
        (3, Value::Map(vec![(text("field.delim"), text(","))])),
    ];
    Value::Struct(vec![
        (1, Value::List(columns)),
        (3, text("org.apache.hadoop.mapred.TextInputFormat")),
        (4, text("org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat")),
        (5, Value::Bool(false)),
        (6, Value::I32(-1)),
        (7, Value::Struct(serde)),
        (8, Value::List(vec![])),
        (9, Value::List(vec![])),
        (10, Value::Map(vec![])),
    ])
}
