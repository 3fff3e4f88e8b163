//! Whether the application was tried in a browser, by what a smoke test left in `.claude/web-smoke/`.

use std::path::Path;

use serde_json::Value as Json;

use super::report::is_same_version;
use crate::Context;

const DIR: &str = ".claude/web-smoke";

/// Where changes have no web page to look at.
const INFRASTRUCTURE: &[&str] = &[
    "config/hooks/",
    "config/skills/",
    "config/commands/",
    ".claude/",
    "prompts/config/",
    "prompts/scripts/",
    "scripts/",
];

const CODE: &[&str] = &["py", "ts", "tsx", "js", "jsx", "go", "rs", "java", "rb", "php", "vue", "svelte"];

pub(super) fn is_app_code(path: &str) -> bool {
    let is_code = path.rsplit_once('.').is_some_and(|(_, extension)| CODE.contains(&extension));
    is_code && !INFRASTRUCTURE.iter().any(|start| path.starts_with(start))
}

/// A summary in the project, if there is one that can be read.
pub(super) fn read(file: &Path, cx: &Context<'_>) -> Option<Json> {
    let text = cx.facts.read(&cx.facts.project().join(file)).ok()??;
    serde_json::from_str(&text).ok()
}

pub(super) fn problems(cx: &Context<'_>, wrong: &mut Vec<String>) {
    let Some(summary) = read(&Path::new(DIR).join("summary.json"), cx) else {
        wrong.push(format!(
            "application code changed, and {DIR}/summary.json is missing or no JSON: try it in a browser and write \
             {{\"passed\", \"tested_at_version\", \"urls_tested\"}} there, with a picture in {DIR}/screenshots/"
        ));
        return;
    };
    // That it did not pass is said elsewhere.
    if !summary["passed"].is_boolean() {
        wrong.push(format!("{DIR}/summary.json: `passed` must be true or false"));
    }
    let now = cx.facts.code_version();
    match summary["tested_at_version"].as_str() {
        Some(tested) if is_same_version(tested, &now) => {}
        Some(tested) => {
            wrong.push(format!("{DIR}: tested on version {tested}, and this is {now}; test again"));
        }
        None => wrong.push(format!("{DIR}/summary.json: `tested_at_version` is missing")),
    }
    if summary["urls_tested"].as_array().is_none_or(Vec::is_empty) {
        wrong.push(format!("{DIR}/summary.json: `urls_tested` lists no URL"));
    }
    let names = cx.facts.names_in(&cx.facts.project().join(DIR).join("screenshots"));
    if !names.iter().any(|name| name.ends_with(".png")) {
        wrong.push(format!("{DIR}/screenshots/ has no picture (*.png)"));
    }
}

#[cfg(test)]
mod tests {
    use super::is_app_code;

    #[test]
    fn infrastructure_needs_no_browser() {
        for path in [
            "config/hooks/a.py",
            "config/skills/x/run.py",
            "config/commands/c.ts",
            ".claude/hooks/x.py",
            "prompts/config/a.py",
            "prompts/scripts/b.py",
            "scripts/deploy.py",
            "README.md",
            "Makefile",
        ] {
            assert!(!is_app_code(path), "{path}");
        }
        // The names count where they stand in the project, not anywhere in a path.
        for path in ["app.py", "src/scripts/x.py", "web/page.tsx", "cmd/main.go"] {
            assert!(is_app_code(path), "{path}");
        }
    }
}
