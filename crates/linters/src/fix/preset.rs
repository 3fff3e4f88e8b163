//! Agents other than Claude Code as fixers: `subprocess.command` names one, and it is started by its own words, headless, with leave to
//! edit files and nothing else. Its own hooks stay in force; `HOOK_SKIP_SUBPROCESS` keeps them from asking for a fixer again.

use std::path::Path;

/// A word that stands for the prompt.
const PROMPT: &str = "{prompt}";

/// By the name of the program. Each asks nobody, and may change files in the project.
static PRESETS: &[(&str, &[&str])] = &[
    ("codex", &["exec", "--skip-git-repo-check", "--sandbox", "workspace-write", PROMPT]),
    ("gemini", &["--approval-mode", "auto_edit", "-p", PROMPT]),
    ("copilot", &["--allow-tool", "write", "--no-ask-user", "-p", PROMPT]),
    ("opencode", &["run", PROMPT]),
];

/// The words to start it with; `None` for Claude Code, and for whatever takes its arguments.
pub(super) fn words(program: &Path, prompt: &str, file: &Path) -> Option<Vec<String>> {
    let name = program.file_stem()?.to_str()?;
    let (_, words) = PRESETS.iter().find(|(known, _)| *known == name)?;
    // There is no argument for the file.
    let prompt = format!("{prompt}\n\nEdit only this file: {}", file.display());
    Some(words.iter().map(|word| word.replace(PROMPT, &prompt)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_started_by_its_own_words() {
        for (name, _) in PRESETS {
            let words =
                words(Path::new("/opt/bin").join(name).as_path(), "fix it", Path::new("/p/a.py")).unwrap();
            assert!(
                words.iter().any(|word| word.contains("fix it") && word.contains("/p/a.py")),
                "{words:?}"
            );
            assert!(
                !words.iter().any(|word| word.contains("yolo") || word.contains("dangerous")),
                "{words:?}"
            );
        }
        assert_eq!(words(Path::new("/usr/bin/claude"), "fix it", Path::new("/p/a.py")), None);
    }
}
