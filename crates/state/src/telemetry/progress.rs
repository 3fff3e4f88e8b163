//! How far the sending is: `telemetry.json` beside the log. Logs and metrics go separate ways, because a server may take one and not
//! the other.

use std::path::PathBuf;

use serde_json::Value as Json;

use crate::log::Position;
use crate::{Machine, files};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Progress {
    /// A name by lot: which machine it was is told apart without telling who it belongs to.
    pub(super) machine: String,
    /// When totals began, in nanoseconds.
    pub(super) began: u64,
    /// Up to where records were sent.
    pub(super) logs: Position,
    /// Up to where they were counted, and what they have come to.
    pub(super) metrics: Position,
    pub(super) totals: Json,
    /// When totals were sent last, in nanoseconds.
    pub(super) counted: u64,
    pub(super) sent: u64,
    pub(super) rejected: u64,
    pub(super) lost: u64,
    /// When the server took something last, in seconds.
    pub(super) last: u64,
    pub(super) failed: Option<Failed>,
}

/// It has not worked since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) at: u64,
    pub(super) times: u32,
    pub(super) why: String,
}

pub(super) fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("telemetry.json")
}

impl Progress {
    pub(super) fn read(machine: &Machine) -> Self {
        let json = Json::Object(files::read_object(&file(machine)));
        let number = |key: &str| json[key].as_u64().unwrap_or(0);
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let place = |json: &Json| Position {
            file: text(&json["file"]),
            offset: json["offset"].as_u64().unwrap_or(0),
        };
        let failed = json["failed"].is_object().then(|| Failed {
            at: json["failed"]["at"].as_u64().unwrap_or(0),
            times: json["failed"]["times"].as_u64().and_then(|times| u32::try_from(times).ok()).unwrap_or(1),
            why: text(&json["failed"]["why"]),
        });
        Self {
            machine: text(&json["machine"]),
            began: number("began"),
            logs: place(&json["logs"]),
            metrics: place(&json["metrics"]),
            totals: json["totals"].clone(),
            counted: number("counted"),
            sent: number("sent"),
            rejected: number("rejected"),
            lost: number("lost"),
            last: number("last"),
            failed,
        }
    }

    #[cfg(feature = "telemetry")]
    pub(super) fn write(&self, machine: &Machine) -> std::io::Result<()> {
        use serde_json::json;
        let place = |place: &Position| json!({"file": place.file, "offset": place.offset});
        let failed = |failed: &Failed| json!({"at": failed.at, "times": failed.times, "why": failed.why});
        let json = json!({
            "v": 1,
            "machine": self.machine,
            "began": self.began,
            "logs": place(&self.logs),
            "metrics": place(&self.metrics),
            "totals": self.totals,
            "counted": self.counted,
            "sent": self.sent,
            "rejected": self.rejected,
            "lost": self.lost,
            "last": self.last,
            "failed": self.failed.as_ref().map(failed),
        });
        crate::atomic::write(&file(machine), format!("{json}\n").as_bytes())
    }

    /// A server that does not answer is asked less and less often, but every quarter of an hour.
    pub(super) fn is_paused(&self, now: u64) -> bool {
        self.failed.as_ref().is_some_and(|failed| {
            let pause = 15_u64.saturating_mul(1 << failed.times.min(10)).min(900);
            failed.times > 1 && now.saturating_sub(failed.at) < pause
        })
    }
}
