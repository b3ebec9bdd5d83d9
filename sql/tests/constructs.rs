//! One small statement for each thing that Hive and Impala can say.

use sextant_sql::{Catalog, ControlUse, Dialect, MemoryCatalog, ProblemKind, Reader, Statement, Table, View, Views};

/// What all tests know: two tables, one of them with a partition column, and a view.
fn catalog() -> MemoryCatalog {
    let mut catalog = MemoryCatalog::default();
    catalog.insert("default", "t", Table::of_columns(["a", "b", "c"]));
    catalog.insert("default", "u", Table::of_columns(["a", "d"]));
    let mut partitioned = Table::of_columns(["x", "y"]);
    partitioned.partition_columns = vec!["ds".into()];
    catalog.insert("default", "p", partitioned);
    let view = View { text: "select a as va, b + c as vb from t".into(), database: "default".into() };
    catalog.insert("default", "v", Table { view: Some(view), ..Table::of_columns(["va", "vb"]) });
    catalog
}

fn read_as(text: &str, dialect: Dialect, views: Views) -> Vec<Statement> {
    let catalog = catalog();
    Reader::new(dialect, views, Some(&catalog as &dyn Catalog)).read(text)
}

fn read(text: &str) -> Statement {
    read_as(text, Dialect::Hive, Views::Through).pop().unwrap()
}

/// `target <- source, … (kind)` for each column.
fn columns(statement: &Statement) -> Vec<String> {
    let line = |column: &sextant_sql::ColumnLineage| {
        let sources: Vec<String> = column.sources.iter().map(ToString::to_string).collect();
        format!("{} <- {} ({:?})", column.target, sources.join(", "), column.kind).to_lowercase()
    };
    statement.columns.iter().map(line).collect()
}

/// The last statement's inputs, outputs and columns, and that nothing was unclear.
#[track_caller]
fn check(text: &str, inputs: &[&str], outputs: &[&str], expected: &[&str]) {
    let statement = read(text);
    assert_eq!(statement.problems.iter().collect::<Vec<_>>(), [] as [&sextant_sql::Problem; 0], "{text}");
    assert_eq!(statement.inputs.iter().collect::<Vec<_>>(), inputs, "{text}");
    assert_eq!(statement.outputs.iter().collect::<Vec<_>>(), outputs, "{text}");
    assert_eq!(columns(&statement), expected, "{text}");
}

#[track_caller]
fn check_query(query: &str, inputs: &[&str], expected: &[&str]) {
    check(query, inputs, &[], expected);
}

#[track_caller]
fn check_problem(text: &str, kind: ProblemKind, line: u64, column: u64, words: &str) {
    let statement = read(text);
    let found = statement.problems.iter().find(|problem| problem.kind == kind);
    let problem = found.unwrap_or_else(|| panic!("{text}: {:?}", statement.problems));
    assert_eq!((problem.line, problem.column), (line, column), "{problem:?}");
    assert!(problem.message.contains(words), "{problem:?}");
}

#[test]
fn kinds_of_columns() {
    check_query(
        "select a, b + 1 x, sum(c) y, 7 z from t group by a, b",
        &["default.t"],
        &[
            "a <- default.t.a (copy)",
            "x <- default.t.b (expression)",
            "y <- default.t.c (aggregation)",
            "z <-  (expression)",
        ],
    );
}

#[test]
fn columns_that_control_are_apart() {
    let statement = read(
        "select t.a, rank() over (partition by t.b order by t.c) from t join u on t.a = u.a where d > 1 \
         group by t.a, t.b order by t.a",
    );
    let control: Vec<_> = statement.control.iter().map(|c| (c.source.to_string(), c.usage)).collect();
    assert_eq!(
        control,
        [
            ("default.t.a".to_owned(), ControlUse::Join),
            ("default.t.a".to_owned(), ControlUse::Group),
            ("default.t.a".to_owned(), ControlUse::Order),
            ("default.t.b".to_owned(), ControlUse::Group),
            ("default.t.b".to_owned(), ControlUse::Window),
            ("default.t.c".to_owned(), ControlUse::Window),
            ("default.u.a".to_owned(), ControlUse::Join),
            ("default.u.d".to_owned(), ControlUse::Filter),
        ]
    );
    assert!(statement.columns[1].sources.is_empty());
}

#[test]
fn inserts_go_by_position() {
    let written = ["default.u.a <- default.t.b (copy)", "default.u.d <- default.t.a (copy)"];
    check("insert into u select b, a from t", &["default.t"], &["default.u"], &written);
    check("insert into table u (d, a) select a, b from t", &["default.t"], &["default.u"], &[written[1], written[0]]);
    check(
        "insert into u (d) select a from t",
        &["default.t"],
        &["default.u"],
        &[written[1], "default.u.a <-  (expression)"],
    );
    check(
        "insert into u values (1, 'x'), (2, 'y')",
        &[],
        &["default.u"],
        &["default.u.a <-  (expression)", "default.u.d <-  (expression)"],
    );
    check(
        "insert into u select a, a from u",
        &["default.u"],
        &["default.u"],
        &["default.u.a <- default.u.a (copy)", "default.u.d <- default.u.a (copy)"],
    );
}

#[test]
fn partitions_are_static_and_dynamic() {
    let x = "default.p.x <- default.t.a (copy)";
    let y = "default.p.y <- default.t.b (copy)";
    check("insert overwrite table p partition (ds='1') select a, b from t", &["default.t"], &["default.p"], &[x, y]);
    check(
        "insert overwrite table p partition (ds) if not exists select a, b, c from t",
        &["default.t"],
        &["default.p"],
        &[x, y, "default.p.ds <- default.t.c (copy)"],
    );
    check(
        "insert into p (y, x) partition (ds) [shuffle] select b, a, c from t",
        &["default.t"],
        &["default.p"],
        &[y, x, "default.p.ds <- default.t.c (copy)"],
    );
}

#[test]
fn multi_insert() {
    check(
        "from t insert overwrite table u select a, b where c > 1 \
         insert into table p partition (ds='1') select a, max(b) group by a",
        &["default.t"],
        &["default.p", "default.u"],
        &[
            "default.u.a <- default.t.a (copy)",
            "default.u.d <- default.t.b (copy)",
            "default.p.x <- default.t.a (copy)",
            "default.p.y <- default.t.b (aggregation)",
        ],
    );
}

#[test]
fn common_tables_subqueries_and_set_operations() {
    check_query(
        "with t as (select a from t), w as (select a + 1 n from t) select n from w union all select d from u",
        &["default.t", "default.u"],
        &["n <- default.t.a, default.u.d (expression)"],
    );
    check_query("with unused as (select * from u) select a from t", &["default.t"], &["a <- default.t.a (copy)"]);
    check_query(
        "select (select max(d) from u where u.a = t.a) m from t where exists (select 1 from u where u.a = t.b)",
        &["default.t", "default.u"],
        &["m <- default.u.d (aggregation)"],
    );
    check_query(
        "select a from t where b in (select d from u)",
        &["default.t", "default.u"],
        &["a <- default.t.a (copy)"],
    );
    check_query("select a from t except select d from u", &["default.t", "default.u"], &["a <- default.t.a (copy)"]);
    check_query(
        "select q.* from (select a, b from t) q",
        &["default.t"],
        &["a <- default.t.a (copy)", "b <- default.t.b (copy)"],
    );
    check_query(
        "select * from t left semi join u on t.a = u.a",
        &["default.t", "default.u"],
        &["a <- default.t.a (copy)", "b <- default.t.b (copy)", "c <- default.t.c (copy)"],
    );
}

#[test]
fn from_first_and_lateral_views() {
    check_query("from t select a where b > 1", &["default.t"], &["a <- default.t.a (copy)"]);
    check_query("from (from t select a, b) q select q.b", &["default.t"], &["b <- default.t.b (copy)"]);
    check_query(
        "select t.a, e from t lateral view outer explode(split(b, ',')) x as e join u on t.a = u.a",
        &["default.t", "default.u"],
        &["a <- default.t.a (copy)", "e <- default.t.b (expression)"],
    );
    check_query(
        "from t lateral view posexplode(c) x select x.val, pos",
        &["default.t"],
        &["val <- default.t.c (expression)", "pos <- default.t.c (expression)"],
    );
}

#[test]
fn scripts() {
    check_query(
        "select transform (a, b) row format delimited using 'cat' as (k string, m map<string,int>) from t",
        &["default.t"],
        &["k <- default.t.a, default.t.b (script)", "m <- default.t.a, default.t.b (script)"],
    );
    check_query(
        "from (from t map a, c using 'm.py' as k, v cluster by k) q reduce q.k, q.v using 'r.py'",
        &["default.t"],
        &["key <- default.t.a, default.t.c (script)", "value <- default.t.a, default.t.c (script)"],
    );
}

#[test]
fn tables_made_of_queries() {
    check(
        "create table if not exists n stored as orc tblproperties ('a'='b') as select a, b * 2 from t",
        &["default.t"],
        &["default.n"],
        &["default.n.a <- default.t.a (copy)", "default.n._c1 <- default.t.b (expression)"],
    );
    check(
        "create external table n stored by iceberg as (select a k from t)",
        &["default.t"],
        &["default.n"],
        &["default.n.k <- default.t.a (copy)"],
    );
    check(
        "create view n (k comment 'x', l) comment 'y' partitioned on (l) as select a, b from t",
        &["default.t"],
        &["default.n"],
        &["default.n.k <- default.t.a (copy)", "default.n.l <- default.t.b (copy)"],
    );
    check(
        "create materialized view n disable rewrite as select d from u",
        &["default.u"],
        &["default.n"],
        &["default.n.d <- default.u.d (copy)"],
    );
    check("alter view v as select d from u", &["default.u"], &["default.v"], &["default.v.d <- default.u.d (copy)"]);
}

#[test]
fn views_are_seen_through_or_kept() {
    let text = "insert into u select vb, va from v";
    check(
        text,
        &["default.t", "default.v"],
        &["default.u"],
        &["default.u.a <- default.t.b, default.t.c (expression)", "default.u.d <- default.t.a (copy)"],
    );
    let kept = read_as(text, Dialect::Hive, Views::Kept).pop().unwrap();
    assert_eq!(kept.inputs.iter().collect::<Vec<_>>(), ["default.v"]);
    assert_eq!(columns(&kept), ["default.u.a <- default.v.vb (copy)", "default.u.d <- default.v.va (copy)"]);
}

#[test]
fn rows_that_are_changed() {
    check(
        "update u set d = d + a where a = 1",
        &["default.u"],
        &["default.u"],
        &["default.u.d <- default.u.a, default.u.d (expression)"],
    );
    check(
        "update x set x.d = t.b from u x join t on x.a = t.a",
        &["default.t", "default.u"],
        &["default.u"],
        &["default.u.d <- default.t.b (copy)"],
    );
    check("delete from u where a in (select a from t)", &["default.t", "default.u"], &["default.u"], &[]);
    check(
        "upsert into u (a) select b from t",
        &["default.t"],
        &["default.u"],
        &["default.u.a <- default.t.b (copy)", "default.u.d <-  (expression)"],
    );
    check(
        "merge into u using (select a, b, c from t) s on u.a = s.a \
         when matched and s.c = 'x' then delete \
         when matched then update set d = s.b \
         when not matched then insert values (s.a, case when s.b > 1 then s.c else 0 end)",
        &["default.t", "default.u"],
        &["default.u"],
        &["default.u.d <- default.t.b, default.t.c (expression)", "default.u.a <- default.t.a (copy)"],
    );
}

#[test]
fn statements_that_move_data() {
    check("load data local inpath '/in/x' overwrite into table p partition (ds='1')", &["/in/x"], &["default.p"], &[]);
    check("export table p partition (ds='1') to '/out'", &["default.p"], &["/out"], &[]);
    check("import external table n from '/out' location '/at'", &["/out"], &["/at", "default.n"], &[]);
    check("create table n like t", &["default.t"], &["default.n"], &[]);
    check(
        "alter table u rename to w",
        &["default.u"],
        &["default.w"],
        &["default.w.a <- default.u.a (copy)", "default.w.d <- default.u.d (copy)"],
    );
    check(
        "alter table w exchange partition (ds='1') with table u",
        &["default.u"],
        &["default.w"],
        &["default.w.a <- default.u.a (copy)", "default.w.d <- default.u.d (copy)"],
    );
    check(
        "insert overwrite local directory '/d' row format delimited fields terminated by ',' select a from t",
        &["default.t"],
        &["/d"],
        &["a <- default.t.a (copy)"],
    );
}

#[test]
fn a_text_teaches() {
    check(
        "use db; create table n (a int, s struct<x:int,y:string>) partitioned by (ds date); \
         insert into default.t select * from n",
        &["db.n"],
        &["default.t"],
        &["default.t.a <- db.n.a (copy)", "default.t.b <- db.n.s (copy)", "default.t.c <- db.n.ds (copy)"],
    );
    check_query(
        "create table n as select a x, b y from t; alter table n change x z int; alter table n add columns (w int); \
         select * from n",
        &["default.n"],
        &["z <- default.n.z (copy)", "y <- default.n.y (copy)", "w <- default.n.w (copy)"],
    );
    check_problem("drop table t; select * from t", ProblemKind::StarWithoutSchema, 1, 22, "default.t");
}

#[test]
fn literals_and_names() {
    check_query(
        r#"select 'it\'s; a "b"' x, "it's" y, `a` from t -- ; select"#,
        &["default.t"],
        &["x <-  (expression)", "y <-  (expression)", "a <- default.t.a (copy)"],
    );
    check(
        "create table größe as select a as straße from `default`.`t`",
        &["default.t"],
        &["default.größe"],
        &["default.größe.straße <- default.t.a (copy)"],
    );
    check_query(
        "select c.f.g, c[0].h, b['k'] k from t",
        &["default.t"],
        &["g <- default.t.c (expression)", "h <- default.t.c (expression)", "k <- default.t.b (expression)"],
    );
}

#[test]
fn what_has_no_say_is_dropped() {
    for query in [
        "select straight_join a from t",
        "select /*+ mapjoin(t) */ a from t tablesample (bucket 1 out of 2 on b) x",
        "select a from t join [shuffle] u using (a)",
        "select a from t limit 3, 5",
        "select a from t for system_time as of '2020-01-01'",
        "select distinct a from t distribute by b sort by c",
        "select a from t order by b limit 1 union all select a from t",
        "select a from t where b > date '2020-01-01' + interval 3 days and c div 2 = 1 and b <=> c",
        "select a from t where cast(b as timestamp with local time zone) > 1",
        "select a from t group by a, b grouping sets ((a, b), a)",
        "select a from t group by a, b with rollup",
        "select a from noop(on t partition by a order by b)",
    ] {
        let statement = read(query);
        assert_eq!(statement.problems.len(), 0, "{query}: {:?}", statement.problems);
        assert_eq!(columns(&statement), ["a <- default.t.a (copy)"], "{query}");
    }
}

#[test]
fn nested_collections_are_tables() {
    for query in [
        "select i.item from t, t.c i",
        "select item from t x, x.c",
        "select item from default.t.c",
        "select (select sum(item) from x.c) item from t x",
    ] {
        let statement = read_as(query, Dialect::Impala, Views::Through).pop().unwrap();
        assert_eq!(statement.problems.len(), 0, "{query}: {:?}", statement.problems);
        assert_eq!(statement.inputs.iter().collect::<Vec<_>>(), ["default.t"], "{query}");
        assert!(columns(&statement)[0].starts_with("item <- default.t.c ("), "{query}: {:?}", columns(&statement));
    }
}

#[test]
fn what_is_not_known_is_said() {
    check_problem("select 1;\nselect *\nfrom nowhere", ProblemKind::StarWithoutSchema, 2, 8, "default.nowhere");
    check_problem("select a,\n  zz from t", ProblemKind::UnknownColumn, 2, 3, "zz");
    check_problem("select a from t join u on t.a = u.a", ProblemKind::AmbiguousColumn, 1, 8, "default.t, default.u");
    check_problem("select a from m join n", ProblemKind::AmbiguousColumn, 1, 8, "default.m, default.n");
    check_problem("insert into m select a from t", ProblemKind::UnknownTarget, 1, 13, "default.m");
    check_problem("insert into u select a from t", ProblemKind::UnknownTarget, 1, 13, "2 columns, the query gives 1");
    check_problem("select a from ${hiveconf:db}.t", ProblemKind::UnresolvedVariable, 1, 15, "${hiveconf:db}.t");
    check_problem("select a from t where b = ${x}", ProblemKind::UnresolvedVariable, 1, 27, "${x}");
}

#[test]
fn a_table_of_unknown_columns_still_has_those_that_are_named() {
    check_query(
        "select m.x, y + 1 z from m",
        &["default.m"],
        &["x <- default.m.x (copy)", "z <- default.m.y (expression)"],
    );
}

#[test]
fn what_is_not_parsed_is_scanned() {
    let statement = read("insert into u select a b c from t, u join db.w on where");
    assert!(statement.problems.iter().any(|problem| problem.kind == ProblemKind::NotParsed));
    assert_eq!(statement.inputs.iter().collect::<Vec<_>>(), ["db.w", "default.t", "default.u"]);
    assert_eq!(statement.outputs.iter().collect::<Vec<_>>(), ["default.u"]);
    assert_eq!(statement.columns, []);
}
