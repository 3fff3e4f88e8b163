//! What stays after the session: `shell/persistence`.

use model::deed::{Certainty, Object, Verb};
use model::{Event, Facts, Findings, Meta};
use shell::Call;
use shell::programs::{Role, landings};

use crate::lasting::{Lasting, runs_temporary, starts_by_itself};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/persistence",
    "a command that makes something run again later",
    "\
Start-up files of shells and tools, cron tables, services, login items, hooks of git, authorized keys, modules of the kernel, the
places that packages come from, and programs in the folders of `PATH` outlive the session. A write to them that fetches or
decodes code or points to a temporary place, an emptied cron table, and another program in the place of `sudo` or `ssh` are
refused; any other write to them is a question to the user, and so is a setting of git that runs a command. Reading them passes.
",
    include_str!("persistence.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for call in reading.calls.iter().filter(|call| !call.elsewhere) {
        let Some((what, foul)) = stays(call, cx.facts) else { continue };
        let why = "It would still run when this session is over.";
        let instead = "Tell the user what to add, and where.";
        if foul {
            out.deny(META.id, what, why).instead = Some(instead.into());
            return;
        }
        out.ask(META.id, what, why).instead = Some(instead.into());
    }
}

fn stays(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let content = || call.texts().chain(call.stdin.as_deref()).collect::<Vec<_>>().join(" ");
    for deed in &call.deeds {
        let found = match (&deed.object, deed.verb) {
            (Object::Path { tree: true, .. }, Verb::Appends) => None,
            (Object::Path { text, .. }, Verb::Writes | Verb::Appends | Verb::Edits | Verb::Empties) => {
                written(call, text, &content(), facts)
            }
            // Nobody knows what the program does with it.
            (Object::Path { text, .. }, Verb::Uses)
                if deed.certainty == Certainty::Unseen && call.words().program.is_none() =>
            {
                let path = shell::path::absolute(text, &call.cwd);
                starts_by_itself(&path)
                    .then(|| (format!("This may write to {}.", shell::text::show(text)), false))
            }
            // A file of its own, whatever is in it.
            (Object::Path { text, .. }, Verb::Schedules) => Some((
                format!("This would make something run by itself ({}).", shell::text::show(text)),
                true,
            )),
            (Object::Thing(thing), Verb::Schedules) => {
                let what =
                    format!("`{}` changes what runs by itself ({}).", call.line(), shell::text::show(thing));
                Some((what, runs_temporary(&content(), facts)))
            }
            // Its hooks are copied, and run from then on.
            (Object::Thing(thing), Verb::Runs)
                if thing == "what a template holds" && call.keeps_versions() =>
            {
                Some((
                    format!("`{}` would bring hooks of git along.", call.line()),
                    runs_temporary(&content(), facts),
                ))
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    setting(call, facts).or_else(|| sources(call, facts))
}

fn written(call: &Call, path: &str, content: &str, facts: &dyn Facts) -> Option<(String, bool)> {
    let comes = |verb: Verb| call.deeds.iter().any(|deed| deed.verb == verb);
    let fetched = content.contains([shell::text::NET, shell::text::DECODED]) || comes(Verb::Fetches);
    // A folder of which nothing is known is not the one that it happens in.
    let unknown = path.starts_with(shell::text::is_hole);
    let absolute = if unknown { path.to_owned() } else { shell::path::absolute(path, &call.cwd) };
    let copied = landings(call).iter().any(|landing| landing.how != Role::Move);
    // A part of a settings file that stands in the command has the name of its section.
    let seen = content.contains('[') && !copied && !fetched;
    let file = Lasting { path: &absolute, content, fetched, copied, seen };
    file.judge(&shell::text::show(path), facts)
}

/// Where packages come from, and what runs their scripts.
fn sources(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let usual = shell::address::is_registry;
    let sets = call.concerns("where code comes from") || call.concerns("which packages are trusted");
    (sets && !call.texts().any(|t| usual(t) || t.split_once('=').is_some_and(|(_, value)| usual(value))))
        .then(|| {
            (
                format!("`{}` changes where code comes from, for good.", call.line()),
                call.texts().any(|t| runs_temporary(t, facts)),
            )
        })
}

/// Settings of a version system that make it run something, hold for every repository, or send its traffic elsewhere.
fn setting(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let words = call.words();
    let program = words.program.filter(|program| program.style.versions && words.lasts())?;
    let everywhere = call.chose("global") || call.chose("system");
    call.deeds.iter().find_map(|deed| {
        let Object::Setting { name, value } = &deed.object else { return None };
        let temporary = runs_temporary(value, facts);
        let fetches = ["curl ", "wget ", "/dev/tcp/"].iter().any(|part| value.contains(part));
        let steers = name.starts_with("url.") && name.ends_with("insteadof")
            || matches!(name.as_str(), "http.proxy" | "https.proxy")
            || name == "http.sslverify" && value == "false"
            || program.setting(name) == Some(Role::Script);
        if steers && everywhere {
            let hooks = name == "core.hookspath";
            return Some((format!("This would set {name} for every repository."), temporary || hooks));
        }
        // What every later push overwrites, without a word.
        let forces = name.starts_with("remote.")
            && (name.ends_with(".push") && value.starts_with('+')
                || name.ends_with(".mirror") && value == "true");
        if forces {
            return Some((format!("This would make every push overwrite the other side ({name})."), false));
        }
        crate::git_config::runs_something(name, value)
            .then(|| (format!("This would make git run something ({name})."), temporary || fetches))
    })
}
