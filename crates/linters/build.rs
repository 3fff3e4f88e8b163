//! `defs/<name>/linter.toml` to a static table, checked on the way: a wrong definition does not compile, and nothing is read
//! or parsed when the program runs.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads the definitions and writes what it makes of them"
)]

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Linter {
    about: String,
    docs: String,
    /// As in `Language::key`.
    languages: Vec<String>,
    /// Extensions of these languages that it looks at; all where none is named.
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    not_files: Vec<String>,
    /// The executable's name, where it is not the folder's.
    program: Option<String>,
    /// `python`, `node` or `native`: where a project keeps its own.
    home: String,
    /// Whether it runs code of the project that it looks at: `no`, or in which way. There is no default: whoever adds a tool finds it
    /// out, and says that it does where they are not sure.
    project_code: String,
    /// The executable behind a node script, relative to `node_modules`.
    #[serde(default)]
    native: Vec<String>,
    #[serde(default)]
    configs: Vec<String>,
    /// Rules that are not a matter of taste, by their beginnings; `!` before one that is.
    #[serde(default)]
    faults: Vec<String>,
    /// Rules by which a file does not parse, by their beginnings.
    #[serde(default)]
    syntax: Vec<String>,
    /// What a project calls it in pre-commit, CI and scripts; its name, where nothing is said.
    #[serde(default)]
    words: Vec<String>,
    /// The same for its formatting, where that is a choice of its own.
    #[serde(default)]
    format_words: Vec<String>,
    /// The engine gives its findings on real files.
    #[serde(default)]
    agrees: bool,
    /// Rules by their beginnings that the engine tells on real files where the tool does not: they are not told in its place.
    #[serde(default)]
    engine_errs: Vec<String>,
    /// Without settings of the project what it says is its maker's taste, and its engine does not tell it.
    #[serde(default)]
    settings_decide: bool,
    /// Only where one of `configs` is there.
    #[serde(default)]
    only_configured: bool,
    #[serde(default)]
    when: Vec<String>,
    /// Left out below `security_linter_exclusions`.
    #[serde(default)]
    security: bool,
    /// Takes too long for every edit.
    #[serde(default)]
    slow: bool,
    /// The engine is this tool's own library.
    #[serde(default)]
    linked: bool,
    /// What it says also depends on other files, so that it cannot be remembered.
    #[serde(default)]
    reads_others: bool,
    /// Looks at the project and not at one file.
    #[serde(default)]
    whole: bool,
    #[serde(default)]
    version: Vec<String>,
    at_least: Option<String>,
    install: Option<Install>,
    #[serde(default)]
    env: Vec<[String; 2]>,
    /// More of them where it is given one file.
    #[serde(default)]
    env_of_one: Vec<[String; 2]>,
    /// Beginnings of lines that say nothing about what went wrong.
    #[serde(default)]
    preamble: Vec<String>,
    #[serde(default)]
    format: Vec<Format>,
    lint: Option<Lint>,
    /// Says whatever the two before would do or say.
    glance: Option<Lint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Install {
    from: String,
    package: String,
    version: String,
    #[serde(default)]
    with: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    args: Vec<String>,
    #[serde(default)]
    ok: Vec<i32>,
    /// Words by which a failure is the file's and not the tool's: it cannot be parsed.
    #[serde(default)]
    unparsed: Vec<String>,
    /// It changes what the code says.
    #[serde(default)]
    fixes: bool,
    /// The same, where whole files are formatted.
    #[serde(default)]
    fixes_whole: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lint {
    args: Vec<String>,
    /// For a text on stdin.
    #[serde(default)]
    stdin: Vec<String>,
    #[serde(default)]
    clean: Vec<i32>,
    #[serde(default)]
    found: Vec<i32>,
    #[serde(default)]
    stream: Option<String>,
    /// The rule, where the output names none.
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    from_zero: bool,
    #[serde(default)]
    names: Vec<[String; 2]>,
    /// It fixes while it looks.
    #[serde(default)]
    fixes: bool,
    json: Option<Json>,
    #[serde(default)]
    lines: Vec<String>,
    /// `gitlab`, `sarif`, `checkstyle`, `report`, `cargo`, `knip`.
    reader: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    #[serde(default)]
    list: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: String,
    #[serde(default)]
    column: String,
    #[serde(default)]
    offset: String,
    code: String,
    message: String,
    #[serde(default)]
    only: Vec<[String; 2]>,
    /// An entry without a line is not about the code.
    #[serde(default)]
    placed: bool,
}

fn main() {
    println!("cargo::rerun-if-changed=defs");
    let mut folders: Vec<_> = std::fs::read_dir("defs")
        .expect("there is a folder of definitions")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.join("linter.toml").is_file())
        .collect();
    folders.sort();
    let mut out = String::from("pub static LINTERS: &[Linter] = &[\n");
    for folder in folders {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("linter.toml")).expect("it can be read");
        let linter: Linter = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        one(&mut out, &name, &linter);
    }
    out.push_str("];\n");
    let place = std::env::var_os("OUT_DIR").expect("cargo says where");
    std::fs::write(Path::new(&place).join("linters.rs"), out).expect("it can be written");
}

fn one(out: &mut String, name: &str, linter: &Linter) {
    let languages: Vec<String> = linter.languages.iter().map(|key| language(name, key)).collect();
    let home = match linter.home.as_str() {
        "python" => "Home::Python",
        "node" => "Home::Node",
        "native" => "Home::Native",
        other => panic!("{name}: there is no home {other}"),
    };
    let project_code = project_code(name, &linter.project_code);
    let install = linter.install.as_ref().map_or_else(
        || "None".to_owned(),
        |install| {
            let from = match install.from.as_str() {
                "pypi" => "Registry::PyPi",
                "npm" => "Registry::Npm",
                other => panic!("{name}: there is no registry {other}"),
            };
            format!(
                "Some(Install {{ from: {from}, package: {:?}, version: {:?}, with: &{:?} }})",
                install.package, install.version, install.with
            )
        },
    );
    let formats: Vec<String> = linter
        .format
        .iter()
        .map(|job| {
            let ok = if job.ok.is_empty() { vec![0] } else { job.ok.clone() };
            format!(
                "Formatting {{ args: &{:?}, ok: &{ok:?}, unparsed: &{:?}, fixes: {}, fixes_whole: {} }}",
                job.args, job.unparsed, job.fixes, job.fixes_whole
            )
        })
        .collect();
    let job = |job: &Option<Lint>| {
        job.as_ref().map_or_else(|| "None".to_owned(), |job| format!("Some({})", linting(name, job)))
    };
    let (lint, glance) = (job(&linter.lint), job(&linter.glance));
    let at_least =
        linter.at_least.as_ref().map_or_else(|| "None".to_owned(), |text| format!("Some({text:?})"));
    writeln!(
        out,
        "Linter {{ name: {name:?}, about: {:?}, docs: {:?}, languages: &[{}], files: &{:?}, not_files: &{:?}, \
         program: {:?}, home: {home}, project_code: {project_code}, native: &{:?}, configs: &{:?}, faults: &{:?}, syntax: &{:?}, words: &{:?}, format_words: &{:?}, agrees: {}, engine_errs: &{:?}, settings_decide: {}, only_configured: {}, when: &{:?}, security: {}, \
         slow: {}, linked: {}, reads_others: {}, whole: {}, version: &{:?}, at_least: {at_least}, install: {install}, env: &[{}], env_of_one: &[{}], preamble: &{:?}, format: &[{}], \
         lint: {lint}, glance: {glance} }},",
        linter.about,
        linter.docs,
        languages.join(", "),
        linter.files,
        linter.not_files,
        linter.program.as_deref().unwrap_or(name),
        linter.native,
        linter.configs,
        linter.faults,
        linter.syntax,
        if linter.words.is_empty() { vec![name.to_owned()] } else { linter.words.clone() },
        linter.format_words,
        linter.agrees,
        linter.engine_errs,
        linter.settings_decide,
        linter.only_configured,
        linter.when,
        linter.security,
        linter.slow,
        linter.linked,
        linter.reads_others,
        linter.whole,
        linter.version,
        pairs(&linter.env),
        pairs(&linter.env_of_one),
        linter.preamble,
        formats.join(", "),
    )
    .expect("a string takes everything");
}

fn project_code(name: &str, word: &str) -> &'static str {
    match word {
        "no" => "ProjectCode::No",
        "settings" => "ProjectCode::Settings",
        "plugins" => "ProjectCode::Plugins",
        "build" => "ProjectCode::Build",
        "toolchain" => "ProjectCode::Toolchain",
        "git" => "ProjectCode::Git",
        other => {
            panic!("{name}: project_code is no, settings, plugins, build, toolchain or git, not {other}")
        }
    }
}

fn linting(name: &str, job: &Lint) -> String {
    let reader = match (&job.json, job.lines.is_empty(), job.reader.as_deref()) {
        (Some(json), true, None) => format!(
            "Reader::Json(Mapping {{ list: {:?}, file: {:?}, line: {:?}, column: {:?}, offset: {:?}, code: {:?}, \
             message: {:?}, only: &[{}], placed: {} }})",
            json.list,
            json.file,
            json.line,
            json.column,
            json.offset,
            json.code,
            json.message,
            pairs(&json.only),
            json.placed
        ),
        (None, false, None) => format!("Reader::Lines(&{:?})", job.lines),
        (None, true, Some("gitlab")) => "Reader::Gitlab".into(),
        (None, true, Some("sarif")) => "Reader::Sarif".into(),
        (None, true, Some("checkstyle")) => "Reader::Checkstyle".into(),
        (None, true, Some("report")) => "Reader::Report".into(),
        (None, true, Some("cargo")) => "Reader::Cargo".into(),
        (None, true, Some("knip")) => "Reader::Knip".into(),
        _ => panic!("{name}: say json, lines or a reader, and one of them"),
    };
    let stream = match job.stream.as_deref() {
        None | Some("stdout") => "Stream::Stdout",
        Some("stderr") => "Stream::Stderr",
        Some("both") => "Stream::Both",
        Some(other) => panic!("{name}: there is no stream {other}"),
    };
    let clean = if job.clean.is_empty() { vec![0] } else { job.clean.clone() };
    let found = if job.found.is_empty() { vec![1] } else { job.found.clone() };
    format!(
        "Linting {{ args: &{:?}, stdin: &{:?}, clean: &{clean:?}, found: &{found:?}, stream: {stream}, code: {:?}, prefix: {:?}, \
         from_zero: {}, names: &[{}], fixes: {}, reader: {reader} }}",
        job.args,
        job.stdin,
        job.code.as_deref().unwrap_or_default(),
        job.prefix,
        job.from_zero,
        pairs(&job.names),
        job.fixes,
    )
}

fn pairs(list: &[[String; 2]]) -> String {
    list.iter().map(|[a, b]| format!("({a:?}, {b:?})")).collect::<Vec<_>>().join(", ")
}

fn language(name: &str, key: &str) -> String {
    let variant = match key {
        "python" => "Python",
        "shell" => "Shell",
        "yaml" => "Yaml",
        "json" => "Json",
        "toml" => "Toml",
        "markdown" => "Markdown",
        "typescript" => "TypeScript",
        "dockerfile" => "Dockerfile",
        "rust" => "Rust",
        "go" => "Go",
        other => panic!("{name}: there is no language {other}"),
    };
    format!("Language::{variant}")
}
