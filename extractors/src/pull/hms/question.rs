//! What a metastore is asked: methods, arguments, declared exceptions, and their older forms.
//!
//! Sources: `hive_metastore.thrift` of Hive 1.2 to 4.1. Where a request struct exists it is asked
//! first: Hive 4 dropped `get_table_objects_by_name` for it, and only it can say that this client
//! understands insert-only tables, without which Hive 3 refuses to show them. Hive before 2.3 has
//! only the plain methods.

use super::thrift::Value;

/// The exception that says that an object is not there.
pub(super) const NO_SUCH_OBJECT: &str = "NoSuchObjectException";
const META: &str = "MetaException";
const INVALID_OPERATION: &str = "InvalidOperationException";
/// The exception that says that a batch's database is not there.
pub(super) const UNKNOWN_DATABASE: &str = "UnknownDBException";
const INVALID_OBJECT: &str = "InvalidObjectException";

/// `ClientCapability.INSERT_ONLY_TABLES`.
const INSERT_ONLY_TABLES: i32 = 2;

/// One method with its arguments.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) method: &'static str,
    pub(super) arguments: Vec<Value>,
    /// The declared exceptions, from number 1.
    throws: &'static [&'static str],
    /// Takes what was asked for out of the method's result; nothing if it is not there.
    pub(super) unwrap: fn(Value) -> Option<Value>,
}

impl Ask {
    /// The name of the declared exception of that number.
    pub(super) fn exception(&self, number: i16) -> &'static str {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        index.and_then(|index| self.throws.get(index)).copied().unwrap_or("an exception that it does not declare")
    }
}

/// One thing to know, in one or more forms, the newest first.
#[derive(Debug)]
pub(super) struct Question {
    forms: Vec<Ask>,
}

impl Question {
    pub(super) fn forms(&self) -> &[Ask] {
        &self.forms
    }

    /// The method of its newest form.
    pub(super) fn method(&self) -> &'static str {
        self.forms[0].method
    }

    /// Whether the metastore is there; any answer says yes.
    pub(super) fn status() -> Self {
        Self::plain("getStatus", vec![], &[])
    }

    /// The names of all databases: a list of text.
    pub(super) fn all_databases() -> Self {
        Self::plain("get_all_databases", vec![], &[META])
    }

    /// A database.
    pub(super) fn database(name: &str) -> Self {
        Self::plain("get_database", vec![Value::text_of(name)], &[NO_SUCH_OBJECT, META])
    }

    /// The names of all tables and views of a database: a list of text.
    pub(super) fn all_tables(database: &str) -> Self {
        Self::plain("get_all_tables", vec![Value::text_of(database)], &[META])
    }

    /// A table or view.
    pub(super) fn table(database: &str, table: &str) -> Self {
        let names = [Value::text_of(database), Value::text_of(table)];
        let throws = &[META, NO_SUCH_OBJECT];
        Self {
            forms: vec![
                Ask {
                    method: "get_table_req",
                    arguments: vec![request(names.clone())],
                    throws,
                    unwrap: |result| take_field(result, 1),
                },
                Ask { method: "get_table", arguments: names.to_vec(), throws, unwrap: Some },
            ],
        }
    }

    /// Those of the named tables and views that are there: a list of tables.
    pub(super) fn tables(database: &str, tables: &[String]) -> Self {
        let names = [Value::text_of(database), Value::list_of_texts(tables)];
        let throws = &[META, INVALID_OPERATION, UNKNOWN_DATABASE];
        Self {
            forms: vec![
                Ask {
                    method: "get_table_objects_by_name_req",
                    arguments: vec![request(names.clone())],
                    throws,
                    unwrap: |result| take_field(result, 1),
                },
                Ask { method: "get_table_objects_by_name", arguments: names.to_vec(), throws, unwrap: Some },
            ],
        }
    }

    /// How many partitions a table has: a number, or the list of their names.
    pub(super) fn partition_count(database: &str, table: &str) -> Self {
        let arguments = vec![Value::text_of(database), Value::text_of(table), Value::text_of("")];
        let count =
            Ask { method: "get_num_partitions_by_filter", arguments, throws: &[META, NO_SUCH_OBJECT], unwrap: Some };
        let mut question = Self::partition_names(database, table);
        question.forms.insert(0, count);
        question
    }

    /// The names of a table's partitions: a list of text.
    pub(super) fn partition_names(database: &str, table: &str) -> Self {
        let all = Value::I16(-1);
        // Hive before 3 declares `MetaException` alone, as number 1. Both say the same here.
        Self::plain(
            "get_partition_names",
            vec![Value::text_of(database), Value::text_of(table), all],
            &["NoSuchObjectException or MetaException", META],
        )
    }

    /// Those of the named partitions that are there: a list of partitions.
    pub(super) fn partitions(database: &str, table: &str, names: &[String]) -> Self {
        let arguments = [Value::text_of(database), Value::text_of(table), Value::list_of_texts(names)];
        let throws = &[META, NO_SUCH_OBJECT, INVALID_OBJECT];
        let request = Value::Struct((1..).zip(arguments.clone()).collect());
        Self {
            forms: vec![
                Ask { method: "get_partitions_by_names", arguments: arguments.to_vec(), throws, unwrap: Some },
                Ask {
                    method: "get_partitions_by_names_req",
                    arguments: vec![request],
                    throws,
                    unwrap: |result| take_field(result, 1),
                },
            ],
        }
    }

    fn plain(method: &'static str, arguments: Vec<Value>, throws: &'static [&'static str]) -> Self {
        Self { forms: vec![Ask { method, arguments, throws, unwrap: Some }] }
    }
}

/// A `GetTableRequest` or `GetTablesRequest`: 1 database, 2 name or names, 3 capabilities.
fn request([database, names]: [Value; 2]) -> Value {
    let capabilities = Value::Struct(vec![(1, Value::List(vec![Value::I32(INSERT_ONLY_TABLES)]))]);
    Value::Struct(vec![(1, database), (2, names), (3, capabilities)])
}

fn take_field(value: Value, number: i16) -> Option<Value> {
    let Value::Struct(fields) = value else {
        return None;
    };
    fields.into_iter().find(|(id, _)| *id == number).map(|(_, value)| value)
}
