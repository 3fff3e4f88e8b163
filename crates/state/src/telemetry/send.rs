//! The sending, in a task of its own. Whatever happens on the way, the place in the log is the last that the server has confirmed: what is sent
//! again has the same ids, and totals that are sent again are the same totals.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use model::{Config, environment};
use serde_json::Value as Json;
use thiserror::Error;

use super::otlp::{self, Span};
use super::progress::{Failed, Progress};
use super::protobuf::fields;
use super::totals::Totals;
use super::{BadTarget, Target, target};
use crate::net::{self, Post};
use crate::{Lock, LockError, Machine, Project, files, log, private};

/// Records in one request.
const BATCH: usize = 500;
/// Requests of one task: what is left is the next one's.
const MOST_BATCHES: usize = 200;

/// Why something was not sent. The text is kept, and shown by `status`.
#[derive(Debug, Error)]
pub enum Unsent {
    #[error(transparent)]
    Target(#[from] BadTarget),
    #[error(transparent)]
    Lock(LockError),
    #[error("the place in the log could not be kept: {0}")]
    Place(io::Error),
    #[error("{0} is not an address of a proxy")]
    Proxy(&'static str),
    #[error("the receiver did not answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    #[error("the receiver could not be reached: {0}")]
    Unreached(String),
    #[error("the receiver answered {0}")]
    Status(u16),
    #[error("the receiver answered something that is not OTLP: is the address right?")]
    NotOtlp,
}

/// Sends what there is. An error is worth a line in the log, so there is one for the first failure of a row only.
pub fn send(machine: &Machine, project: &Project, config: &Config) -> Result<(), Unsent> {
    let target = target(machine, project, config);
    if let Ok(None) = target {
        return Ok(());
    }
    let lock = machine.state_dir().join("telemetry.lock");
    let _lock = match Lock::take(&lock, Duration::ZERO) {
        Ok(lock) => lock,
        // Somebody is at it.
        Err(LockError::Busy(_)) => return Ok(()),
        Err(error) => return Err(Unsent::Lock(error)),
    };
    let mut progress = Progress::read(machine);
    if progress.machine.is_empty() {
        begin(machine, &mut progress);
        return keep(machine, &progress);
    }
    let done = match target {
        Ok(Some(target)) => {
            let target = &target;
            let resource = resource(machine, &progress, target.detail);
            let task = Task { machine, target, resource: &resource };
            // Either may go through where the other does not.
            let logs = task.logs(&mut progress);
            let metrics = task.metrics(&mut progress);
            logs.and(metrics)
        }
        Ok(None) => Ok(()),
        Err(why) => Err(Unsent::Target(why)),
    };
    let before = progress.failed.as_ref().map_or(0, |failed| failed.times);
    let failed =
        |why: &Unsent| Failed { at: machine.now(), times: before.saturating_add(1), why: why.to_string() };
    progress.failed = done.as_ref().err().map(failed);
    keep(machine, &progress)?;
    if before == 0 { done } else { Ok(()) }
}

fn keep(machine: &Machine, progress: &Progress) -> Result<(), Unsent> {
    progress.write(machine).map_err(Unsent::Place)
}

/// From here on: what was recorded before anybody asked for telemetry stays here.
fn begin(machine: &Machine, progress: &mut Progress) {
    progress.machine = private::unguessable();
    progress.began = nanos(machine);
    progress.counted = progress.began;
    progress.logs = log::end(machine);
    progress.metrics = progress.logs.clone();
}

fn nanos(machine: &Machine) -> u64 {
    u64::try_from(machine.nanos()).unwrap_or(u64::MAX)
}

/// Who sends.
fn resource(machine: &Machine, progress: &Progress, detail: bool) -> BTreeMap<String, String> {
    let mut resource = BTreeMap::new();
    let mut add = |key: &str, value: &str| drop(resource.insert(key.to_owned(), value.to_owned()));
    // What the user says of themselves, where it does not take our own place.
    let told = machine.var(&environment::OTEL_RESOURCE_ATTRIBUTES).unwrap_or_default();
    for (key, value) in told.split(',').filter_map(|pair| pair.split_once('=')) {
        add(key.trim(), value.trim());
    }
    add("service.name", "plimsoll");
    add("service.version", env!("CARGO_PKG_VERSION"));
    add("service.instance.id", &progress.machine);
    add("os.type", std::env::consts::OS);
    add("host.arch", std::env::consts::ARCH);
    if detail && let Ok(Some(name)) = files::read(std::path::Path::new("/proc/sys/kernel/hostname")) {
        add("host.name", name.trim());
    }
    resource
}

struct Task<'a> {
    machine: &'a Machine,
    target: &'a Target,
    resource: &'a BTreeMap<String, String>,
}

impl Task<'_> {
    /// Batch by batch; the place is kept after each.
    fn logs(&self, progress: &mut Progress) -> Result<(), Unsent> {
        for _ in 0..MOST_BATCHES {
            let batch = log::after(self.machine, &progress.logs, BATCH);
            if batch.records.is_empty() {
                progress.logs = batch.end;
                return Ok(());
            }
            let now = nanos(self.machine);
            let body = otlp::logs(self.resource, &batch.records, self.target.detail, now);
            let rejected = self.post(&self.target.logs, &body)?;
            progress.logs = batch.end;
            progress.lost += u64::from(batch.lost);
            progress.sent += batch.records.len() as u64;
            progress.rejected += rejected;
            progress.last = self.machine.now();
            // Not kept: the same records would be sent again, and known by their ids.
            keep(self.machine, progress)?;
        }
        Ok(())
    }

    /// All that is new is counted; one request has the totals.
    fn metrics(&self, progress: &mut Progress) -> Result<(), Unsent> {
        let told = Totals::read(&progress.totals);
        let (mut totals, mut place) = (told.clone(), progress.metrics.clone());
        for _ in 0..MOST_BATCHES {
            let batch = log::after(self.machine, &place, BATCH);
            batch.records.iter().for_each(|(record, _)| totals.count(record));
            let done = batch.records.is_empty();
            place = batch.end;
            if done {
                break;
            }
        }
        if totals == told {
            progress.metrics = place;
            return Ok(());
        }
        let span = Span { began: progress.began, before: progress.counted, now: nanos(self.machine) };
        self.post(&self.target.metrics, &otlp::metrics(self.resource, &totals, &told, span))?;
        progress.totals = totals.json();
        progress.metrics = place;
        progress.counted = span.now;
        progress.last = self.machine.now();
        Ok(())
    }

    /// How many the server has refused of what it took.
    fn post(&self, url: &str, body: &[u8]) -> Result<u64, Unsent> {
        let proxy = net::proxy(self.machine, url).map_err(Unsent::Proxy)?;
        let mut headers: Vec<(&str, &str)> = vec![("content-type", "application/x-protobuf")];
        headers.extend(self.target.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let post = Post { url, headers: &headers, body };
        let answer = net::post(&post, proxy, self.target.limit).map_err(|error| match error {
            net::Error::Timeout(_) => Unsent::Timeout(self.target.limit),
            error => Unsent::Unreached(model::redact_all(&error.to_string())),
        })?;
        if !(200..300).contains(&answer.status) {
            return Err(Unsent::Status(answer.status));
        }
        rejected(&answer.kind, &answer.body).ok_or(Unsent::NotOtlp)
    }
}

/// What a receiver's answer says of records that it took no part of; `None` where it is not a receiver's answer. A page for logging in
/// comes with 200, too.
fn rejected(kind: &str, body: &[u8]) -> Option<u64> {
    if body.trim_ascii().is_empty() {
        return Some(0);
    }
    if kind.starts_with("application/json") {
        let json: Json = serde_json::from_slice(body).ok()?;
        let partial = &json.as_object()?.get("partialSuccess").cloned().unwrap_or_default();
        let count = ["rejectedLogRecords", "rejectedDataPoints"].iter().find_map(|key| partial.get(*key));
        return Some(
            count.and_then(|count| count.as_u64().or_else(|| count.as_str()?.parse().ok())).unwrap_or(0),
        );
    }
    let fields = fields(body)?;
    let partial = fields.iter().find(|(field, _, _)| *field == 1).map(|(_, _, data)| *data);
    let inner = super::protobuf::fields(partial.unwrap_or_default())?;
    Some(inner.iter().find(|(field, _, _)| *field == 1).map_or(0, |(_, count, _)| *count))
}

#[cfg(test)]
mod tests {
    use super::rejected;

    #[test]
    fn a_receivers_word_is_told_from_a_page() {
        for (kind, body, expected) in [
            ("application/x-protobuf", &b""[..], Some(0)),
            ("", b"", Some(0)),
            ("application/x-protobuf", &[0x0a, 0x02, 0x08, 0x05], Some(5)),
            ("application/json", b"{}", Some(0)),
            ("application/json", br#"{"partialSuccess": {"rejectedLogRecords": "3"}}"#, Some(3)),
            ("application/json", b"[]", None),
            ("text/html", b"<html>Please log in</html>", None),
            ("application/x-protobuf", b"garbage", None),
        ] {
            assert_eq!(rejected(kind, body), expected, "{kind} {}", String::from_utf8_lossy(body));
        }
    }
}
