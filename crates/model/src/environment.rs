//! Every environment variable that is read, as a documented constant. The reference page is made from `VARIABLES`.

/// One variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    pub doc: &'static str,
    /// Its value never appears in output.
    pub secret: bool,
}

macro_rules! variables {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal $(, $flag:ident)?;)*) => {
        $(
            $(#[doc = $doc])+
            pub const $name: Variable = variables!(@build $text, concat!($($doc),+) $(, $flag)?);
        )*

        /// All of them, in the order of the reference page.
        pub static VARIABLES: &[Variable] = &[$($name),*];
    };
    (@build $text:literal, $doc:expr) => { Variable { name: $text, doc: $doc, secret: false } };
    (@build $text:literal, $doc:expr, secret) => { Variable { name: $text, doc: $doc, secret: true } };
}

variables! {
    /// The project's root, set by Claude Code for every hook. Without it: the nearest folder from the event's directory up to
    /// the git root that has a `.claude` folder or that an agent was started in before, else the git root, else home.
    CLAUDE_PROJECT_DIR = "CLAUDE_PROJECT_DIR";
    /// The session's id where a payload has none.
    CLAUDE_SESSION_ID = "CLAUDE_SESSION_ID";
    /// The session's id as newer clients name it: which session `plimsoll approve` means when an agent's shell runs it.
    CLAUDE_CODE_SESSION_ID = "CLAUDE_CODE_SESSION_ID";
    /// The client's process, which tells whether a session is still there.
    CLAUDE_PID = "CLAUDE_PID";
    /// Set by Claude Code for whatever it starts: a command that is the user's alone needs their yes to exactly that call.
    CLAUDECODE = "CLAUDECODE";
    /// The same of this and of the next ones, for the clients that set them.
    CLAUDE_CODE_ENTRYPOINT = "CLAUDE_CODE_ENTRYPOINT";
    /// Set by several clients.
    AI_AGENT = "AI_AGENT";
    /// Set by Codex.
    CODEX_SANDBOX = "CODEX_SANDBOX";
    /// Set by Copilot.
    COPILOT_CLI = "COPILOT_CLI";
    /// Set by Droid.
    FACTORY_PROJECT_DIR = "FACTORY_PROJECT_DIR";
    /// Set by Gemini.
    GEMINI_CLI = "GEMINI_CLI";
    /// Set by Grok.
    GROK_SESSION_ID = "GROK_SESSION_ID";
    /// Set by Hermes.
    HERMES_SESSION_ID = "HERMES_SESSION_ID";
    /// Set by Kilo.
    KILO = "KILO";
    /// Set by the client of that name.
    OPENCODE = "OPENCODE";
    /// Set by the client Pi.
    PI_CODING_AGENT = "PI_CODING_AGENT";
    /// Set by Qwen.
    QWEN_CODE = "QWEN_CODE";
    /// The folder of the plugin that registered the hook.
    CLAUDE_PLUGIN_ROOT = "CLAUDE_PLUGIN_ROOT";
    /// `false` switches the update check off.
    CLAUDE_TOOLKIT_AUTO_UPDATE = "CLAUDE_TOOLKIT_AUTO_UPDATE";
    /// The process id in the names of the approval file of `compat stop_config_guardian` and of the log of `HOOK_LOG_PM`,
    /// instead of the parent's.
    HOOK_GUARD_PID = "HOOK_GUARD_PID";
    /// The process id that `compat multi_linter` tells sessions apart by where a payload names none, instead of the parent's.
    HOOK_SESSION_PID = "HOOK_SESSION_PID";
    /// `1`: report what the linters find at once, without a model that fixes it.
    HOOK_SKIP_SUBPROCESS = "HOOK_SKIP_SUBPROCESS";
    /// Set for the model that fixes: what it starts asks no further one.
    PLIMSOLL_FIXER = "PLIMSOLL_FIXER";
    /// Set by `plimsoll doctor` for its trial call: the refusal of exactly `rm -rf /` is then not in the log, because no agent wanted it.
    PLIMSOLL_TRIAL = "PLIMSOLL_TRIAL";
    /// Seconds for the fixer, over `subprocess.timeout_override` and the tier's own.
    HOOK_SUBPROCESS_TIMEOUT = "HOOK_SUBPROCESS_TIMEOUT";
    /// `1`: say which model tier was chosen.
    HOOK_DEBUG_MODEL = "HOOK_DEBUG_MODEL";
    /// A file to which the timing lines of the old linter hooks are appended.
    HOOK_TIMING_LOG_FILE = "HOOK_TIMING_LOG_FILE";
    /// `1`: no package manager enforcement in this session.
    HOOK_SKIP_PM = "HOOK_SKIP_PM";
    /// `1`: say on stderr how each command was matched.
    HOOK_DEBUG_PM = "HOOK_DEBUG_PM";
    /// `1`: log each decision to `/tmp/.pm_enforcement_<pid>.log`.
    HOOK_LOG_PM = "HOOK_LOG_PM";
    /// `0` switches the second opinion off.
    LLM_REVIEW_ENABLED = "LLM_REVIEW_ENABLED";
    /// The first reviewer's model, instead of `gemini-2.0-flash`.
    LLM_REVIEW_GEMINI_MODEL = "LLM_REVIEW_GEMINI_MODEL";
    /// The second reviewer's model, instead of `gpt-4o-mini`.
    LLM_REVIEW_OPENAI_MODEL = "LLM_REVIEW_OPENAI_MODEL";
    /// Key of the first reviewer of the second opinion. Also read from `~/.claude/.env`.
    GEMINI_API_KEY = "GEMINI_API_KEY", secret;
    /// Key of the second reviewer, likewise.
    OPENAI_API_KEY = "OPENAI_API_KEY", secret;
    /// Percentage of changed source files at which a plan counts as stale.
    PLAN_CHURN_WARN = "PLAN_CHURN_WARN";
    /// Percentage at which writes are refused until the plan is updated.
    PLAN_CHURN_DENY = "PLAN_CHURN_DENY";
    /// `true`: autonomous work is on, as if the state file said so.
    GODO_ACTIVE = "GODO_ACTIVE";
    /// `true`: autonomous work is on, as if the state file said so.
    APPFIX_ACTIVE = "APPFIX_ACTIVE";
    /// The proxy for the second opinion's requests: `http://host:port`, with `user:password@` where it wants one.
    HTTPS_PROXY = "HTTPS_PROXY", secret;
    /// The same in small letters, as many programs write it.
    HTTPS_PROXY_LOWER = "https_proxy", secret;
    /// Hosts that the second opinion reaches without the proxy: names, endings that begin with a dot, or `*`, with commas between.
    NO_PROXY = "NO_PROXY";
    /// The same in small letters, as many programs write it.
    NO_PROXY_LOWER = "no_proxy";
    /// Where decisions and metrics are sent, where `telemetry.endpoint` does not say it: the base address of an OTLP/HTTP receiver.
    OTEL_EXPORTER_OTLP_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", secret;
    /// The whole address for decisions alone.
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT = "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", secret;
    /// The whole address for metrics alone.
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", secret;
    /// Headers for that receiver: `name=value`, with commas between.
    OTEL_EXPORTER_OTLP_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS", secret;
    /// Milliseconds that one request of the telemetry may take.
    OTEL_EXPORTER_OTLP_TIMEOUT = "OTEL_EXPORTER_OTLP_TIMEOUT";
    /// What the telemetry says of this machine besides: `key=value`, with commas between.
    OTEL_RESOURCE_ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES";
    /// `true` switches the telemetry off.
    OTEL_SDK_DISABLED = "OTEL_SDK_DISABLED";
    /// Where our own records lie, instead of `$XDG_STATE_HOME/plimsoll` or `~/.local/state/plimsoll`: an absolute path.
    PLIMSOLL_STATE_DIR = "PLIMSOLL_STATE_DIR";
    /// The base of the above, by the XDG convention.
    XDG_STATE_HOME = "XDG_STATE_HOME";
    /// The folder of managed settings instead of the system's, for tests. Read only by builds with debug assertions, so that no agent can
    /// choose its policy.
    PLIMSOLL_TEST_MANAGED = "PLIMSOLL_TEST_MANAGED";
    /// `1`: set by those who run the client as root in a sandbox; then it may skip permissions.
    IS_SANDBOX = "IS_SANDBOX";
    /// The base of the folder that `plimsoll tools install` fills, instead of `~/.cache`.
    XDG_CACHE_HOME = "XDG_CACHE_HOME";
    /// Where the settings of a user's own tools lie, instead of `~/.config`.
    XDG_CONFIG_HOME = "XDG_CONFIG_HOME";
    /// A Python environment that is in use, where tools are looked for.
    VIRTUAL_ENV = "VIRTUAL_ENV";
    /// The user's home directory. Where it is not set, or relative, the system's list of users says it.
    HOME = "HOME";
    /// Where programs are looked for.
    PATH = "PATH";
    /// `1`: colours also where nobody sees them, such as in a pipe.
    CLICOLOR_FORCE = "CLICOLOR_FORCE";
    /// Any value that is not empty switches colours off.
    NO_COLOR = "NO_COLOR";
    /// The terminal's name, by which a notification on macOS comes back to it.
    TERM_PROGRAM = "TERM_PROGRAM";
    /// `dumb` switches colours off.
    TERM = "TERM";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variable_is_listed_twice_or_without_words() {
        for (index, variable) in VARIABLES.iter().enumerate() {
            assert!(!VARIABLES[..index].iter().any(|v| v.name == variable.name), "{}", variable.name);
            assert!(variable.doc.trim().len() > 10, "{}", variable.name);
        }
    }

    #[test]
    fn keys_are_secret() {
        assert!(VARIABLES.iter().filter(|v| v.name.ends_with("_API_KEY")).all(|v| v.secret));
    }
}
