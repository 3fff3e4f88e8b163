//! Records and totals as OTLP's messages. The numbers of the fields are those of `opentelemetry-proto`.

use std::collections::BTreeMap;

use super::protobuf::Message;
use super::totals::{BOUNDS, Kind, METRICS, Metric, Sum, Totals};
use crate::log::Record;

const SCOPE: &str = "plimsoll";
/// What a record of ours is called.
const EVENT: &str = "plimsoll.decision";
/// Totals since a beginning, not what is new since the last message.
const CUMULATIVE: u64 = 2;

/// A value of an attribute.
pub(super) enum Value<'a> {
    Text(&'a str),
    Texts(&'a [String]),
    Number(u64),
    Bool(bool),
}

impl Value<'_> {
    fn message(&self) -> Message {
        let mut value = Message::default();
        match self {
            Value::Text(text) => value.text(1, text),
            Value::Bool(yes) => value.number(2, u64::from(*yes)),
            Value::Number(number) => value.number(3, *number),
            Value::Texts(texts) => {
                let mut list = Message::default();
                for text in *texts {
                    list.message(1, &Value::Text(text).message());
                }
                value.message(5, &list);
            }
        }
        value
    }

    /// What says nothing is not said.
    fn is_empty(&self) -> bool {
        match self {
            Value::Text(text) => text.is_empty(),
            Value::Texts(texts) => texts.is_empty(),
            Value::Number(_) => false,
            Value::Bool(yes) => !yes,
        }
    }
}

fn attribute(into: &mut Message, field: u64, key: &str, value: &Value<'_>) {
    if value.is_empty() {
        return;
    }
    let mut pair = Message::default();
    pair.text(1, key);
    pair.message(2, &value.message());
    into.message(field, &pair);
}

/// What all messages of this machine begin with, and what they hold: `field` of the scope is the list.
fn envelope(resource: &BTreeMap<String, String>, field: u64, items: &[Message]) -> Vec<u8> {
    let mut about = Message::default();
    for (key, value) in resource {
        attribute(&mut about, 1, key, &Value::Text(value));
    }
    let mut scope = Message::default();
    scope.text(1, SCOPE);
    scope.text(2, env!("CARGO_PKG_VERSION"));
    let mut scoped = Message::default();
    scoped.message(1, &scope);
    for item in items {
        scoped.message(field, item);
    }
    let mut one = Message::default();
    one.message(1, &about);
    one.message(2, &scoped);
    let mut all = Message::default();
    all.message(1, &one);
    all.bytes
}

/// `ExportLogsServiceRequest`. Without `detail`, nothing of what a command, a file or an answer says.
pub(super) fn logs(
    resource: &BTreeMap<String, String>,
    records: &[(Record, String)],
    detail: bool,
    now: u64,
) -> Vec<u8> {
    let items: Vec<Message> = records.iter().map(|(record, line)| log(record, line, detail, now)).collect();
    envelope(resource, 2, &items)
}

fn log(record: &Record, line: &str, detail: bool, now: u64) -> Message {
    let key = record.key(line);
    let mut log = Message::default();
    log.fixed(1, moment(record));
    let (number, text) = match record {
        record if !record.failures.is_empty() => (17, "ERROR"),
        record if record.verdict == "deny" => (13, "WARN"),
        _ => (9, "INFO"),
    };
    log.number(2, number);
    log.text(3, text);
    log.message(5, &Value::Text(EVENT).message());
    let mut add = |key: &str, value: Value<'_>| attribute(&mut log, 6, key, &value);
    add("event.name", Value::Text(EVENT));
    add("plimsoll.record.id", Value::Text(&key));
    add("plimsoll.agent", Value::Text(&record.agent));
    add("plimsoll.event", Value::Text(&record.event));
    add("plimsoll.verdict", Value::Text(&record.verdict));
    add("plimsoll.rules", Value::Texts(&record.rules));
    add("plimsoll.besides", Value::Texts(&record.besides));
    add("plimsoll.observed", Value::Bool(record.observed));
    add("plimsoll.allowed_by_hand", Value::Bool(record.is_allowed_by_hand()));
    add("plimsoll.duration_us", Value::Number(record.micros));
    add("plimsoll.policy.commit", Value::Text(&record.policy));
    if !record.failures.is_empty() {
        add("plimsoll.failures", Value::Number(record.failures.len() as u64));
    }
    if let Some(lint) = &record.lint {
        add("plimsoll.lint.open", Value::Number(lint.open));
    }
    if let Some(tests) = &record.tests {
        add("plimsoll.tests.result", Value::Text(&tests.result));
    }
    // The names by which the client's own telemetry knows the same call.
    add("gen_ai.tool.name", Value::Text(&record.tool));
    add("gen_ai.tool.call.id", Value::Text(&record.call));
    add("gen_ai.conversation.id", Value::Text(&record.session));
    add("session.id", Value::Text(&record.session));
    add("prompt.id", Value::Text(&record.prompt));
    if detail {
        add("plimsoll.reason", Value::Text(&record.reason));
        add("plimsoll.subject", Value::Text(&record.subject));
        add("plimsoll.deeds", Value::Texts(&record.deeds));
        add("plimsoll.project", Value::Text(&record.project));
        add("plimsoll.failure.texts", Value::Texts(&record.failures));
    }
    log.fixed(11, now);
    log.text(12, EVENT);
    log
}

/// When it was, in nanoseconds: the id begins with it, to the last digit.
fn moment(record: &Record) -> u64 {
    let exact = record.id.split('-').next().and_then(|hex| u64::from_str_radix(hex, 16).ok());
    exact.filter(|_| record.id.len() > 16).unwrap_or_else(|| record.seconds().saturating_mul(1_000_000_000))
}

/// From when to when totals count, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) began: u64,
    /// When totals were sent last: a series that is new since was zero then.
    pub(super) before: u64,
    pub(super) now: u64,
}

/// `ExportMetricsServiceRequest`. A series that `told` does not have begins with a zero, so that whoever asks for an increase
/// counts its first value too.
pub(super) fn metrics(
    resource: &BTreeMap<String, String>,
    totals: &Totals,
    told: &Totals,
    span: Span,
) -> Vec<u8> {
    let mut items = Vec::new();
    for metric in METRICS {
        let mut points = Vec::new();
        for (labels, sum) in totals.of(metric) {
            if !told.has(metric, labels) {
                let zero = Sum { value: 0, buckets: vec![0; sum.buckets.len()] };
                points.push(point(metric, labels, &zero, span.began, span.before));
            }
            points.push(point(metric, labels, sum, span.began, span.now));
        }
        if points.is_empty() {
            continue;
        }
        let mut data = Message::default();
        for point in &points {
            data.message(1, point);
        }
        data.number(2, CUMULATIVE);
        let field = match metric.kind {
            Kind::Histogram => 9,
            Kind::Count | Kind::Millionths => {
                // It only grows.
                data.number(3, 1);
                7
            }
        };
        let mut item = Message::default();
        item.text(1, metric.name);
        item.text(2, metric.doc);
        item.text(3, metric.unit);
        item.message(field, &data);
        items.push(item);
    }
    envelope(resource, 2, &items)
}

fn point(metric: &Metric, labels: &[String], sum: &Sum, began: u64, at: u64) -> Message {
    let mut point = Message::default();
    point.fixed(2, began);
    point.fixed(3, at);
    let label_field = match metric.kind {
        Kind::Count => {
            point.fixed(6, sum.value);
            7
        }
        Kind::Millionths => {
            point.double(4, millionths(sum.value));
            7
        }
        Kind::Histogram => {
            point.fixed(4, sum.buckets.iter().sum());
            point.double(5, millionths(sum.value));
            point.packed(6, sum.buckets.iter().copied());
            point.packed(7, BOUNDS.iter().map(|bound| millionths(*bound).to_bits()));
            9
        }
    };
    for (key, value) in metric.labels.iter().zip(labels) {
        attribute(&mut point, label_field, key, &Value::Text(value));
    }
    point
}

#[expect(clippy::cast_precision_loss, reason = "microseconds and microdollars of a lifetime fit")]
fn millionths(value: u64) -> f64 {
    value as f64 / 1_000_000.0
}
