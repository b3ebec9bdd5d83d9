//! Cron expressions: seconds minutes hours days months weekdays, in UTC.

use tokio_cron_scheduler::Job;

/// The fields in their order, each with what it takes.
const FIELDS: [(&str, &str); 6] = [
    ("seconds", "0 to 59"),
    ("minutes", "0 to 59"),
    ("hours", "0 to 23"),
    ("days", "1 to 31"),
    ("months", "1 to 12 or JAN to DEC"),
    ("weekdays", "0 to 7 or SUN to SAT"),
];

/// Says in words what is wrong with an expression.
pub fn check(expression: &str) -> Result<(), String> {
    if is_understood(expression) {
        return Ok(());
    }
    let written: Vec<&str> = expression.split_whitespace().collect();
    if written.len() != FIELDS.len() {
        let hint = if written.len() == 5 { "; the seconds come first, mostly as 0" } else { "" };
        return Err(format!("{} of {} fields{hint}", written.len(), FIELDS.len()));
    }
    // The scheduler does not tell which field it refuses, so each is tried alone.
    for (position, (field, allowed)) in FIELDS.iter().enumerate() {
        let mut alone = ["*"; FIELDS.len()];
        alone[position] = written[position];
        if !is_understood(&alone.join(" ")) {
            let refused: String = written[position].chars().take(40).collect();
            return Err(format!("{field} are {allowed}, also as *, 1-5, 1,15 or */10, not {refused:?}"));
        }
    }
    Err("the fields do not go together".to_owned())
}

fn is_understood(expression: &str) -> bool {
    Job::new(expression, |_, _| {}).is_ok()
}
