//! Rules about the instructions themselves, one stage after the other.

use std::collections::HashMap;

use parse_dockerfile::{Command as Form, HealthcheckArguments, Instruction, Source};

use super::labels::pairs;
use super::settings::Settings;
use super::{Step, at};
use crate::problem::Problem;

#[derive(Default)]
struct Stage<'a> {
    name: Option<&'a str>,
    workdir: bool,
    /// The last `USER`, if it is root.
    root: Option<u32>,
    seen: HashMap<&'static str, u32>,
    /// Archives that were copied: where, and their name.
    archives: Vec<(u32, String, String)>,
}

pub(crate) fn lint(steps: &[Step<'_, '_>], settings: &Settings) -> Vec<Problem> {
    let mut found = Vec::new();
    // Names of the stages so far, and whether each has a working directory.
    let mut stages: Vec<(Option<&str>, bool)> = Vec::new();
    let mut stage = Stage::default();
    for step in steps {
        let line = step.line;
        let mut say = |code: &'static str, message: &str| found.push(at(line, code, message));
        if step.on_build
            && matches!(
                step.instruction,
                Instruction::Onbuild(_) | Instruction::From(_) | Instruction::Maintainer(_)
            )
        {
            say("DL3043", "This instruction cannot be triggered by ONBUILD");
            continue;
        }
        match step.instruction {
            Instruction::From(from) => {
                if let Some(line) = stage.root.take() {
                    found.push(root(line));
                }
                let name = from.as_.as_ref().map(|(_, name)| &*name.value);
                found.extend(base(line, from, name, &stages, settings));
                let inherited =
                    stages.iter().any(|(name, workdir)| *name == Some(&*from.image.value) && *workdir);
                stages.push((name, inherited));
                stage = Stage { name, workdir: inherited, ..Stage::default() };
            }
            Instruction::Maintainer(_) => say("DL4000", "MAINTAINER is deprecated; use LABEL maintainer=…"),
            Instruction::Workdir(workdir) => {
                stage.workdir = true;
                if let Some(last) = stages.last_mut() {
                    last.1 = true;
                }
                let path = workdir.arguments.value.trim_matches(['"', '\'']);
                let windows = path.as_bytes().get(1) == Some(&b':');
                if !path.starts_with(['/', '$', '\\']) && !windows {
                    say("DL3000", "Use an absolute path for WORKDIR");
                }
            }
            Instruction::User(user) => {
                let name = user.arguments.value.split(':').next().unwrap_or_default();
                stage.root = matches!(name, "root" | "0").then_some(line);
                if !name.bytes().all(|byte| byte.is_ascii_digit()) {
                    say("DL3066", "A user by name may be unknown to the host; use its number");
                }
            }
            Instruction::Expose(expose) => {
                let too_high = |port: &str| {
                    let ports = port.split('/').next().unwrap_or_default().split('-');
                    ports.filter_map(|port| port.parse::<u64>().ok()).any(|port| port > 65535)
                };
                if expose.arguments.iter().any(|port| too_high(&port.value)) {
                    say("DL3011", "Ports go up to 65535");
                }
            }
            Instruction::Copy(copy) => {
                let from = copy.options.iter().find(|flag| &*flag.name.value == "from");
                let from = from.and_then(|flag| flag.value.as_ref()).map(|value| &*value.value);
                let sources: Vec<&str> = copy
                    .src
                    .iter()
                    .filter_map(|source| match source {
                        Source::Path(path) => Some(&*path.value),
                        _ => None,
                    })
                    .collect();
                let target = &*copy.dest.value;
                if let Some(from) = from {
                    found.extend(copied_from(line, from, &sources, target, &stage, &stages));
                } else {
                    stage.archives.extend(
                        sources
                            .iter()
                            .filter(|path| is_archive(path))
                            .map(|path| (line, (*path).to_owned(), target.to_owned())),
                    );
                }
                let mut say = |code: &'static str, message: &str| found.push(at(line, code, message));
                if sources.len() > 1 && !target.ends_with(['/', '.']) && !target.contains('$') {
                    say("DL3021", "With several sources the last argument is a folder and ends with /");
                }
                let relative =
                    !target.starts_with(['/', '$', '\\', '"']) && target.as_bytes().get(1) != Some(&b':');
                if relative && !stage.workdir {
                    say("DL3045", "The target is relative and no WORKDIR is set");
                }
            }
            Instruction::Add(add) => {
                let plain = |source: &Source<'_>| match source {
                    Source::Path(path) => {
                        let path = &*path.value;
                        !is_archive(path)
                            && !["http://", "https://", "git@"].iter().any(|scheme| path.starts_with(scheme))
                            && !path.ends_with(".git")
                    }
                    _ => false,
                };
                if add.src.iter().any(plain) {
                    say("DL3020", "Use COPY for files and folders; ADD unpacks and downloads");
                }
            }
            Instruction::Cmd(cmd) => {
                stage.twice("CMD", line, "DL4003", &mut found);
                found.extend(json_form(line, &cmd.arguments));
            }
            Instruction::Entrypoint(entry) => {
                stage.twice("ENTRYPOINT", line, "DL4004", &mut found);
                found.extend(json_form(line, &entry.arguments));
            }
            Instruction::Healthcheck(check) => {
                stage.twice("HEALTHCHECK", line, "DL3012", &mut found);
                if let HealthcheckArguments::Cmd { arguments, .. } = &check.arguments {
                    found.extend(json_form(line, arguments));
                }
            }
            Instruction::Env(env) => {
                let pairs = pairs(&env.arguments.value);
                if refers_to_itself(&pairs) {
                    say("DL3044", "A variable is not set yet in the ENV that sets it");
                }
                if pairs.iter().any(|(key, _)| is_secret(key)) {
                    say("DL3064", "A secret in ENV stays in the image; mount it instead");
                }
            }
            Instruction::Arg(arg)
                if arg
                    .arguments
                    .value
                    .split_whitespace()
                    .any(|word| is_secret(word.split('=').next().unwrap_or(word))) =>
            {
                say("DL3064", "A secret in ARG stays in the image; mount it instead");
            }
            Instruction::Run(_) => stage.unpacked(step, &mut found),
            _ => {}
        }
    }
    if let Some(line) = stage.root {
        found.push(root(line));
    }
    found
}

fn root(line: u32) -> Problem {
    at(line, "DL3002", "The last USER is root")
}

impl Stage<'_> {
    fn twice(&mut self, what: &'static str, line: u32, code: &'static str, found: &mut Vec<Problem>) {
        let count = self.seen.entry(what).or_default();
        *count += 1;
        if *count > 1 {
            found.push(at(line, code, format!("There is more than one {what}; only the last counts")));
        }
    }

    /// An archive that is copied and then unpacked: `ADD` does both at once.
    fn unpacked(&mut self, step: &Step<'_, '_>, found: &mut Vec<Problem>) {
        let Some(run) = &step.run else { return };
        self.archives.retain(|(line, source, target)| {
            let name = source.rsplit('/').next().unwrap_or(source);
            let place = if is_archive(target) { target.clone() } else { format!("{target}/{name}") };
            let unpacks = run.commands.list.iter().any(|command| {
                let extracts = command.is("tar")
                    && command.words.get(1).is_some_and(|first| {
                        first.starts_with('-') && first.contains('x') || first == "--extract"
                    })
                    || ["gunzip", "gzip", "unxz", "bunzip2"].iter().any(|name| command.is(name));
                extracts && command.words.contains(&place)
            });
            if unpacks {
                found.push(at(*line, "DL3010", "Use ADD to copy and unpack an archive"));
            }
            !unpacks
        });
    }
}

fn base(
    line: u32,
    from: &parse_dockerfile::FromInstruction<'_>,
    name: Option<&str>,
    stages: &[(Option<&str>, bool)],
    settings: &Settings,
) -> Vec<Problem> {
    let mut found = Vec::new();
    let image = &*from.image.value;
    let is_stage = stages.iter().any(|(name, _)| *name == Some(image));
    let platform = from.options.iter().find(|flag| &*flag.name.value == "platform");
    if platform.is_some_and(|flag| flag.value.as_ref().is_none_or(|value| !value.value.contains('$'))) {
        found.push(at(line, "DL3029", "Leave --platform to whoever builds"));
    }
    if name.is_some() && stages.iter().any(|(other, _)| *other == name) {
        found.push(at(line, "DL3024", "Two stages have this name"));
    }
    if !is_stage && image != "scratch" && !image.contains('$') {
        let plain = image.split('@').next().unwrap_or(image);
        match plain.rsplit_once(':') {
            Some((_, "latest")) if !image.contains('@') => {
                found.push(at(line, "DL3007", "latest changes under you; name a release"));
            }
            None if !image.contains('@') => found.push(at(line, "DL3006", "Name a version of the image")),
            _ => {}
        }
        let registry = image
            .split_once('/')
            .map(|(first, _)| first)
            .filter(|first| first.contains(['.', ':']) || *first == "localhost");
        let trusted = |registry: &str| {
            settings.trusted_registries.iter().any(|trusted| {
                trusted == registry
                    || trusted == "*"
                    || trusted.strip_prefix('*').is_some_and(|end| registry.ends_with(end))
            })
        };
        if !settings.trusted_registries.is_empty() && !trusted(registry.unwrap_or("docker.io")) {
            found.push(at(line, "DL3026", "This registry is not among the trusted ones"));
        }
    }
    found
}

fn copied_from(
    line: u32,
    from: &str,
    sources: &[&str],
    target: &str,
    stage: &Stage<'_>,
    stages: &[(Option<&str>, bool)],
) -> Vec<Problem> {
    let mut found = Vec::new();
    if stage.name == Some(from) {
        found.push(at(line, "DL3023", "A stage cannot copy from itself"));
    } else if !from.contains([':', '$', '/']) {
        let known = match from.parse::<usize>() {
            Ok(number) => number < stages.len(),
            Err(_) => stages.iter().any(|(name, _)| *name == Some(from)),
        };
        if !known {
            found.push(at(line, "DL3022", "No stage before this has that name"));
        }
    }
    if sources.contains(&"/") && target == "/" {
        found.push(at(line, "DL3067", "Copy what you need, not a whole file system"));
    }
    found
}

fn json_form(line: u32, form: &Form<'_>) -> Option<Problem> {
    matches!(form, Form::Shell(_))
        .then(|| at(line, "DL3025", "Use the JSON form, so that signals reach the program"))
}

fn refers_to_itself(pairs: &[(String, String)]) -> bool {
    let mentions =
        |value: &str, key: &str| value.contains(&format!("${key}")) || value.contains(&format!("${{{key}"));
    pairs.iter().enumerate().any(|(at, (key, _))| {
        let others = pairs.iter().enumerate().filter(|(other, _)| *other != at);
        others.into_iter().any(|(_, (_, value))| mentions(value, key))
    })
}

/// What is called like this is nearly always one.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["PASSWORD", "SECRET", "TOKEN", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY"]
        .iter()
        .any(|part| name.contains(part))
}

fn is_archive(path: &str) -> bool {
    [
        ".tar", ".gz", ".bz2", ".xz", ".tgz", ".tbz2", ".txz", ".Z", ".lzma", ".zst", ".tb2", ".tbz", ".tlz",
        ".tpz", ".tZ",
    ]
    .iter()
    .any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::tests::lint_with;

    #[test]
    fn instructions_and_stages() {
        for (text, expected) in [
            ("FROM a", "1:DL3006"),
            ("FROM scratch", ""),
            ("ARG V\nFROM a:$V", ""),
            ("FROM a:1 AS b\nFROM b", ""),
            ("FROM --platform=linux/amd64 a:1", "1:DL3029"),
            ("FROM --platform=$B a:1", ""),
            ("FROM a:1\nMAINTAINER me", "2:DL4000"),
            ("FROM a:1\nWORKDIR x", "2:DL3000"),
            ("FROM a:1\nUSER root", "2:DL3002 2:DL3066"),
            ("FROM a:1\nUSER 10", ""),
            ("FROM a:1\nEXPOSE 80 70000", "2:DL3011"),
            ("FROM a:1\nCOPY a b", "2:DL3045"),
            ("FROM a:1\nCOPY a b /c", "2:DL3021"),
            ("FROM a:1 AS b\nCOPY --from=b x /y", "2:DL3023"),
            ("FROM a:1\nCOPY --from=c x /y", "2:DL3022"),
            ("FROM a:1 AS b\nFROM a:1 AS b", "2:DL3024"),
            ("FROM a:1\nADD x /y", "2:DL3020"),
            ("FROM a:1\nADD x.tar.gz /y", ""),
            ("FROM a:1\nCMD a\nCMD [\"b\"]", "2:DL3025 3:DL4003"),
            ("FROM a:1\nENTRYPOINT [\"a\"]\nENTRYPOINT [\"b\"]", "3:DL4004"),
            ("FROM a:1\nHEALTHCHECK NONE\nHEALTHCHECK CMD x", "3:DL3012 3:DL3025"),
            ("FROM a:1\nENV A=1 B=$A", "2:DL3044"),
            ("FROM a:1\nENV A=$A", ""),
            ("FROM a:1\nENV DB_PASSWORD=x", "2:DL3064"),
            ("FROM a:1\nONBUILD MAINTAINER x", "2:DL3043"),
            ("FROM a:1\nCOPY x.tar.gz /tmp\nRUN tar -xf /tmp/x.tar.gz", "2:DL3010"),
            ("RUN x\nFROM a:1", "1:DL3061"),
        ] {
            assert_eq!(lint_with(None, &format!("{text}\n")), expected, "{text}");
        }
        assert_eq!(
            lint_with(Some("trustedRegistries:\n  - ghcr.io\n"), "FROM ghcr.io/a:1\nFROM b:1\n"),
            "2:DL3026"
        );
    }
}
