//! Measures indexing and the three classes of wildcard queries over generated statements.
//!
//! `cargo run --release -p sextant-search --example measure -- DIRECTORY [TEXTS [CLASS]]`
//!
//! The directory is filled the first time and reused afterwards.

#![expect(clippy::print_stdout, reason = "the report of a measurement")]

use std::path::Path;
use std::time::{Duration, Instant};

use sextant_model::{EntityId, Timestamp, Viewer};
use sextant_search::{Document, Index, Options, Sort, Value, parse};

/// How often each class is asked.
const QUERIES: u64 = 200;

/// A small generator, so that every run measures the same statements.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

const COLUMNS: &[&str] = &[
    "customer_id",
    "order_date",
    "amount",
    "country_code",
    "product_name",
    "event_time",
    "session_id",
    "user_agent",
    "net_price",
    "tax_rate",
    "warehouse_id",
    "updated_at",
    "is_active",
    "channel",
    "campaign_id",
    "visit_count",
];

/// A statement of about 340 bytes; every table is named in about one of 1,000 statements.
fn statement(random: &mut Random) -> (String, String) {
    let table = |random: &mut Random| format!("db_{}.temp_sample_{:04}", random.below(40), random.below(2400));
    let column = |random: &mut Random| COLUMNS[random.below(COLUMNS.len() as u64) as usize];
    let target = table(random);
    let (month, day) = (random.below(12) + 1, random.below(28) + 1);
    let columns: Vec<String> =
        (0..4 + random.below(6)).map(|_| format!("t{}.{}", random.below(3), column(random))).collect();
    let join = if random.below(1000) < 494 {
        format!(" LEFT OUTER JOIN {} t1 ON t0.{} = t1.{}", table(random), column(random), column(random))
    } else {
        String::new()
    };
    let group = if random.below(3) == 0 {
        format!(" GROUP BY t0.{} ORDER BY {} DESC LIMIT {}", column(random), column(random), random.below(1000))
    } else {
        String::new()
    };
    let text = format!(
        "INSERT OVERWRITE TABLE {target} PARTITION (dt='2026-{month:02}-{day:02}')\nSELECT {}\nFROM {} t0{join} \
         WHERE t0.{} > {} AND t0.{} IN ('{}', '{}'){group}",
        columns.join(", "),
        table(random),
        column(random),
        random.below(100_000),
        column(random),
        random.below(1 << 30),
        random.below(1 << 30),
    );
    (text, target)
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |index: usize| fields.get(index).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

/// How long this thread has been running, whatever else the machine was doing.
fn thread_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn bytes_below(directory: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

fn fill(index: &Index, texts: u64) {
    let mut random = Random(7);
    let start = Instant::now();
    let mut bytes = 0;
    for batch in 0..texts.div_ceil(10_000) {
        let documents: Vec<Document> = (batch * 10_000..texts.min((batch + 1) * 10_000))
            .map(|number| {
                let (text, target) = statement(&mut random);
                bytes += text.len();
                // Every fifth operation has a second true text.
                let operation = number - u64::from(number % 6 == 5);
                Document {
                    key: EntityId::derive("text", &[&number.to_le_bytes()]),
                    entity: EntityId::derive("operation", &[&operation.to_le_bytes()]),
                    fields: vec![
                        ("type", Value::Text("OPERATION".to_owned())),
                        ("sourceType", Value::Text(["HIVE", "IMPALA"][(operation % 2) as usize].to_owned())),
                        ("cluster", Value::Text("prod".to_owned())),
                        ("principal", Value::Text(format!("user{}", operation % 300))),
                        ("originalName", Value::Text(format!("INSERT {target}"))),
                        ("deleted", Value::Bool(false)),
                        ("firstSeen", Value::Time(Timestamp::from_seconds(1_790_000_000 + operation as i64))),
                        ("queryText", Value::Text(text)),
                    ],
                }
            })
            .collect();
        index.update(&documents, &[]).expect("an update");
        if batch % 10 == 9 {
            index.commit(batch).expect("a commit");
        }
    }
    index.commit(texts).expect("a commit");
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "indexed {texts} texts, mean {} B, in {seconds:.1} s ({:.0} texts/s), {:.1} s of CPU",
        bytes as u64 / texts,
        texts as f64 / seconds,
        cpu_seconds()
    );
}

fn measure(index: &Index, class: &str, facets: bool, query_of: &mut dyn FnMut(u64) -> String) {
    let mut times: Vec<Duration> = Vec::new();
    let mut busy_times: Vec<Duration> = Vec::new();
    let mut total = 0;
    let mut exact = 0;
    for number in 0..QUERIES {
        let query = parse(&query_of(number), Timestamp::from_seconds(1_790_000_000)).expect("a query");
        let options = Options { limit: 20, cursor: None, sort: Sort::Relevance, facets };
        let busy = thread_time();
        let start = Instant::now();
        let found = index.search(&Viewer::all(), &query, &options).expect("an answer");
        times.push(start.elapsed());
        busy_times.push(thread_time().saturating_sub(busy));
        total += found.total;
        exact += u64::from(found.total_is_exact);
    }
    times.sort();
    busy_times.sort();
    let at = |times: &[Duration], share: usize| times[times.len() * share / 100].as_secs_f64() * 1000.0;
    println!(
        "{class:32} facets {facets:5}  p50 {:7.2} ms  p95 {:7.2} ms  CPU p50 {:7.2} ms  p95 {:7.2} ms  mean total {:7}  exact {exact}/{QUERIES}",
        at(&times, 50),
        at(&times, 95),
        at(&busy_times, 50),
        at(&busy_times, 95),
        total / QUERIES
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().expect("a directory");
    let texts = arguments.next().map_or(1_000_000, |texts| texts.parse().expect("a number of texts"));
    let opened = Index::open(Path::new(&directory)).expect("an index");
    if opened.position == 0 {
        fill(&opened.index, texts);
    }
    println!("{} documents, {} MB on disk", opened.index.documents(), bytes_below(Path::new(&directory)) / 1_000_000);
    let index = &opened.index;
    let wanted = arguments.next().unwrap_or_default();
    let measure = |index: &Index, class: &str, facets: bool, query_of: &mut dyn FnMut(u64) -> String| {
        if class.contains(&wanted) {
            measure(index, class, facets, query_of);
        }
    };
    for facets in [false, true] {
        measure(index, "selective *temp_sample_0042*", facets, &mut |number| {
            format!("queryText:*temp_sample_{:04}*", number * 11)
        });
        measure(index, "database *db_7.temp_sample_1*", facets, &mut |number| {
            format!("queryText:*db_{}.temp_sample_1*", number % 40)
        });
        measure(index, "leading wildcard *_sample_0042", facets, &mut |number| {
            format!("queryText:*_sample_{:04}", number * 11)
        });
        measure(index, "frequent *left outer join*", facets, &mut |_| {
            "queryText:\"left\" queryText:*outer\\ join*".to_owned()
        });
        measure(index, "frequent *outer\\ join*", facets, &mut |_| "queryText:*outer\\ join*".to_owned());
        measure(index, "absent *sample_9999*", facets, &mut |_| "queryText:*sample_9999*".to_owned());
        measure(index, "word queryText:insert", facets, &mut |_| "queryText:insert".to_owned());
        measure(index, "bare word", facets, &mut |number| format!("temp_sample_{:04}", number * 11));
        measure(index, "two letters *x9*", facets, &mut |_| "queryText:*x9*".to_owned());
        measure(index, "not -queryText:*outer join*", facets, &mut |_| "-queryText:*outer\\ join*".to_owned());
        measure(index, "everything", facets, &mut |_| "*".to_owned());
    }
}
