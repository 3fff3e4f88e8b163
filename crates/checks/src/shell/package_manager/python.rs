//! Python: what stands for the command lines of pip, venv, poetry and pipenv in uv's words. Checked against uv 0.13.

use super::form::{
    Ecosystem, Form, Manager, Opt, When, each, flag, form, gone, gone_valued, instead, renamed,
    renamed_valued, valued,
};

const PACKAGES: &str = "<packages>";

const fn manager(name: &'static str, options: &'static [Opt], forms: &'static [Form]) -> Manager {
    Manager { name, key: name, ecosystem: Ecosystem::Python, has_verbs: true, options, forms }
}

pub(super) static PIP: Manager = manager("pip", PIP_OPTIONS, PIP_FORMS);
pub(super) static MODULE_PIP: Manager =
    Manager { key: "pip", ..manager("python -m pip", PIP_OPTIONS, PIP_FORMS) };
pub(super) static MODULE_VENV: Manager =
    Manager { has_verbs: false, ..manager("python -m venv", VENV_OPTIONS, VENV_FORMS) };
pub(super) static POETRY: Manager = manager("poetry", POETRY_OPTIONS, POETRY_FORMS);
pub(super) static PIPENV: Manager = manager("pipenv", PIPENV_OPTIONS, PIPENV_FORMS);

static PIP_OPTIONS: &[Opt] = &[
    valued(&["-c", "-e", "-f", "-i", "-r", "-t", "-C"]),
    valued(&["--cache-dir", "--cert", "--extra-index-url", "--find-links", "--group", "--index-url"]),
    valued(&[
        "--keyring-provider",
        "--no-binary",
        "--only-binary",
        "--prefix",
        "--python",
        "--python-version",
    ]),
    valued(&["--root", "--target", "--exclude", "--format", "--path"]),
    renamed_valued(&["--config-settings"], "--config-setting"),
    renamed_valued(&["--constraint"], "-c"),
    renamed_valued(&["--editable"], "-e"),
    renamed_valued(&["--platform"], "--python-platform"),
    renamed_valued(&["--requirement"], "-r"),
    renamed_valued(&["--trusted-host"], "--allow-insecure-host"),
    renamed(&["-I", "--force-reinstall", "--ignore-installed"], "--reinstall"),
    renamed(&["-U"], "--upgrade"),
    renamed(&["--compile"], "--compile-bytecode"),
    renamed(&["--isolated"], "--no-config"),
    renamed(&["--no-cache-dir"], "--no-cache"),
    renamed(&["--pre"], "--prerelease allow"),
    gone(&["-y", "--yes", "--user", "--debug", "--disable-pip-version-check", "--no-color", "--no-compile"]),
    gone(&["--no-input", "--no-python-version-warning", "--no-use-pep517", "--no-warn-conflicts"]),
    gone(&["--no-warn-script-location", "--prefer-binary", "--require-virtualenv", "--use-pep517"]),
    gone_valued(&[
        "--client-cert",
        "--exists-action",
        "--log",
        "--progress-bar",
        "--proxy",
        "--report",
        "--retries",
    ]),
    gone_valued(&[
        "--root-user-action",
        "--src",
        "--timeout",
        "--upgrade-strategy",
        "--use-deprecated",
        "--use-feature",
    ]),
];

/// What only the interface that is like pip can say: the project's own dependencies stay as they are.
const LIKE_PIP: &[&str] = &[
    "-c",
    "-e",
    "-r",
    "-t",
    "--constraint",
    "--dry-run",
    "--editable",
    "--group",
    "--no-binary",
    "--no-deps",
    "--only-binary",
    "--platform",
    "--prefix",
    "--python-version",
    "--require-hashes",
    "--requirement",
    "--root",
    "--target",
];

/// `.` and `.[extra]`: a project cannot depend on itself.
fn is_here(operand: &str) -> bool {
    operand == "." || operand == "./" || operand.starts_with(".[")
}

static PIP_FORMS: &[Form] = &[
    form(&["install"], "uv pip install").when(When::Option(LIKE_PIP)),
    form(&["install"], "uv pip install").when(When::Operand(is_here)),
    form(&["install"], "uv add").missing(PACKAGES).options(&[gone(&["--break-system-packages"])]),
    form(&["uninstall"], "uv pip uninstall").when(When::Option(&["-r", "--requirement"])),
    form(&["uninstall"], "uv remove").missing(PACKAGES),
    form(&["freeze", "list", "show", "check"], "uv pip {verb}").options(&[
        flag(&["-e", "--editable", "-f", "--files"]),
        renamed(&["-o"], "--outdated"),
        gone(&["-l", "--local", "--all", "--pre"]),
    ]),
    form(&["cache purge"], "uv cache clean").nothing(),
    form(&["cache dir"], "uv cache dir").nothing(),
];

static VENV_OPTIONS: &[Opt] = &[
    valued(&["--prompt", "--python"]),
    gone(&[
        "--copies",
        "--symlinks",
        "--upgrade",
        "--upgrade-deps",
        "--without-pip",
        "--without-scm-ignore-files",
    ]),
];

static VENV_FORMS: &[Form] = &[form(&[], "uv venv")];

static POETRY_OPTIONS: &[Opt] = &[
    renamed_valued(&["-C", "--directory"], "--directory"),
    renamed_valued(&["-P", "--project"], "--project"),
    renamed_valued(&["-o", "--output"], "-o"),
    each(&["-E", "--extras"], "--extra"),
    renamed_valued(&["-G", "--group"], "--group"),
    renamed(&["-D", "--dev"], "--dev"),
    renamed(&["--allow-prereleases"], "--prerelease allow"),
    renamed(&["--compile"], "--compile-bytecode"),
    gone(&["-n", "--no-interaction", "--ansi", "--no-ansi", "--no-plugins"]),
];

static POETRY_GROUPS: &[Opt] = &[
    instead(&["--only"], "main", "--no-dev"),
    each(&["--only"], "--only-group"),
    each(&["--with"], "--group"),
    instead(&["--without"], "dev", "--no-dev"),
    each(&["--without"], "--no-group"),
    renamed(&["--no-root"], "--no-install-project"),
    renamed(&["--without-hashes"], "--no-hashes"),
    renamed_valued(&["-f", "--format"], "--format"),
    gone(&["--sync", "--with-credentials", "--without-urls"]),
];

/// `name@^1.2`, as poetry writes a version, in the way that everyone reads it. Addresses stay.
fn requirement(operand: &str) -> Option<String> {
    let (name, version) =
        operand.split_once('@').filter(|_| !operand.contains("://") && !operand.starts_with("git+"))?;
    let digits = version.trim_start_matches(['^', '~', '=', '>']);
    if version == "latest" {
        Some(name.to_owned())
    } else if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        None
    } else if version.starts_with(['^', '~', '>']) {
        Some(format!("{name}>={digits}"))
    } else {
        Some(format!("{name}=={digits}"))
    }
}

/// What a version number is raised by.
fn is_bump(operand: &str) -> bool {
    matches!(operand, "major" | "minor" | "patch")
}

static POETRY_FORMS: &[Form] = &[
    form(&["add"], "uv add").missing(PACKAGES).operand(requirement).options(&[
        renamed(&["-e"], "--editable"),
        renamed(&["--lock"], "--no-sync"),
        gone_valued(&["--source"]),
    ]),
    form(&["install", "sync"], "uv sync").options(POETRY_GROUPS),
    form(&["run"], "uv run").command().missing("<cmd>"),
    form(&["lock"], "uv lock").options(&[gone(&["--no-update"]), renamed(&["--regenerate"], "--upgrade")]),
    form(&["remove"], "uv remove").missing(PACKAGES),
    form(&["update"], "uv sync --upgrade").when(When::Bare).options(POETRY_GROUPS),
    form(&["update"], "uv sync").each("--upgrade-package").options(POETRY_GROUPS),
    form(&["show"], "uv tree")
        .when(When::Option(&["-t", "--tree"]))
        .each("--package")
        .options(&[gone(&["-t", "--tree"])]),
    form(&["show"], "uv pip show").when(When::Operands),
    form(&["show"], "uv pip list").options(&[
        renamed(&["-o", "-l", "--outdated", "--latest"], "--outdated"),
        gone(&["-a", "-T", "--all", "--top-level"]),
    ]),
    form(&["build"], "uv build").options(&[
        instead(&["-f", "--format"], "wheel", "--wheel"),
        instead(&["-f", "--format"], "sdist", "--sdist"),
        renamed_valued(&["-o", "--output"], "--out-dir"),
    ]),
    form(&["publish"], "uv publish").options(&[
        renamed_valued(&["-r", "--repository"], "--index"),
        valued(&["-u", "--username", "-p", "--password"]),
        gone(&["--build"]),
    ]),
    form(&["version"], "uv version --bump").when(When::Operand(is_bump)),
    form(&["version"], "uv version").options(&[renamed(&["-s"], "--short")]),
    form(&["init", "new"], "uv init")
        .options(&[valued(&["--name", "--description", "--python"]), gone(&["--src"])]),
    form(&["env use"], "uv venv --python"),
    form(&["export"], "uv export").options(POETRY_GROUPS),
    form(&["check"], "uv lock --check").nothing(),
];

static PIPENV_OPTIONS: &[Opt] = &[
    valued(&["-e", "-r", "--extra-index-url", "--index", "--python"]),
    renamed_valued(&["--editable"], "-e"),
    renamed_valued(&["--requirements"], "-r"),
    renamed_valued(&["-i", "--pypi-mirror"], "--default-index"),
    gone_valued(&["--categories"]),
    renamed(&["-d", "--dev"], "--dev"),
    renamed(&["--deploy"], "--locked"),
    renamed(&["--pre"], "--prerelease allow"),
    gone(&[
        "--bare",
        "--clear",
        "--ignore-pipfile",
        "--keep-outdated",
        "--site-packages",
        "--skip-lock",
        "--system",
        "--three",
    ]),
];

/// uv syncs the development group unless it is told not to.
static PIPENV_SYNC: &[Opt] = &[gone(&["-d", "--dev"])];

static PIPENV_FORMS: &[Form] = &[
    form(&["install"], "uv pip install").when(When::Option(&["-e", "--editable"])),
    form(&["install"], "uv add").when(When::Option(&["-r", "--requirements"])),
    form(&["install"], "uv sync").when(When::Bare).options(PIPENV_SYNC),
    form(&["install"], "uv add"),
    form(&["run"], "uv run").command().missing("<cmd>"),
    form(&["sync", "clean"], "uv sync").options(PIPENV_SYNC),
    form(&["lock"], "uv lock").options(PIPENV_SYNC),
    form(&["uninstall"], "uv remove").when(When::Operands),
    form(&["update", "upgrade"], "uv sync --upgrade").when(When::Bare).options(PIPENV_SYNC),
    form(&["update", "upgrade"], "uv sync").each("--upgrade-package").options(PIPENV_SYNC),
    form(&["graph"], "uv tree").nothing(),
    form(&["requirements"], "uv export --format requirements.txt").nothing(),
    form(&["verify"], "uv lock --check").nothing(),
];
