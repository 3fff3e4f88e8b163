//! Every recorded output of every linter is read again. `bad.v<version>.out` is what the tool printed, `bad.v<version>.read` what
//! came of it: one line per violation, or the reason why nothing did.

#![expect(clippy::disallowed_methods, reason = "the recordings lie beside the sources")]

use std::path::{Path, PathBuf};

use super::unreadable::words;
use super::*;
use crate::definition::{LINTERS, find};

fn folder(linter: &Linter) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("defs").join(linter.name)
}

fn show(found: &Result<Found, Unreadable>) -> String {
    match found {
        Err(why) => format!("unreadable: {why}\n"),
        Ok(found) => {
            let line = |v: &Violation| {
                format!(
                    "{}:{}:{} {} {} ({})\n",
                    v.file.display(),
                    v.line,
                    v.column,
                    v.code,
                    v.message,
                    v.linter
                )
            };
            let elsewhere = found.elsewhere.iter().map(|v| format!("elsewhere: {}", line(v)));
            found.here.iter().map(line).chain(elsewhere).collect()
        }
    }
}

/// Of a formatter: the text that it made, or why there is none.
fn formatted(linter: &'static Linter, recording: &Path) -> String {
    let (code, stdout, stderr) = parts(recording);
    let job = linter.format.first().unwrap();
    if job.ok.contains(&code) {
        return stdout;
    }
    let printed = Printed { stdout: "", stderr: &stderr, code: Some(code), cut: false };
    let whose =
        if job.unparsed.iter().any(|word| stderr.contains(word)) { "the linter's to say" } else { "told" };
    match words(linter, &printed) {
        Some(words) => format!("{whose}: {words}\n"),
        None => format!("{whose}\n"),
    }
}

fn parts(recording: &Path) -> (i32, String, String) {
    let text = std::fs::read_to_string(recording).unwrap();
    let (head, rest) = text.split_once("\n--- stdout\n").unwrap();
    let (stdout, stderr) = rest.split_once("\n--- stderr\n").unwrap();
    (head.strip_prefix("exit ").unwrap().parse().unwrap(), stdout.to_owned(), stderr.to_owned())
}

fn recorded(linter: &'static Linter, recording: &Path) -> Result<Found, Unreadable> {
    let (code, stdout, stderr) = parts(recording);
    let samples = std::fs::read_dir(folder(linter)).unwrap().map(|entry| entry.unwrap().path());
    let sample = samples.into_iter().find(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name == "Dockerfile"
            || (name.starts_with("bad.") && !name.ends_with(".out") && !name.ends_with(".read"))
    });
    let sample = sample.unwrap_or_else(|| panic!("{} has a recording but no sample", linter.name));
    let source = std::fs::read_to_string(&sample).unwrap();
    let file = Path::new("/sample").join(sample.file_name().unwrap());
    let about = Subject { file: &file, cwd: Path::new("/sample"), text: &source };
    let printed = Printed { stdout: &stdout, stderr: &stderr, code: Some(code), cut: false };
    read(linter, linter.lint.as_ref().unwrap(), &about, &printed)
}

#[test]
fn every_recording_is_read_as_before() {
    let update = std::env::var_os("UPDATE_RECORDINGS").is_some();
    let mut recordings = 0;
    let mut wrong = Vec::new();
    for linter in LINTERS {
        for entry in std::fs::read_dir(folder(linter)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "out") {
                continue;
            }
            recordings += 1;
            let now = match linter.lint {
                Some(_) => show(&recorded(linter, &path)),
                None => formatted(linter, &path),
            };
            let place = path.with_extension("read");
            if update {
                std::fs::write(&place, now).unwrap();
            } else if std::fs::read_to_string(&place).unwrap_or_default() != now {
                wrong.push(format!("{}\n{now}", path.display()));
            }
        }
    }
    assert!(recordings >= 15, "only {recordings} recordings");
    assert!(wrong.is_empty(), "read otherwise (set UPDATE_RECORDINGS to accept):\n{}", wrong.join("\n"));
}

#[test]
fn every_linter_with_an_installer_has_a_recording() {
    for linter in LINTERS.iter().filter(|linter| linter.install.is_some() && linter.lint.is_some()) {
        let mut names = std::fs::read_dir(folder(linter)).unwrap().map(|entry| entry.unwrap().file_name());
        let has = names.any(|name| name.to_string_lossy().ends_with(".out"));
        assert!(has, "{}: run `cargo dev record {}`", linter.name, linter.name);
    }
}

fn reads(linter: &str, stdout: &str, code: i32) -> Result<Found, Unreadable> {
    let linter = find(linter).unwrap();
    let about = Subject { file: Path::new("/sample/a b:c.py"), cwd: Path::new("/sample"), text: "" };
    let printed = Printed { stdout, stderr: "", code: Some(code), cut: false };
    read(linter, linter.lint.as_ref().unwrap(), &about, &printed)
}

#[test]
fn a_colon_in_a_name_does_no_harm() {
    let found = reads("flake8", "/sample/a b:c.py:3:1: PYD001 Positional: argument (used)\n", 1).unwrap();
    assert_eq!(
        show(&Ok(found)),
        "/sample/a b:c.py:3:1 PYD001 Positional: argument (used) (flake8-pydantic)\n"
    );
}

#[test]
fn brackets_in_a_message_stay_and_the_last_ones_are_the_rule() {
    let found =
        reads("yamllint", "/sample/a b:c.py:5:3: [error] wrong (really) thing (indentation)\n", 1).unwrap();
    assert_eq!(found.here[0].message, "wrong (really) thing");
    assert_eq!(found.here[0].code, "indentation");
}

#[test]
fn prose_around_json_is_passed_over() {
    let report = r#"[{"code": "DL3007", "line": 1, "column": 1, "file": "a b:c.py", "message": "m", "level": "warning"}]"#;
    let mixed = format!("a b:c.py:1 DL3007 [warning]: {{m}}\n{report}\n");
    assert_eq!(reads("hadolint", &mixed, 1).unwrap().here.len(), 1);
}

#[test]
fn what_is_no_report_is_never_clean() {
    for (linter, text, code) in [
        ("ruff", "oops", 0),
        ("ruff", "{}", 1),
        ("ruff", "[1, 2]", 1),
        ("shellcheck", "[{\"line\": 1}]", 1),
        ("hadolint", "[", 0),
        ("flake8", "Traceback (most recent call last):", 1),
        ("bandit", "{\"results\": 3}", 1),
        ("biome", "<html>", 0),
        ("golangci-lint", "level=error", 1),
        ("semgrep", "{}", 0),
        ("knip", "", 0),
        ("ty", "", 2),
    ] {
        assert!(reads(linter, text, code).is_err(), "{linter}: {text}");
    }
}

#[test]
fn findings_about_other_files_are_kept_apart() {
    let report = r#"[{"check_name": "w", "description": "w: no such rule", "location": {"path": "ty.toml", "lines": {"begin": 2}}}]"#;
    let found = reads("ty", report, 1).unwrap();
    assert_eq!((found.here.len(), found.elsewhere.len()), (0, 1));
    assert_eq!(found.elsewhere[0].message, "no such rule");
}

#[test]
fn checkstyle_and_its_entities_are_read() {
    let text = "<?xml version=\"1.0\"?>\n<checkstyle version=\"5.0\">\n<file name=\"a b:c.py\">\
        <error column=\"2\" line=\"7\" message=\"&quot;x&quot; &lt; 1 &amp; more\" severity=\"error\" source=\"govet\"></error>\
        </file></checkstyle>";
    let found = reads("golangci-lint", text, 1).unwrap();
    assert_eq!(show(&Ok(found)), "/sample/a b:c.py:7:2 govet \"x\" < 1 & more (golangci-lint)\n");
}

#[test]
fn cargo_speaks_in_lines() {
    let text = concat!(
        r#"{"reason":"compiler-artifact"}"#,
        "\n",
        r#"{"reason":"compiler-message","message":{"message":"unused variable: `x`","code":{"code":"unused_variables"},"spans":[{"file_name":"a b:c.py","line_start":2,"column_start":9,"is_primary":true}]}}"#,
        "\n",
        r#"{"reason":"compiler-message","message":{"message":"1 warning emitted","code":null,"spans":[]}}"#,
        "\n",
    );
    let found = reads("clippy", text, 0).unwrap();
    assert_eq!(show(&Ok(found)), "/sample/a b:c.py:2:9 unused_variables unused variable: `x` (clippy)\n");
}

#[test]
fn eslint_and_go_vet_are_read() {
    let report = r#"[{"filePath": "/sample/a b:c.py", "messages": [{"ruleId": null, "line": 1, "column": 2, "message": "Parsing error"}]},
        {"filePath": "/sample/b.js", "messages": [{"ruleId": "eqeqeq", "line": 3, "column": 4, "message": "Expected"}]},
        {"filePath": "/sample/c.js", "messages": [{"ruleId": null, "severity": 1, "message": "File ignored"}]}]"#;
    assert_eq!(
        show(&reads("eslint", report, 1)),
        "/sample/a b:c.py:1:2 syntax-error Parsing error (eslint)\nelsewhere: /sample/b.js:3:4 eqeqeq Expected (eslint)\n"
    );
    let ignored = r#"[{"filePath": "/sample/a b:c.py", "messages": [{"ruleId": null, "severity": 1, "message": "File ignored"}]}]"#;
    assert_eq!(reads("eslint", ignored, 0), Ok(Found::default()), "it is not asked to look");
    let oops = "\nOops! Something went wrong! :(\n\nESLint: 10.14.0\n\nTypeError: Key \"rules\"\n    at x\n";
    assert_eq!(
        reads("eslint", oops, 2).unwrap_err().to_string(),
        "it ended with exit code 2: TypeError: Key \"rules\"",
        "the reason, not the sigh"
    );
    let linter = find("go-vet").unwrap();
    let about = Subject { file: Path::new("/sample/a.go"), cwd: Path::new("/sample"), text: "" };
    let printed = Printed {
        stdout: "",
        stderr: "# example\nvet: ./a.go:3:2: undefined: x\n",
        code: Some(1),
        cut: false,
    };
    let found = read(linter, linter.lint.as_ref().unwrap(), &about, &printed).unwrap();
    assert_eq!(show(&Ok(found)), "/sample/a.go:3:2 vet undefined: x (go-vet)\n");
}
