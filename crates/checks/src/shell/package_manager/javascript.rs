//! JavaScript: what stands for the command lines of npm, npx, yarn and pnpm in bun's words. Checked against bun 1.4.

use super::form::{
    Ecosystem, Form, Manager, Opt, When, flag, form, gone, gone_valued, instead, renamed, renamed_valued,
    valued,
};
use super::translate::Word;

const PACKAGES: &str = "<packages>";
const NO_EQUIVALENT: &str = "bun <equivalent>";

const fn manager(name: &'static str, options: &'static [Opt], forms: &'static [Form]) -> Manager {
    Manager { name, key: name, ecosystem: Ecosystem::JavaScript, has_verbs: true, options, forms }
}

pub(super) static NPM: Manager = manager("npm", NPM_OPTIONS, NPM_FORMS);
pub(super) static NPX: Manager = Manager { has_verbs: false, ..manager("npx", NPX_OPTIONS, NPX_FORMS) };
pub(super) static YARN: Manager = manager("yarn", YARN_OPTIONS, YARN_FORMS);
pub(super) static PNPM: Manager = manager("pnpm", PNPM_OPTIONS, PNPM_FORMS);

static NPM_OPTIONS: &[Opt] = &[
    valued(&["--cache-dir", "--cwd", "--filter", "--omit", "--package", "-p", "--registry"]),
    renamed_valued(&["-C", "--prefix"], "--cwd"),
    renamed_valued(&["-w", "--workspace"], "--filter"),
    renamed_valued(&["--cache"], "--cache-dir"),
    flag(&["--if-present", "--silent", "--workspaces"]),
    renamed(&["-ws"], "--workspaces"),
    renamed(&["-s"], "--silent"),
    renamed(&["--global"], "-g"),
    gone(&[
        "--audit",
        "--fund",
        "--no-audit",
        "--no-fund",
        "--no-color",
        "--no-update-notifier",
        "--foreground-scripts",
    ]),
    gone_valued(&["--include", "--loglevel", "--userconfig", "--fetch-timeout", "--fetch-retries"]),
];

static YARN_OPTIONS: &[Opt] = &[
    valued(&["--cwd", "--filter", "--registry"]),
    renamed_valued(&["--cache-folder"], "--cache-dir"),
    renamed(&["-P"], "--peer"),
    renamed(&["-s"], "--silent"),
    gone(&[
        "--non-interactive",
        "--no-color",
        "--ignore-engines",
        "--check-files",
        "--no-default-rc",
        "--emoji",
    ]),
    gone_valued(&["--network-timeout", "--network-concurrency", "--modules-folder", "--mutex", "--mode"]),
];

static PNPM_OPTIONS: &[Opt] = &[
    valued(&["--registry", "--filter"]),
    renamed_valued(&["-C", "--dir", "--prefix"], "--cwd"),
    renamed_valued(&["-F"], "--filter"),
    renamed(&["-r", "--recursive"], "--workspaces"),
    renamed(&["-s"], "--silent"),
    renamed(&["--no-bail"], "--no-exit-on-error"),
    renamed(&["--global"], "-g"),
    gone(&[
        "-w",
        "--workspace-root",
        "--stream",
        "--aggregate-output",
        "--color",
        "--no-color",
        "--use-stderr",
    ]),
    gone_valued(&["--loglevel", "--reporter", "--store-dir", "--workspace-concurrency", "--fetch-timeout"]),
];

/// Installing and adding, as any of the three says it.
static INSTALL: &[Opt] = &[
    renamed(&["-D", "--save-dev", "--dev"], "--dev"),
    renamed(&["-O", "--save-optional"], "--optional"),
    renamed(&["-E", "--save-exact"], "--exact"),
    renamed(&["--save-peer"], "--peer"),
    renamed(&["-f"], "--force"),
    renamed(&["--prod", "--production"], "--production"),
    renamed(&["--immutable"], "--frozen-lockfile"),
    renamed(&["--package-lock-only"], "--lockfile-only"),
    instead(&["--omit", "--only"], "dev", "--production"),
    instead(&["--only"], "prod", "--production"),
    instead(&["--only"], "production", "--production"),
    gone(&["-S", "--save", "--save-prod", "-ws", "--workspaces", "-r", "--recursive", "-T", "--tilde", "-W"]),
    gone(&["--ignore-workspace-root-check", "--legacy-peer-deps", "--strict-peer-deps", "--no-package-lock"]),
    gone(&[
        "--no-frozen-lockfile",
        "--prefer-frozen-lockfile",
        "--no-strict-peer-dependencies",
        "--shamefully-hoist",
    ]),
];

/// Options that choose packages of a workspace.
const IN_PACKAGES: &[&str] =
    &["-F", "--filter", "-r", "--recursive", "-w", "--workspace", "-ws", "--workspaces"];

static NPM_FORMS: &[Form] = &[
    form(NPM_INSTALL, "bun install").when(When::Bare).options(INSTALL),
    form(NPM_INSTALL, "bun add").options(INSTALL),
    form(&["ci", "clean-install", "ic", "install-clean"], "bun install --frozen-lockfile").options(INSTALL),
    form(&["run", "run-script", "rum", "urn"], "bun run").script(),
    form(&["test", "t", "tst"], "bun run {options} test").when(When::Script("test")).script(),
    form(&["test", "t", "tst"], "bun run {options} test").when(When::Option(IN_PACKAGES)).script(),
    form(&["test", "t", "tst"], "bun test").script(),
    form(&["start", "stop", "restart"], "bun run {options} {verb}").script(),
    form(&["exec", "x"], NO_EQUIVALENT).when(When::Option(&["-c", "--call"])).nothing(),
    form(&["exec", "x"], "bunx").command_without_dashes().missing("<pkg>"),
    form(&["init", "create", "innit"], "bun init").when(When::Bare),
    form(&["init", "create", "innit"], "bun create").command_without_dashes(),
    form(&["uninstall", "remove", "rm", "r", "un", "unlink"], "bun remove")
        .missing(PACKAGES)
        .options(INSTALL),
    form(&["update", "up", "upgrade", "udpate"], "bun update").options(INSTALL),
    form(&["outdated"], "bun outdated"),
    form(&["link", "ln"], "bun link"),
    form(&["ls", "list", "la", "ll"], "bun pm ls").options(&[gone_valued(&["--depth"])]),
    form(&["audit"], "bun audit"),
    form(&["view", "info", "show", "v"], "bun info"),
    form(&["pack"], "bun pm pack"),
    form(&["publish"], "bun publish"),
    form(&["whoami"], "bun pm whoami"),
    form(&["version"], "bun pm version"),
    form(&["pkg"], "bun pm pkg"),
    form(&["why", "explain"], "bun why"),
    form(&["bin"], "bun pm bin"),
    form(&["cache clean"], "bun pm cache rm").nothing(),
];

const NPM_INSTALL: &[&str] =
    &["install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isntall", "add"];

static NPX_OPTIONS: &[Opt] = &[
    valued(&["-p", "--package", "--registry", "-c", "--call", "-w", "--workspace", "--loglevel"]),
    renamed(&["--no"], "--no-install"),
];

static NPX_FORMS: &[Form] = &[
    form(&[], NO_EQUIVALENT).when(When::Option(&["-c", "--call"])).nothing(),
    form(&[], "bunx").command().missing("<pkg>"),
];

static YARN_FORMS: &[Form] = &[
    form(&["", "install"], "bun install").options(INSTALL),
    form(&["add"], "bun add").missing(PACKAGES).options(INSTALL),
    form(&["remove"], "bun remove").missing(PACKAGES).options(INSTALL),
    form(&["run"], "bun run").command(),
    form(&["test"], "bun run {options} test").when(When::Script("test")).verbatim(),
    form(&["test"], "bun run {options} test").when(When::Option(IN_PACKAGES)).verbatim(),
    form(&["test"], "bun test").verbatim(),
    form(&["dlx", "exec"], "bunx").command().missing("<pkg>"),
    form(&["create"], "bun create").command().missing("<template>"),
    form(&["init"], "bun init"),
    form(&["upgrade", "up"], "bun update").options(&[renamed(&["-L"], "--latest")]),
    form(&["upgrade-interactive"], "bun update --interactive"),
    form(&["outdated"], "bun outdated"),
    form(&["why"], "bun why"),
    form(&["link"], "bun link"),
    form(&["unlink"], "bun unlink"),
    form(&["list"], "bun pm ls").options(&[gone_valued(&["--depth", "--pattern"])]),
    form(&["audit"], "bun audit"),
    form(&["info"], "bun info"),
    form(&["pack"], "bun pm pack"),
    form(&["publish"], "bun publish"),
    form(&["node"], "bun").verbatim(),
    form(&["bin"], "bun pm bin"),
    form(&["cache clean"], "bun pm cache rm").nothing(),
    form(YARN_OWN, NO_EQUIVALENT).nothing(),
    // Whatever else it is given is a script, or a program of a package.
    form(&[], "bun run {options} {verb}").verbatim(),
];

/// Verbs of yarn itself for which bun has none.
const YARN_OWN: &[&str] = &[
    "access",
    "autoclean",
    "cache",
    "check",
    "config",
    "constraints",
    "dedupe",
    "explain",
    "generate-lock-entry",
    "global",
    "help",
    "import",
    "licenses",
    "login",
    "logout",
    "npm",
    "owner",
    "patch",
    "patch-commit",
    "plugin",
    "policies",
    "prune",
    "rebuild",
    "search",
    "self-update",
    "set",
    "stage",
    "tag",
    "team",
    "unplug",
    "version",
    "versions",
    "workspace",
    "workspaces",
];

static PNPM_FORMS: &[Form] = &[
    form(&["", "install", "i"], "bun install").options(PNPM_INSTALL),
    form(&["ci", "clean-install"], "bun install --frozen-lockfile").options(INSTALL),
    form(&["add"], "bun add").missing(PACKAGES).options(INSTALL),
    form(&["remove", "rm", "uninstall", "un"], "bun remove").missing(PACKAGES).options(INSTALL),
    form(&["run", "run-script"], "bun run").command(),
    form(&["test", "t", "tst"], "bun run {options} test").when(When::Script("test")).verbatim(),
    form(&["test", "t", "tst"], "bun run {options} test").when(When::Option(IN_PACKAGES)).verbatim(),
    form(&["test", "t", "tst"], "bun test").verbatim(),
    // A program cannot be started in chosen packages only.
    form(&["dlx", "exec"], NO_EQUIVALENT).when(When::Option(IN_PACKAGES)).nothing(),
    form(&["dlx", "exec"], "bunx").command().missing("<pkg>"),
    form(&["create"], "bun create").command().missing("<template>"),
    form(&["init"], "bun init"),
    form(&["update", "up", "upgrade"], "bun update").options(&[
        renamed(&["-L"], "--latest"),
        renamed(&["-i"], "--interactive"),
        renamed(&["-r"], "--recursive"),
    ]),
    form(&["outdated"], "bun outdated"),
    form(&["why"], "bun why"),
    form(&["link", "ln"], "bun link"),
    form(&["unlink"], "bun unlink"),
    form(&["list", "ls", "la", "ll"], "bun pm ls").options(&[gone_valued(&["--depth"])]),
    form(&["audit"], "bun audit"),
    form(&["info", "view", "show"], "bun info"),
    form(&["pack"], "bun pm pack"),
    form(&["publish"], "bun publish"),
    form(&["bin"], "bun pm bin"),
    form(PNPM_OWN, NO_EQUIVALENT).nothing(),
    form(&[], "bun run {options} {verb}").verbatim(),
];

static PNPM_INSTALL: &[Opt] = &[
    renamed(&["-P", "--prod", "--production"], "--production"),
    renamed(&["-D", "--dev"], "--dev"),
    renamed(&["-f"], "--force"),
    renamed(&["--no-optional"], "--omit optional"),
    gone(&["-r", "--recursive", "--no-frozen-lockfile", "--prefer-frozen-lockfile", "--shamefully-hoist"]),
    gone(&["--no-strict-peer-dependencies", "--strict-peer-dependencies"]),
];

/// Verbs of pnpm itself for which bun has none.
const PNPM_OWN: &[&str] = &[
    "approve-builds",
    "cache",
    "cat-file",
    "cat-index",
    "completion",
    "config",
    "c",
    "dedupe",
    "deploy",
    "doctor",
    "env",
    "fetch",
    "find-hash",
    "get",
    "help",
    "ignored-builds",
    "import",
    "install-test",
    "it",
    "licenses",
    "patch",
    "patch-commit",
    "patch-remove",
    "prune",
    "rebuild",
    "rb",
    "root",
    "self-update",
    "server",
    "set",
    "setup",
    "store",
];

/// yarn's verbs about verbs, as the options that say the same: `workspace w add x` is `--filter w add x`.
pub(super) fn without_prefix(words: &[Word]) -> Vec<Word> {
    let texts: Vec<&str> = words.iter().take(2).map(|word| word.text.as_str()).collect();
    let (made, used) = match texts.as_slice() {
        ["workspace", _] => (vec![Word::made("--filter"), words[1].clone()], 2),
        ["global", "add" | "remove" | "upgrade" | "list" | "bin"] => (vec![Word::made("-g")], 1),
        ["workspaces", "run"] => (vec![Word::made("--workspaces")], 1),
        ["workspaces", "foreach"] => match words.iter().position(|word| word.text == "run") {
            Some(at) => (vec![Word::made("--workspaces")], at),
            None => return words.to_vec(),
        },
        _ => return words.to_vec(),
    };
    made.into_iter().chain(words[used..].iter().cloned()).collect()
}
