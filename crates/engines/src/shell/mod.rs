//! Shell: shuck's linter with `ShellCheck`'s ids, and its formatter with shfmt's options.

mod assigned;
mod broken;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shuck_formatter::{FormattedSource, IndentStyle, ShellFormatOptions};
use shuck_linter::{AnalysisRequest, LinterSettings, Rule, RuleSet, ShellCheckCodeMap, ShellDialect};
use shuck_parser::parser::{ParseResult, Parser};

use crate::discover::{self, Cache, Place};
use crate::editorconfig;
use crate::lines::number;
use crate::problem::{Input, Outcome, Problem, Trouble};

pub(crate) const LINTER: &str = "shellcheck";

/// Numbers that the engine gives to rules of its own, or to others than the original does: those that the original leaves
/// off until they are enabled by name, and those that it does not have.
fn is_original(code: u32) -> bool {
    !matches!(
        code,
        2002 | 2230
            | 2244
            | 2248..=2250
            | 2264
            | 2265
            | 2271..=2274
            | 2277
            | 2292
            | 2310..=2312
            | 2333
            | 2335
            | 2339..=2999
            | 3063..
    )
}

/// The original's number of a rule, where it has the rule at all.
fn number_of(rule: Rule, map: &ShellCheckCodeMap) -> Option<u32> {
    match rule {
        // A declaration with blanks around its sign: another number stands for it in the engine, where this one stands for another rule.
        Rule::SpacedAssignment => Some(2290),
        Rule::SubshellInArithmetic => None,
        Rule::AppendToArrayAsString => Some(2179),
        _ => match map.code_for_rule(rule)? {
            // `let`
            3042 => Some(3039),
            code => Some(code).filter(|code| is_original(*code)),
        },
    }
}

/// What `.shellcheckrc` says.
#[derive(Clone, Debug, Default)]
struct Settings {
    disabled: Vec<(u32, u32)>,
    shell: Option<ShellDialect>,
}

/// Ids and rules, made once: two hash maps of four hundred entries.
#[derive(Debug)]
struct Codes {
    map: ShellCheckCodeMap,
    /// Every rule that stands for one of `ShellCheck`'s.
    all: Vec<(u32, Rule)>,
}

#[derive(Debug, Default)]
pub(crate) struct Shell {
    codes: std::sync::OnceLock<Codes>,
    settings: Cache<PathBuf, Settings>,
}

impl Shell {
    fn codes(&self) -> &Codes {
        self.codes.get_or_init(|| {
            let map = ShellCheckCodeMap::default();
            let all = Rule::iter().filter_map(|rule| Some((number_of(rule, &map)?, rule))).collect();
            Codes { map, all }
        })
    }

    fn settings(&self, folder: &Path, place: &Place) -> Outcome<Arc<Settings>> {
        self.settings.get(&folder.to_path_buf(), || {
            let names = [".shellcheckrc", "shellcheckrc"];
            let file = discover::nearest(folder, &names)
                .or_else(|| discover::here(place.home.as_deref()?, &[".shellcheckrc"]))
                .or_else(|| discover::here(place.config.as_deref()?, &["shellcheckrc"]));
            match file {
                Some(file) => Ok(read_settings(&discover::read(&file)?)),
                None => Ok(Settings::default()),
            }
        })
    }

    pub(crate) fn lint(&self, input: &Input<'_>, place: &Place) -> Outcome<Vec<Problem>> {
        let settings = self.settings(input.folder(), place)?;
        let known = dialect(input, &settings);
        let mut problems =
            self.check(input.text, Some(input.path), known.unwrap_or(ShellDialect::Bash), &settings);
        let has_commands =
            input.text.lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
        let broken = problems.iter().any(|problem| problem.code.starts_with("SC1"));
        if known.is_none() && has_commands && !broken && !settings.disables(2148) {
            problems.insert(
                0,
                Problem {
                    line: 1,
                    column: 1,
                    code: "SC2148".into(),
                    message: "what follows depends on the shell: add a shebang or `# shellcheck shell=…`"
                        .to_owned(),
                    linter: LINTER,
                },
            );
        }
        Ok(problems)
    }

    /// A piece of shell out of another file, such as the body of a `RUN`. No config file speaks for it.
    #[cfg(feature = "dockerfile")]
    pub(crate) fn lint_fragment(&self, text: &str, dialect: ShellDialect) -> Vec<Problem> {
        self.check(text, None, dialect, &Settings::default())
    }

    fn check(&self, text: &str, path: Option<&Path>, dialect: ShellDialect, own: &Settings) -> Vec<Problem> {
        let codes = self.codes();
        let parsed = Parser::with_dialect(text, dialect.parser_dialect()).parse();
        let mut settings = LinterSettings::default().with_shell(dialect);
        settings.rules = own.rules(codes);
        // A script that is sourced may not be there, and what is in it is not this file's business.
        settings.resolve_source_closure = false;
        let found = AnalysisRequest::from_parse_result(&parsed, text, &settings)
            .with_optional_source_path(path)
            .with_shellcheck_map(&codes.map)
            .lint();
        let mut problems: Vec<Problem> = found
            .into_iter()
            .filter_map(|found| {
                let code = number_of(found.rule, &codes.map)?;
                Some(Problem {
                    line: number(found.span.start.line()),
                    column: number(found.span.start.column()),
                    code: format!("SC{code}").into(),
                    message: found.message,
                    linter: LINTER,
                })
            })
            .collect();
        if parsed.is_err() {
            // What does not parse was not looked at any further; the original says only that, too.
            problems = broken_problems(text, &parsed, problems);
        } else if dialect != ShellDialect::Zsh {
            let is_silent = |code| own.disables(code) || is_disabled_somewhere(text, code);
            let taken = assigned::look(&parsed.file, text, dialect == ShellDialect::Sh, is_silent);
            // Quotes would not help such a command.
            problems.retain(|other| {
                !taken.iter().any(|found| other.code == "SC2086" && place(found) == place(other))
            });
            problems.extend(taken);
        }
        problems.sort();
        problems.dedup();
        problems
    }

    /// As `shfmt -i 2 -ci -bn` would write it, or as `.editorconfig` says. Nothing when it does not parse.
    pub(crate) fn format(&self, input: &Input<'_>) -> Outcome<Option<String>> {
        let dialect = match dialect(input, &Settings::default()).unwrap_or(ShellDialect::Bash) {
            ShellDialect::Sh | ShellDialect::Dash => shuck_formatter::ShellDialect::Posix,
            ShellDialect::Mksh | ShellDialect::Ksh => shuck_formatter::ShellDialect::Mksh,
            ShellDialect::Zsh => return Ok(None),
            ShellDialect::Bash | ShellDialect::Unknown => shuck_formatter::ShellDialect::Bash,
        };
        let options = format_options(input.path)?.with_dialect(dialect);
        match shuck_formatter::format_source(input.text, Some(input.path), &options) {
            Ok(FormattedSource::Formatted(text)) => {
                let text = rejoin_arms(&text, input.text);
                Ok((text != input.text).then_some(text))
            }
            Ok(FormattedSource::Unchanged) => Ok(None),
            // What cannot be parsed is the linter's to report; a formatter leaves it alone.
            Err(_) => Ok(None),
        }
    }
}

impl Settings {
    fn disables(&self, code: u32) -> bool {
        self.disabled.iter().any(|(first, last)| (*first..=*last).contains(&code))
    }

    fn rules(&self, codes: &Codes) -> RuleSet {
        codes.all.iter().filter(|(code, _)| !self.disables(*code)).map(|(_, rule)| *rule).collect()
    }
}

fn read_settings(text: &str) -> Settings {
    let mut settings = Settings::default();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((key, value)) = line.split_once('=') else { continue };
        match key.trim() {
            "disable" => settings.disabled.extend(list(value).iter().filter_map(|item| range(item))),
            "shell" => settings.shell = Some(ShellDialect::from_name(value.trim().trim_matches('"'))),
            _ => {}
        }
    }
    settings
}

fn list(value: &str) -> Vec<String> {
    let value = value.trim().trim_matches(['"', '\'']);
    value.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// `SC2086`, `2086`, `SC2000-SC2100` or `all`.
fn range(item: &str) -> Option<(u32, u32)> {
    if item == "all" {
        return Some((0, u32::MAX));
    }
    let code = |text: &str| text.trim().trim_start_matches(['S', 'C', 's', 'c']).parse().ok();
    match item.split_once('-') {
        Some((first, last)) => Some((code(first)?, code(last)?)),
        None => code(item).map(|only| (only, only)),
    }
}

/// Whether a comment switches a rule off for any part of the file. The engine knows for which; of rules that it does not have, nobody does.
fn is_disabled_somewhere(text: &str, code: u32) -> bool {
    let words = text
        .lines()
        .filter_map(|line| line.split_once("# shellcheck "))
        .flat_map(|(_, rest)| rest.split_whitespace());
    let mut lists = words.filter_map(|word| word.strip_prefix("disable="));
    lists.any(|items| {
        list(items).iter().filter_map(|item| range(item)).any(|(first, last)| (first..=last).contains(&code))
    })
}

/// Values of `# shellcheck key=value` comments before the first command: they hold for the file.
fn directives<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = String> + 'a {
    text.lines()
        .map(str::trim)
        .take_while(|line| line.is_empty() || line.starts_with('#'))
        .filter_map(|line| line.trim_start_matches('#').trim().strip_prefix("shellcheck "))
        .flat_map(str::split_whitespace)
        .filter_map(move |word| word.strip_prefix(key)?.strip_prefix('=').map(str::to_owned))
}

/// A directive, the shebang, the config, the extension: the original's order. `.sh` alone says nothing.
fn dialect(input: &Input<'_>, settings: &Settings) -> Option<ShellDialect> {
    let named = |name: &str| match name {
        "busybox" | "ash" => ShellDialect::Dash,
        "ksh88" | "ksh93" | "oksh" => ShellDialect::Ksh,
        _ => ShellDialect::from_name(name),
    };
    let known = |dialect: ShellDialect| (dialect != ShellDialect::Unknown).then_some(dialect);
    directives(input.text, "shell")
        .find_map(|name| known(named(&name)))
        .or_else(|| {
            let first = input.text.lines().next()?;
            known(named(shuck_parser::shebang::interpreter_name(first)?))
        })
        .or(settings.shell.and_then(known))
        .or_else(|| {
            known(named(input.path.extension()?.to_str()?)).filter(|dialect| *dialect != ShellDialect::Sh)
        })
}

fn place(problem: &Problem) -> (u32, u32) {
    (problem.line, problem.column)
}

fn broken_problems(text: &str, parsed: &ParseResult, found: Vec<Problem>) -> Vec<Problem> {
    let (line, column, message) = match parsed.diagnostics.first() {
        Some(first) => (first.span.start.line(), first.span.start.column(), first.message.clone()),
        None => (1, 1, parsed.strict_error().to_string()),
    };
    let problem = |line: usize, column: usize, code: u32| Problem {
        line: number(line),
        column: number(column),
        code: format!("SC{code}").into(),
        message: message.clone(),
        linter: LINTER,
    };
    let explained = broken::explain(text);
    if !explained.is_empty() {
        return explained.into_iter().map(|(line, code)| problem(line, 1, code)).collect();
    }
    // SC1090 and SC1091 are about files that are sourced, not about this one's syntax.
    let is_syntax = |code: &str| code.starts_with("SC10") && !code.starts_with("SC109");
    let mut problems: Vec<Problem> = found.into_iter().filter(|problem| is_syntax(&problem.code)).collect();
    // Whatever else it says of such a construct, the original says these two.
    let says_so = |problem: &Problem| matches!(problem.code.as_ref(), "SC1072" | "SC1073" | "SC1089");
    if !problems.iter().any(says_so) {
        problems.extend([problem(line, column, 1072), problem(line, column, 1073)]);
    }
    problems
}

/// With arms of a `case` indented, the engine puts each on three lines, whatever it was. shfmt keeps `a) x ;;` on one line
/// where it was on one, so those are put together again.
fn rejoin_arms(text: &str, source: &str) -> String {
    let dense = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let inline: std::collections::HashSet<String> =
        source.lines().filter(|line| line.contains(";;") || line.contains(";&")).map(dense).collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut joined = String::with_capacity(text.len());
    let mut at = 0;
    while at < lines.len() {
        if let [pattern, body, end, ..] = &lines[at..]
            && pattern.trim_end().ends_with(')')
            && end.trim_start().starts_with([';'])
            && inline.contains(&dense(&[*pattern, *body, *end].concat()))
        {
            joined.push_str(pattern.trim_end());
            joined.push(' ');
            joined.push_str(body.trim());
            joined.push(' ');
            joined.push_str(end.trim_start());
            at += 3;
        } else {
            joined.push_str(lines[at]);
            at += 1;
        }
    }
    joined
}

fn format_options(path: &Path) -> Outcome<ShellFormatOptions> {
    let base = ShellFormatOptions::default();
    let Some(section) = editorconfig::section(path)? else {
        return Ok(base
            .with_indent_style(IndentStyle::Space)
            .with_indent_width(2)
            .with_binary_next_line(true)
            .with_switch_case_indent(true));
    };
    let yes = |key: &str| section.get(key).is_some_and(|value| value == "true");
    let width = match section.get("indent_size").or_else(|| section.get("tab_width")).map(String::as_str) {
        Some("tab") | None => 8,
        Some(width) => width.parse().map_err(|_| {
            Trouble::new(format_args!(".editorconfig: indent_size `{width}` is not a number"))
        })?,
    };
    let style = if section.get("indent_style").is_some_and(|style| style == "space") {
        IndentStyle::Space
    } else {
        IndentStyle::Tab
    };
    Ok(base
        .with_indent_style(style)
        .with_indent_width(width)
        .with_binary_next_line(yes("binary_next_line"))
        .with_switch_case_indent(yes("switch_case_indent"))
        .with_space_redirects(yes("space_redirects"))
        .with_keep_padding(yes("keep_padding"))
        .with_function_next_line(yes("function_next_line"))
        .with_simplify(yes("simplify")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(text: &str, rc: Option<&str>) -> Vec<(u32, String)> {
        let root = tempfile::tempdir().unwrap();
        if let Some(rc) = rc {
            crate::test_files::write(&root.path().join(".shellcheckrc"), rc);
        }
        let path = root.path().join("a.sh");
        let found = Shell::default().lint(&Input::new(&path, text), &Place::default()).unwrap();
        found.into_iter().map(|problem| (problem.line, problem.code.into_owned())).collect()
    }

    #[test]
    fn an_unquoted_variable_is_sc2086() {
        let text = "#!/bin/bash\nname=$1\nrm $name\n";
        assert_eq!(lint(text, None), [(3, "SC2086".to_owned())]);
        assert_eq!(lint("#!/bin/bash\nname=$1\nrm \"$name\"\n", None), []);
        assert_eq!(lint(text, Some("# quiet\ndisable=SC2086 # here\n")), []);
        assert_eq!(lint(text, Some("disable=SC2000-SC2100\n")), []);
        assert_eq!(lint("#!/bin/bash\nname=$1\n# shellcheck disable=SC2086\nrm $name\n", None), []);
    }

    #[test]
    fn an_assignment_that_is_a_command_is_found() {
        let found = |text: &str| {
            let found = lint(&format!("#!/bin/bash\n{text}"), None);
            found.into_iter().filter(|(_, code)| code != "SC2154" && code != "SC2034").collect::<Vec<_>>()
        };
        let at = |line: u32, code: u32| vec![(line, format!("SC{code}"))];
        for (text, code) in [
            ("seeded = 1\n", 2283),
            ("seeded =1\n", 2283),
            ("seeded =\n", 2283),
            ("seeded += 1\n", 2285),
            ("seeded == 1\n", 2284),
            ("$seeded=1\n", 2281),
            ("${seeded}+=1\n", 2281),
            ("$seeded==1\n", 2272),
            ("f() { local a = 1; echo \"$a\"; }\nf\n", 2290),
        ] {
            assert_eq!(found(text), at(2, code), "{text}");
        }
        assert_eq!(found("if true; then\n  (b = 1)\nfi\n"), at(3, 2283));
        assert_eq!(found("f() {\n  case $1 in a) b = 1 ;; esac\n}\nf x\n"), at(3, 2283));
        assert_eq!(found("x=1\necho \"$x\" && b = 1\n"), at(3, 2283));
        for text in [
            "a=1\necho \"$a\"\n",
            "tr = x <a\n",
            "echo = 1\necho ======\n",
            "seeded ======\n",
            "seeded \"=\" 1\n",
            "is() { echo \"$@\"; }\nis = 1\n",
            "# shellcheck disable=SC2283\nseeded = 1\n",
            "f() {\n  ./a\n  return $?\n}\nf\n",
            "if [ \"$1\" = 1 ]; then\n  [[ $1 == 2 ]]\nfi\n",
            "cat <<EOF\nseeded = 1\nEOF\n",
            "env A=1 b\n",
            "./program = 1\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        assert_eq!(lint("#!/bin/bash\nseeded = 1\n", Some("disable=SC2283\n")), []);
    }

    #[test]
    fn a_local_outside_of_a_function_is_found_in_any_shell() {
        let rules = |shell: &str, text: &str| -> String {
            let found = lint(&format!("#!/bin/{shell}\n{text}"), Some("disable=SC3043,SC2034\n"));
            found.into_iter().map(|(line, code)| format!("{line} {code} ")).collect()
        };
        for shell in ["sh", "bash", "dash"] {
            assert_eq!(rules(shell, "local seeded=1\n"), "2 SC2168 ", "{shell}");
            assert_eq!(rules(shell, "if [ -n \"$1\" ]; then\n  local seeded\nfi\n"), "3 SC2168 ", "{shell}");
            assert_eq!(rules(shell, "f() {\n  local seeded=1\n}\nf\n"), "", "{shell}");
        }
    }

    #[test]
    fn what_does_not_parse_is_said() {
        let found = lint("#!/bin/bash\nif true; then\n  echo $1\n", None);
        assert!(!found.is_empty() && found.iter().all(|(_, code)| code.starts_with("SC1")), "{found:?}");
        // Also where the engine knows a name of its own for what is missing.
        let found = lint("#!/bin/bash\nif true\n  echo $1\nfi\n", None);
        assert!(found.iter().any(|(_, code)| code == "SC1073"), "{found:?}");
    }

    #[test]
    fn it_writes_what_shfmt_writes() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.sh");
        let text = "#!/bin/bash\nif true;then\n\techo a   b\nfi\ncase $1 in\na) x ;;\nesac\n";
        let formatted = Shell::default().format(&Input::new(&path, text)).unwrap().unwrap();
        insta::assert_snapshot!(formatted, @r"
        #!/bin/bash
        if true; then
          echo a b
        fi
        case $1 in
          a) x ;;
        esac
        ");
        crate::test_files::write(
            &root.path().join(".editorconfig"),
            "root = true\n[*.sh]\nindent_style = tab\n",
        );
        let formatted = Shell::default().format(&Input::new(&path, text)).unwrap().unwrap();
        assert!(formatted.contains("\n\techo a b\n") && formatted.contains("\na) x ;;\n"), "{formatted}");
        assert_eq!(Shell::default().format(&Input::new(&path, "if\n")).unwrap(), None);
    }
}
