//! Commands by what they do: approved where every word is understood and every deed is one that needs no question.

use model::deed::{Certainty, Deed, Object, Verb};
use shell::Call;
use shell::programs::{Prints, Role};
use shell::text::{DECODED, NET, is_known};

use super::{Opinion, files, foreign, installed};
use crate::Context;
use crate::shell::commit_on_main::refuses;
use crate::shell::place::{Place, place};
use crate::shell::words::is_source;

/// What no table describes is not known.
pub(super) fn judge(call: &Call, arrived: bool, cx: &Context<'_>) -> Opinion {
    let words = call.words();
    let Some(entry) = words.entry else { return Opinion::Unknown };
    // `set +o history`
    if entry.style.plus && entry.style.harmless && call.texts().any(|text| text == "history") {
        return Opinion::risky("what is typed would no longer be remembered");
    }
    // `set` alone
    if entry.style.plus && entry.style.harmless && call.args().is_empty() {
        return Opinion::risky("it shows every variable");
    }
    if words.rehearses {
        // Commits, pushes and merges are the user's to allow, rehearsed or not.
        let asks = call.chose("help") || call.chose("version");
        return if !asks && is_theirs(call) { Opinion::Unknown } else { Opinion::Safe };
    }
    // Redirections are judged by themselves.
    let count = call.redirects.len().min(call.deeds.len());
    let deeds = &call.deeds[..call.deeds.len() - count];
    let mut worst = if words.understood && !is_idle(deeds, call) { Opinion::Safe } else { Opinion::Unknown };
    for deed in deeds {
        // Its files have been looked at one by one.
        if arrived && matches!(deed.verb, Verb::Writes | Verb::Edits) {
            continue;
        }
        match one(deed, call, cx) {
            Opinion::Safe => {}
            risky @ Opinion::Risky(_) => return risky,
            Opinion::Unknown => worst = Opinion::Unknown,
        }
    }
    if worst == Opinion::Safe && words.has("force") {
        return Opinion::risky("it is told to go on where it would stop by itself");
    }
    if worst == Opinion::Safe { whole(call, entry, cx) } else { worst }
}

/// Whether nothing is known of what a call does, though its program acts on something: then it acts on what it is not told.
fn is_idle(deeds: &[Deed], call: &Call) -> bool {
    let acts = |role: Role| {
        matches!(
            role,
            Role::Disk
                | Role::Delete
                | Role::Tree
                | Role::Empty
                | Role::Write
                | Role::Edit
                | Role::Mode
                | Role::Stop
        )
    };
    let spec = call.words().operand_spec().unwrap_or_default();
    // A filter has what comes in: `uniq`, whose second word is a file to write.
    let filters = spec.first().is_some_and(|operand| operand.role == Role::Read);
    deeds.is_empty() && !filters && spec.iter().any(|operand| acts(operand.role))
}

/// Whether a statement goes to a database of another machine, or of production, by the words of its call.
fn asks_elsewhere(deed: &Deed, call: &Call) -> bool {
    use shell::programs::kind::{is_local, names_production};
    let host = |(role, text): (Role, &str)| match role {
        Role::Host => !is_local(text),
        _ => names_production(text) || text.contains("://") && !is_local(text),
    };
    matches!(deed.object, Object::Statement(_))
        && deed.place == model::deed::Place::Service
        && call.words().given(&call.argv).filter(|(role, _)| *role != Role::Sql).any(host)
}

/// What one deed means for the call.
fn one(deed: &Deed, call: &Call, cx: &Context<'_>) -> Opinion {
    let text = deed.object.text();
    match deed.verb {
        // Its secrets and private files are looked for in every word.
        Verb::Reads | Verb::Looks if text.starts_with(shell::text::is_hole) && deed.verb == Verb::Reads => {
            Opinion::Unknown
        }
        // Which file of somebody's home that is, nobody knows here.
        Verb::Reads if !is_known(text) && !is_here(text, call, cx) => Opinion::Unknown,
        // What lies on a disk, past all names and permissions.
        Verb::Reads if crate::shell::is_disk(text) => Opinion::Unknown,
        Verb::Reads | Verb::Looks => Opinion::Safe,
        Verb::Uses if deed.certainty == Certainty::Known => Opinion::Safe,
        Verb::Uses => Opinion::Unknown,
        Verb::Builds => Opinion::Safe,
        Verb::Queries if matches!(deed.object, Object::Thing(_)) && text.contains("secret") => {
            Opinion::Risky(format!("it shows {text}"))
        }
        // What a statement calls may do anything.
        Verb::Queries if deed.certainty == Certainty::Unseen => Opinion::Unknown,
        Verb::Queries if asks_elsewhere(deed, call) => Opinion::Unknown,
        // A service that answers at an address of the command's own.
        Verb::Queries if matches!(&deed.object, Object::Address(text) if !shell::address::is_here(text)) => {
            Opinion::Unknown
        }
        Verb::Queries => {
            // What is asked of others stands in the command, word by word.
            let open = call.words().entry.is_some_and(|entry| entry.style.service)
                && call.texts().any(|text| !is_known(text));
            if is_known(text) && !open { Opinion::Safe } else { Opinion::Unknown }
        }
        Verb::Fetches if call.keeps_versions() && deed.certainty == Certainty::Known => Opinion::Safe,
        Verb::Fetches if shows_address(deed, call) => Opinion::Safe,
        Verb::Keeps | Verb::Replays => keeps(deed, call, cx),
        Verb::Commits | Verb::Merges => Opinion::risky(THEIRS),
        Verb::Publishes if call.keeps_versions() => Opinion::risky(THEIRS),
        Verb::Discards => Opinion::risky("it rewrites history or discards work"),
        // For this call alone it is one of its options.
        Verb::Sets => {
            let lasts = call.words().lasts();
            Opinion::safe_if(!lasts, "it changes settings, which can make other programs run")
        }
        Verb::Writes | Verb::Links if lands(call) => here(text, call, cx),
        Verb::Moves | Verb::Appends => here(text, call, cx),
        Verb::Writes if deed.certainty == Certainty::Unseen => Opinion::Unknown,
        Verb::Writes if files::may_write(text, call, cx, true) => Opinion::Safe,
        Verb::Writes | Verb::Edits | Verb::Empties => {
            Opinion::Risky(format!("it changes {}", shell::text::show(text)))
        }
        Verb::Permits => permits(deed, call, cx),
        Verb::Deletes if matches!(deed.object, Object::Ref(_)) => {
            Opinion::risky("it deletes branches or tags")
        }
        Verb::Deletes => Opinion::risky("it deletes files"),
        Verb::Links => Opinion::risky("it writes outside the project"),
        Verb::Runs => Opinion::Risky(format!("it runs {text}")),
        Verb::Fetches => Opinion::risky("it downloads something"),
        Verb::Sends => Opinion::risky("it sends something to another machine"),
        Verb::Listens => Opinion::risky("it opens a port"),
        Verb::Admits => Opinion::Risky(format!("it lets others use {}", shell::text::show(text))),
        Verb::Installs if installed::is_listed(deed, call, cx) => Opinion::Safe,
        Verb::Installs => Opinion::risky("it installs something that the project does not list"),
        Verb::Uninstalls => Opinion::risky("it removes what is installed"),
        Verb::Tells | Verb::Reveals => Opinion::risky("it shows a secret"),
        Verb::Stops | Verb::Halts => Opinion::risky("it stops or ends something"),
        // The project's own folder, for a container to work on.
        Verb::Lends if files::may_write(text, call, cx, false) || is_project(text, call, cx) => Opinion::Safe,
        Verb::Lends => Opinion::Risky(format!("it gives {} to a container", shell::text::show(text))),
        Verb::Records => Opinion::Risky(format!("it changes {}", shell::text::show(text))),
        Verb::Changes
        | Verb::Publishes
        | Verb::Deploys
        | Verb::Destroys
        | Verb::Erases
        | Verb::Covers
        | Verb::Schedules
        | Verb::Alters
        | Verb::Overrules => Opinion::Risky(format!("it {} {}", deed.verb, shell::text::show(text))),
    }
}

/// Whether the call, were it not a rehearsal, would commit, push or merge.
fn is_theirs(call: &Call) -> bool {
    let words = call.words();
    let verb = |verb: Verb| matches!(verb, Verb::Commits | Verb::Publishes | Verb::Merges);
    let pushes = words.operand_spec().unwrap_or_default().iter().any(|o| o.role == Role::To);
    call.keeps_versions() && (pushes || words.does().any(|(does, _)| verb(does)))
}

/// A page that is fetched to be looked at, in constant words, and signed in by nothing but them.
fn shows_address(deed: &Deed, call: &Call) -> bool {
    let words = call.words();
    let signs_in = words.given(&call.argv).any(|(role, _)| matches!(role, Role::Secret | Role::Use));
    matches!(&deed.object, Object::Address(text) if !shell::address::is_foreign(text))
        && words.prints(&call.argv) == Some(Prints::Network)
        && !signs_in
        && call.texts().all(is_known)
}

const THEIRS: &str = "commits, pushes and merges need the user's confirmation";

/// What a version system keeps is the agent's own work, unless it is somebody else's patch.
fn keeps(deed: &Deed, call: &Call, cx: &Context<'_>) -> Opinion {
    if call.stdin.as_deref().is_some_and(|text| text.contains([NET, DECODED])) {
        return Opinion::risky("it takes in a patch from elsewhere");
    }
    // A branch, or files whose changes would be gone: which, nobody knows here.
    let branch = call.words().operand_spec().unwrap_or_default().iter().any(|o| o.role == Role::Branch);
    if branch && call.words().given(&call.argv).any(|(_, text)| !is_known(text)) {
        return Opinion::Unknown;
    }
    let refused = deed.verb == Verb::Replays && refuses(call, cx);
    Opinion::safe_if(!refused, "it commits on the branch that everybody shares")
}

fn is_project(path: &str, call: &Call, cx: &Context<'_>) -> bool {
    files::project(cx).is_some_and(|project| shell::path::absolute(path, &call.cwd) == project)
}

/// Below the project, whatever of the path is not known.
fn is_here(path: &str, call: &Call, cx: &Context<'_>) -> bool {
    let path = shell::path::absolute(path, &call.cwd);
    !path.contains("..") && files::project(cx).is_some_and(|project| shell::path::is_below(&path, &project))
}

/// Inside the project, where it may be written without a question.
fn here(path: &str, call: &Call, cx: &Context<'_>) -> Opinion {
    Opinion::safe_if(files::may_write(path, call, cx, false), "it writes outside the project")
}

/// Whether what is written is what was somewhere else before.
fn lands(call: &Call) -> bool {
    let words = call.words();
    let target = |role: Role| matches!(role, Role::Target | Role::Into);
    words.roles().iter().any(|(_, role)| target(*role))
        || words.options.iter().any(|chosen| chosen.option.is_some_and(|option| target(option.role)))
}

/// One file of the project that gets ordinary permissions.
fn permits(deed: &Deed, call: &Call, cx: &Context<'_>) -> Opinion {
    let Object::Path { text, .. } = &deed.object else { return Opinion::Unknown };
    let words = call.words();
    let roles = words.roles();
    let Some(mode) = roles.iter().find(|(_, role)| *role == Role::Mode).map(|(at, _)| &call.argv[*at].text)
    else {
        return Opinion::risky("it changes who owns files, or takes permissions away");
    };
    // Four digits: the first lets it run with its owner's rights.
    let special = mode.len() == 4 && mode.bytes().all(|b| b.is_ascii_digit()) && !mode.starts_with('0');
    let open = special
        || crate::shell::open_permissions::closes(mode)
        || ["777", "666", "o+w", "a+w", "+s", "a+rwx"].iter().any(|part| mode.contains(part));
    let arg = shell::Arg::new(text.clone());
    let inside = files::may_write(text, call, cx, false) && place(&arg, call, cx.facts) == Place::Ordinary;
    Opinion::safe_if(!open && inside, "it changes permissions beyond a file of the project")
}

/// What only the call as a whole shows.
fn whole(call: &Call, entry: &shell::programs::Program, cx: &Context<'_>) -> Opinion {
    let builds = call.deeds.iter().any(|deed| deed.verb == Verb::Builds);
    if builds {
        if overwrites_source(call) {
            return Opinion::risky("it writes over a source file");
        }
        let tasks = call.words().roles().iter().copied().filter(|(_, role)| *role == Role::Task);
        for (at, _) in tasks {
            let task = call.argv[at].text.as_str();
            if !is_known(task) || foreign::leaves(task) {
                return Opinion::risky("the task deploys, publishes or resets something");
            }
            // `bun run FILE`, and what a substitution gives
            if task.starts_with(['/', '~']) || task.starts_with("..") {
                return Opinion::risky("it runs a script from elsewhere");
            }
        }
    }
    if installed::names_sources(call, cx) {
        return Opinion::risky("its list of packages names other sources");
    }
    let words = call.words();
    if super::code::lies_in_a_file(call) {
        return Opinion::Unknown;
    }
    for (_, path) in words.given(&call.argv).filter(|(role, _)| *role == Role::Script) {
        // Whatever it is handed.
        if call.wrappers.iter().any(|wrapper| hands_on(wrapper)) {
            return Opinion::risky("it runs text as a command");
        }
        if !is_known(path) || path.starts_with(['/', '~']) || path.starts_with("..") {
            return Opinion::risky("it runs a script from elsewhere");
        }
        // One that is not there cannot run; of one that cannot be read nobody knows what it does.
        if cx.facts.read(std::path::Path::new(&shell::path::absolute(path, &call.cwd))).is_err() {
            return Opinion::Unknown;
        }
    }
    for &(at, role) in call.words().roles() {
        let text = call.argv[at].text.as_str();
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let capital = name.contains(|c: char| c.is_ascii_uppercase());
        match role {
            // Its own variables are its own; those in capitals are what programs look for.
            Role::Assign if capital && !foreign::is_harmless(name, value) => {
                return Opinion::risky("it sets a variable that other programs act upon");
            }
            Role::Variable if foreign::is_loaded(name) => {
                return Opinion::risky("it changes or shows a variable that other programs act upon");
            }
            Role::Variable | Role::Printed if shell::is_secret_name(name) => {
                return Opinion::risky("it shows a variable that holds a secret");
            }
            _ => {}
        }
    }
    // A plugin, or a setting that may name a program. `-p no:cacheprovider` takes one away.
    let loads = |chosen: &shell::programs::decoded::Chosen| {
        let value = chosen.value.map_or("", |value| value.text(&call.argv));
        chosen.option.is_some_and(|option| option.role == Role::Setting) && !value.starts_with("no:")
    };
    if call.words().options.iter().any(loads) {
        return Opinion::Unknown;
    }
    // Code that stands in the command itself was read, but whatever it does besides is not known.
    let inline = |role: Role| matches!(role, Role::Code) && !entry.style.harmless;
    let given =
        call.words().options.iter().any(|chosen| chosen.option.is_some_and(|option| inline(option.role)));
    let operand = call.words().roles().iter().any(|(_, role)| inline(*role));
    if given || operand || super::code::comes_in(call) {
        return super::code::judge(call);
    }
    Opinion::Safe
}

/// Whether a program starts a command with what comes in.
fn hands_on(wrapper: &str) -> bool {
    let operands = shell::programs::find(wrapper).and_then(|program| program.operands).unwrap_or_default();
    operands.iter().any(|operand| matches!(operand.role, Role::Each | Role::Template))
}

/// Whether a tool of the project writes its report over code.
fn overwrites_source(call: &Call) -> bool {
    let mut written = call.deeds.iter().filter(|deed| matches!(deed.verb, Verb::Writes | Verb::Appends));
    written.any(|deed| is_source(deed.object.text()))
}
