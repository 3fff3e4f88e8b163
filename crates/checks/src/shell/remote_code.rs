//! Code that nobody has seen: `shell/remote-code`.

use model::deed::Verb;
use model::{Event, Findings, Meta};
use shell::text::{DECODED, NET};
use shell::{Call, Unseen};

use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/remote-code",
    "code from the network, or decoded from something unknown, that is run unseen",
    "\
Refuses to run what was just downloaded: `curl … | sh` in every form (through `tee`, `sed`, a substitution, a process substitution,
a file that is then run, `eval`, an interpreter that fetches and evaluates), and text that is decoded on its way to a shell.
Downloading and reading pass, and so does piping into programs that do not run their input (`jq`, `less`, `json.tool`).
",
    include_str!("remote_code.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for unseen in reading.unseen.iter().filter(|unseen| unseen.by != "reverse shell") {
            if let Some(what) = origin(unseen) {
                let finding = out.deny(
                    META.id,
                    format!("This runs {what} without anybody having seen it."),
                    "Whatever it says would happen.",
                );
                finding.instead = Some("Download it, read it, then run the file: `curl -fsSLo install.sh <url>`, `cat install.sh`.".into());
                finding.at.clone_from(&unseen.span);
                return;
            }
        }
        if let Some(call) = reading.calls.iter().find(|call| runs_download(call)) {
            let what = format!("`{}` runs code straight from the network.", call.line());
            out.deny(META.id, what, "Whatever it says would happen.").instead = Some(
                "Download it, read it, then run the file: `curl -fsSLo install.sh <url>`, `cat install.sh`."
                    .into(),
            );
        }
    }
}

fn origin(unseen: &Unseen) -> Option<&'static str> {
    if unseen.by == "BASH_ENV" {
        // Every shell runs it before anything else, and it is not of this project.
        Some("a script that cannot be read")
    } else if unseen.code.contains(NET) {
        Some("code from the network")
    } else if unseen.code.contains(DECODED) {
        Some("decoded text")
    } else {
        // Unknown, but nothing says that it is foreign: a variable of the person's own, a local file.
        None
    }
}

/// A program, or a script for a shell, that is itself text from the network.
fn runs_download(call: &Call) -> bool {
    let foreign = |text: &str| text.contains([NET, DECODED]);
    call.argv.first().is_some_and(|program| foreign(&program.text))
        || call.does(Verb::Runs) && call.texts().any(|text| text.contains(NET))
}
