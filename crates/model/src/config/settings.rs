//! The registry of settings: key, type, default and documentation in one place. The typed `Config`, the JSON Schema, the
//! reference page and `config show` all come from it.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::value::{
    Engine, Formatting, JsRuntime, Kind, LevelMap, ListMap, Nursery, Pace, PackageManager, Unconfigured,
    Value,
};
use super::{Floor, Profile};

/// Whether a value from a project's own file needs the user's trust before it counts. A clone may carry anything.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// Takes effect at once.
    Free,
    /// Any value needs trust: it names something to run or to read.
    Always,
    /// Needs trust when it protects less than what is in force without it.
    WhenLooser(fn(&Config, &Json) -> bool),
    /// Per check: a guard that would be weakened needs trust. `state::config` knows the guards.
    Guards,
}

/// One documented setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Dotted path in the file.
    pub key: &'static str,
    pub kind: Kind,
    pub doc: &'static str,
    pub bound: Bound,
    /// The default, as JSON.
    pub default: fn() -> Json,
}

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $key:literal: $field:ident: $ty:ty = $default:expr, $bound:expr;)*) => {
        /// All settings, merged and typed.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $field: $ty,)*
            /// What the levels of checks are held to by a team's policy. Not a setting: it follows from the layers.
            pub floor: Floor,
        }

        impl Default for Config {
            fn default() -> Self { Self { $($field: $default,)* floor: Floor::default() } }
        }

        /// In the order of the reference page.
        pub static SETTINGS: &[Setting] = &[$(Setting {
            key: $key,
            kind: <$ty as Value>::KIND,
            doc: concat!($($doc, "\n"),+),
            bound: $bound,
            default: || { let value: $ty = $default; value.show() },
        }),*];

        impl Config {
            /// Sets one key. `false` when the JSON is not of the setting's type, or there is no such key.
            pub fn set(&mut self, key: &str, json: &Json) -> bool {
                match key {
                    $($key => match <$ty as Value>::read(json) {
                        Some(value) => { self.$field = value; true }
                        None => false,
                    },)*
                    _ => false,
                }
            }

            /// One key as JSON; null when there is no such key.
            pub fn get(&self, key: &str) -> Json {
                match key {
                    $($key => self.$field.show(),)*
                    _ => Json::Null,
                }
            }
        }
    };
}

settings! {
    /// Master switch: `false` stops everything.
    "hook_enabled": hook_enabled: bool = true, Bound::WhenLooser(|_, new| bool::read(new) == Some(false));
    /// How much is on: `observe` decides and logs but never blocks; `guards` has guards and protection, and no linters and
    /// gates; `standard`; `strict` adds the gates for tests, mocks, branches, documentation and plans;
    /// `autonomous` is for agents that work alone.
    "profile": profile: Profile = Profile::Standard, Bound::WhenLooser(|old, new| {
        // Each has guards, or asks where another approves. Only the gates come on top of everything else.
        let stricter = match old.profile {
            Profile::Guards => matches!(new.as_str(), Some("standard" | "strict")),
            Profile::Standard => new == "strict",
            _ => false,
        };
        Profile::read(new).is_some_and(|new| new != old.profile) && !stricter
    });
    /// Single checks on top of the profile: `{"file/linter-config": "warn"}`.
    "checks": checks: LevelMap = BTreeMap::new(), Bound::Guards;
    /// Files whose name the agent may not edit, at any depth. An empty list means the built-in one.
    "protected_files": protected_files: Vec<String> = default_protected(), Bound::WhenLooser(|old, new| {
        let mut new = Vec::read(new).unwrap_or_default();
        if new.is_empty() {
            new = default_protected();
        }
        old.protected_files.iter().any(|name| !new.contains(name))
    });
    /// Also protect the other spellings of those files, linter tables inside `pyproject.toml`, `setup.cfg`, `tox.ini` and
    /// `package.json`, and the configs of ESLint, Prettier and pre-commit.
    "protect_siblings": protect_siblings: bool = true, Bound::WhenLooser(|old, new| {
        old.protect_siblings && bool::read(new) == Some(false)
    });
    /// Lint Python.
    "languages.python": python: bool = true, Bound::Free;
    /// Lint shell scripts.
    "languages.shell": shell: bool = true, Bound::Free;
    /// Lint YAML.
    "languages.yaml": yaml: bool = true, Bound::Free;
    /// Lint JSON.
    "languages.json": json: bool = true, Bound::Free;
    /// Lint TOML.
    "languages.toml": toml: bool = true, Bound::Free;
    /// Lint Dockerfiles.
    "languages.dockerfile": dockerfile: bool = true, Bound::Free;
    /// Lint Markdown.
    "languages.markdown": markdown: bool = true, Bound::Free;
    /// Lint TypeScript, JavaScript and CSS. `"typescript": true` says the same. Off where a file names languages
    /// without it; on where there is no file at all.
    "languages.typescript.enabled": typescript: bool = true, Bound::Free;
    /// Which runtime finds and runs JavaScript tools.
    "languages.typescript.js_runtime": js_runtime: JsRuntime = JsRuntime::Auto, Bound::Free;
    /// What Biome's nursery rules count for: nothing, an advisory, an error.
    "languages.typescript.biome_nursery": biome_nursery: Nursery = Nursery::Warn, Bound::Free;
    /// Let Biome apply fixes that it calls unsafe.
    "languages.typescript.biome_unsafe_autofix": biome_unsafe_autofix: bool = false, Bound::Free;
    /// Run oxlint with type-aware rules, and leave those rules out of Biome.
    "languages.typescript.oxlint_tsgolint": oxlint_tsgolint: bool = false, Bound::Free;
    /// Type-check with tsgo.
    "languages.typescript.tsgo": tsgo: bool = false, Bound::Free;
    /// Scan TypeScript and JavaScript with semgrep, once in a session.
    "languages.typescript.semgrep": semgrep: bool = true, Bound::Free;
    /// Look for dead code with Knip.
    "languages.typescript.knip": knip: bool = false, Bound::Free;
    /// Lint Rust code.
    "languages.rust": rust: bool = true, Bound::Free;
    /// Lint Go code.
    "languages.go": go: bool = true, Bound::Free;
    /// Who lints: `embedded` is what is linked into this program, `external` the tools on the machine, `auto` whichever is
    /// there, by `pace`. One for all languages, or by language: `{"python": "external"}`.
    "engine": engine: Engine = Engine::default(), Bound::Free;
    /// `fast`: an edit waits for what answers at once; slow tools work in the background, and what they find is said by
    /// a later hook. `thorough`: an edit waits for all of them.
    "pace": pace: Pace = Pace::Fast, Bound::Free;
    /// What counts of a linter that the project has not chosen: by its configuration, or by its name in pre-commit, CI, scripts or a
    /// lock file. `faults`: that code does not parse, names what is not defined, or is certain to crash. `all`: everything it
    /// says, by its own defaults. `plimsoll init --strict-configs` sets `all`.
    "unconfigured": unconfigured: Unconfigured = Unconfigured::Faults, Bound::Free;
    /// Which edited files are formatted. `chosen`: by the formatter that the project has chosen, where the file was formatted by
    /// it before the edit, or is new. `all`: every file, by whatever formats it. `plimsoll init --strict-configs` sets `all`.
    "formatting": formatting: Formatting = Formatting::Chosen, Bound::Free;
    /// Rules that are neither fixed nor counted on the edit that broke them, because the next edit may fix them, such as
    /// an import that is not used yet. They count when the agent stops.
    "defer": defer: Vec<String> = strings(&["F401", "lint/correctness/noUnusedImports"]), Bound::Free;
    /// Whoever edits a file owns all of its violations. `false`: only those count that lie on lines of the edit, or that are new
    /// with it.
    "boy_scout": boy_scout: bool = false, Bound::Free;
    /// Directories that security linters leave out.
    "security_linter_exclusions": security_linter_exclusions: Vec<String> = default_exclusions(), Bound::Free;
    /// The older name of `security_linter_exclusions`.
    "exclusions": exclusions: Vec<String> = default_exclusions(), Bound::Free;
    /// Phase 1: format each edited file.
    "phases.auto_format": auto_format: bool = true, Bound::Free;
    /// Phase 3: let a model fix what remains. It starts `claude -p`, which costs money and edits the file.
    "phases.subprocess_delegation": subprocess_delegation: bool = false, Bound::WhenLooser(|old, new| {
        !old.subprocess_delegation && bool::read(new) == Some(true)
    });
    /// Rule codes that the small model fixes; a regular expression.
    "subprocess.tiers.haiku.patterns": haiku_patterns: String = HAIKU.into(), Bound::Free;
    /// Tools that the small model may use.
    "subprocess.tiers.haiku.tools": haiku_tools: String = "Edit,Read".into(), Bound::Always;
    /// Turns that the small model gets.
    "subprocess.tiers.haiku.max_turns": haiku_turns: u64 = 10, Bound::Free;
    /// Seconds that the small model gets.
    "subprocess.tiers.haiku.timeout": haiku_timeout: u64 = 120, Bound::Free;
    /// Rule codes that the middle model fixes; a regular expression.
    "subprocess.tiers.sonnet.patterns": sonnet_patterns: String = SONNET.into(), Bound::Free;
    /// Tools that the middle model may use.
    "subprocess.tiers.sonnet.tools": sonnet_tools: String = "Edit,Read".into(), Bound::Always;
    /// Turns that the middle model gets.
    "subprocess.tiers.sonnet.max_turns": sonnet_turns: u64 = 10, Bound::Free;
    /// Seconds that the middle model gets.
    "subprocess.tiers.sonnet.timeout": sonnet_timeout: u64 = 300, Bound::Free;
    /// Rule codes that the large model fixes; a regular expression.
    "subprocess.tiers.opus.patterns": opus_patterns: String = OPUS.into(), Bound::Free;
    /// Tools that the large model may use.
    "subprocess.tiers.opus.tools": opus_tools: String = "Edit,Read,Write".into(), Bound::Always;
    /// Turns that the large model gets.
    "subprocess.tiers.opus.max_turns": opus_turns: u64 = 15, Bound::Free;
    /// Seconds that the large model gets.
    "subprocess.tiers.opus.timeout": opus_timeout: u64 = 600, Bound::Free;
    /// One model for everything; no tier is chosen then.
    "subprocess.global_model_override": global_model_override: Option<String> = None, Bound::Free;
    /// Turns for every tier.
    "subprocess.max_turns_override": max_turns_override: Option<u64> = None, Bound::Free;
    /// Seconds for every tier.
    "subprocess.timeout_override": timeout_override: Option<u64> = None, Bound::Free;
    /// More violations than this go to the large model.
    "subprocess.volume_threshold": volume_threshold: u64 = 5, Bound::Free;
    /// The settings file that the fixer's client is started with, instead of Plimsoll's own, which lies outside of the project.
    /// A file in the project, also `.claude/subprocess-settings.json`, is used only with the content that you have trusted. It
    /// is protected from edits.
    "subprocess.settings_file": settings_file: Option<String> = None, Bound::Always;
    /// Another program than `claude` to fix with. `codex`, `gemini`, `copilot` and `opencode` are started headless in their own way, with
    /// leave to edit; any other program is started with the same arguments as `claude`.
    "subprocess.command": fixer_command: Option<String> = None, Bound::Always;
    /// Edited files before jscpd looks for duplicates.
    "jscpd.session_threshold": jscpd_threshold: u64 = 3, Bound::Free;
    /// Directories in which it looks.
    "jscpd.scan_dirs": jscpd_dirs: Vec<String> = vec!["src/".into(), "lib/".into()], Bound::Free;
    /// Duplicates are reported but do not block.
    "jscpd.advisory_only": jscpd_advisory: bool = true, Bound::Free;
    /// Python packages: `"uv"` or `"poetry"` blocks others and names the replacement, `"uv:warn"` only says so, `false` is off,
    /// `"auto"` goes by the project's lock file and asks where its tool is not installed.
    "package_managers.python": python_manager: PackageManager = PackageManager::Auto, Bound::Free;
    /// JavaScript packages, likewise with `"bun"`, `"npm"`, `"pnpm"` or `"yarn"`.
    "package_managers.javascript": javascript_manager: PackageManager = PackageManager::Auto, Bound::Free;
    /// Subcommands of other package managers that stay allowed.
    "package_managers.allowed_subcommands": allowed_subcommands: ListMap = default_subcommands(), Bound::Free;
    /// Ask autonomous work on an application for a smoke test in a browser before it stops.
    "web_smoke": web_smoke: bool = true, Bound::WhenLooser(|old, new| old.web_smoke && bool::read(new) == Some(false));
    /// Kinds of change of your own, by the texts in added lines of code that show them: `{"billing": ["stripe."]}`.
    "change_types.patterns": change_patterns: ListMap = ListMap::new(), Bound::Free;
    /// What to test for each of them. It is said to the agent as it stands here.
    "change_types.tests": change_tests: ListMap = ListMap::new(), Bound::Always;
    /// Hours after which autonomous work counts as ended when nothing was heard of it.
    "autonomy.ttl_hours": autonomy_ttl_hours: u64 = 8, Bound::Always;
    /// What a user's whole prompt says to confirm the work: it is recorded as the proof of work. Punctuation and letter case do not count.
    "proof.words": proof_words: Vec<String> = default_proof_words(), Bound::Always;
    /// Hold an implementer subagent until its tests pass and its decisions are written, instead of only saying so.
    "subagents.implementer_blocks": implementer_blocks: bool = false, Bound::WhenLooser(|old, new| old.implementer_blocks && bool::read(new) == Some(false));
    /// The git checkout that the hooks come from, where `~/.claude/hooks` is not a link into it: looked at once a day at the start of a session, brought forward where that is safe.
    "update.checkout": update_checkout: Option<String> = None, Bound::Always;
    /// The command that runs the project's tests, instead of the runner that is found by its files.
    "tests.command": tests_command: Option<String> = None, Bound::Always;
    /// Seconds that a run of the tests gets.
    "tests.timeout": tests_timeout: u64 = 600, Bound::Free;
    /// Files of rules, and folders of them, that you share with others, besides your own `~/.claude/hooks/rules.toml`: a checkout of your
    /// team's, `["~/policies/rules"]`. See [the guide](../guide/rules.md).
    "rules.shared": rules_shared: Vec<String> = Vec::new(), Bound::Always;
    /// The user's list of work: a program that is called as `PROGRAM hud`, `count`, `claim N`, `unclaim --session=ID`, or `gh` for the
    /// issues of the repository. Without it `~/.claude/scripts/todo.sh` is used, where it is there.
    "todo.command": todo_command: Option<String> = None, Bound::Always;
    /// Days that the decision log is kept.
    "log.days": log_days: u64 = 90, Bound::Always;
    /// Megabytes that the decision log may take in all.
    "log.megabytes": log_megabytes: u64 = 64, Bound::Always;
    /// Where Gemini, the first reviewer of the second opinion, is asked.
    "second_opinion.gemini_url": gemini_url: String = "https://generativelanguage.googleapis.com/v1beta".into(), Bound::Always;
    /// Where OpenAI, the second reviewer, is asked.
    "second_opinion.openai_url": openai_url: String = "https://api.openai.com/v1".into(), Bound::Always;
    /// Milliseconds that Gemini gets for its answer.
    "second_opinion.gemini_timeout_ms": gemini_timeout_ms: u64 = 3000, Bound::Always;
    /// Milliseconds that OpenAI gets.
    "second_opinion.openai_timeout_ms": openai_timeout_ms: u64 = 5000, Bound::Always;
    /// A git checkout with a team's `config.json`, which neither you nor a project can weaken. It counts in your own settings and in the
    /// managed ones.
    "policy.checkout": policy_checkout: Option<String> = None, Bound::Always;
    /// The commit of that checkout which counts, by its whole hash. Without it: whatever is checked out.
    "policy.commit": policy_commit: Option<String> = None, Bound::Always;
    /// Whether `plimsoll allow`, and rules of users with `overrides`, count against checks that a policy holds. It counts in a policy and in
    /// managed settings.
    "allow_by_hand": allow_by_hand: bool = false, Bound::Always;
    /// Where decisions and metrics are sent: the base address of an OTLP/HTTP receiver, such as `http://127.0.0.1:4318`. Without it, or
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`, nothing is sent.
    "telemetry.endpoint": telemetry_endpoint: Option<String> = None, Bound::Always;
    /// Headers of those requests: `["authorization=Bearer ..."]`.
    "telemetry.headers": telemetry_headers: Vec<String> = Vec::new(), Bound::Always;
    /// Also send the text of commands and reasons, paths and project names, secrets masked. Without it only names of tools and rules, verdicts and
    /// numbers leave the machine.
    "telemetry.detail": telemetry_detail: bool = false, Bound::WhenLooser(|old, new| !old.telemetry_detail && bool::read(new) == Some(true));
    /// The client version that this file was written for; a note, never read.
    "cc_tested_version": cc_tested_version: Option<String> = None, Bound::Free;
    /// For editors.
    "$schema": schema: Option<String> = None, Bound::Free;
}

const HAIKU: &str = "E[0-9]+|W[0-9]+|F[0-9]+|B[0-9]+|S[0-9]+|T[0-9]+|N[0-9]+|UP[0-9]+|YTT[0-9]+|ANN[0-9]+|BLE[0-9]+|\
FBT[0-9]+|A[0-9]+|COM[0-9]+|DTZ[0-9]+|EM[0-9]+|EXE[0-9]+|ISC[0-9]+|ICN[0-9]+|G[0-9]+|INP[0-9]+|PIE[0-9]+|PYI[0-9]+|\
PT[0-9]+|Q[0-9]+|RSE[0-9]+|RET[0-9]+|SLF[0-9]+|SIM[0-9]+|TID[0-9]+|TCH[0-9]+|INT[0-9]+|ARG[0-9]+|PTH[0-9]+|TD[0-9]+|\
FIX[0-9]+|ERA[0-9]+|PD[0-9]+|PGH[0-9]+|PLC[0-9]+|PLE[0-9]+|PLW[0-9]+|TRY[0-9]+|FLY[0-9]+|NPY[0-9]+|AIR[0-9]+|\
PERF[0-9]+|FURB[0-9]+|LOG[0-9]+|RUF[0-9]+|SC[0-9]+|DL[0-9]+|I[0-9]+";

const SONNET: &str =
    "C901|PLR[0-9]+|PYD[0-9]+|FAST[0-9]+|ASYNC[0-9]+|unresolved-import|import-not-found|MD[0-9]+|D[0-9]+";

// Both names of one rule of ty: the older, and what later versions call it.
const OPUS: &str = "unresolved-attribute|missing-attribute|type-assertion";

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

/// The fourteen configs that the old linter hooks protect.
fn default_protected() -> Vec<String> {
    strings(&[
        ".markdownlint.jsonc",
        ".markdownlint-cli2.jsonc",
        ".shellcheckrc",
        ".yamllint",
        ".hadolint.yaml",
        ".jscpd.json",
        ".flake8",
        "taplo.toml",
        ".ruff.toml",
        "ty.toml",
        "biome.json",
        ".oxlintrc.json",
        ".semgrep.yml",
        "knip.json",
    ])
}

fn default_proof_words() -> Vec<String> {
    strings(&[
        "verified",
        "proof verified",
        "work verified",
        "i verified it",
        "i have verified it",
        "i have seen it work",
        "it works, verified",
        "verified, it works",
        "looks good, verified",
    ])
}

fn default_exclusions() -> Vec<String> {
    strings(&["tests/", "docs/", ".venv/", "node_modules/", ".git/"])
}

fn default_subcommands() -> ListMap {
    [
        ("npm", &["audit", "view", "pack", "publish", "whoami", "login"][..]),
        ("pip", &["download"]),
        ("pnpm", &["audit", "info"]),
        ("yarn", &["audit", "info"]),
    ]
    .into_iter()
    .map(|(tool, list)| (tool.to_owned(), strings(list)))
    .collect()
}

/// A key of the first format of the old linter hooks, with what to write instead.
#[derive(Clone, Copy, Debug)]
pub struct Retired {
    pub key: &'static str,
    pub instead: &'static str,
}

/// Keys that are refused rather than warned about: their meaning moved, and guessing would choose the wrong model or time.
pub static RETIRED: &[Retired] = &[
    Retired {
        key: "subprocess.timeout",
        instead: "set subprocess.tiers.<haiku|sonnet|opus>.timeout, or subprocess.timeout_override for all tiers",
    },
    Retired {
        key: "subprocess.max_turns",
        instead: "set subprocess.tiers.<haiku|sonnet|opus>.max_turns, or subprocess.max_turns_override for all tiers",
    },
    Retired { key: "subprocess.model", instead: "set subprocess.global_model_override" },
    Retired {
        key: "subprocess.model_selection",
        instead: "move its patterns to subprocess.tiers.<haiku|sonnet|opus>.patterns and volume_threshold to subprocess.volume_threshold",
    },
    Retired { key: "subprocess.tools", instead: "set subprocess.tiers.<haiku|sonnet|opus>.tools" },
];

pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// The known key most like `key`, if any is near enough to be meant. `distance` is an edit distance.
pub fn nearest(key: &str, distance: fn(&str, &str) -> usize) -> Option<&'static str> {
    let (best, key_len) = (SETTINGS.iter().map(|s| (distance(key, s.key), s.key)).min()?, key.len());
    (best.0 <= 3.max(key_len / 4)).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_reads_back_as_itself() {
        let mut config = Config::default();
        for setting in SETTINGS {
            let default = (setting.default)();
            assert!(config.set(setting.key, &default), "{} does not accept its own default", setting.key);
            assert_eq!(config.get(setting.key), default, "{}", setting.key);
            assert!(setting.doc.trim().len() > 8, "{} needs words", setting.key);
        }
    }

    #[test]
    fn the_seeds_fourteen_files_are_protected() {
        assert_eq!(Config::default().protected_files.len(), 14);
    }

    #[test]
    fn wrong_types_are_refused_and_change_nothing() {
        let mut config = Config::default();
        assert!(!config.set("hook_enabled", &Json::from(3)));
        assert!(!config.set("profile", &Json::from("loose")));
        assert!(!config.set("protected_files", &Json::from(vec![1])));
        assert!(config.hook_enabled && config.profile == Profile::Standard);
    }

    #[test]
    fn text_toggles_of_old_files_are_understood() {
        let mut config = Config::default();
        assert!(config.set("languages.python", &Json::from("false")));
        assert!(!config.python);
        assert!(config.set("package_managers.python", &Json::from("False")));
        assert_eq!(config.python_manager, PackageManager::Off);
    }

    #[test]
    fn narrowing_is_looser_and_adding_is_not() {
        let Bound::WhenLooser(looser) = find("protected_files").unwrap().bound else { panic!() };
        let config = Config::default();
        assert!(looser(&config, &Json::from(vec!["only-this"])));
        let mut more = config.protected_files.clone();
        more.push("mine.toml".into());
        assert!(!looser(&config, &Json::from(more)));
    }
}
