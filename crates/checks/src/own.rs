//! The guard's own parts: what must stay as it is for Plimsoll to be asked at all. Known by where they lie, links followed, and
//! by being the same file under another name; never by how a path is spelled.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use model::{Decision, Facts, is_own_name, path};

/// Settings by which an agent is told what to run and whom to ask, as people write them: from a home or a project.
struct Settings {
    /// With `/`; a folder where it ends in one.
    place: &'static str,
    /// Where it counts.
    at: At,
    /// What a change of it is answered with. Another agent's settings may be what the user wants, ours are not the agent's.
    answer: Decision,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Below any folder.
    Anywhere,
    /// In the home, the project, or a folder around it.
    Top,
    /// From the root.
    Root,
}

macro_rules! settings {
    ($($at:ident $answer:ident: $($place:literal)*;)*) => {
        &[$($(Settings { place: $place, at: At::$at, answer: Decision::$answer },)*)*]
    };
}

static SETTINGS: &[Settings] = settings! {
    // For every user of the machine.
    Root Deny:
        "etc/plimsoll/"
        "Library/Application Support/plimsoll/"
        "ProgramData/plimsoll/"
        "mnt/c/ProgramData/plimsoll/"
        "etc/claude-code/"
        "Library/Application Support/ClaudeCode/"
        "Program Files/ClaudeCode/"
        "ProgramData/ClaudeCode/"
        "mnt/c/Program Files/ClaudeCode/"
        "mnt/c/ProgramData/ClaudeCode/";
    Root Ask:
        "etc/codex/"
        "etc/gemini-cli/"
        "etc/qwen-code/"
        "etc/opencode/";
    // What the client itself keeps, servers that it starts, and plugins with hooks.
    Top Ask:
        ".claude.json"
        ".mcp.json"
        "kilo.json"
        "kilo.jsonc"
        "opencode.json"
        "opencode.jsonc";
    Anywhere Ask:
        ".claude/plugins/"
        ".claude/remote-settings.json"
        // What every command of the agent's shell begins with.
        ".claude/session-env/"
        ".claude/shell-snapshots/"
        // The client's program.
        ".claude/local/"
        ".local/share/claude/versions/"
        ".claude-plugin/"
        "hooks/hooks.json"
        ".agents/plugins/"
        ".augment/settings.json"
        ".cline/data/settings/global-settings.json"
        ".cline/hooks/"
        ".cline/plugins/"
        ".clinerules/hooks/"
        "Documents/Cline/Hooks/"
        ".codeium/windsurf/hooks.json"
        ".windsurf/hooks.json"
        ".codex/config.toml"
        ".codex/hooks.json"
        ".codex/hooks/"
        ".codex-plugin/"
        ".commandcode/settings.json"
        ".commandcode/settings.local.json"
        ".config/goose/config.yaml"
        ".config/kilo/"
        ".config/opencode/"
        ".copilot/config.json"
        ".copilot/hooks/"
        ".copilot/mcp-config.json"
        ".copilot/settings.json"
        ".cursor/cli-config.json"
        ".cursor/hooks.json"
        ".cursor/hooks/"
        ".cursor/mcp.json"
        ".cursor-plugin/"
        ".factory/hooks.json"
        ".factory/hooks/"
        ".factory/mcp.json"
        ".factory/plugins/"
        ".factory/settings.json"
        ".factory/settings.local.json"
        ".factory-plugin/"
        ".gemini/extensions/"
        ".gemini/settings.json"
        ".gemini/trustedFolders.json"
        ".github/hooks/"
        ".grok/config.toml"
        ".grok/disabled-hooks"
        ".grok/hooks/"
        ".grok/plugins/"
        ".grok/settings.json"
        ".grok/trusted_folders.toml"
        ".hermes/config.yaml"
        ".hermes/.env"
        ".hermes/plugins/"
        ".kilo/plugins/"
        ".kilo/kilo.json"
        ".kilo/kilo.jsonc"
        ".kilo/plugin/"
        ".kimi-code/config.toml"
        ".kimi/config.toml"
        ".kiro/hooks/"
        ".opencode/plugin/"
        ".opencode/plugins/"
        ".opencode/opencode.json"
        ".opencode/opencode.jsonc"
        ".pi/agent/extensions/"
        ".pi/agent/settings.json"
        ".pi/agent/trust.json"
        ".pi/extensions/"
        ".pi/settings.json"
        ".qoder/settings.json"
        ".qwen/extensions/"
        ".qwen/settings.json"
        ".qwen/trustedFolders.json";
};

/// The same of the agent's own folder, which a check of its own knows: for what takes a folder or a pattern of files away.
const CLAUDE: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/config.json",
    ".claude/hooks/config.local.json",
    ".claude/hooks/rules.toml",
    ".claude/hooks/rules.d",
];

/// What a change of an agent's settings at this path is answered with. `folds`: letter case does not count there.
pub(crate) fn settings(file: &Path, facts: &dyn Facts, folds: impl Fn() -> bool) -> Option<Decision> {
    let text = file.to_string_lossy();
    if !could_be_settings(&text) {
        return None;
    }
    let parts: Vec<&OsStr> = file.components().skip(1).map(Component::as_os_str).collect();
    find(&parts, file, facts, false).or_else(|| {
        // Only asked where letter case could matter.
        let folded = text.chars().any(char::is_uppercase).then(|| find(&parts, file, facts, true))??;
        folds().then_some(folded)
    })
}

/// Most files have nothing of an agent's settings on their way.
pub(crate) fn could_be_settings(path: &str) -> bool {
    path.as_bytes().windows(2).any(|pair| pair == b"/.")
        || path.ends_with("/hooks.json")
        || ["/opencode.json", "/opencode.jsonc", "/kilo.json", "/kilo.jsonc"]
            .iter()
            .any(|name| path.ends_with(name))
        || ["/etc/", "/Library/", "/Program", "/mnt/"].iter().any(|root| path.starts_with(root))
        || path.as_bytes().windows(7).any(|part| part == b"/Cline/")
}

fn find(parts: &[&OsStr], file: &Path, facts: &dyn Facts, fold: bool) -> Option<Decision> {
    // Where a place could begin; asked for every one of them, so it is worked out once.
    let first =
        |part: &OsStr| matches!(part.as_encoded_bytes().first(), Some(b'.' | b'h' | b'H' | b'D' | b'd'));
    let begins: Vec<usize> = (0..parts.len()).filter(|at| first(parts[*at])).collect();
    let found = SETTINGS.iter().filter(|settings| {
        let below = settings.place.ends_with('/');
        let fits = |at: usize| {
            let mut here = parts[at..].iter();
            let mut wanted = settings.place.trim_end_matches('/').split('/');
            wanted.all(|name| here.next().is_some_and(|part| path::same_name(part, name, fold)))
                && (below || here.next().is_none())
        };
        match settings.at {
            At::Root => fits(0),
            At::Top => {
                let folder = file.parent().unwrap_or(file);
                !parts.is_empty()
                    && fits(parts.len() - 1)
                    && (facts.home() == Some(folder) || facts.project().starts_with(folder))
            }
            At::Anywhere => begins.iter().any(|at| fits(*at)),
        }
    });
    found.map(|settings| settings.answer).max()
}

/// Every part that is there and whose place is known: for what takes a folder away with all that is in it, or names files by
/// a pattern.
pub(crate) fn parts(facts: &dyn Facts) -> Vec<PathBuf> {
    let mut all = places(facts);
    all.retain(|part| facts.entry(part).is_some());
    all
}

/// The same, there or not: for those who look for one of them only.
pub(crate) fn places(facts: &dyn Facts) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = facts.executables().to_vec();
    all.push(facts.state_dir().to_owned());
    all.push(facts.cache_dir().to_owned());
    let homes = [facts.home(), Some(facts.project())];
    for settings in SETTINGS {
        let place = settings.place.trim_end_matches('/');
        if settings.at == At::Root {
            all.push(Path::new("/").join(place));
        } else {
            all.extend(homes.iter().flatten().map(|home| home.join(place)));
        }
    }
    for place in CLAUDE {
        all.extend(homes.iter().flatten().map(|home| home.join(place)));
    }
    all
}

/// Whether files of such a name could be among the parts, by a pattern of the kinds that are used most.
pub(crate) fn could_be_named(pattern: &str, facts: &dyn Facts) -> bool {
    let rest = pattern.strip_prefix('*').unwrap_or(pattern);
    if rest.contains(['*', '?', '[']) {
        return true;
    }
    let fits = |name: &str| if rest.len() < pattern.len() { name.ends_with(rest) } else { name == rest };
    let of = |path: &Path| path.iter().any(|name| fits(&name.to_string_lossy()));
    SETTINGS
        .iter()
        .map(|settings| settings.place)
        .chain(CLAUDE.iter().copied())
        .any(|place| place.split('/').any(fits))
        || fits("plimsoll")
        || facts.executable().is_some_and(of)
        || of(facts.state_dir())
}

/// Whether an absolute path, or a pattern of one, could be for a part or for a folder around one. Most files of a project
/// cannot, and then nothing is looked up.
pub(crate) fn is_near(file: &str, facts: &dyn Facts) -> bool {
    // Up to the first pattern in it.
    let plain = match file.find(['*', '?', '[']) {
        Some(at) => &file[..file[..at].rfind('/').map_or(0, |slash| slash.max(1))],
        None => file,
    };
    let around = |inner: &Path| inner.starts_with(plain);
    let begins = |root: &Path| {
        let rest = Path::new(file).strip_prefix(root).ok()?;
        let first = rest.components().next()?.as_os_str().to_string_lossy();
        let pattern = first.contains(['*', '?', '[']);
        let letter = first.as_bytes().first();
        let named = |place: &str| {
            // Most are done with their first letter.
            if !pattern && place.as_bytes().first() != letter {
                return false;
            }
            let name = place.split('/').next().unwrap_or_default();
            if pattern { shell::path::matches(&first, name) } else { first == name }
        };
        Some(SETTINGS.iter().map(|settings| settings.place).chain(CLAUDE.iter().copied()).any(named))
    };
    match begins(facts.project()) {
        Some(true) => return true,
        Some(false) if !around(facts.state_dir()) && !around(facts.project()) => {
            return facts.executable().is_some_and(around);
        }
        _ => {}
    }
    around(facts.project())
        || facts.home().is_some_and(around)
        || facts.home().and_then(begins).unwrap_or(false)
        || around(facts.state_dir())
        || around(facts.cache_dir())
        || facts.executables().iter().any(|part| around(part))
        || ["/etc", "/Library", "/Program Files", "/ProgramData", "/mnt"]
            .iter()
            .any(|root| file.starts_with(root))
}

/// Whether this is our program: one that is known, or one of that name where programs are.
pub(crate) fn is_executable(file: &Path, facts: &dyn Facts) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let installed = is_own_name(&name)
        && file
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|dir| matches!(dir.to_str(), Some("bin" | "sbin" | ".bin")));
    installed
        || facts.executable() == Some(file)
        // Those of other names and places are looked up only where one could be.
        || (is_own_name(&name) || !file.starts_with(facts.project())) && facts.executables().iter().any(|part| part == file)
}

/// Whether a file is a copy of our program, as far as its size tells: no other program has the same to the byte.
pub(crate) fn is_copy(file: &Path, facts: &dyn Facts) -> bool {
    let size = |path: &Path| facts.entry(path).filter(|entry| !entry.directory).map(|entry| entry.size);
    let ours = facts.executable().and_then(size).filter(|size| *size > 100_000);
    ours.is_some() && size(&facts.resolve(file)) == ours
}

/// The part that is the same file as this one under another name, where the file has several.
pub(crate) fn twin(file: &Path, facts: &dyn Facts) -> Option<PathBuf> {
    let entry = facts.entry(file).filter(|entry| !entry.directory && entry.links > 1)?;
    let same = |part: &PathBuf| part != file && facts.entry(part).is_some_and(|other| other.id == entry.id);
    parts(facts).into_iter().find(same)
}

/// Whether a pattern is for something in this part, which then is a folder of ours.
pub(crate) fn leads_into(pattern: &str, part: &Path, facts: &dyn Facts) -> bool {
    let depth = part.components().count() - 1;
    let mut pieces = pattern.split('/').filter(|piece| !piece.is_empty());
    let head: Vec<&str> = pieces.by_ref().take(depth).collect();
    pieces.next().is_some()
        && matches(&head.join("/"), part)
        && [facts.state_dir(), facts.cache_dir()].contains(&part)
}

/// Whether a shell's pattern, absolute, is for this path or for a folder around it.
pub(crate) fn matches(pattern: &str, part: &Path) -> bool {
    let wanted: Vec<&str> = pattern.split('/').filter(|piece| !piece.is_empty()).collect();
    let here: Vec<_> = part.components().skip(1).map(|piece| piece.as_os_str().to_string_lossy()).collect();
    wanted.len() <= here.len()
        && wanted.iter().zip(&here).all(|(wanted, name)| {
            // A star is for no hidden name.
            let hidden = name.starts_with('.') && wanted.starts_with(['*', '?', '[']);
            !hidden && shell::path::matches(wanted, name)
        })
}
