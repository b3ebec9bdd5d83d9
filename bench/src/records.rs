//! Impala lineage records of about 2 KB, as Impala 4 writes them, made up from a seed.

use std::fmt::Write as _;

/// How different the statements of a log are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shapes {
    /// 1,000 statement shapes that run again and again, with 30 different dates as literals.
    Repeated,
    /// Every statement has names of its own.
    Distinct,
}

/// One record, without a line feed.
pub(crate) fn impala_record(number: u64, shapes: Shapes) -> String {
    let shape = match shapes {
        Shapes::Repeated => number.wrapping_mul(2_654_435_761) % 1_000,
        Shapes::Distinct => number,
    };
    let day = 1 + number % 30;
    let target = format!("mart.daily_report_{shape:06}");
    let orders = format!("raw.orders_{:04}", shape % 2_000);
    let customers = format!("raw.customers_{:04}", shape % 500);
    let columns = ["order_id", "country", "gross_amount"];

    let mut text = format!("insert into table {target} partition (dt='2026-11-{day:02}') select ");
    for (position, column) in columns.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        let _ = write!(text, "{separator}coalesce(o.{column}, c.{column}_default) as {column}");
    }
    let _ = write!(
        text,
        " from {orders} o join {customers} c on o.customer_id = c.id left join raw.exchange_rates r on r.day = o.dt \
         where o.dt = '2026-11-{day:02}' and c.country not in ('DK', 'XX') and o.gross_amount > {}",
        number % 97
    );

    let mut vertices = String::new();
    let mut edges = String::new();
    let mut next = 0;
    let mut vertex = |name: &str, table: &str| {
        let separator = if next == 0 { "" } else { "," };
        let _ = write!(
            vertices,
            "{separator}{{\"id\":{next},\"vertexType\":\"COLUMN\",\"vertexId\":\"{name}\",\"metadata\":{{\"tableName\":\"{table}\",\"tableCreateTime\":1780000000}}}}"
        );
        next += 1;
        next - 1
    };
    let mut targets = Vec::new();
    for column in columns {
        let target_id = vertex(column, &target);
        let source_id = vertex(&format!("{orders}.{column}"), &orders);
        targets.push(target_id.to_string());
        let _ = write!(edges, "{{\"sources\":[{source_id}],\"targets\":[{target_id}],\"edgeType\":\"PROJECTION\"}},");
    }
    let predicates = [
        vertex(&format!("{orders}.customer_id"), &orders),
        vertex(&format!("{customers}.id"), &customers),
        vertex(&format!("{customers}.country"), &customers),
        vertex("raw.exchange_rates.day", "raw.exchange_rates"),
    ];
    let _ =
        write!(edges, "{{\"sources\":{predicates:?},\"targets\":[{}],\"edgeType\":\"PREDICATE\"}}", targets.join(","));
    let started = 1_790_000_000 + number / 20;
    format!(
        "{{\"queryText\":\"{text}\",\"queryId\":\"{:016x}:{number:016x}\",\"hash\":\"{:032x}\",\"user\":\"etl_{}@EXAMPLE.COM\",\"timestamp\":{started},\"endTime\":{},\"edges\":[{edges}],\"vertices\":[{vertices}]}}",
        number ^ 0x5eed,
        number,
        number % 20,
        started + 3
    )
}
